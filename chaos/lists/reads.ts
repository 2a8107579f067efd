/**
 * Reads of lists, held against a naive reading. The ledger only grows, in one order: what a read saw is the ledger up to
 * some entry, and its total tells up to which.
 */
import type { ListedMember } from "../../src/database/members/list.ts";
import type { Violations } from "../chaos.ts";
import type { ExportedEntry } from "../operator.ts";

export interface LedgerFilter {
  readonly location_id?: number;
  readonly contact_id?: number;
  readonly event_types?: readonly string[];
  readonly start_date?: string;
  readonly end_date?: string;
}

/** When a request was on its way, by performance.now(). */
export interface Span {
  readonly sentAt: number;
  readonly answeredAt: number;
}

export interface Pagination {
  readonly total: number;
  readonly per_page: number;
  readonly current_page: number;
  readonly last_page: number;
  readonly from: number;
  readonly to: number;
}

export interface Read<Filter, Row> extends Span {
  readonly filter: Filter;
  readonly rows: readonly Row[];
  readonly pagination: Pagination;
}

export interface LedgerRead extends Read<LedgerFilter, Partial<ExportedEntry>> {
  /** The locations that the caller may use; undefined for all. */
  readonly locations: readonly number[] | undefined;
}

const shown = ["event_type", "contact_id", "reference_id", "amount", "balance_after", "created_at"] as const;

/** The ledger as it is in the end, and when each entry was on its way. */
export class Ledger {
  /** In the order of recording. */
  readonly #recorded: readonly ExportedEntry[];
  /** Newest first, as lists are. */
  readonly #listed: readonly ExportedEntry[];
  readonly #spans: ReadonlyMap<string, Span>;
  /** Acknowledgements in time, each with the highest entry that was acknowledged by then. */
  readonly #acknowledged: readonly { readonly at: number; readonly entryNo: number }[];

  /** @param spans by reason; of entries that have none it is not known when they came */
  constructor(entries: readonly ExportedEntry[], spans: ReadonlyMap<string, Span>) {
    this.#recorded = entries;
    this.#listed = entries.toSorted(newestFirst);
    this.#spans = spans;
    let entryNo = 0;
    this.#acknowledged = entries
      .flatMap((entry) => {
        const span = spans.get(entry.reason ?? "");
        return span === undefined ? [] : [{ at: span.answeredAt, entryNo: entry.entry_no }];
      })
      .sort((a, b) => a.at - b.at)
      .map((one) => {
        entryNo = Math.max(entryNo, one.entryNo);
        return { at: one.at, entryNo };
      });
  }

  get size(): number {
    return this.#recorded.length;
  }

  /** The highest entry that was acknowledged before a moment. */
  acknowledgedBefore(moment: number): number {
    let [low, high] = [0, this.#acknowledged.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#acknowledged[middle]?.at ?? 0) < moment) low = middle + 1;
      else high = middle;
    }
    return this.#acknowledged[low - 1]?.entryNo ?? 0;
  }

  /** The references of all that matches and was recorded up to an entry, newest first. */
  referencesUpTo(entryNo: number, filter: LedgerFilter): string[] {
    const matches = matcher(filter, undefined);
    return this.#listed
      .filter((entry) => entry.entry_no <= entryNo && matches(entry))
      .map((entry) => entry.reference_id);
  }

  /** Where each reference is in the whole list, newest first. */
  placesInList(): Map<string, number> {
    return new Map(this.#listed.map((entry, place) => [entry.reference_id, place]));
  }

  /** Compares one read. */
  check(read: LedgerRead, violations: Violations): void {
    const { filter, locations, pagination } = read;
    const matches = matcher(filter, locations);
    const wrong = (what: string) =>
      violations.add(`transactions/list ${JSON.stringify({ filter, locations, pagination })}: ${what}`);
    // The last entry that the read saw, and the first matching one that it did not.
    let counted = 0;
    let last: ExportedEntry | undefined;
    let unseen: ExportedEntry | undefined;
    for (const entry of this.#recorded) {
      if (!matches(entry)) continue;
      if (counted === pagination.total) {
        unseen = entry;
        break;
      }
      counted += 1;
      last = entry;
    }
    if (counted < pagination.total) wrong(`only ${counted} match in the end`);
    const missed = unseen !== undefined && unseen.entry_no <= this.acknowledgedBefore(read.sentAt);
    if (missed) wrong(`entry ${unseen?.entry_no} had been acknowledged before`);
    const came = this.#spans.get(last?.reason ?? "");
    if (came !== undefined && came.sentAt > read.answeredAt) wrong(`entry ${last?.entry_no} came afterwards`);
    const upTo = last?.entry_no ?? 0;
    const expected = pageOf(this.#listed, (entry) => entry.entry_no <= upTo && matches(entry), pagination);
    if (JSON.stringify(read.rows) !== JSON.stringify(expected.map(shownOf))) {
      wrong(`${JSON.stringify(read.rows)} in place of ${JSON.stringify(expected.map(shownOf))}`);
    }
    checkPagination(pagination, read.rows.length, wrong);
  }
}

/** The items of a page, by going through the list from the start. */
function pageOf<Item>(
  list: readonly Item[],
  matches: (item: Item) => boolean,
  { current_page, per_page }: Pagination,
): Item[] {
  const page: Item[] = [];
  let place = 0;
  for (const item of list) {
    if (!matches(item)) continue;
    place += 1;
    if (place > current_page * per_page) break;
    if (place > (current_page - 1) * per_page) page.push(item);
  }
  return page;
}

/** Holds the figures of a page to one another. */
function checkPagination(
  { total, per_page, current_page, last_page, from, to }: Pagination,
  rows: number,
  wrong: (what: string) => void,
): void {
  const before = (current_page - 1) * per_page;
  const expected = {
    rows: Math.max(0, Math.min(per_page, total - before)),
    last_page: Math.max(1, Math.ceil(total / per_page)),
    from: total > before ? before + 1 : 0,
    to: total > before ? Math.min(total, before + per_page) : 0,
  };
  if (JSON.stringify({ rows, last_page, from, to }) !== JSON.stringify(expected)) {
    wrong(`${rows} rows, where there should be ${JSON.stringify(expected)}`);
  }
}

function newestFirst(a: ExportedEntry, b: ExportedEntry): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return b.entry_no - a.entry_no;
}

function shownOf(entry: ExportedEntry): object {
  return Object.fromEntries(shown.map((name) => [name, entry[name]]));
}

function matcher(filter: LedgerFilter, locations: readonly number[] | undefined) {
  const { location_id, contact_id, event_types, start_date = "", end_date = "9999-12-31" } = filter;
  return (entry: ExportedEntry): boolean => {
    const day = entry.created_at.slice(0, 10);
    return (
      (location_id === undefined || entry.location_id === location_id) &&
      (locations === undefined || entry.location_id === null || locations.includes(entry.location_id)) &&
      (contact_id === undefined || entry.contact_id === contact_id) &&
      (event_types === undefined || event_types.includes(entry.event_type)) &&
      day >= start_date &&
      day <= end_date
    );
  };
}

export interface KnownMember extends ListedMember {
  readonly email: string | null;
  readonly active: boolean;
}

export interface MemberFilter {
  readonly search?: string;
  readonly include_inactive?: boolean;
}

export type MemberRead = Read<MemberFilter, ListedMember>;

/**
 * The members after every change that was made. One writer changes them, one change after the other: what a read saw
 * must be the members after some number of changes, of those that may have been done.
 */
export class MemberHistory {
  /** Newest first; the nth is that after n changes. */
  readonly #states: (readonly KnownMember[])[] = [[]];
  readonly #spans: Span[] = [];

  get newest(): readonly KnownMember[] {
    return this.#states.at(-1) ?? [];
  }

  get changes(): number {
    return this.#spans.length;
  }

  /** Adds a change that was acknowledged: the member as it is now. */
  add(member: KnownMember, span: Span): void {
    const others = this.newest.filter(({ member_id }) => member_id !== member.member_id);
    this.#states.push([...others, member].sort((a, b) => b.member_id - a.member_id));
    this.#spans.push(span);
  }

  /** Compares one read. */
  check(read: MemberRead, violations: Violations): void {
    const { filter, rows, pagination } = read;
    const done = this.#spans.filter(({ answeredAt }) => answeredAt < read.sentAt).length;
    const begun = this.#spans.filter(({ sentAt }) => sentAt < read.answeredAt).length;
    const found = JSON.stringify({ total: pagination.total, rows });
    const matches = memberMatcher(filter);
    const wrong = (what: string) =>
      violations.add(`members/list ${JSON.stringify({ filter, pagination })}: ${what}`);
    const { current_page, per_page } = pagination;
    for (let changes = done; changes <= begun; changes++) {
      const matching = (this.#states[changes] ?? []).filter(matches);
      const page = matching.slice((current_page - 1) * per_page, current_page * per_page).map(shownMember);
      if (JSON.stringify({ total: matching.length, rows: page }) !== found) continue;
      checkPagination(pagination, rows.length, wrong);
      return;
    }
    wrong(`${JSON.stringify(rows)} is none of the states from change ${done} to ${begun}`);
  }
}

function shownMember({
  member_id,
  contact_id,
  first_name,
  last_name,
  phone_number,
}: KnownMember): ListedMember {
  return { member_id, contact_id, first_name, last_name, phone_number };
}

function memberMatcher({ search, include_inactive = false }: MemberFilter) {
  const words = plain(search ?? "").split(/\s+/);
  return ({ active, first_name, last_name, phone_number, email }: KnownMember): boolean => {
    const text = plain([first_name, last_name, phone_number, email ?? ""].join("\n"));
    return (active || include_inactive) && words.every((word) => text.includes(word));
  };
}

/** Without accents and capitals. */
function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}
