/**
 * The first, a middle and the last page of lists, for every combination of filters, in a small and a large ledger and in one
 * that was imported at once; and searches among many members.
 */

import { HttpConnection, read, succeeded } from "../../test/support/http-connection.ts";
import { type Figure, median, percentile } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import { type Bench, type Filled, fill, type Server, startServer } from "../bench.ts";

const smallSize = { members: 1000, entries: 10_000 };
const largeSize = { members: 100_000, entries: 1_000_000 };
const fullSize = { members: 1_000_000, entries: 10_000_000 };
const patience = 60_000;
const pages = ["first", "middle", "last"] as const;
/** A page is requested several times in a row, and so often in a round, or as long as a round may take. */
const [inRow, samples, secondsOfRound] = [20, 300, 12];
const slowestSearch = 100;

const searches = {
  "no search": {},
  "inactive too": { include_inactive: true },
  "a common name": { search: "garcia" },
  "a full name": { search: "lucia fernandez" },
  "part of a phone number": { search: "00012" },
  "a whole e-mail address": { search: "member.777@example.com" },
  "two letters": { search: "mu" },
  nobody: { search: "xyzzy" },
};

/** A list with a filter, as a service returns it to a single caller. */
interface List {
  readonly ask: (body: object) => Promise<{ readonly body: string }>;
  readonly filter: object;
}

/** Milliseconds of each round, by page. */
type Times = Record<(typeof pages)[number], number[][]>;

export async function lists(bench: Bench): Promise<Figure[]> {
  const size = bench.options.full ? fullSize : largeSize;
  const open = async (ofSize: typeof size & { bulkImport?: boolean }) => {
    bench.say(`${ofSize.entries.toLocaleString("en")} entries …`);
    const server = await startServer(bench);
    const business = await fill(server, ofSize);
    return { server, business, filters: await filtersOf(server, business) };
  };
  const small = await open(smallSize);
  const large = await open(size);
  const imported = await open({ ...size, bulkImport: true });
  const figures: Figure[] = [];
  const ledgers = [small, large, imported].map(({ server, business, filters }) => ({
    filters,
    ask: callerOf(bench, server, business, "/sp/transactions/list"),
  }));
  for (const name of Object.keys(small.filters)) {
    const subjects = ledgers.map(({ ask, filters }) => ({ ask, filter: filters[name] ?? {} }));
    const [before, ...grown] = (await measureLists(bench, subjects)) as [Times, Times, Times];
    for (const [index, times] of grown.entries()) {
      const added = growthOf(index === 0 ? name : `${name}, one import`, times, before);
      for (const { what, value, ratio = 0 } of added)
        bench.say(`${what}: ${value.toFixed(1)} ms, ${ratio.toFixed(2)}`);
      figures.push(...added);
    }
  }
  const ask = callerOf(bench, large.server, large.business, "/sp/members/list");
  for (const [name, filter] of Object.entries(searches)) {
    const [times] = (await measureLists(bench, [{ ask, filter }])) as [Times];
    const value = Math.max(...pages.map((page) => percentile(times[page].flat(), 0.99)));
    bench.say(`members/list, ${name}: ${value.toFixed(1)} ms`);
    const what = `${size.members.toLocaleString("en")} members, ${name}, any page, 99th percentile`;
    figures.push({ what, value, unit: "ms", target: { atMost: slowestSearch } });
  }
  return figures;
}

function callerOf(bench: Bench, { service }: Server, { caller }: Filled, path: string): List["ask"] {
  const connection = new HttpConnection(service.port, patience);
  bench.atEnd(() => connection.close());
  return async (body) => {
    const text = JSON.stringify(body);
    return succeeded(path, await connection.post(basePath + path, text, caller.authorization));
  };
}

/** All combinations of four filters, with a contact of about a hundred entries and the middle half of the time. */
async function filtersOf({ sql }: Server, business: Filled): Promise<Record<string, object>> {
  const { businessId, locationIds } = business;
  const [contact] = await sql<{ contact_id: number }[]>`
    SELECT contact_id FROM ledger_entry WHERE business_id = ${businessId}
    GROUP BY contact_id ORDER BY abs(count(*) - 100), contact_id LIMIT 1`;
  const [days] = await sql<{ start_date: string; end_date: string }[]>`
    SELECT (first + (last - first) / 4)::date::text AS start_date, (last - (last - first) / 4)::date::text AS end_date
    FROM (SELECT min(created_at) AS first, max(created_at) AS last FROM ledger_entry WHERE business_id = ${businessId})`;
  const parts = Object.entries({
    contact: contact ?? {},
    location: { location_id: locationIds[2] },
    "event types": { event_types: ["wallet_payment", "wallet_topup", "wallet_adjustment"] },
    dates: days ?? {},
  });
  const combinations = Array.from({ length: 2 ** parts.length }, (_, set) => {
    const chosen = parts.filter((_part, index) => (set & (1 << index)) !== 0);
    const name = chosen.map(([part]) => part).join(" + ") || "no filter";
    return [name, Object.assign({}, ...chosen.map(([, filter]) => filter))] as const;
  });
  return Object.fromEntries(combinations);
}

/**
 * Requests the pages of lists one at a time: some in a row for each page of each list, and again, so that all lists meet the
 * same moments of the machine. The first in a row does not count, because it wakes processes that have slept.
 */
async function measureLists({ options }: Bench, subjects: readonly List[]): Promise<Times[]> {
  const all = await Promise.all(
    subjects.map(async ({ ask, filter }) => {
      const last = read(succeeded("a list", (await ask(filter)) as never)).meta.pagination?.last_page ?? 1;
      const times: Times = { first: [], middle: [], last: [] };
      return { ask, filter, numbers: { first: 1, middle: Math.ceil(last / 2), last }, times };
    }),
  );
  for (let round = 0; round < options.rounds; round++) {
    for (const { times } of all) for (const page of pages) times[page].push([]);
    const until = performance.now() + secondsOfRound * 1000;
    for (let turn = 0; turn < samples / inRow && performance.now() < until; turn++) {
      for (const page of pages) {
        for (const { ask, filter, numbers, times } of turn % 2 === 0 ? all : all.toReversed()) {
          const body = { ...filter, page: numbers[page] };
          await ask(body);
          for (let count = 0; count < inRow; count++) {
            const sentAt = performance.now();
            await ask(body);
            times[page][round]?.push(performance.now() - sentAt);
          }
        }
      }
    }
  }
  return all.map(({ times }) => times);
}

/** The page that became slowest compared with the small ledger, and the last page compared with the first. */
function growthOf(name: string, times: Times, before: Times): Figure[] {
  const compare = (page: (typeof pages)[number], against: string, other: readonly number[][]): Figure => ({
    what: `${name}, ${page} page, 99th percentile`,
    value: percentile(times[page].flat(), 0.99),
    unit: "ms",
    against,
    ratio: median(
      times[page].map((round, nth) => percentile(round, 0.99) / percentile(other[nth] ?? [], 0.99)),
    ),
    target: { atMost: 2 },
  });
  const grown = pages.map((page) => compare(page, "small ledger", before[page]));
  const most = grown.reduce((one, other) => ((other.ratio ?? 0) > (one.ratio ?? 0) ? other : one));
  return [most, compare("last", "first page", times.first)];
}
