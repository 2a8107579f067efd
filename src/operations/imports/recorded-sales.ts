/** Checks and records a chunk of imported sales. */
import { Rejection, reject } from "../../contract/declare.ts";
import { findTimeZones } from "../../database/access/businesses.ts";
import { findMissingLocations } from "../../database/catalog.ts";
import { findImportRules } from "../../database/engine/rules.ts";
import {
  countAlikeSales,
  type FoundSale,
  findImportedSales,
  findSalesToImport,
  type ImportedSale as ImportedSaleLine,
} from "../../database/imports/look-ups.ts";
import { recordLines } from "../../database/imports/recording.ts";
import { lockLedger } from "../../database/ledger/ledger.ts";
import { isTimeZoneName } from "../../domain/dates.ts";
import type { Member, Needs, Points } from "../../domain/decision.ts";
import { soldIn } from "../../domain/engine/entries.ts";
import { roomFor } from "../../domain/engine/lots.ts";
import type { Rules } from "../../domain/engine/rules.ts";
import { earnFromImport, type ImportedSale } from "../../domain/engine/sale.ts";
import { generatedReference, move } from "../../domain/ledger.ts";
import { allOf } from "../../pipeline/postings/internal-commands.ts";
import { type OpenLedger, openLedger, settleMembers } from "../../pipeline/postings/open-ledger.ts";
import { failuresOfPast } from "../members/members.ts";
import { checkSale } from "../sales/sales.ts";
import type { ChunkContext, ChunkOutcome, EarlierLines } from "./chunks.ts";
import { type Candidate, candidateOf, type Decisions, decideLines, recordsWith } from "./imported-lines.ts";
import { importRefunds, isRefund, keptAsOfTills } from "./imported-refunds.ts";
import {
  countForTiers,
  differencesOfSale,
  earlierSale,
  type IdentityOptions,
  identityOfSale,
  type KnownSale,
  keptOfSale,
  memberFailures,
  namingProblems,
  recordOfSale,
  type SaleLine,
  saleLineFields,
} from "./imported-sales.ts";
import { type LineError, lineChecker, lineError, withStoredNumbers } from "./imports.ts";

const needed = { balances: ["sales"] } as const satisfies Needs;
/** Members who get points are settled when all lines are recorded. */
const neededToEarn = { ...allOf, ...needed };

const checkSaleFields = lineChecker(saleLineFields);

interface SaleInput extends IdentityOptions {
  readonly lines: readonly SaleLine[];
  readonly dry_run?: boolean;
  readonly earn?: boolean;
  readonly earn_imported?: boolean;
  readonly location_id?: number;
}

export async function recordSaleLines(
  context: ChunkContext<SaleInput>,
): Promise<ChunkOutcome | Rejection<"location_not_found">> {
  const { input, tx, caller, emit } = context;
  const { dry_run = false, earn = false, earn_imported = false, reference_per = [], batch } = input;
  const { businessId } = caller;
  const read = await readSales(context);
  if (read instanceof Rejection) return read;
  const { refunds, candidates, digests, recorded } = read;
  // A check reads no balances.
  const opened = dry_run ? undefined : await openFor(context, candidates, recorded);
  const earlier = await context.earlier;
  const known = recordsWith<KnownSale, ImportedSaleLine>(recorded, digests, earlier, earlierSale);
  const state = { ...opened, known, earlier, options: input };
  const { decisions, withoutPoints, added } = saleDecisions(state);
  const { rows, ...decided } = decideLines(candidates, decisions, earlier !== undefined);
  const members = [...rows, ...added].map(({ contact_id }) => contact_id);
  if (opened !== undefined && members.length > 0) {
    const { ledger, reachTiers } = opened;
    const lines = rows.map(({ digest, entry_no, content }) => {
      return { business_id: businessId, digest, entry_no, content };
    });
    const unsettled = earn ? ledger.settle(members) : [];
    await Promise.all([recordLines(tx, lines), ledger.record()]);
    await settleMembers(tx, businessId, unsettled);
    await reachTiers?.(members);
  }
  const alike = dry_run && rows.length > 0 ? await countAlikeSales(tx, caller, rows) : 0;
  // An import would find each sale that earns as it finds those of tills. Without reference_per, refunds find it by its digest.
  const sold = !dry_run || !earn || reference_per.length === 0 ? [] : [...rows, ...added];
  const trial = { isTrial: dry_run, earlier, sold };
  const refunded = await importRefunds(refunds, { tx, business: caller, batch, known, ...trial });
  const contact_ids = [...new Set([...members, ...refunded.contactIds])];
  const imported = rows.length + refunded.imported;
  if (!dry_run && contact_ids.length > 0) emit({ contact_ids, data: { imported } });
  const earned = added.map(({ entry_no }) => ({ digest: pointsName(entry_no), values: [] }));
  const ofSales = earlier === undefined ? [] : [...keptAsOfTills(sold, earlier), ...earned];
  return {
    imported,
    skipped: [...decided.skipped, ...refunded.skipped],
    repeats: [...decided.repeats, ...refunded.repeats],
    rejected: [...decided.rejected, ...refunded.rejected].sort((one, other) => one.line - other.line),
    tried: [...decided.tried, ...ofSales, ...refunded.tried],
    ...(alike > 0 && { alike }),
    ...(added.length > 0 && { points_added: added.length }),
    ...(!earn_imported && withoutPoints.size > 0 && { without_points: withoutPoints.size }),
  };
}

/** Opens the ledger for new sales, and for those that get points now. */
async function openFor(
  { input: { earn = false, earn_imported = false }, tx, caller: { businessId } }: ChunkContext<SaleInput>,
  candidates: readonly Candidate<SaleLine, FoundSale>[],
  recorded: readonly ImportedSaleLine[],
) {
  const isRecorded = new Set(recorded.map(({ digest }) => digest));
  const unearned = earn_imported ? recorded.filter(({ is_sale }) => !is_sale) : [];
  const isNew = ({ identity }: (typeof candidates)[number]) => !isRecorded.has(identity?.digest ?? "");
  const sales = [...candidates.filter(isNew).map((one) => one.found), ...unearned];
  const contactIds = [...new Set(sales.flatMap(({ contact_id }) => contact_id ?? []))];
  const reachTiers = await countForTiers(tx, businessId, contactIds);
  const needs: typeof needed = earn ? neededToEarn : needed;
  const days = new Set(sales.flatMap(({ sold_on }) => sold_on ?? []));
  const [ledger, rules] = await Promise.all([
    openLedger(tx, businessId, contactIds, needs, "record_unsettled"),
    earn ? findImportRules(tx, businessId, [...days]) : undefined,
  ]);
  return { ledger, rules, reachTiers };
}

/** Checks the lines by themselves, and looks up what they name and what of them is recorded. */
async function readSales({ input, tx, caller }: ChunkContext<SaleInput>) {
  const { lines, location_id, dry_run } = input;
  const location_ids = location_id === undefined ? [] : [location_id];
  const missing = await findMissingLocations(tx, caller.businessId, location_ids);
  if (missing.length > 0) return reject("location_not_found", { location_ids: missing });
  const zones = [...new Set(lines.flatMap(({ time_zone }) => time_zone ?? []))].filter(isTimeZoneName);
  const options = { ...input, zones: await findTimeZones(tx, zones) };
  const checked = lines.map((line) =>
    checkSaleLine(withStoredNumbers(placed(line, location_id), caller.country), options),
  );
  // Everything is looked up under the lock: an import at the same time, also of this file, can record the same sales.
  if (dry_run !== true) await lockLedger(tx, caller.businessId);
  const found = await findSalesToImport(
    tx,
    caller,
    checked.map(({ line }) => line),
  );
  const all = checked.map((one, index) => {
    const ofLine = found[index] as FoundSale;
    const identity = identityOfSale(one.line, ofLine, lines[index]?.location_id, input);
    return candidateOf(one, ofLine, identity);
  });
  const digests = new Set(all.flatMap(({ identity }) => identity?.candidates ?? []));
  return {
    refunds: all.filter(({ line }) => isRefund(line)),
    candidates: all.filter(({ line }) => !isRefund(line)),
    digests,
    recorded: await findImportedSales(tx, caller, [...digests]),
  };
}

const placed = (line: SaleLine, location_id: number | undefined): SaleLine =>
  location_id === undefined || line.location_id !== undefined ? line : { ...line, location_id };

function checkSaleLine(
  line: SaleLine,
  {
    earn = false,
    reference_per = [],
    zones,
  }: IdentityOptions & { readonly earn?: boolean; readonly zones: readonly string[] },
) {
  const refund = isRefund(line);
  const checked = checkSaleFields(refund ? { ...line, amount: -line.amount } : line, (has) => {
    const named = namingProblems(line, has);
    if (line.time_zone !== undefined && !zones.includes(line.time_zone))
      named.push(
        lineError(
          line,
          "time_zone",
          "not_allowed_value",
          "must be an IANA time zone such as America/New_York",
        ),
      );
    if (line.lines !== undefined) named.push(...checkSale(line).map((one) => ({ line: line.line, ...one })));
    if (has("location_id") || refund) return named;
    const isUnplaced = reference_per.includes("location") && has("reference_id");
    const why = earn ? "where sales earn points" : "with reference_id per location";
    if (!earn && !isUnplaced) return named;
    return [...named, lineError(line, "location_id", "required", `is required ${why}`)];
  });
  if (!refund || checked.line.amount === undefined) return checked;
  return { ...checked, line: { ...checked.line, amount: line.amount } };
}

/** The rules by which imported sales earn, by the day of the sale. */
type DayRules = ReadonlyMap<string, Rules>;

interface ImportState {
  /** Undefined in a check. */
  readonly ledger?: OpenLedger<typeof needed>;
  /** Undefined in a check, and when the sales earn nothing. */
  readonly rules?: DayRules | undefined;
  readonly known: Map<string, KnownSale>;
  readonly earlier: EarlierLines | undefined;
  readonly options: SaleInput;
}

/** The name under which a check keeps that a sale earns points, which had none. */
const pointsName = (entry_no: number) => `points of ${entry_no}`;

/**
 * Decisions about sales, which become the next entries of the ledger.
 * @returns also the entries of skipped sales without points, and those that earn points now
 */
function saleDecisions({ ledger, rules, known, earlier, options }: ImportState) {
  const withoutPoints = new Set<number>();
  const added: KnownSale[] = [];
  const earn = rules && ((sale: ImportedSale) => earnFor(sale, rules, ledger?.pointsOf(sale.contact_id)));
  const tooMuch = (line: SaleLine) => {
    const problem = "takes the balance past the largest";
    return [lineError(line, "amount", "balance_limit_exceeded", problem)];
  };
  const decisions: Decisions<SaleLine, FoundSale, KnownSale> = {
    records: known,
    keptOf: keptOfSale,
    differencesOf: (line, found, record, identity) =>
      differencesOfSale(line, found, record, identity, options),
    failuresOf: failuresOfSale,
    accept(line, found, identity) {
      const contact_id = found.contact_id as number;
      // In a check, the entry has the number of the line, which no entry has.
      let entry_no = -line.line;
      const posted = ledger?.post(contact_id, ({ member, entryNo }) => {
        entry_no = entryNo;
        return importSale(member, line, found, entryNo, earn);
      });
      if (posted instanceof Rejection) return tooMuch(line);
      return recordOfSale(line, found, identity, options.earn === true, entry_no);
    },
    skip(line, known) {
      const { entry_no, is_sale, location_id, refunded } = known;
      // An earlier line of the file has points, as this one would.
      if (options.earn !== true || is_sale || known.line !== undefined || withoutPoints.has(entry_no)) return;
      if (earlier?.find(pointsName(entry_no)) !== undefined) return;
      withoutPoints.add(entry_no);
      if (options.earn_imported !== true) return;
      if (refunded > 0)
        return [
          lineError(line, "amount", "not_allowed_value", "was refunded in part, so it can't earn any more"),
        ];
      const { contact_id, sold_on, amount, reference_id = "" } = known;
      const place = { contact_id, location_id: location_id ?? (line.location_id as number) };
      const sale = { sale_id: entry_no, ...place, reference_id, sold_on, amount, lines: line.lines };
      // The sale has an entry already. Its points are pending at first, as those of new lines.
      const posted = earn && ledger?.post(contact_id, () => earn(sale));
      if (posted instanceof Rejection) return tooMuch(line);
      added.push(known);
      return;
    },
  };
  return { decisions, withoutPoints, added };
}

function failuresOfSale(line: SaleLine, found: FoundSale): LineError[] {
  const { located, future } = found;
  const failures = memberFailures(line, found);
  if (!located) failures.push(lineError(line, "location_id", "location_not_found", "names no location"));
  const { sold_at } = line;
  const ofPast = sold_at === undefined ? [] : failuresOfPast("sold_at", sold_at, future);
  return [...failures, ...ofPast.map((failure) => ({ line: line.line, ...failure }))];
}

/** Decides to add a past sale, also of an inactive member. */
function importSale(
  member: Member<typeof needed> | undefined,
  line: SaleLine,
  { created_at, sold_on, contact_id }: FoundSale,
  sale_id: number,
  earn: ((sale: ImportedSale) => ReturnType<typeof earnFor>) | undefined,
) {
  const { amount, location_id, reference_id = generatedReference("sale", sale_id), lines } = line;
  const balance = move(member && { active: true, balances: member.balances }, "sales", amount);
  if (balance instanceof Rejection) return balance;
  const sold = soldIn({ sold_on: sold_on as string, location_id }, amount);
  const entries = [{ event_type: "sale" as const, amount, created_at, sold }];
  if (earn === undefined) return { entries, reference_id, location_id, data: {} };
  const sale = {
    sale_id,
    contact_id: contact_id as number,
    location_id: location_id as number,
    reference_id,
    sold_on: sold_on as string,
    amount,
    lines,
  };
  const earned = earn(sale);
  return earned instanceof Rejection ? earned : { ...earned, entries, reference_id, location_id };
}

/**
 * The sale and its points, without the entry. The points are pending at first: the member is settled when all lines are recorded.
 * @param points those that the member has, with those of the lines before
 */
function earnFor(imported: ImportedSale, rules: DayRules, points: Points | undefined) {
  const { sale, lot } = earnFromImport(imported, rules.get(imported.sold_on) as Rules);
  const room = points === undefined ? 0 : roomFor(points);
  if (room < sale.points_earned) return reject("balance_limit_exceeded", { balance: room });
  return {
    entries: [],
    reference_id: undefined,
    changes: { sale: [sale], lot: lot === undefined ? [] : [lot] },
    data: {},
  };
}
