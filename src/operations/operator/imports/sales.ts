import { fields, Rejection, reject, Type, writeOperation, wrongValue } from "../../../contract/declare.ts";
import { findTimeZones } from "../../../database/access/businesses.ts";
import { findMissingLocations } from "../../../database/catalog.ts";
import { findImportRules } from "../../../database/engine/rules.ts";
import { type FoundSale, findImportedSales, findSalesToImport } from "../../../database/imports/look-ups.ts";
import { recordLines } from "../../../database/imports/recording.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { isTimeZoneName } from "../../../domain/dates.ts";
import type { Member, Needs, Points } from "../../../domain/decision.ts";
import { soldIn } from "../../../domain/engine/entries.ts";
import { roomFor } from "../../../domain/engine/lots.ts";
import type { Rules } from "../../../domain/engine/rules.ts";
import { earnFromImport, type ImportedSale } from "../../../domain/engine/sale.ts";
import { importBodyBytes, mostLines } from "../../../domain/imports/limits.ts";
import { generatedReference, move } from "../../../domain/ledger.ts";
import { allOf } from "../../../pipeline/postings/internal-commands.ts";
import { type OpenLedger, openLedger, settleMembers } from "../../../pipeline/postings/open-ledger.ts";
import { candidateOf, type Decisions, decideLines } from "../../imports/imported-lines.ts";
import { importRefunds, isRefund } from "../../imports/imported-refunds.ts";
import {
  countForTiers,
  differencesOfSale,
  type IdentityOptions,
  identityFields,
  identityOfSale,
  type KnownSale,
  memberFailures,
  namingProblems,
  recordOfSale,
  type SaleLine,
  saleLineFields,
  saleLines,
} from "../../imports/imported-sales.ts";
import {
  importResult,
  type LineError,
  lineChecker,
  lineError,
  trialFields,
  withStoredNumbers,
} from "../../imports/imports.ts";
import { failuresOfPast } from "../../members/members.ts";
import { locationId } from "../../records.ts";
import { checkSale } from "../../sales/sales.ts";

const needed = { balances: ["sales"] } as const satisfies Needs;
/** Members who get points are settled when all lines are recorded. */
const neededToEarn = { ...allOf, ...needed };

const checkSaleFields = lineChecker(saleLineFields);

export const importSales = writeOperation({
  path: "/op/imports/sales",
  role: "manager",
  event: "sales.imported",
  emits: "sales.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import sales",
  message: "Sales imported.",
  description:
    "Records past sales, each at its own time, in the sales accounts of their members, active or not. The valid lines " +
    "of a request are imported in one transaction. A line is identified by its reference_id, or else by its values. A line " +
    "that is already imported is skipped. A line whose reference_id was imported with another member, day or amount is " +
    "rejected, and so is a line of a member who was erased. A line with a negative amount and the reference_id of a sale that is imported, " +
    "or in the same request, is a refund of it; otherwise of the sale of a till, if its member has one with this reference_id. With earn, each line becomes a sale that can be " +
    "refunded and earns points by the rules of its day; its lines say what earns, and can be refunded. Imported sales count for tiers, which members reach today. Sales from before the first rules earn by the first rules. " +
    "Points that have expired since are recorded as earned and as expired.",
  input: {
    business_id: fields.businessId,
    lines: saleLines,
    ...trialFields,
    ...identityFields,
    earn: fields.option("Whether the sales earn points."),
    earn_imported: fields.option(
      "With earn: whether sales that were imported before without points earn them now. No sale earns twice.",
    ),
    location_id: Type.Optional(
      Type.Integer({ ...locationId, description: "The location of lines without a location." }),
    ),
  },
  output: Type.Object({
    ...importResult.properties,
    without_points: Type.Optional(
      fields.whole(0, mostLines, "With earn: how many of the skipped sales were imported without points.", 1),
    ),
    points_added: Type.Optional(
      fields.whole(0, mostLines, "With earn_imported: how many of the skipped sales earn points now.", 1),
    ),
  }),
  errors: ["location_not_found", "validation_failed"],
  check({ earn = false, earn_imported = false }) {
    if (earn || !earn_imported) return [];
    return [wrongValue("earn_imported", "needs earn")];
  },
  async write({ input, tx, caller, audit, emit, reject }) {
    const { dry_run = false, earn = false, earn_imported = false, location_id } = input;
    const { businessId } = caller;
    const missing = await findMissingLocations(
      tx,
      businessId,
      location_id === undefined ? [] : [location_id],
    );
    if (missing.length > 0) return reject("location_not_found", { location_ids: missing });
    const zones = [...new Set(input.lines.flatMap(({ time_zone }) => time_zone ?? []))].filter(
      isTimeZoneName,
    );
    const options = { ...input, zones: await findTimeZones(tx, zones) };
    const checked = input.lines.map((line) =>
      checkSaleLine(withStoredNumbers(placed(line, location_id), caller.country), options),
    );
    // Everything is looked up under the lock: an import at the same time, also of this file, can record the same sales.
    if (!dry_run) await lockLedger(tx, businessId);
    const found = await findSalesToImport(
      tx,
      caller,
      checked.map(({ line }) => line),
    );
    const all = checked.map((one, index) => {
      const ofLine = found[index] as FoundSale;
      const identity = identityOfSale(one.line, ofLine, input.lines[index]?.location_id, input);
      return candidateOf(one, ofLine, identity);
    });
    const [refunds, candidates] = [true, false].map((is) =>
      all.filter(({ line }) => isRefund(line) === is),
    ) as [typeof all, typeof all];
    const digests = new Set(all.flatMap(({ identity }) => identity?.candidates ?? []));
    const imported = await findImportedSales(tx, caller, [...digests]);
    const known = new Map<string, KnownSale>(imported.map((one) => [one.digest, one]));
    // Only new sales, and those that get points now, need their members.
    const isNew = ({ identity }: (typeof candidates)[number]) => !known.has(identity?.digest ?? "");
    const unearned = earn_imported ? [...known.values()].filter(({ is_sale }) => !is_sale) : [];
    const sales = [...candidates.filter(isNew).map((one) => one.found), ...unearned];
    const contactIds = [...new Set(sales.flatMap(({ contact_id }) => contact_id ?? []))];
    const reachTiers = dry_run ? undefined : await countForTiers(tx, businessId, contactIds);
    const use = dry_run ? "try" : "record_unsettled";
    const read: typeof needed = earn ? neededToEarn : needed;
    const days = new Set(sales.flatMap(({ sold_on }) => sold_on ?? []));
    const [ledger, rules] = await Promise.all([
      openLedger(tx, businessId, contactIds, read, use),
      earn ? findImportRules(tx, businessId, [...days]) : undefined,
    ]);
    const { decisions, withoutPoints, added } = saleDecisions({ ledger, rules, known, options: input });
    const { rows, ...decided } = decideLines(candidates, decisions);
    const members = [...rows.map(({ contact_id }) => contact_id), ...added];
    if (!dry_run && members.length > 0) {
      const lines = rows.map(({ line }) => ({ business_id: businessId, ...line }));
      const unsettled = earn ? ledger.settle(members) : [];
      await Promise.all([recordLines(tx, lines), ledger.record()]);
      await settleMembers(tx, businessId, unsettled);
      await reachTiers?.(members);
    }
    const { batch } = input;
    const refunded = await importRefunds(refunds, { tx, business: caller, isTrial: dry_run, batch, known });
    const contact_ids = [...new Set([...members, ...refunded.contactIds])];
    const isRecorded = !dry_run && contact_ids.length > 0;
    const done = rows.length + refunded.imported;
    if (isRecorded) emit({ contact_ids, data: { imported: done } });
    const rejected = [...decided.rejected, ...refunded.rejected].sort((one, other) => one.line - other.line);
    const identities = [...decided.identities, ...refunded.identities];
    const result = {
      imported: done,
      skipped: decided.skipped + refunded.skipped,
      ...(added.length > 0 && { points_added: added.length }),
      ...(!earn_imported && withoutPoints.size > 0 && { without_points: withoutPoints.size }),
    };
    audit({ before: null, after: isRecorded ? { ...result, rejected: rejected.length, earn } : null });
    return { ...result, rejected, ...(dry_run && { identities }) };
  },
});

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
  readonly ledger: OpenLedger<typeof needed>;
  /** Undefined when the sales earn nothing. */
  readonly rules: DayRules | undefined;
  readonly known: Map<string, KnownSale>;
  readonly options: IdentityOptions & { readonly earn_imported?: boolean; readonly dry_run?: boolean };
}

interface NewSale {
  readonly line: { readonly digest: string; readonly entry_no: number; readonly content: string | null };
  readonly contact_id: number;
}

/**
 * Decisions about sales, which become the next entries of the ledger.
 * @returns also the entries of skipped sales without points, and the members of those that earn points now
 */
function saleDecisions({ ledger, rules, known, options }: ImportState) {
  const withoutPoints = new Set<number>();
  const added: number[] = [];
  const earn = rules && ((sale: ImportedSale) => earnFor(sale, rules, ledger.pointsOf(sale.contact_id)));
  const tooMuch = (line: SaleLine) => {
    const problem = "takes the balance past the largest";
    return [lineError(line, "amount", "balance_limit_exceeded", problem)];
  };
  const decisions: Decisions<SaleLine, FoundSale, KnownSale, NewSale> = {
    isTrial: options.dry_run === true,
    records: known,
    differencesOf: (line, found, record, identity) =>
      differencesOfSale(line, found, record, identity, options),
    failuresOf: failuresOfSale,
    accept(line, found, { digest, content }) {
      const contact_id = found.contact_id as number;
      let entry_no = 0;
      const posted = ledger.post(contact_id, ({ member, entryNo }) => {
        entry_no = entryNo;
        return importSale(member, line, found, entryNo, earn);
      });
      if (posted instanceof Rejection) return tooMuch(line);
      return { line: { digest, entry_no, content }, contact_id };
    },
    recordOf: (line, found, identity, row) =>
      recordOfSale(line, found, identity, rules !== undefined, row.line.entry_no),
    skip(line, { entry_no, is_sale, location_id, refunded, ...record }) {
      if (earn === undefined || is_sale || withoutPoints.has(entry_no)) return;
      withoutPoints.add(entry_no);
      if (options.earn_imported !== true) return;
      if (refunded > 0)
        return [
          lineError(line, "amount", "not_allowed_value", "was refunded in part, so it can't earn any more"),
        ];
      const { contact_id, sold_on, amount, reference_id = "" } = record;
      const place = { contact_id, location_id: location_id ?? (line.location_id as number) };
      const sale = { sale_id: entry_no, ...place, reference_id, sold_on, amount, lines: line.lines };
      // The sale has an entry already. Its points are pending at first, as those of new lines.
      const posted = ledger.post(contact_id, () => earn(sale));
      if (posted instanceof Rejection) return tooMuch(line);
      added.push(contact_id);
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
