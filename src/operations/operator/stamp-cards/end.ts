import { stampCardStep } from "../../promotions/stamp-cards.ts";

export const endStampCard = stampCardStep(
  {
    path: "/op/stamp-cards/end",
    event: "stamp_card.ended",
    summary: "End a stamp card",
    message: "Stamp card ended.",
    description:
      "Ends a stamp card for good. Members keep the vouchers that it gave, and what is on cards that are not full gives nothing any more.",
    confirm: "An ended stamp card can't be resumed.",
  },
  "ended",
);
