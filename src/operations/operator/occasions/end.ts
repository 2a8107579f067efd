import { occasionStep } from "../../promotions/occasions.ts";

export const endOccasion = occasionStep(
  {
    path: "/op/occasions/end",
    event: "occasion.ended",
    summary: "End an occasion",
    message: "Occasion ended.",
    description: "Ends an occasion for good. Members keep what they got.",
    confirm: "An ended occasion can't be resumed.",
  },
  "ended",
);
