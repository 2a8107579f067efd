/**
 * Pages of transactions, and all pages of the list, while others write. The ledger only grows in one order, so what a page
 * shows must be the ledger up to some entry; its total says up to which.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LoyaltyClient } from "loyalty-sdk";
import { HttpConnection, read, succeeded } from "../../test/support/http-connection.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { authorize, type ExportedEntry, Operator } from "../../test/support/runs/operator.ts";
import { none, type Result, times } from "../../test/support/runs/report.ts";
import { type Span, Violations } from "../../test/support/runs/run.ts";
import { basePath } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { Load } from "../load/load.ts";
import { Partner } from "../load/partner.ts";

export interface ListsSize {
  /** Pages to read. */
  readonly reads: number;
  /** How often to read all pages. */
  readonly walks: number;
  readonly writers: number;
  readonly readers: number;
}

interface Filter {
  readonly location_id?: number;
  readonly contact_id?: number;
  readonly event_types?: readonly string[];
  readonly start_date?: string;
  readonly end_date?: string;
}

interface Page extends Span {
  readonly filter: Filter;
  /** The locations that the caller may use; undefined for all. */
  readonly locations: readonly number[] | undefined;
  readonly rows: readonly Partial<ExportedEntry>[];
  readonly pagination: Record<"total" | "per_page" | "current_page" | "last_page" | "from" | "to", number>;
}

/** All pages from the newest entry to the oldest. */
interface Walk {
  readonly startedAt: number;
  readonly references: readonly string[];
  /** Whether each entry may come once only. Imports of past sales move entries from page to page. */
  readonly once: boolean;
}

const patience = 30_000;
const accounts = 6;
const firstDay = Date.UTC(2026, 0, 1);
const days = 60;
const dayMilliseconds = 86_400_000;
/** Its days begin at an unusual time, and it has no daylight saving time. */
const timeZone = "Asia/Kathmandu";
const eventTypes = ["wallet_adjustment", "reward_points_adjustment", "sale"];
/** A walk must end while entries are added. */
const [writerPauseMilliseconds, importPauseMilliseconds] = [10, 200];
const shown = ["event_type", "contact_id", "reference_id", "amount", "balance_after", "created_at"] as const;

/** @param port of a service with several processes */
export async function lists(chaos: Chaos, port: number, size: ListsSize): Promise<Result> {
  const operator = new Operator(chaos, port);
  const partner = await Partner.open(chaos, operator, port, { locations: 3, timeZone });
  const { businessId, locationIds } = partner.business;
  const limited = locationIds.slice(0, 2);
  const integration = await operator.makeIntegration(businessId, { location_ids: limited });
  const callers = [
    { authorization: partner.authorization, locations: undefined },
    { authorization: await authorize(port, integration), locations: limited },
  ];
  const violations = new Violations();
  const shape = {
    partners: [partner],
    operator,
    ports: [port],
    writersEach: size.writers,
    seed: chaos.seed,
    members: accounts,
  };
  const load = await Load.start(
    { ...shape, writes: "money", pauseMilliseconds: writerPauseMilliseconds },
    violations,
  );
  const contactIds = [...partner.books.records.member.keys()];
  const pages: Page[] = [];
  let reading = true;
  const readers = Array.from({ length: size.readers }, async (_, nth) => {
    const random = randomFrom(chaos.seed + nth);
    const connection = new HttpConnection(port, patience);
    while (reading) {
      const { authorization, locations } = random.pick(callers);
      const filter = randomFilter(random, contactIds, locations ?? locationIds);
      const per_page = random.chance(0.2) ? 100 : 1 + random.below(30);
      const last = Math.ceil(partner.books.entries.size / per_page) + 1;
      const page = 1 + random.below(random.chance(0.5) ? Math.min(last, 5) : last);
      const body = { ...filter, per_page, page };
      pages.push({ ...(await readPage(connection, body, authorization)), filter, locations });
    }
    connection.close();
  });
  const walks: Walk[] = [];
  const walker = new HttpConnection(port, patience);
  const random = randomFrom(chaos.seed);
  let imported = 0;
  const importSales = async () => {
    const lines = pastSales(random, imported, contactIds, locationIds);
    await operator.write("/op/imports/sales", { business_id: businessId, lines });
    imported += lines.length;
  };
  const reached = () => pages.length >= size.reads && walks.length >= size.walks;
  while (violations.count === 0 && chaos.goesOn(reached())) {
    let walking = true;
    const importing = (async () => {
      for (; walking; await sleep(importPauseMilliseconds)) await importSales();
    })();
    walks.push(await walkWithClient(port, partner.authorization));
    walks.push(await walkByPages(walker, partner.authorization));
    walking = false;
    await importing;
    chaos.say(`${pages.length} pages, ${walks.length} walks`);
  }
  reading = false;
  await Promise.all(readers);
  await load.stop();
  walker.close();

  const entries: ExportedEntry[] = [];
  for await (const entry of operator.entries(businessId)) entries.push(entry);
  const ledger = new Ledger(entries, partner.books.entries);
  for (const page of pages.sort((a, b) => a.sentAt - b.sentAt)) ledger.check(page, violations);
  const pagesAmiss = violations.count;
  const { skipped, repeated } = ledger.checkWalks(walks, violations);
  return {
    violations: violations.list(),
    figures: [
      times("pages", pages.length, size.reads),
      times("all pages of the list", walks.length, size.walks),
      times("entries written meanwhile", entries.length),
      times("of these sales of the past", imported),
      none("pages that are no state of the ledger", pagesAmiss),
      none("entries skipped", skipped),
      none("entries returned twice", repeated),
    ],
  };
}

function randomFilter(random: Random, contactIds: readonly number[], locationIds: readonly number[]): Filter {
  const day = (nth: number) => new Date(firstDay + nth * dayMilliseconds).toISOString().slice(0, 10);
  const start = random.below(days);
  const types = eventTypes.filter(() => random.chance(0.5));
  return {
    ...(random.chance(0.3) ? { contact_id: random.pick(contactIds) } : {}),
    ...(random.chance(0.3) ? { location_id: random.pick(locationIds) } : {}),
    ...(random.chance(0.4) && types.length > 0 ? { event_types: types } : {}),
    ...(random.chance(0.3) ? { start_date: day(start) } : {}),
    ...(random.chance(0.3) ? { end_date: day(start + random.below(days)) } : {}),
  };
}

async function readPage(connection: HttpConnection, body: object, authorization: string) {
  const path = "/sp/transactions/list";
  const sentAt = performance.now();
  const outcome = await connection.post(basePath + path, JSON.stringify(body), authorization);
  const respondedAt = performance.now();
  const { data: rows, meta } = read<Page["rows"]>(succeeded(path, outcome));
  return { sentAt, respondedAt, rows, pagination: meta.pagination as Page["pagination"] };
}

async function walkWithClient(port: number, authorization: string): Promise<Walk> {
  const accessToken = authorization.replace("Bearer ", "");
  const client = new LoyaltyClient({ baseUrl: `http://127.0.0.1:${port}${basePath}`, accessToken });
  const startedAt = performance.now();
  const references: string[] = [];
  for await (const entry of client.transactions.list({ per_page: 50 })) references.push(entry.reference_id);
  return { startedAt, references, once: true };
}

async function walkByPages(connection: HttpConnection, authorization: string): Promise<Walk> {
  const startedAt = performance.now();
  const references: string[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const { rows, pagination } = await readPage(connection, { per_page: 50, page }, authorization);
    references.push(...rows.map((row) => row.reference_id as string));
    last = pagination.last_page;
  }
  return { startedAt, references, once: false };
}

/** Makes lines of sales of the past, whose entries are in the middle of the list. @param number of those before */
function pastSales(
  random: Random,
  number: number,
  contactIds: readonly number[],
  locationIds: readonly number[],
) {
  return Array.from({ length: 1 + random.below(60) }, (_, index) => {
    // No two in the same second, because lists show no fractions.
    const moment = firstDay + (((number + index) * 7919 * 1000) % (days * dayMilliseconds));
    return {
      line: index + 1,
      contact_id: random.pick(contactIds),
      sold_at: new Date(moment).toISOString().slice(0, 19).replace("T", " "),
      amount: 1 + random.below(1000),
      ...(random.chance(0.7) ? { location_id: random.pick(locationIds) } : {}),
    };
  });
}

/** The ledger at the end, and when each entry was on its way. */
class Ledger {
  /** In the order of recording. */
  readonly #recorded: readonly ExportedEntry[];
  /** As lists are sorted, newest first. */
  readonly #listed: readonly ExportedEntry[];
  readonly #spans: ReadonlyMap<string, Span>;
  /** The acknowledged entries, in the order of their acknowledgements. */
  readonly #acknowledged: readonly { readonly at: number; readonly entryNo: number }[];

  constructor(entries: readonly ExportedEntry[], spans: ReadonlyMap<string, Span>) {
    this.#recorded = entries;
    this.#listed = entries.toSorted((a, b) =>
      a.created_at === b.created_at ? b.entry_no - a.entry_no : a.created_at < b.created_at ? 1 : -1,
    );
    this.#spans = spans;
    this.#acknowledged = entries
      .map(({ reason, entry_no }) => ({ at: this.#spanOf(reason).respondedAt, entryNo: entry_no }))
      .sort((a, b) => a.at - b.at);
  }

  #spanOf(reason: string | null | undefined): Span {
    const unknown = { sentAt: Number.NEGATIVE_INFINITY, respondedAt: Number.POSITIVE_INFINITY };
    return this.#spans.get(reason ?? "") ?? unknown;
  }

  /** The highest entry that was acknowledged before a moment. */
  #acknowledgedBefore(moment: number): number {
    let highest = 0;
    for (const { at, entryNo } of this.#acknowledged) {
      if (at >= moment) break;
      highest = Math.max(highest, entryNo);
    }
    return highest;
  }

  check({ filter, locations, pagination, rows, sentAt, respondedAt }: Page, violations: Violations): void {
    const { total, current_page, per_page } = pagination;
    const wrong = (what: string) =>
      violations.add(`transactions/list ${JSON.stringify({ filter, locations, pagination })}: ${what}`);
    const matches = matcher(filter, locations);
    const matching = this.#recorded.filter(matches);
    if (matching.length < total) wrong(`only ${matching.length} match in the end`);
    const [last, unseen] = [matching[total - 1], matching[total]];
    if (unseen !== undefined && unseen.entry_no <= this.#acknowledgedBefore(sentAt)) {
      wrong(`entry ${unseen.entry_no} had been acknowledged before`);
    }
    if (this.#spanOf(last?.reason).sentAt > respondedAt) wrong(`entry ${last?.entry_no} came afterwards`);
    const upTo = last?.entry_no ?? 0;
    const before = (current_page - 1) * per_page;
    const expected = this.#listed
      .filter((entry) => entry.entry_no <= upTo && matches(entry))
      .slice(before, before + per_page)
      .map((entry) => Object.fromEntries(shown.map((name) => [name, entry[name]])));
    if (JSON.stringify(rows) !== JSON.stringify(expected)) {
      wrong(`${JSON.stringify(rows)} instead of ${JSON.stringify(expected)}`);
    }
    const [from, to] = rows.length === 0 ? [0, 0] : [before + 1, before + rows.length];
    const lastPage = Math.max(1, Math.ceil(total / per_page));
    if (pagination.from !== from || pagination.to !== to || pagination.last_page !== lastPage) {
      wrong(`should be from ${from} to ${to}, of ${lastPage} pages`);
    }
  }

  checkWalks(walks: readonly Walk[], violations: Violations) {
    const places = new Map(this.#listed.map((entry, place) => [entry.reference_id, place]));
    let [skipped, repeated] = [0, 0];
    for (const { startedAt, references, once } of walks) {
      const seen = new Set(references);
      const existed = this.#recorded.slice(0, this.#acknowledgedBefore(startedAt));
      const missing = existed.filter((entry) => !seen.has(entry.reference_id));
      skipped += missing.length;
      if (missing.length > 0)
        violations.add(`${missing.length} entries skipped, first ${missing[0]?.entry_no}`);
      if (!once) continue;
      repeated += references.length - seen.size;
      if (seen.size < references.length)
        violations.add(`${references.length - seen.size} entries returned twice`);
      const order = references.map((reference) => places.get(reference) ?? -1);
      if (order.some((place, index) => place <= (order[index - 1] ?? -1))) {
        violations.add("the pages were not sorted by time");
      }
    }
    return { skipped, repeated };
  }
}

function matcher(filter: Filter, locations: readonly number[] | undefined) {
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
