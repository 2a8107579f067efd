import { promotionStep } from "../../promotions/promotions.ts";

export const endPromotion = promotionStep(
  {
    path: "/op/promotions/end",
    event: "promotion.ended",
    summary: "End a promotion",
    message: "Promotion ended.",
    description: "Ends a promotion for good. Recorded sales keep what they were given.",
    confirm: "An ended promotion can't be resumed.",
  },
  "ended",
);
