import { stampCardStep } from "../../promotions/stamp-cards.ts";

export const resumeStampCard = stampCardStep(
  {
    path: "/op/stamp-cards/resume",
    event: "stamp_card.resumed",
    summary: "Resume a stamp card",
    message: "Stamp card resumed.",
    description: "Lets a paused stamp card, or a draft, collect stamps from the next sale on.",
  },
  "active",
);
