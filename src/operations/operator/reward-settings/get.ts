import { readsRewardSettings } from "../../settings.ts";

export const getRewardSettings = readsRewardSettings({
  path: "/op/reward-settings/get",
  role: "viewer",
  summary: "Get the reward settings",
  description: "Returns the reward settings of a business. Every business has them from the start.",
  concernsEarning: true,
});
