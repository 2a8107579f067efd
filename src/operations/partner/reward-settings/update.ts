import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { updateRewardSettings } from "../../../database/catalog/rewards.ts";

export const updateRewardSettingsOperation = writeOperation({
  path: "/sp/reward-settings/update",
  scope: "wa.rewards.write",
  status: 200,
  summary: "Update the reward settings",
  description: "Changes the business's one set of reward settings. What is omitted stays.",
  message: "Reward settings updated.",
  input: Type.Object({
    enable_rp: Type.Optional(fields.enableRp),
    rp_name: Type.Optional(fields.rpName),
    rp_sales_calculation_period: Type.Optional(fields.periodLength),
    rp_sales_calculation_period_type: Type.Optional(fields.periodUnit),
  }),
  atLeastOneOf: ["enable_rp", "rp_name", "rp_sales_calculation_period", "rp_sales_calculation_period_type"],
  output: Type.Object({
    enable_rp: fields.enableRp,
    rp_name: fields.rpName,
    rp_sales_calculation_period: fields.periodLength,
    rp_sales_calculation_period_type: fields.periodUnit,
  }),
  example: { rp_name: "Stars" },
  errors: [],
  write: ({ input, tx, caller }) => updateRewardSettings(tx, caller.businessId, input),
});
