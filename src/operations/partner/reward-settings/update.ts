import { updatesRewardSettings } from "../../settings.ts";

export const updateRewardSettings = updatesRewardSettings({
  path: "/sp/reward-settings/update",
  scope: "wa.rewards.write",
  summary: "Update the reward settings",
  description: "Changes the business's one set of reward settings. What is omitted stays.",
  message: "Reward settings updated.",
  example: { rp_name: "Stars" },
});
