import { promotionStep } from "../../promotions/promotions.ts";

export const resumePromotion = promotionStep(
  {
    path: "/op/promotions/resume",
    event: "promotion.resumed",
    summary: "Resume a promotion",
    message: "Promotion resumed.",
    description: "Lets a paused promotion, or a draft, act from the next sale on.",
  },
  "active",
);
