import { updatesRewardSettings } from "../../settings.ts";

export const updateRewardSettingsForOperator = updatesRewardSettings({
  path: "/op/reward-settings/update",
  event: "reward_settings.updated",
  summary: "Update the reward settings",
  description: "Changes a business's one set of reward settings. What is omitted stays.",
  message: "Reward settings updated.",
});
