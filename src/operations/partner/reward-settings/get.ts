import { readsRewardSettings } from "../../settings.ts";

export const getRewardSettingsForPartner = readsRewardSettings({
  path: "/sp/reward-settings/get",
  scope: "wa.rewards.read",
  summary: "Get the reward settings",
  description: "Returns the reward settings of the business, such as the name of the points.",
});
