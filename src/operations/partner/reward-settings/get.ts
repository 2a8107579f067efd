import { readOperation } from "../../../contract/declare.ts";
import { findSettings } from "../../../database/engine/rules.ts";
import { pick } from "../../records.ts";
import { rewardSettings } from "../../settings.ts";

export const getRewardSettings = readOperation({
  path: "/sp/reward-settings/get",
  scope: "wa.rewards.read",
  summary: "Get the reward settings",
  message: "Reward settings found.",
  description: "Returns the reward settings of the business, such as the name of the points.",
  operator: {
    role: "viewer",
    description: "Returns the reward settings of a business. Every business has them from the start.",
    concernsEarning: true,
  },
  input: {},
  output: rewardSettings,
  read: async ({ services, caller }) =>
    pick(await findSettings(services.lookUps, caller.businessId), rewardSettings),
});
