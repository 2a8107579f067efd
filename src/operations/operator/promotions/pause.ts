import { promotionStep } from "../../promotions/promotions.ts";

export const pausePromotion = promotionStep(
  {
    path: "/op/promotions/pause",
    event: "promotion.paused",
    summary: "Pause a promotion",
    message: "Promotion paused.",
    description: "Stops a promotion until it is resumed. Recorded sales keep what they were given.",
  },
  "paused",
);
