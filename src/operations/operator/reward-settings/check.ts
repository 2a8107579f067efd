import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findEarningParts } from "../../../database/engine/rules.ts";
import { missingOf, missingParts } from "../../../domain/engine/rules.ts";
import { program } from "../../records.ts";

export const earningState = Type.Object({
  missing: Type.Array(
    fields.choice(
      missingParts,
      "no_location: the business has no location. rewards_off: points are switched off. no_program: no program is the " +
        "default. program_without_rate: the default program earns nothing. maximum_is_zero: the default program allows 0 " +
        "points for each sale. no_integration: no enabled integration may record sales. no_sale: no sale has earned yet.",
    ),
    {
      maxItems: missingParts.length,
      description: "What is missing, in the order in which people set it up.",
      examples: [["no_sale"]],
    },
  ),
  program: fields.nullable(program, "The default program; null without one."),
});

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
