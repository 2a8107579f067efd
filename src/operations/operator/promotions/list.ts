import { promotionRecords, readPromotions } from "../../promotions/promotions.ts";

export const listPromotionsForOperator = promotionRecords.list({
  path: "/op/promotions/list",
  role: "viewer",
  summary: "List promotions",
  message: "Promotions listed.",
  description: "Lists the promotions of a business, also those that have ended, newest first.",
  ...readPromotions.list,
  columns: ["promotion_id", "name", "status", "multiply", "points", "first_day", "last_day"],
});
