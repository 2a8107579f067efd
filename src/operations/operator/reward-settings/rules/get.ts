import { fields, readOperation } from "../../../../contract/declare.ts";
import { findSettings } from "../../../../database/engine/rules.ts";
import { pick } from "../../../records.ts";
import { rules } from "../../../settings.ts";

export const getRules = readOperation({
  path: "/op/reward-settings/rules/get",
  summary: "Get the rules for points",
  description: "What a business's sales earn, what points are worth, and how long they are good.",
  message: "Rules found.",
  input: { business_id: fields.businessId },
  output: rules,
  read: async ({ sql, caller }) => pick(await findSettings(sql, caller.businessId), rules),
});
