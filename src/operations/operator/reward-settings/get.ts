import { fields, readOperation } from "../../../contract/declare.ts";
import { findRewardSettings } from "../../../database/catalog.ts";
import { rewardSettings } from "../../catalog-fields.ts";

export const getRewardSettings = readOperation({
  path: "/op/reward-settings/get",
  summary: "Get the reward settings",
  description: "The one set of reward settings that every business has.",
  message: "Reward settings found.",
  input: { business_id: fields.businessId },
  output: rewardSettings,
  read: ({ sql, caller }) => findRewardSettings(sql, caller.businessId),
});
