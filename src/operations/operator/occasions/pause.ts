import { occasionStep } from "../../promotions/occasions.ts";

export const pauseOccasion = occasionStep(
  {
    path: "/op/occasions/pause",
    event: "occasion.paused",
    summary: "Pause an occasion",
    message: "Occasion paused.",
    description: "Stops an occasion until it is resumed. Members get nothing for the days until then.",
  },
  "paused",
);
