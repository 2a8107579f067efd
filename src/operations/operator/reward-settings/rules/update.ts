import { fieldError, fields, writeOperation } from "../../../../contract/declare.ts";
import { programs } from "../../../../database/catalog.ts";
import { lockSettings, updateSettings } from "../../../../database/engine/rules.ts";
import { changesOf, pick } from "../../../records.ts";
import { ruleFields, rules } from "../../../settings.ts";

const validityFields = ["points_validity", "points_validity_period"];

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
      return reject("program_not_found");
    }
    const { points_validity, points_validity_period } = { ...settings, ...input };
    if ((points_validity === null) !== (points_validity_period === null)) {
      const [missing, other] = points_validity === null ? validityFields : validityFields.toReversed();
      const errors = [fieldError(missing as string, "required", `must be set together with ${other}`)];
      return reject("validation_failed", { errors });
    }
    const { before, after } = await updateSettings(tx, businessId, input);
    audit({ before: pick(before, rules), after: pick(after, rules) });
    return pick(after, rules);
  },
});
