import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { findRewardSettings, updateRewardSettings } from "../../../database/catalog/rewards.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";

export const updateRewardSettingsForOperator = writeOperation({
  path: "/op/reward-settings/update",
  scope: "operator",
  event: "reward_settings.updated",
  status: 200,
  summary: "Update the reward settings",
  description: "Changes a business's one set of reward settings. What is omitted stays.",
  message: "Reward settings updated.",
  input: Type.Object({
    business_id: fields.businessId,
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
  errors: [],
  async write({ input: { business_id: _, ...change }, tx, caller, audit }) {
    await lockLedger(tx, caller.businessId);
    const before = await findRewardSettings(tx, caller.businessId);
    const after = await updateRewardSettings(tx, caller.businessId, change);
    audit({ before, after });
    return after;
  },
});
