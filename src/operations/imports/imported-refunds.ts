/** Refunds in files of sales: lines with a negative amount and the reference of a sale. */
import { type ErrorCode, errors } from "../../contract/errors.ts";
import type { Connection } from "../../database/connection.ts";
import type { FoundSale } from "../../database/imports/look-ups.ts";
import {
  findImportedSales,
  findSalesOfReferences,
  mostOfReference,
  saveRefunded,
} from "../../database/imports/look-ups.ts";
import { recordLines } from "../../database/imports/recording.ts";
import type { BusinessTime } from "../../database/rows.ts";
import { decideRefund } from "../../domain/engine/refund.ts";
import { inertRules } from "../../domain/engine/rules.ts";
import { earnFromImport } from "../../domain/engine/sale.ts";
import type { Sale } from "../../domain/records.ts";
import { Rejection, reject } from "../../domain/rejection.ts";
import { noMember, refundCommand } from "../../pipeline/postings/internal-commands.ts";
import { applyCommands, settleMembers } from "../../pipeline/postings/open-ledger.ts";
import type { EarlierLines, TriedLine } from "./chunks.ts";
import { type Candidate, digestOf } from "./imported-lines.ts";
import { earlierSale, type KnownSale, keptOfSale, memberOf, type SaleLine } from "./imported-sales.ts";
import { type LineError, lineError } from "./imports.ts";

export const isRefund = ({ amount, reference_id }: Pick<SaleLine, "amount" | "reference_id">) =>
  amount < 0 && reference_id !== undefined;

/** A line with the identity of its sale, which may have been imported with other options. */
type RefundCandidate = Candidate<SaleLine, FoundSale>;

interface RefundState {
  readonly tx: Connection;
  readonly business: BusinessTime;
  readonly isTrial: boolean;
  /** In a check of a file. */
  readonly earlier: EarlierLines | undefined;
  readonly batch: string | undefined;
  /** In a check: sales of the request which would be found as sales of tills are. */
  readonly sold: readonly KnownSale[];
  /** The sales that are recorded, or that lines before have made, by digest. */
  readonly known: Map<string, KnownSale>;
}

/** Names a sale that a till has recorded, as digests name imported ones. */
const ofTill = ({ entry_no }: Pick<KnownSale, "entry_no">) => `till ${entry_no}`;
const isOfTill = (digest: string) => digest.startsWith("till ");

/** The digest of a refund: of its sale and its values, because a sale can have several. */
const refundDigest = (sale: string, { line, found }: RefundCandidate, batch = "") =>
  digestOf("refund", batch, sale, found.local_time, line.amount, line.equal_before ?? 0);

interface Taken extends RefundCandidate {
  /** Its own digest. */
  readonly own: string;
  /** The digest of its sale. */
  readonly digest: string;
  readonly of: KnownSale;
}

/** Records refunds after the sales of the same request. */
export async function importRefunds(candidates: readonly RefundCandidate[], state: RefundState) {
  if (candidates.length === 0)
    return { imported: 0, skipped: [], repeats: [], rejected: [], tried: [], contactIds: [] };
  const { tx, business, known, batch, earlier } = state;
  const ofTills = await findSalesOfTills(candidates, state);
  const all = candidates.map((one) => {
    const sales = salesOf(one, known, ofTills);
    return { ...one, sales, digests: sales.map((sale) => refundDigest(sale, one, batch)) };
  });
  const asked = new Set(all.flatMap(({ digests }) => digests));
  const recorded = await findImportedSales(tx, business, [...asked]);
  /** By digest: the line of the file that made it; undefined if it is recorded. */
  const done = new Map<string, number | undefined>(recorded.map(({ digest }) => [digest, undefined]));
  for (const digest of asked) {
    const line = earlier?.find(digest)?.line;
    if (line !== undefined) done.set(digest, line);
  }
  const rejected: LineError[] = [];
  const repeats: [number, number][] = [];
  const skipped: number[] = [];
  const taken: Taken[] = [];
  for (const one of all) {
    const { line, bad, rejections, found, sales, digests } = one;
    const [digest = "", ...others] = sales;
    const of = known.get(digest);
    const [own = ""] = digests;
    const before = digests.find((digest) => done.has(digest));
    const isUnclear = others.length > 0 && isOfTill(digest) && before === undefined;
    const failures = isUnclear
      ? [
          severalSales(
            line,
            sales.map((one) => known.get(one) as KnownSale),
          ),
        ]
      : of
        ? differences(line, found, of)
        : [];
    if (bad || failures.length > 0) rejected.push(...rejections, ...failures);
    else if (before !== undefined) {
      skipped.push(line.line);
      const repeated = done.get(before);
      if (repeated !== undefined) repeats.push([line.line, repeated]);
    } else if (of !== undefined) {
      done.set(own, line.line);
      taken.push({ ...one, own, digest, of });
    } else rejected.push(withoutSale(line));
  }
  const { rows, refundedOf, ...refunded } = await refund(taken, state);
  rejected.push(...refunded.rejected);
  const tried: TriedLine[] = rows.map(({ line, own }) => ({ digest: own, line: line.line, values: [] }));
  for (const [entry, amount] of refundedOf) tried.push({ digest: refundedName(entry), values: [amount] });
  const contactIds = rows.map(({ of }) => of.contact_id);
  return { imported: rows.length, skipped, repeats, rejected, tried, contactIds };
}

/** Finds the sales of tills that have the references of lines whose members have no imported sale, and adds them to the known ones. */
async function findSalesOfTills(
  candidates: readonly RefundCandidate[],
  { tx, business, known, earlier, sold }: RefundState,
): Promise<readonly KnownSale[]> {
  const others = candidates.filter((one) => importedSales(one, known).every(({ isOwn }) => !isOwn));
  const wanted = others.flatMap(({ line: { reference_id }, found: { contact_id } }) =>
    reference_id === undefined
      ? []
      : ([[`${contact_id} ${reference_id}`, { contact_id, reference_id }]] as const),
  );
  if (wanted.length === 0) return [];
  const recorded = await findSalesOfReferences(tx, business, [...new Map(wanted).values()]);
  const ofFile = others.flatMap((one) => earlierSales(one, earlier));
  const sales = [...recorded, ...ofFile, ...sold].map((one) => ({
    ...one,
    digest: ofTill(one),
    content: null,
  }));
  for (const one of sales) known.set(one.digest, one);
  return [...new Map(sales.map((one) => [one.digest, one])).values()];
}

/** The name of the nth sale with a reference. A check keeps it, because an import would find the sale as those of tills. */
const nthSale = (contact_id: number | null, reference_id: string, nth: number) =>
  `sale ${nth} of ${contact_id} ${reference_id}`;

/** What a check keeps of sales that earn, besides their digests. */
export function keptAsOfTills(sales: readonly KnownSale[], earlier: EarlierLines): TriedLine[] {
  const made = new Set<string>();
  return sales.flatMap((sale) => {
    const { contact_id, reference_id, line } = sale;
    if (reference_id === undefined) return [];
    for (let nth = 0; nth < mostOfReference; nth++) {
      const digest = nthSale(contact_id, reference_id, nth);
      if (made.has(digest) || earlier.find(digest) !== undefined) continue;
      made.add(digest);
      return { digest, line, values: keptOfSale(sale) };
    }
    return [];
  });
}

function earlierSales({ line, found }: RefundCandidate, earlier: EarlierLines | undefined): KnownSale[] {
  const { reference_id = "" } = line;
  const sales: KnownSale[] = [];
  for (let nth = 0; nth < mostOfReference; nth++) {
    const kept = earlier?.find(nthSale(found.contact_id, reference_id, nth));
    if (kept === undefined) break;
    sales.push({ ...earlierSale(kept, ""), reference_id });
  }
  return sales;
}

/** The imported sales that a line can refund: first that of its own options. */
function importedSales({ identity, found }: RefundCandidate, known: RefundState["known"]) {
  const { digest = "", candidates = [] } = identity ?? {};
  return [...new Set([digest, ...candidates])].flatMap((digest) => {
    const sale = known.get(digest);
    return sale === undefined ? [] : { digest, isOwn: sale.contact_id === found.contact_id };
  });
}

/** The digests of the sales that a line can refund: imported ones of its member, or else those of tills. Receipts of two members can have one number. */
function salesOf(candidate: RefundCandidate, known: RefundState["known"], ofTills: readonly KnownSale[]) {
  const imported = importedSales(candidate, known);
  const own = imported.filter(({ isOwn }) => isOwn);
  const tills =
    own.length > 0 ? [] : ofTills.filter((one) => isRefundOf(candidate, one)).map(({ digest }) => digest);
  return tills.length > 0 ? tills : (own.length > 0 ? own : imported).map(({ digest }) => digest);
}

/** Whether a line is a refund of a sale of its reference: that of its member, at its location if it has one. */
const isRefundOf = ({ line, found }: RefundCandidate, one: KnownSale) =>
  one.reference_id === line.reference_id &&
  one.contact_id === found.contact_id &&
  (line.location_id === undefined || one.location_id === line.location_id);

function severalSales(line: SaleLine, sales: readonly KnownSale[]): LineError {
  const names = sales.map(({ entry_no, line }) => (line === undefined ? entry_no : `in line ${line}`));
  const problem = `is a refund, and several sales of the member have the reference_id ${line.reference_id}, such as sale_id ${names.join(" and ")}`;
  return lineError(line, "amount", "differs", problem.replace("sale_id in", "that in"));
}

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
  return lineError(line, "amount", code, problem);
}

/** The name under which a check keeps what is refunded of a sale. */
const refundedName = (entry_no: number) => `refunded of ${entry_no}`;

/** Decides refunds, each after those before it, and records them unless this is a trial. */
async function refund(
  taken: readonly Taken[],
  { tx, business: { businessId }, isTrial, earlier }: RefundState,
) {
  const rejected: LineError[] = [];
  const rows: Taken[] = [];
  /** By the entry of the sale. */
  const refundedOf = new Map(
    taken.map(({ of }) => [of.entry_no, earlier?.find(refundedName(of.entry_no))?.values[0] ?? of.refunded]),
  );
  const outcomes = isTrial
    ? taken.map((one) => tryRefund(one, refundedOf))
    : await performRefunds(tx, businessId, taken, refundedOf);
  for (const [index, one] of taken.entries()) {
    const rejection = outcomes[index];
    if (rejection === undefined) rows.push(one);
    else rejected.push(failureOf(one, rejection));
  }
  if (isTrial || rows.length === 0) return { rows, rejected, refundedOf };
  const lines = rows.map(({ own: digest, of: { entry_no } }) => {
    return { business_id: businessId, digest, entry_no, content: null };
  });
  await recordLines(tx, lines);
  // What is refunded of the sales of tills is in their records.
  const ofImported = new Map(rows.map(({ digest, of }) => [digest, refundedOf.get(of.entry_no) as number]));
  await saveRefunded(
    tx,
    businessId,
    [...ofImported].filter(([digest]) => !isOfTill(digest)),
  );
  return { rows, rejected, refundedOf };
}

/** @returns the reason to reject a refund for which not so much is left of the sale */
function tryRefund({ of, line }: Taken, refundedOf: Map<number, number>) {
  const before = refundedOf.get(of.entry_no) as number;
  const refunded = before - line.amount;
  if (refunded > of.amount) return reject("refund_exceeds_sale", { refundable: of.amount - before });
  refundedOf.set(of.entry_no, refunded);
  return undefined;
}

/** Adds the entries of refunds by the rules for refunds. @returns the reason for each one that is rejected */
async function performRefunds(
  tx: Connection,
  businessId: number,
  taken: readonly Taken[],
  refundedOf: Map<number, number>,
) {
  const contactIds = taken.map(({ of }) => of.contact_id);
  await settleMembers(tx, businessId, contactIds);
  const commands = taken.map((one) => {
    const { line, found, of } = one;
    const sale_id = of.entry_no;
    return refundCommand(businessId, of.contact_id, sale_id, ({ member, rules, today }) => {
      if (member === undefined) return noMember();
      const sale = member.sale ?? plainSale(of, refundedOf.get(sale_id) as number);
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
function plainSale(of: KnownSale, refunded: number): Sale {
  const { entry_no: sale_id, contact_id, amount, sold_on, reference_id = "", location_id } = of;
  const entry = { sale_id, contact_id, location_id: location_id ?? 0, reference_id, sold_on, amount };
  return { ...earnFromImport({ ...entry, lines: undefined }, inertRules).sale, refunded };
}
