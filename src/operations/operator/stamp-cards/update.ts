import { ofChangedStampCard, stampCardChanges, stampCardRecords } from "../../promotions/stamp-cards.ts";

export const updateStampCard = stampCardRecords.update({
  path: "/op/stamp-cards/update",
  role: "manager",
  event: "stamp_card.updated",
  summary: "Update a stamp card",
  message: "Stamp card updated.",
  description:
    "Changes a stamp card from the next sale on. Fields that you omit don't change. Members keep their stamps: one with enough " +
    "stamps for a lower stamps_needed gets the voucher with the next stamp.",
  input: stampCardChanges,
  ...ofChangedStampCard,
});
