import { fields, Rejection, writeOperation, wrongValue } from "../../../contract/declare.ts";
import { findCorrections, saveCorrections } from "../../../database/access/corrections.ts";
import type { VoucherRow } from "../../../database/catalog.ts";
import type { Connection } from "../../../database/connection.ts";
import { findChosen, insertBulkGrant } from "../../../database/jobs/bulk-grants.ts";
import { lockLedgers } from "../../../database/ledger/ledger.ts";
import { occasions } from "../../../database/occasions.ts";
import type { Corrected, Operator } from "../../../domain/access/operators.ts";
import { countedVoucher, mostBulkMembers, problemOfNumber } from "../../../domain/bulk-grants.ts";
import { GroupCorrections, limitsOf } from "../../../pipeline/postings/group-corrections.ts";
import { memberFilters } from "../../members/member-filters.ts";
import {
  checkGrant,
  givenBy,
  grantFields,
  readGiven,
  startedBulkGrant,
} from "../../promotions/bulk-grants.ts";
import { newOccasion, occasionFields } from "../../promotions/occasions.ts";

/** Counts what all members get together as a correction by hand of today. @returns the rejection if it exceeds a limit */
async function rejectAboveLimit(tx: Connection, business_id: number, operator: Operator, worth: Corrected) {
  const limits = limitsOf(operator);
  if (limits === undefined) return undefined;
  const [ledger] = await lockLedgers(tx, [business_id], "wait");
  if (ledger === undefined) throw new Error(`business ${business_id} has no ledger`);
  const named = { business_id, operator_number: limits.operatorNumber };
  const corrections = new GroupCorrections(await findCorrections(tx, [named]));
  const rejection = corrections.add(business_id, limits, ledger.today, worth);
  if (rejection === undefined) await saveCorrections(tx, corrections.changed());
  return rejection;
}

/** Why nobody would get it, too many would, or a voucher can't be counted for the limit of its operator. */
function problemOfStart(voucher: VoucherRow | null, members_found: number, operator: Operator | undefined) {
  const field = voucher === null ? "points" : "voucher_id";
  const number = problemOfNumber(members_found);
  if (number !== undefined) return wrongValue(field, number);
  if (voucher === null || voucher.kind === "value" || (operator?.limit_amount ?? null) === null)
    return undefined;
  const problem =
    "must be a voucher of the kind value, because your account has a limit_amount, and the worth of other kinds can't be counted. An " +
    "account without limit_amount can give it";
  return wrongValue(field, problem);
}

export const startBulkGrant = writeOperation({
  path: "/op/bulk-grants/start",
  role: "manager",
  event: "bulk_grant.started",
  summary: "Give many members something",
  message: "The bulk grant has started.",
  description:
    "Starts a job that gives points or a voucher to all members that are active and meet all filters now; without filters, to all active " +
    "members: at least one, and at most 1,000,000. Each member gets it once, also if the service restarts or members are merged. What " +
    "it gives is an occasion of the kind bulk, by which events name it. What all of them get counts for the limits of the operator. /op/bulk-grants/list has the progress.",
  confirm: "Members keep what they get. A preview counts them, and says what it is worth.",
  input: {
    business_id: fields.businessId,
    name: { ...occasionFields.name, description: "Why they get it. It is the reason in the ledger, too." },
    ...grantFields,
  },
  exactlyOneOf: ["points", "voucher_id"],
  check: checkGrant,
  output: startedBulkGrant,
  errors: [...memberFilters.errors, "voucher_not_found", "validation_failed", "limit_exceeded"],
  async prepare({ sql, services, caller, input }) {
    // What the job reads later is what was counted, also if the segment is changed meanwhile.
    const filters = await memberFilters.read(sql, caller.businessId, input);
    if (filters instanceof Rejection) return filters;
    const find = () => sql.begin((tx) => findChosen(tx, caller, filters, mostBulkMembers + 1), "READ ONLY");
    return { filters, ...(await services.scans.run(caller.businessId, find)) };
  },
  async write({ input, tx, caller, audit, reject, prepared }) {
    const { businessId: business_id, actor, operator } = caller;
    const given = givenBy(input);
    const { filters, members_found, members } = prepared;
    const read = await readGiven(tx, business_id, given);
    if (read instanceof Rejection) return read;
    const { voucher } = read;
    const problem = problemOfStart(voucher, members_found, operator);
    if (problem !== undefined) return reject("validation_failed", { errors: [problem] });
    const worth = {
      points: (given.points ?? 0) * members_found,
      amount: (voucher?.coupon_value ?? 0) * members_found,
    };
    const rejection = operator && (await rejectAboveLimit(tx, business_id, operator, worth));
    if (rejection !== undefined) return rejection;
    // It has ended as an occasion: only the job gives it.
    const occasion = {
      ...newOccasion({}),
      ...given,
      name: input.name,
      kind: "bulk",
      status: "ended",
    } as const;
    const { occasion_id } = await occasions.insert(tx, business_id, occasion);
    const counted = voucher && countedVoucher(voucher);
    const grant = { business_id, occasion_id, filters, members_found, counted, actor };
    await insertBulkGrant(tx, grant, members);
    audit({ before: null, after: { occasion_id, name: input.name, ...given, filters, members_found } });
    return { occasion_id, state: "running" as const, members_found };
  },
});
