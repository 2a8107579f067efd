import { fields, readOperation } from "../../../contract/declare.ts";
import { findEarningParts } from "../../../database/engine/rules.ts";
import { missingOf } from "../../../domain/engine/rules.ts";
import { earningState } from "../../rules/settings.ts";

export const checkEarning = readOperation({
  path: "/op/reward-settings/check",
  role: "viewer",
  summary: "Check whether sales earn points",
  description:
    "Returns what is missing until a sale has earned points. Nothing is missing if one of the last thousand sales has earned some, " +
    "and the next ones will.",
  message: "Checked.",
  concernsEarning: true,
  input: { business_id: fields.businessId },
  output: earningState,
  async read({ sql, caller: { businessId } }) {
    const parts = await findEarningParts(sql, businessId);
    return { missing: missingOf(parts), program: parts.program };
  },
});
