/** Holds the books of the service against what a load was told. */
import type { Business, Operator } from "../business.ts";
import type { Violations } from "../chaos.ts";
import type { Books, Fields, Kept } from "./books.ts";

export interface Comparison {
  /** Acknowledged writes that are not there. */
  lost: number;
  /** Writes that took effect more than once. */
  doubled: number;
  /** What is there otherwise than acknowledged, or without an acknowledgement. */
  wrong: number;
  /** Entries of the ledger that were compared. */
  entries: number;
  /** Members, benefits, tiers, programs and settings that were compared. */
  records: number;
}

interface ExportedEntry {
  readonly entry_no: number;
  readonly contact_id: number;
  readonly account: string;
  readonly event_type: string;
  readonly reference_id: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly reason: string | null;
}

/** The whole ledger of a business, in the order of recording. */
export async function* exportedEntries<Entry = ExportedEntry>(
  operator: Operator,
  businessId: number,
): AsyncGenerator<Entry, void> {
  for (let after: number | null = 0; after !== null; ) {
    const body = { business_id: businessId, after_entry_no: after, limit: 5000 };
    const page: { transactions: Entry[]; next_after_entry_no: number | null } = await operator.ask(
      "/op/exports/transactions",
      body,
    );
    yield* page.transactions;
    after = page.next_after_entry_no;
  }
}

/** Has the service recompute the books of a business. @returns how many entries it went through */
export async function verifyLedger(
  operator: Operator,
  businessId: number,
  violations: Violations,
): Promise<number> {
  let entries = 0;
  for (const part of ["accounts", "points", "entries"]) {
    for (let after: number | null = 0; after !== null; ) {
      const slice: { checked: { entries: number }; mismatches: object[]; next: number | null } =
        await operator.ask("/op/ledger/verify", { business_id: businessId, part, after });
      for (const mismatch of slice.mismatches) violations.add(`verify: ${JSON.stringify(mismatch)}`);
      if (part === "entries") entries += slice.checked.entries;
      after = slice.next;
    }
  }
  return entries;
}

/** Compares all that a load wrote; no write may be under way. */
export async function compareBooks(
  operator: Operator,
  { businessId }: Business,
  books: Books,
  violations: Violations,
): Promise<Comparison> {
  const result: Comparison = { lost: 0, doubled: 0, wrong: 0, entries: 0, records: 0 };
  await verifyLedger(operator, businessId, violations);
  await compareEntries(operator, businessId, books, violations, result);
  const compare = (what: string, kept: Kept, found: ReadonlyMap<number, Fields>, made: boolean) =>
    compareRecords({ what, kept, found, made }, violations, result);
  compare("member", books.members, await exportedMembers(operator, businessId), true);
  const benefits = await listed(operator, "/op/topup-benefits/list", businessId, "benefit_id");
  compare("benefit", books.benefits, benefits, true);
  compare("tier", books.tiers, await listed(operator, "/op/tiers/list", businessId, "tier_id"), false);
  const programs = await listed(operator, "/op/programs/list", businessId, "program_id");
  compare("program", books.programs, programs, false);
  if (books.settings !== undefined) {
    const settings = await operator.ask<Fields>("/op/reward-settings/get", { business_id: businessId });
    compare("settings", new Map([[0, books.settings]]), new Map([[0, settings]]), true);
  }
  return result;
}

async function compareEntries(
  operator: Operator,
  businessId: number,
  books: Books,
  violations: Violations,
  result: Comparison,
): Promise<void> {
  const seen = new Set<string>();
  const sold = new Set<string>();
  for await (const entry of exportedEntries(operator, businessId)) {
    result.entries += 1;
    if (!entry.event_type.endsWith("_adjustment")) {
      compareSale(entry, sold, books, violations, result);
      continue;
    }
    const key = entry.reason ?? "";
    const posted = books.postings.get(key);
    if (posted === undefined) {
      result.wrong += 1;
      violations.add(`entry ${entry.entry_no} was never acknowledged: ${JSON.stringify(entry)}`);
    } else if (seen.has(key)) {
      result.doubled += 1;
      violations.add(`${key} took effect again in entry ${entry.entry_no}`);
    } else if (
      posted.contact_id !== entry.contact_id ||
      posted.account !== entry.account ||
      posted.amount !== entry.amount ||
      posted.balance_after !== entry.balance_after
    ) {
      result.wrong += 1;
      violations.add(`${key} was acknowledged as ${JSON.stringify(posted)}, but is ${JSON.stringify(entry)}`);
    }
    seen.add(key);
  }
  for (const [key, sale] of books.sales) {
    if (sold.has(key)) continue;
    result.lost += 1;
    violations.add(`${key} was acknowledged and is not there: ${JSON.stringify(sale)}`);
  }
  for (const [key, posted] of books.postings) {
    if (seen.has(key)) continue;
    result.lost += 1;
    violations.add(`${key} was acknowledged and is not there: ${JSON.stringify(posted)}`);
  }
}

/** A sale or refund is there once, as acknowledged. Its other entries are held against the lots by the verification. */
function compareSale(
  entry: ExportedEntry,
  sold: Set<string>,
  books: Books,
  violations: Violations,
  result: Comparison,
): void {
  if (entry.account !== "sales") return;
  const key = entry.reference_id;
  const sale = books.sales.get(key);
  if (sale === undefined) {
    result.wrong += 1;
    violations.add(`entry ${entry.entry_no} was never acknowledged: ${JSON.stringify(entry)}`);
  } else if (sold.has(key)) {
    result.doubled += 1;
    violations.add(`${key} took effect again in entry ${entry.entry_no}`);
  } else if (
    sale.contact_id !== entry.contact_id ||
    sale.event_type !== entry.event_type ||
    sale.amount !== entry.amount
  ) {
    result.wrong += 1;
    violations.add(`${key} was acknowledged as ${JSON.stringify(sale)}, but is ${JSON.stringify(entry)}`);
  }
  sold.add(key);
}

interface RecordComparison {
  readonly what: string;
  readonly kept: Kept;
  readonly found: ReadonlyMap<number, Fields>;
  /** Whether all there are were made by the load. */
  readonly made: boolean;
}

function compareRecords(
  { what, kept, found, made }: RecordComparison,
  violations: Violations,
  result: Comparison,
): void {
  for (const [id, fields] of kept) {
    result.records += 1;
    const record = found.get(id);
    if (record === undefined) {
      result.lost += 1;
      violations.add(`${what} ${id} was acknowledged and is not there`);
      continue;
    }
    const wrong = Object.keys(fields).filter((name) => record[name] !== fields[name]);
    if (wrong.length === 0) continue;
    result.wrong += 1;
    violations.add(`${what} ${id} is ${JSON.stringify(record)}, not ${JSON.stringify(fields)}`);
  }
  if (!made || found.size === kept.size) return;
  result.doubled += found.size - kept.size;
  violations.add(`${found.size} of kind ${what} are there, and ${kept.size} were acknowledged`);
}

/** Every member of a business, by contact_id. */
export async function exportedMembers(operator: Operator, businessId: number): Promise<Map<number, Fields>> {
  const members: Fields[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { members: Fields[]; next_after_member_id: number | null } = await operator.ask(
      "/op/exports/members",
      { business_id: businessId, after_member_id: after, limit: 5000 },
    );
    members.push(...page.members);
    after = page.next_after_member_id;
  }
  return byId(members, "contact_id");
}

/** Every record of one of the operator's lists, by id. */
export async function listed(
  operator: Operator,
  path: string,
  businessId: number,
  id: string,
): Promise<Map<number, Fields>> {
  const records: Fields[] = [];
  for (let page = 1; ; page++) {
    const more = await operator.ask<Fields[]>(path, { business_id: businessId, page, per_page: 100 });
    records.push(...more);
    if (more.length < 100) return byId(records, id);
  }
}

function byId(records: readonly Fields[], id: string): Map<number, Fields> {
  return new Map(records.map((record) => [record[id] as number, record]));
}
