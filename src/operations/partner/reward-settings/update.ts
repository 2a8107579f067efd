import { writeOperation } from "../../../contract/declare.ts";
import { updateRewardSettings } from "../../../database/catalog.ts";
import { changesOf, rewardSettings, rewardSettingsFields } from "../../catalog-fields.ts";

export const updateRewardSettingsOperation = writeOperation({
  path: "/sp/reward-settings/update",
  scope: "wa.rewards.write",
  summary: "Update the reward settings",
  description: "Changes the business's one set of reward settings. What is omitted stays.",
  message: "Reward settings updated.",
  input: changesOf(rewardSettingsFields),
  atLeastOne: true,
  output: rewardSettings,
  example: { rp_name: "Stars" },
  write: ({ input, tx, caller }) => updateRewardSettings(tx, caller.businessId, input),
});
