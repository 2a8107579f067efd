import { stampCardStep } from "../../promotions/stamp-cards.ts";

export const pauseStampCard = stampCardStep(
  {
    path: "/op/stamp-cards/pause",
    event: "stamp_card.paused",
    summary: "Pause a stamp card",
    message: "Stamp card paused.",
    description: "Stops a stamp card until it is resumed. Members keep their stamps.",
  },
  "paused",
);
