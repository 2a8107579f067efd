import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { findRewardSettings, updateRewardSettings } from "../../../database/catalog/rewards.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { changesOf, namesOf, rewardSettings, rewardSettingsFields } from "../../catalog-fields.ts";

export const updateRewardSettingsForOperator = writeOperation({
  path: "/op/reward-settings/update",
  event: "reward_settings.updated",
  summary: "Update the reward settings",
  description: "Changes a business's one set of reward settings. What is omitted stays.",
  message: "Reward settings updated.",
  input: Type.Object({
    business_id: fields.businessId,
    ...changesOf(rewardSettingsFields),
  }),
  atLeastOneOf: namesOf(rewardSettingsFields),
  output: rewardSettings,
  async write({ input: { business_id: _, ...change }, tx, caller, audit }) {
    await lockLedger(tx, caller.businessId);
    const before = await findRewardSettings(tx, caller.businessId);
    const after = await updateRewardSettings(tx, caller.businessId, change);
    audit({ before, after });
    return after;
  },
});
