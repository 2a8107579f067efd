import { fieldError, fields, Type, writeOperation } from "../../../contract/declare.ts";
import { findToday } from "../../../database/access/businesses.ts";
import { lastDay } from "../../../domain/dates.ts";
import { importBodyBytes } from "../../../domain/imports/limits.ts";
import { responseOf } from "../../imports/chunks.ts";
import { memberLines, recordMemberLines } from "../../imports/imported-members.ts";
import { importResult, trialFields } from "../../imports/imports.ts";

export const importMembers = writeOperation({
  path: "/op/imports/members",
  role: "manager",
  event: "members.imported",
  emits: "members.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import members",
  message: "Members imported.",
  description:
    "Creates active members, with opening entries for their wallets and points. The valid lines of a request are " +
    "imported in one transaction. A member of another system keeps its tier until tier_until; from then on, its sales decide. " +
    "A line is identified by its external_ref, or else by its values. A line that is " +
    "already imported is skipped. A line whose external_ref was imported is rejected if it is another person or has " +
    "another wallet_balance or points_balance, and if the member was erased. Phone number, e-mail address, external_ref and " +
    "card_code are unique in the business.",
  input: {
    business_id: fields.businessId,
    lines: memberLines,
    ...trialFields,
    points_valid_through: Type.Optional(
      fields.day("The last day on which the opening points can be spent. By default, they don't expire."),
    ),
  },
  output: importResult,
  errors: ["validation_failed"],
  async check({ points_valid_through: day }, { services, businessId }) {
    if (day === undefined) return [];
    const today = (await findToday(services.lookUps, businessId)) ?? day;
    if (day >= today && day < lastDay) return [];
    const problem = day < today ? "must not be in the past" : `must be before ${lastDay}`;
    return [fieldError("points_valid_through", "out_of_range", problem)];
  },
  async write({ audit, prepared: _, ...context }) {
    const outcome = await recordMemberLines(context);
    return responseOf(outcome, audit, context.input.dry_run !== true && outcome.imported > 0);
  },
});
