/**
 * Lists at size: every combination of filters on the first, a middle and the last page, in a small and a large
 * ledger, and in a ledger that came in by one bulk import, side by side; member lists and searches among many members.
 */
import {
  type Bench,
  type FilledBusiness,
  fillBusiness,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { authorize } from "../business.ts";
import type { Figure } from "../report.ts";
import { type BenchService, basePath } from "../service.ts";
import {
  type MeasuredList,
  measureLists,
  type PageName,
  pages,
  ratioOf,
  SingleCaller,
} from "./list-pages.ts";

const smallSize = { members: 1000, entries: 10_000 };
const largeSize = { members: 100_000, entries: 1_000_000 };
const fullSize = { members: 1_000_000, entries: 10_000_000 };
const contactEntries = 100;

type Filters = Readonly<Record<string, object>>;

/** What was measured, by filter. */
type Measured = ReadonlyMap<string, MeasuredList>;

interface Ledger {
  readonly database: string;
  readonly service: BenchService;
  readonly authorization: string;
  readonly filters: Filters;
}

export const lists: Scenario = async (bench) => {
  const size = bench.options.full ? fullSize : largeSize;
  const opened: Ledger[] = [];
  const open = async (...wanted: Parameters<typeof openLedger>) => {
    const ledger = await openLedger(...wanted);
    opened.push(ledger);
    return ledger;
  };
  try {
    const small = await open(bench, "lists_small", smallSize);
    const large = await open(bench, "lists_large", size);
    const imported = await open(bench, "lists_imported", { ...size, bulkImport: true });
    const measured = await measureLedgers(bench, [small, large, imported]);
    const [smallLists, largeLists, importedLists] = measured as [Measured, Measured, Measured];
    const members = await measureMembers(bench, large);
    const sizes = `${size.entries.toLocaleString("en")} / ${smallSize.entries.toLocaleString("en")}`;
    return [
      ...ledgerFigures(`${sizes} entries`, largeLists, smallLists),
      ...ledgerFigures(`${sizes} entries, one import`, importedLists, smallLists),
      ...memberFigures(size.members, members),
    ];
  } finally {
    await Promise.all(opened.map(({ service }) => service.stop()));
    for (const { database } of opened) await bench.server.drop(database);
  }
};

async function openLedger(
  bench: Bench,
  database: string,
  size: { members: number; entries: number; bulkImport?: boolean },
): Promise<Ledger> {
  bench.say(`${database}: ${size.entries.toLocaleString("en")} entries …`);
  const service = await startOnNewDatabase(bench, database);
  try {
    const business = await fillBusiness(bench, database, size);
    const authorization = await authorize(service, business);
    return { database, service, authorization, filters: await ledgerFilters(bench, database, business) };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Every combination of the four filters. */
async function ledgerFilters(bench: Bench, database: string, business: FilledBusiness): Promise<Filters> {
  const { contactId, startDate, endDate } = await pickFilters(bench, database, business);
  const parts: [string, object][] = [
    ["contact", { contact_id: contactId }],
    ["location", { location_id: business.locationIds[2] }],
    ["event types", { event_types: ["wallet_payment", "wallet_topup", "wallet_adjustment"] }],
    ["dates", { start_date: startDate, end_date: endDate }],
  ];
  const combinations = Array.from({ length: 2 ** parts.length }, (_, set) =>
    parts.filter((_part, index) => (set & (1 << index)) !== 0),
  );
  return Object.fromEntries(
    combinations.map((chosen) => [
      chosen.map(([name]) => name).join(" + ") || "no filter",
      Object.assign({}, ...chosen.map(([, filter]) => filter)),
    ]),
  );
}

/** A contact with about as many entries in every ledger, and days that take in the middle half of the time. */
async function pickFilters({ server }: Bench, database: string, { businessId }: FilledBusiness) {
  return server.use(database, async (sql) => {
    const [contact] = await sql<{ contact_id: number }[]>`
      SELECT contact_id FROM ledger_entry WHERE business_id = ${businessId}
      GROUP BY contact_id ORDER BY abs(count(*) - ${contactEntries}::int), contact_id LIMIT 1`;
    const [days] = await sql<{ start_date: string; end_date: string }[]>`
      SELECT (first + (last - first) / 4)::date::text AS start_date, (last - (last - first) / 4)::date::text AS end_date
      FROM (SELECT min(created_at) AS first, max(created_at) AS last FROM ledger_entry WHERE business_id = ${businessId})`;
    if (contact === undefined || days === undefined) throw new Error("there are no entries");
    return { contactId: contact.contact_id, startDate: days.start_date, endDate: days.end_date };
  });
}

/** The lists of ledgers, filter by filter. @returns in the order of the ledgers */
async function measureLedgers({ options, say }: Bench, ledgers: readonly Ledger[]): Promise<Measured[]> {
  const asked = ledgers.map((ledger) => ({
    filters: ledger.filters,
    caller: callerOf(ledger, "/sp/transactions/list"),
    measured: new Map<string, MeasuredList>(),
  }));
  for (const name of Object.keys(ledgers[0]?.filters ?? {})) {
    const lists = asked.map(({ caller, filters }) => ({ caller, filter: filters[name] ?? {} }));
    const found = await measureLists(lists, options.rounds);
    for (const [index, list] of found.entries()) asked[index]?.measured.set(name, list);
    say(`transactions/list, ${name}: p99 ${found.map(sayPages).join("; ")}`);
  }
  for (const { caller } of asked) caller.close();
  return asked.map(({ measured }) => measured);
}

const memberFilters: Filters = {
  "no search": {},
  "inactive too": { include_inactive: true },
  "a common name": { search: "garcia" },
  "a full name": { search: "lucia fernandez" },
  "part of a phone number": { search: "00012" },
  "a whole e-mail address": { search: "member.777@example.com" },
  "two letters": { search: "mu" },
  nobody: { search: "xyzzy" },
};

async function measureMembers({ options, say }: Bench, ledger: Ledger): Promise<Measured> {
  const caller = callerOf(ledger, "/sp/members/list");
  const measured = new Map<string, MeasuredList>();
  for (const [name, filter] of Object.entries(memberFilters)) {
    const [list] = (await measureLists([{ caller, filter }], options.rounds)) as [MeasuredList];
    measured.set(name, list);
    say(`members/list, ${name}: p99 ${sayPages(list)}`);
  }
  caller.close();
  return measured;
}

function callerOf({ service, authorization }: Ledger, path: string): SingleCaller {
  return new SingleCaller(service.port, basePath + path, authorization);
}

const sayPages = (list: MeasuredList) => `${pages.map((page) => list[page].p99.toFixed(1)).join(" ")} ms`;

/** For each filter the page that grew most, and the last page against the first; the median that grew most of all. */
function ledgerFigures(what: string, large: Measured, small: Measured): Figure[] {
  const medians: Growth[] = [];
  const figures = [...large].flatMap(([name, list]): Figure[] => {
    const before = small.get(name) as MeasuredList;
    const growth = pages.map((page) => growthOf("p99", name, page, list, before));
    const { page, ratio } = mostOf(growth);
    medians.push(...pages.map((each) => growthOf("p50", name, each, list, before)));
    return [
      {
        what: `${name}, ${page} page, p99`,
        value: list[page].p99,
        unit: "ms",
        against: what,
        ratio,
        target: { atMost: 2 },
        details: { large: list, small: before, growth },
      },
      {
        what: `${name}, last page, p99`,
        value: list.last.p99,
        unit: "ms",
        against: "first page",
        ratio: ratioOf("p99", [list, "last"], [list, "first"]),
        target: { atMost: 2 },
      },
    ];
  });
  const { name, page, value, ratio } = mostOf(medians);
  const details = { medians };
  return [
    ...figures,
    { what: `most of all, ${name}, ${page} page, median`, value, unit: "ms", against: what, ratio, details },
  ];
}

interface Growth {
  readonly name: string;
  readonly page: PageName;
  /** Milliseconds in the larger ledger. */
  readonly value: number;
  readonly ratio: number;
}

function growthOf(
  at: "p50" | "p99",
  name: string,
  page: PageName,
  list: MeasuredList,
  before: MeasuredList,
): Growth {
  return { name, page, value: list[page][at], ratio: ratioOf(at, [list, page], [before, page]) };
}

function mostOf(growth: readonly Growth[]): Growth {
  return growth.reduce((most, next) => (next.ratio > most.ratio ? next : most));
}

const slowestMemberPage = 100;

function memberFigures(members: number, measured: Measured): Figure[] {
  return [...measured].map(([name, list]) => ({
    what: `${members.toLocaleString("en")} members, ${name}, any page, p99`,
    value: Math.max(...pages.map((page) => list[page].p99)),
    unit: "ms",
    target: { atMost: slowestMemberPage },
    details: list,
  }));
}
