import { readStampCards, stampCardRecords } from "../../promotions/stamp-cards.ts";

export const listStampCardsForOperator = stampCardRecords.list({
  path: "/op/stamp-cards/list",
  role: "viewer",
  summary: "List stamp cards",
  message: "Stamp cards listed.",
  description: "Lists the stamp cards of a business, also those that have ended, newest first.",
  ...readStampCards.list,
  columns: ["stamp_card_id", "name", "status", "stamps_needed", "counts"],
});
