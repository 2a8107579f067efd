/** Shared by the operations that give something to many members at once. */
import { type FieldError, fields, reject, Type, writeOperation, wrongValue } from "../../contract/declare.ts";
import type { CheckContext } from "../../contract/operation.ts";
import { vouchers } from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { findCurrentRules } from "../../database/engine/rules.ts";
import { lockBulkGrant, setBulkGrantState } from "../../database/jobs/bulk-grants.ts";
import type { MemberConditions } from "../../database/members/filters.ts";
import type { AuditEvent } from "../../domain/audit-events.ts";
import { type BulkGrantState, bulkGrantStates } from "../../domain/bulk-grants.ts";
import type { Occasion } from "../../domain/engine/rules.ts";
import { memberFilters, shownFilters } from "../members/member-filters.ts";
import { checkValidity } from "../records.ts";
import { problemOfChosen } from "../vouchers/given-vouchers.ts";
import { occasionFields } from "./occasions.ts";

const bulkGrantId = {
  ...fields.occasionId,
  description: "The bulk grant, by the occasion that says what it gives.",
};
const { points, validity, validity_period, voucher_id } = occasionFields;

/** What members get, and which ones. */
export const grantFields = {
  points: Type.Optional(
    fields.inPoints(fields.whole(1, 1_000_000, "The points that each member gets.", 100)),
  ),
  validity: Type.Optional(validity),
  validity_period: Type.Optional(validity_period),
  voucher_id: Type.Optional({
    ...fields.voucherId,
    description: "The voucher that each member gets instead.",
  }),
  ...memberFilters.fields,
};

type Given = Partial<Pick<Occasion, "points" | "validity" | "validity_period" | "voucher_id">>;

/** What it gives, with null for what was not sent. */
export const givenBy = ({
  points = null,
  validity = null,
  validity_period = null,
  voucher_id = null,
}: Given) => ({ points, validity, validity_period, voucher_id });

export function checkGrant(input: Given & MemberConditions, context: CheckContext): FieldError[] {
  const errors = [...memberFilters.check(input), ...checkValidity(input as Record<string, unknown>, context)];
  const { voucher_id, validity } = givenBy(input);
  if (voucher_id === null || validity === null) return errors;
  const problem = "must be null with a voucher, which has a validity of its own";
  return [...errors, wrongValue("validity", problem)];
}

/** What members get. @returns the reason to reject what can't be given */
export async function readGiven(
  sql: Connection,
  businessId: number,
  { points, voucher_id }: ReturnType<typeof givenBy>,
) {
  const voucher = voucher_id === null ? null : await vouchers.find(sql, businessId, voucher_id);
  if (voucher === undefined) return reject("voucher_not_found");
  const rules = await findCurrentRules(sql, businessId);
  const isOff = points !== null && !rules.enable_rp;
  const off = wrongValue("points", "can't be given while points are off: switch them on first");
  const problem = isOff ? off : voucher && problemOfChosen(voucher);
  return problem ? reject("validation_failed", { errors: [problem] }) : { voucher, rules };
}

const state = fields.choice(
  bulkGrantStates,
  "running: a job gives it to one member after the other. ended: all members who were found have got it, or were skipped. cancelled: it can be resumed. failed: problem " +
    "says why, and it can be resumed.",
  "ended",
);
export const foundMembers = fields.count("How many members were found when it was started.", 1240);

export const bulkGrant = Type.Object({
  occasion_id: bulkGrantId,
  name: occasionFields.name,
  points,
  validity,
  validity_period,
  voucher_id,
  filters: shownFilters,
  state,
  members_found: foundMembers,
  members_given: fields.count("How many members have got it so far.", 1238),
  members_skipped: fields.count(
    "How many members did not get it: they are inactive or erased, had got it already before a merge, or their balance has no room.",
    2,
  ),
  created_at: fields.timestamp,
  ended_at: fields.nullable(fields.timestamp, "When the job ended, or null."),
  problem: fields.nullable(
    fields.returnedText(2000, "The reason.", "The voucher was archived."),
    "Why it failed, or null.",
    null,
  ),
});

const changed = Type.Object({ occasion_id: bulkGrantId, state });
export const startedBulkGrant = Type.Object({ ...changed.properties, members_found: foundMembers });

interface Step {
  readonly path: `/op/bulk-grants/${string}`;
  readonly event: AuditEvent;
  readonly summary: string;
  readonly message: string;
  readonly description: string;
}

/** Declares an operation that stops a job, or lets it go on. @param before the states in which it can be sent */
export const bulkGrantStep = (
  declared: Step,
  before: readonly BulkGrantState[],
  after: "cancelled" | "running",
) =>
  writeOperation({
    ...declared,
    role: "manager",
    input: { business_id: fields.businessId, occasion_id: bulkGrantId },
    output: changed,
    errors: ["occasion_not_found", "bulk_grant_not_ready"],
    async write({ input: { occasion_id }, tx, caller, audit, reject }) {
      const key = { business_id: caller.businessId, occasion_id };
      const found = await lockBulkGrant(tx, key);
      if (found === undefined) return reject("occasion_not_found");
      const { state, members_given } = found;
      if (!before.includes(state)) return reject("bulk_grant_not_ready", { state });
      await setBulkGrantState(tx, key, after);
      audit({ before: { occasion_id, state }, after: { occasion_id, state: after, members_given } });
      return { occasion_id, state: after };
    },
  });
