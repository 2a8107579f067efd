import { fieldError, fields, writeOperation } from "../../../../contract/declare.ts";
import { programs } from "../../../../database/catalog.ts";
import { lockSettings, updateSettings } from "../../../../database/engine/rules.ts";
import { changesOf, pick } from "../../../records.ts";
import { ruleFields, rules } from "../../../rules/settings.ts";

/** Settings that are a number and its unit: both are null, or neither. */
const validities = ["points_validity", "gift_validity"] as const;

export const updateRules = writeOperation({
  path: "/op/reward-settings/rules/update",
  role: "manager",
  event: "rules.updated",
  summary: "Update the rules for points",
  description:
    "Changes the rules of a business: the points that sales earn, the value of points, and their validity. Fields that " +
    "you omit don't change. The new rules apply to sales from today on. Earned points keep their dates, and refunds " +
    "use the rate of the sale.",
  message: "Rules updated.",
  concernsEarning: true,
  input: { business_id: fields.businessId, ...changesOf(ruleFields) },
  atLeastOne: true,
  output: rules,
  errors: ["program_not_found", "validation_failed"],
  async write({ input, tx, caller: { businessId }, audit, reject }) {
    const settings = await lockSettings(tx, businessId);
    const { default_program_id = null } = input;
    if (default_program_id !== null && !(await programs.find(tx, businessId, default_program_id))) {
      return reject("program_not_found", {});
    }
    const changed = { ...settings, ...input };
    for (const name of validities) {
      const [number, unit] = [name, `${name}_period`] as const;
      if ((changed[number] === null) === (changed[unit] === null)) continue;
      const [missing, other] = changed[number] === null ? [number, unit] : [unit, number];
      const errors = [fieldError(missing, "required", `must be set together with ${other}`)];
      return reject("validation_failed", { errors });
    }
    const { before, after } = await updateSettings(tx, businessId, input);
    audit({ before: pick(before, rules), after: pick(after, rules) });
    return pick(after, rules);
  },
});
