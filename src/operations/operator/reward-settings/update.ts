import { fields, writeOperation } from "../../../contract/declare.ts";
import { findRewardSettings, updateRewardSettings } from "../../../database/catalog.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { changesOf, rewardSettings, rewardSettingsFields } from "../../catalog-fields.ts";

export const updateRewardSettingsForOperator = writeOperation({
  path: "/op/reward-settings/update",
  event: "reward_settings.updated",
  summary: "Update the reward settings",
  description: "Changes a business's one set of reward settings. What is omitted stays.",
  message: "Reward settings updated.",
  input: {
    business_id: fields.businessId,
    ...changesOf(rewardSettingsFields),
  },
  atLeastOne: true,
  output: rewardSettings,
  async write({ input: { business_id: _, ...change }, tx, caller, audit }) {
    await lockLedger(tx, caller.businessId);
    const before = await findRewardSettings(tx, caller.businessId);
    const after = await updateRewardSettings(tx, caller.businessId, change);
    audit({ before, after });
    return after;
  },
});
