import { occasionStep } from "../../promotions/occasions.ts";

export const resumeOccasion = occasionStep(
  {
    path: "/op/occasions/resume",
    event: "occasion.resumed",
    summary: "Resume an occasion",
    message: "Occasion resumed.",
    description:
      "Lets a paused occasion, or a draft, give something from today on. It gives nothing for earlier days.",
  },
  "active",
);
