import {
  newStampCard,
  newStampCardFields,
  ofNewStampCard,
  stampCardRecords,
} from "../../promotions/stamp-cards.ts";

export const createStampCard = stampCardRecords.create(
  {
    path: "/op/stamp-cards/create",
    role: "manager",
    event: "stamp_card.created",
    summary: "Create a stamp card",
    message: "Stamp card created.",
    description:
      "Creates a stamp card, such as buy nine, the tenth is free: sales add stamps, and each full card gives its member a voucher. It " +
      "collects stamps from the next sale on, unless it is a draft.",
    input: newStampCardFields,
    ...ofNewStampCard,
  },
  newStampCard,
);
