import {
  newPromotion,
  newPromotionFields,
  ofNewPromotion,
  promotionRecords,
} from "../../promotions/promotions.ts";

export const createPromotion = promotionRecords.create(
  {
    path: "/op/promotions/create",
    role: "manager",
    event: "promotion.created",
    summary: "Create a promotion",
    message: "Promotion created.",
    description:
      "Creates a promotion, which multiplies the points of the program, or gives fixed points or a voucher, under conditions. It acts from the next sale " +
      "on, unless it is a draft.",
    input: newPromotionFields,
    ...ofNewPromotion,
  },
  newPromotion,
);
