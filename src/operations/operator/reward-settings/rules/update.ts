import { type FieldError, fieldError, fields, writeOperation } from "../../../../contract/declare.ts";
import { programs } from "../../../../database/catalog.ts";
import {
  lockRuleSettings,
  type RuleSettings,
  recordRules,
  updateRuleSettings,
} from "../../../../database/engine/rules.ts";
import { changesOf, ruleFields, rules } from "../../../catalog-fields.ts";

/** Validity and its unit go together. */
function checkValidity({ points_validity, points_validity_period }: Partial<RuleSettings>): FieldError[] {
  if ((points_validity === null) === (points_validity_period === null)) return [];
  const missing = points_validity === null ? "points_validity" : "points_validity_period";
  return [fieldError(missing, "required", "must be set when the other of points_validity and its period is")];
}

export const updateRules = writeOperation({
  path: "/op/reward-settings/rules/update",
  event: "rules.updated",
  summary: "Update the rules for points",
  description:
    "Changes what sales earn, what points are worth and how long they are good. What is omitted stays. It applies to sales from " +
    "today on: points that were earned keep their dates, and refunds use the rate of the sale.",
  message: "Rules updated.",
  input: { business_id: fields.businessId, ...changesOf(ruleFields) },
  atLeastOne: true,
  output: rules,
  errors: ["program_not_found", "validation_failed"],
  async write({ input: { business_id: _, ...change }, tx, caller: { businessId }, audit, fail }) {
    const before = await lockRuleSettings(tx, businessId);
    const { version, ...after } = { ...before, ...change } as RuleSettings;
    const errors = checkValidity(after);
    if (errors.length > 0) return fail("validation_failed", { errors });
    const programId = after.default_program_id;
    if (programId !== null && (await programs.lock(tx, businessId, programId)) === undefined) {
      return fail("program_not_found");
    }
    await updateRuleSettings(tx, businessId, after);
    await recordRules(tx, businessId);
    const recorded = { ...after, version: version + 1 };
    audit({ before, after: recorded });
    return recorded;
  },
});
