import { fields, readOperation } from "../../../contract/declare.ts";
import { findSettings } from "../../../database/engine/rules.ts";
import { pick } from "../../records.ts";
import { rewardSettings } from "../../settings.ts";

export const getRewardSettings = readOperation({
  path: "/op/reward-settings/get",
  summary: "Get the reward settings",
  description: "Returns the reward settings of a business. Every business has them from the start.",
  message: "Reward settings found.",
  input: { business_id: fields.businessId },
  output: rewardSettings,
  read: async ({ sql, caller }) => pick(await findSettings(sql, caller.businessId), rewardSettings),
});
