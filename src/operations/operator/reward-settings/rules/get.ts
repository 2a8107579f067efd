import { fields, readOperation } from "../../../../contract/declare.ts";
import { findSettings } from "../../../../database/engine/rules.ts";
import { pick } from "../../../records.ts";
import { rules } from "../../../rules/settings.ts";

export const getRules = readOperation({
  path: "/op/reward-settings/rules/get",
  role: "viewer",
  summary: "Get the rules for points",
  description:
    "Returns the rules of a business: the points that sales earn, the value of points, and their validity.",
  message: "Rules found.",
  concernsEarning: true,
  input: { business_id: fields.businessId },
  output: rules,
  read: async ({ sql, caller }) => pick(await findSettings(sql, caller.businessId), rules),
});
