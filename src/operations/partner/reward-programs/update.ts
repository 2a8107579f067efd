import { changesOf, partnerProgram, programFields, programs } from "../../records.ts";

export const updateRewardProgram = programs.update({
  path: "/sp/reward-programs/update",
  scope: "wa.rewards.write",
  summary: "Update a reward program",
  message: "Reward program updated.",
  description:
    "Changes a program's name or the maximum number of points that one order earns. Fields that you omit don't change.",
  input: changesOf(programFields),
  output: partnerProgram,
});
