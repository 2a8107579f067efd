import { updatesRewardSettings } from "../../settings.ts";

export const updateRewardSettingsForOperator = updatesRewardSettings({
  path: "/op/reward-settings/update",
  role: "manager",
  event: "reward_settings.updated",
  summary: "Update the reward settings",
  description: "Changes the reward settings of a business. Fields that you omit don't change.",
  concernsEarning: true,
});
