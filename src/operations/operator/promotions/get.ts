import { readPromotions } from "../../promotions/promotions.ts";

export const getPromotion = readPromotions.get({
  path: "/op/promotions/get",
  summary: "Get a promotion",
  message: "Promotion found.",
  description: "Returns one promotion, also one that has ended.",
});
