/**
 * Lists at size: every combination of filters on the first, a middle and the last page, in a small and a large
 * ledger, and in a ledger that came in by one bulk import; member lists and searches among many members.
 */
import {
  type Bench,
  type FilledBusiness,
  fillBusiness,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { authorize } from "../business.ts";
import { Latencies, type LatencySummary } from "../load/latencies.ts";
import { SingleCaller } from "../load/single-caller.ts";
import type { Figure } from "../report.ts";
import { basePath, type ServiceProcess } from "../service.ts";

const smallSize = { members: 1000, entries: 10_000 };
const largeSize = { members: 100_000, entries: 1_000_000 };
const fullSize = { members: 1_000_000, entries: 10_000_000 };
/** A page is asked for so often, or for as long as this takes. */
const samples = 600;
const secondsAPage = 3;
const pages = ["first", "middle", "last"] as const;
type PageName = (typeof pages)[number];
const contactEntries = 100;

interface Summaries extends Readonly<Record<PageName, LatencySummary>> {
  /** Milliseconds of the very first request with the filter, when nothing is known of it. */
  readonly firstTime: number;
}

/** Latencies by filter. */
type Measured = Readonly<Record<string, Summaries>>;

export const lists: Scenario = async (bench) => {
  const large = bench.options.full ? fullSize : largeSize;
  const small = await measureLedger(bench, "lists_small", smallSize);
  const grown = await measureLedger(bench, "lists_large", large);
  const imported = await measureLedger(bench, "lists_imported", { ...large, bulkImport: true });
  const sizes = `${large.entries.toLocaleString("en")} / ${smallSize.entries.toLocaleString("en")}`;
  return [
    ...ledgerFigures(`${sizes} entries`, grown.ledger, small.ledger),
    ...ledgerFigures(`${sizes} entries, one import`, imported.ledger, small.ledger),
    ...memberFigures(large.members, grown.members),
  ];
};

async function measureLedger(
  bench: Bench,
  database: string,
  size: { members: number; entries: number; bulkImport?: boolean },
): Promise<{ ledger: Measured; members: Measured }> {
  bench.say(`${database}: ${size.entries.toLocaleString("en")} entries …`);
  const service = await startOnNewDatabase(bench, database);
  try {
    const business = await fillBusiness(bench, database, size);
    const authorization = await authorize(service, business);
    const filters = await ledgerFilters(bench, database, business);
    const ledger = await measurePages(bench, service, "/sp/transactions/list", authorization, filters);
    const members = await measurePages(bench, service, "/sp/members/list", authorization, memberFilters);
    return { ledger, members };
  } finally {
    await service.stop();
    await bench.server.drop(database);
  }
}

type Filters = Readonly<Record<string, object>>;

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
  const sql = server.open(database, 1);
  try {
    const [contact] = await sql<{ contact_id: number }[]>`
      SELECT contact_id FROM ledger_entry WHERE business_id = ${businessId}
      GROUP BY contact_id ORDER BY abs(count(*) - ${contactEntries}::int), contact_id LIMIT 1`;
    const [days] = await sql<{ start_date: string; end_date: string }[]>`
      SELECT (first + (last - first) / 4)::date::text AS start_date, (last - (last - first) / 4)::date::text AS end_date
      FROM (SELECT min(created_at) AS first, max(created_at) AS last FROM ledger_entry WHERE business_id = ${businessId})`;
    if (contact === undefined || days === undefined) throw new Error("there are no entries");
    return { contactId: contact.contact_id, startDate: days.start_date, endDate: days.end_date };
  } finally {
    await sql.end();
  }
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

async function measurePages(
  bench: Bench,
  service: ServiceProcess,
  path: string,
  authorization: string,
  filters: Filters,
): Promise<Measured> {
  const caller = new SingleCaller(service.port, basePath + path, authorization);
  const measured: Record<string, Summaries> = {};
  for (const [name, filter] of Object.entries(filters)) {
    const { text, milliseconds: firstTime } = await caller.ask(filter);
    const last = (JSON.parse(text) as { meta: { pagination: { last_page: number } } }).meta.pagination
      .last_page;
    const numbers = { first: 1, middle: Math.ceil(last / 2), last };
    const summaries: Partial<Record<PageName, LatencySummary>> = {};
    for (const page of pages) summaries[page] = await measurePage(caller, { ...filter, page: numbers[page] });
    measured[name] = { firstTime, ...(summaries as Record<PageName, LatencySummary>) };
    const p99s = pages.map((page) => `${page} ${summaries[page]?.p99.toFixed(1)} ms`);
    bench.say(`${path}, ${name}: first time ${firstTime.toFixed(1)} ms, p99 ${p99s.join(", ")}`);
  }
  caller.close();
  return measured;
}

async function measurePage(caller: SingleCaller, body: object): Promise<LatencySummary> {
  const latencies = new Latencies();
  const until = performance.now() + secondsAPage * 1000;
  await caller.ask(body);
  while (latencies.count < samples && performance.now() < until) {
    latencies.add((await caller.ask(body)).milliseconds);
  }
  return latencies.summary();
}

/** For each filter the page that grew most, and the last page against the first. */
function ledgerFigures(what: string, large: Measured, small: Measured): Figure[] {
  return Object.entries(large).flatMap(([name, summaries]) => {
    const before = small[name] as Summaries;
    const growth = pages.map((page) => ({ page, ratio: summaries[page].p99 / before[page].p99 }));
    const worst = growth.reduce((most, next) => (next.ratio > most.ratio ? next : most));
    const details = { large: summaries, small: before };
    return [
      {
        what: `${name}, ${worst.page} page, p99`,
        value: summaries[worst.page].p99,
        unit: "ms",
        against: what,
        ratio: worst.ratio,
        target: { atMost: 2 },
        details,
      },
      {
        what: `${name}, last page, p99`,
        value: summaries.last.p99,
        unit: "ms",
        against: "first page",
        ratio: summaries.last.p99 / summaries.first.p99,
        target: { atMost: 2 },
      },
    ];
  });
}

const slowestMemberPage = 20;

function memberFigures(members: number, measured: Measured): Figure[] {
  return Object.entries(measured).flatMap(([name, summaries]) => {
    const what = `${members.toLocaleString("en")} members, ${name}`;
    return [
      {
        what: `${what}, any page, p99`,
        value: Math.max(...pages.map((page) => summaries[page].p99)),
        unit: "ms",
        target: { atMost: slowestMemberPage },
        details: summaries,
      },
      { what: `${what}, for the first time`, value: summaries.firstTime, unit: "ms" },
    ];
  });
}
