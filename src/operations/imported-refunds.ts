/** Refunds in files of sales: lines with a negative amount and the reference of a sale. */
import { type ErrorCode, errors } from "../contract/errors.ts";
import type { Connection } from "../database/connection.ts";
import type { FoundSale } from "../database/imports.ts";
import { recordLines, saveRefunded } from "../database/imports.ts";
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
  readonly businessId: number;
  readonly isTrial: boolean;
  /** The sales and refunds that are recorded, or that lines before have made, by digest. */
  readonly known: Map<string, KnownSale>;
}

type Taken = RefundCandidate & {
  readonly identity: Identity;
  readonly digest: string;
  readonly of: KnownSale;
};

/** Records refunds after the sales of the same request. */
export async function importRefunds(
  candidates: readonly RefundCandidate[],
  { tx, businessId, isTrial, known }: RefundState,
) {
  const rejected: LineError[] = [];
  const identities: { line: number; identity: string; values: string; refund_of?: string[] }[] = [];
  const taken: Taken[] = [];
  let skipped = 0;
  for (const candidate of candidates) {
    const { line, bad, rejections, identity, sale, found } = candidate;
    const digest = sale?.candidates.find((one) => known.has(one));
    const of = digest === undefined ? undefined : known.get(digest);
    const failures = of === undefined ? [] : differences(line, found, of);
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
  const done = await refund(taken, { tx, businessId, isTrial });
  rejected.push(...done.rejected);
  for (const { line, identity } of done.rows)
    identities.push({ line: line.line, identity: identity.digest, values: identity.values });
  const contactIds = done.rows.map(({ of }) => of.contact_id);
  return { imported: done.rows.length, skipped, rejected, identities, contactIds };
}

const withoutSale = (line: SaleLine) =>
  lineError(
    line,
    "amount",
    "sale_not_found",
    `is a refund, and no sale has the reference_id ${line.reference_id}`,
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
async function refund(taken: readonly Taken[], { tx, businessId, isTrial }: Omit<RefundState, "known">) {
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
  const changed = new Set(rows.map(({ digest }) => digest));
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

type At = Pick<RefundState, "tx" | "businessId">;

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
