import { newPromotion, newPromotionFields, ofNewPromotion, promotionRecords } from "../../promotions.ts";

export const createPromotion = promotionRecords.create(
  {
    path: "/op/promotions/create",
    role: "manager",
    event: "promotion.created",
    summary: "Create a promotion",
    message: "Promotion created.",
    description:
      "Creates a promotion: what sales earn besides the rate of their program, under conditions. It multiplies the program's points, " +
      "or gives fixed points. It acts from the next sale on, unless it is a draft.",
    input: newPromotionFields,
    ...ofNewPromotion,
  },
  newPromotion,
);
