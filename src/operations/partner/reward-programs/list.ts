import { partnerProgram, programs } from "../../records.ts";

export const listRewardPrograms = programs.list({
  path: "/sp/reward-programs/list",
  scope: "wa.rewards.read",
  summary: "List reward programs",
  message: "Reward programs listed.",
  description: "Lists the reward programs of the business, newest first.",
  output: partnerProgram,
});
