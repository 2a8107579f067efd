import { updatesRewardSettings } from "../../settings.ts";

export const updateRewardSettings = updatesRewardSettings({
  path: "/sp/reward-settings/update",
  scope: "wa.rewards.write",
  summary: "Update the reward settings",
  description: "Changes the reward settings of the business. Fields that you omit don't change.",
});
