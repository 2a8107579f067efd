import { writeOperation } from "../../../contract/declare.ts";
import { updateSettings } from "../../../database/engine/rules.ts";
import { changesOf, pick } from "../../records.ts";
import { rewardSettings } from "../../rules/settings.ts";

export const updateRewardSettings = writeOperation({
  path: "/sp/reward-settings/update",
  scope: "wa.rewards.write",
  summary: "Update the reward settings",
  message: "Reward settings updated.",
  description: "Changes the reward settings of the business. Fields that you omit don't change.",
  operator: {
    role: "manager",
    event: "reward_settings.updated",
    description: "Changes the reward settings of a business. Fields that you omit don't change.",
    concernsEarning: true,
  },
  input: changesOf(rewardSettings.properties),
  atLeastOne: true,
  output: rewardSettings,
  async write({ input, tx, caller, audit }) {
    const { before, after } = await updateSettings(tx, caller.businessId, input);
    audit({ before: pick(before, rewardSettings), after: pick(after, rewardSettings) });
    return pick(after, rewardSettings);
  },
});
