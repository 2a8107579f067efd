/** Refunds in files of sales: lines with a negative amount and the reference of a sale. */
import { type ErrorCode, errors } from "../contract/errors.ts";
import type { Connection } from "../database/connection.ts";
import type { FoundSale } from "../database/imports.ts";
import { findSalesOfReferences, type RecordedSale, recordLines, saveRefunded } from "../database/imports.ts";
import type { BusinessTime } from "../database/rows.ts";
import { decideRefund } from "../domain/engine/refund.ts";
import type { Sale } from "../domain/records.ts";
import { Rejection, reject } from "../domain/rejection.ts";
import { applyCommands, noMember, refundCommand, settleMembers } from "../pipeline/postings/open-ledger.ts";
import { type Candidate, digestOf, type Identity } from "./imported-lines.ts";
import { type IdentityOptions, type KnownSale, memberOf, type SaleLine } from "./imported-sales.ts";
import { type LineError, lineError } from "./imports.ts";

export const isRefund = ({ amount, reference_id }: Pick<SaleLine, "amount" | "reference_id">) =>
  amount < 0 && reference_id !== undefined;

/** Identifies a refund by its values: a sale can have several. */
export function identityOfRefund(
  { reference_id, amount, equal_before = 0 }: SaleLine,
  { local_time }: FoundSale,
  { batch = "" }: IdentityOptions,
): Identity | undefined {
  if (local_time === null) return undefined;
  const digest = digestOf("refund", batch, reference_id, local_time, amount, equal_before);
  return { digest, candidates: [digest], values: "" };
}

export interface RefundCandidate extends Candidate<SaleLine, FoundSale> {
  /** The identity of its sale, which may have been imported with other options. */
  readonly sale: Identity | undefined;
}

interface RefundState {
  readonly tx: Connection;
  readonly business: BusinessTime;
  readonly isTrial: boolean;
  /** The sales and refunds that are recorded, or that lines before have made, by digest. */
  readonly known: Map<string, KnownSale>;
}

/** Names a sale that a till has recorded, as digests name imported ones. */
const ofTill = ({ entry_no }: RecordedSale) => `till ${entry_no}`;
const isOfTill = (digest: string) => digest.startsWith("till ");

type Taken = RefundCandidate & {
  readonly identity: Identity;
  readonly digest: string;
  readonly of: KnownSale;
};

/** Records refunds after the sales of the same request. */
export async function importRefunds(
  candidates: readonly RefundCandidate[],
  { tx, business, isTrial, known }: RefundState,
) {
  const ofTills = await findSalesOfTills(candidates, { tx, business, known });
  const rejected: LineError[] = [];
  const identities: { line: number; identity: string; values: string; refund_of?: string[] }[] = [];
  const taken: Taken[] = [];
  let skipped = 0;
  for (const candidate of candidates) {
    const { line, bad, rejections, identity, sale } = candidate;
    const { digest, of, failures } = saleOf(candidate, known, ofTills);
    if (bad || identity === undefined || failures.length > 0) rejected.push(...rejections, ...failures);
    else if (known.has(identity.digest)) {
      skipped += 1;
      const { line: earlier } = known.get(identity.digest) as KnownSale;
      if (earlier !== undefined)
        identities.push({ line: line.line, identity: identity.digest, values: identity.values });
    } else if (digest !== undefined && of !== undefined) {
      known.set(identity.digest, { ...of, line: line.line });
      taken.push({ ...candidate, identity, digest, of });
    } else if (isTrial && sale !== undefined)
      identities.push({
        ...{ line: line.line, identity: identity.digest, values: identity.values },
        refund_of: [...sale.candidates],
      });
    else rejected.push(withoutSale(line));
  }
  const done = await refund(taken, { tx, businessId: business.businessId, isTrial });
  rejected.push(...done.rejected);
  for (const { line, identity } of done.rows)
    identities.push({ line: line.line, identity: identity.digest, values: identity.values });
  const contactIds = done.rows.map(({ of }) => of.contact_id);
  return { imported: done.rows.length, skipped, rejected, identities, contactIds };
}

/** Finds the sales of tills that have the references of lines without an imported sale, and adds them to the known ones. */
async function findSalesOfTills(
  candidates: readonly RefundCandidate[],
  { tx, business, known }: Pick<RefundState, "tx" | "business" | "known">,
): Promise<readonly RecordedSale[]> {
  const others = candidates.filter(({ sale }) => !sale?.candidates.some((one) => known.has(one)));
  const references = new Set(others.flatMap(({ line }) => line.reference_id ?? []));
  if (references.size === 0) return [];
  const ofTills = await findSalesOfReferences(tx, business, [...references]);
  for (const one of ofTills) known.set(ofTill(one), { ...one, content: null });
  return ofTills;
}

/** The sale that a line refunds: an imported one, or else that of a till; and what forbids it. */
function saleOf(
  candidate: RefundCandidate,
  known: ReadonlyMap<string, KnownSale>,
  ofTills: readonly RecordedSale[],
): { readonly digest?: string; readonly of?: KnownSale; readonly failures: LineError[] } {
  const { line, found, sale, identity } = candidate;
  const imported = sale?.candidates.find((one) => known.has(one));
  const ofLine = imported === undefined ? ofTills.filter((one) => isRefundOf(candidate, one)) : [];
  const [first, ...more] = ofLine;
  if (more.length > 0) {
    const isDone = known.has(identity?.digest ?? "");
    return { failures: isDone ? [] : [severalSales(line, ofLine)] };
  }
  const digest = imported ?? (first && ofTill(first));
  const of = digest === undefined ? undefined : known.get(digest);
  if (digest === undefined || of === undefined) return { failures: [] };
  return { digest, of, failures: differences(line, found, of) };
}

/** Whether a line is a refund of a sale of its reference: that of its member, at its location if it has one. */
const isRefundOf = ({ line, found }: RefundCandidate, one: RecordedSale) =>
  one.reference_id === line.reference_id &&
  one.contact_id === found.contact_id &&
  (line.location_id === undefined || one.location_id === line.location_id);

const severalSales = (line: SaleLine, ofLine: readonly RecordedSale[]) =>
  lineError(
    line,
    "amount",
    "differs",
    `is a refund, and several sales of the member have the reference_id ${line.reference_id}, such as sale_id ${ofLine.map(({ entry_no }) => entry_no).join(" and ")}`,
  );

const withoutSale = (line: SaleLine) =>
  lineError(
    line,
    "amount",
    "sale_not_found",
    `is a refund, and no sale of the member has the reference_id ${line.reference_id}`,
  );

function differences(line: SaleLine, found: FoundSale, of: KnownSale): LineError[] {
  const [field = "", name] = memberOf(line);
  if (of.erased || found.erased)
    return [lineError(line, field, "member_erased", "is of a member who was erased")];
  if (found.contact_id === of.contact_id) return [];
  const problem = `is ${name}, but the sale that is refunded has contact ${of.contact_id}`;
  return [lineError(line, field, "differs", problem)];
}

function failureOf(
  { line }: Taken,
  rejection: Rejection<string, Readonly<Record<string, unknown>>>,
): LineError {
  const code = rejection.code as ErrorCode;
  const left = (rejection.details as { readonly refundable?: number }).refundable;
  const problem =
    left === undefined
      ? `can't be refunded: ${errors[code].message.replace(/\.$/, "")}`
      : left === 0
        ? "is a refund, and the sale is refunded already"
        : `is more than is left of the sale, ${left}`;
  return lineError(line, "amount", code as LineError["code"], problem);
}

/** Decides refunds, each after those before it, and records them unless this is a trial. */
async function refund(
  taken: readonly Taken[],
  { tx, businessId, isTrial }: At & Pick<RefundState, "isTrial">,
) {
  const rejected: LineError[] = [];
  const rows: Taken[] = [];
  const refundedOf = new Map(taken.map(({ digest, of }) => [digest, of.refunded]));
  const outcomes = isTrial
    ? taken.map((one) => tryRefund(one, refundedOf))
    : await performRefunds(taken, refundedOf, { tx, businessId });
  for (const [index, one] of taken.entries()) {
    const rejection = outcomes[index];
    if (rejection === undefined) rows.push(one);
    else rejected.push(failureOf(one, rejection));
  }
  if (isTrial || rows.length === 0) return { rows, rejected };
  const lines = rows.map(({ identity, of }) => {
    const line = { business_id: businessId, digest: identity.digest, content: null };
    return { ...line, entry_no: of.entry_no as number };
  });
  await recordLines(tx, lines);
  // What is refunded of the sales of tills is in their records.
  const changed = new Set(rows.flatMap(({ digest }) => (isOfTill(digest) ? [] : digest)));
  await saveRefunded(
    tx,
    businessId,
    [...refundedOf].filter(([digest]) => changed.has(digest)),
  );
  return { rows, rejected };
}

/** @returns the reason to reject a refund for which not so much is left of the sale */
function tryRefund({ digest, of, line }: Taken, refundedOf: Map<string, number>) {
  const before = refundedOf.get(digest) as number;
  const refunded = before - line.amount;
  if (refunded > of.amount) return reject("refund_exceeds_sale", { refundable: of.amount - before });
  refundedOf.set(digest, refunded);
  return undefined;
}

interface At {
  readonly tx: Connection;
  readonly businessId: number;
}

/** Adds the entries of refunds by the rules for refunds. @returns the reason for each one that is rejected */
async function performRefunds(
  taken: readonly Taken[],
  refundedOf: Map<string, number>,
  { tx, businessId }: At,
) {
  const contactIds = taken.map(({ of }) => of.contact_id);
  await settleMembers(tx, businessId, contactIds);
  const commands = taken.map((one) => {
    const { line, found, of, digest } = one;
    const sale_id = of.entry_no as number;
    return refundCommand(businessId, of.contact_id, sale_id, ({ member, rules, today }) => {
      if (member === undefined) return noMember();
      const sale = member.sale ?? plainSale(of, sale_id, refundedOf.get(digest) as number);
      const { reference_id, location_id = of.location_id } = line;
      const input = { location_id: location_id ?? sale.location_id, amount: -line.amount, reference_id };
      const decided = decideRefund(member, sale, input, rules, today);
      if (decided instanceof Rejection) return decided;
      tryRefund(one, refundedOf);
      const entries = decided.entries.map((entry) =>
        entry.event_type === "sale_refund" ? { ...entry, created_at: found.created_at } : entry,
      );
      if (member.sale !== undefined) return { ...decided, entries };
      const { tier_standing } = decided.changes;
      return { entries, reference_id, location_id, changes: { tier_standing }, data: {} };
    });
  });
  const { outcomes } = await applyCommands(tx, businessId, commands, { counts: true });
  return outcomes.map((outcome) => {
    if (outcome === undefined || outcome === "settled_in_part")
      throw new Error("a member of a refund is not settled");
    return outcome instanceof Rejection ? outcome : undefined;
  });
}

/** A sale that is only an entry of the ledger, as one that has earned nothing. */
function plainSale(of: KnownSale, sale_id: number, refunded: number): Sale {
  const { contact_id, amount, sold_on, reference_id = "" } = of;
  return {
    ...{ sale_id, contact_id, reference_id, sold_on, amount, refunded },
    location_id: of.location_id ?? 0,
    ...{ eligible_amount: amount, amount_due: amount, held_voucher_ids: [], voucher_amount: 0 },
    ...{ points_used: 0, points_amount: 0, wallet_used: 0, uses: [] },
    ...{ earning_base: 0, points_earned: 0, points_excused: 0, rules_version: 1 },
    ...{ earn_points: 0, earn_amount: 1, earn_minimum_amount: 0, maximum_points_per_order: 0 },
  };
}
