import { ofChangedPromotion, promotionChanges, promotionRecords } from "../../promotions/promotions.ts";

export const updatePromotion = promotionRecords.update({
  path: "/op/promotions/update",
  role: "manager",
  event: "promotion.updated",
  summary: "Update a promotion",
  message: "Promotion updated.",
  description:
    "Changes a promotion from the next sale on. Fields that you omit don't change. Recorded sales keep what they were given.",
  input: promotionChanges,
  ...ofChangedPromotion,
});
