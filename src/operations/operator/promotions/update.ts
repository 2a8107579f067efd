import { ofChangedPromotion, promotionChanges, promotionRecords } from "../../promotions.ts";

export const updatePromotion = promotionRecords.update({
  path: "/op/promotions/update",
  role: "manager",
  event: "promotion.updated",
  summary: "Update a promotion",
  message: "Promotion updated.",
  description:
    "Changes the conditions of a promotion, or what it gives, from the next sale on. Fields that you omit don't change. Recorded sales " +
    "keep what they were given, and so do their refunds.",
  input: promotionChanges,
  ...ofChangedPromotion,
});
