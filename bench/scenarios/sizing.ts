/** What a service of a given size takes: bytes, memory, and the rates on one processor core and on all. */
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { getMember } from "../../src/operations/partner/members/get.ts";
import { residentBytes } from "../../test/support/service-process.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  fillBusiness,
  measure,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf } from "../business.ts";
import type { Traffic } from "../load/traffic.ts";
import { memoryOfTree, pidsOfTree } from "../processes.ts";
import { type Figure, median } from "../report.ts";
import { type BenchService, basePath } from "../service.ts";

interface Size {
  readonly members: number;
  readonly entries: number;
}

const sizes: readonly Size[] = [
  { members: 10_000, entries: 100_000 },
  { members: 100_000, entries: 1_000_000 },
];
const fullSize: Size = { members: 1_000_000, entries: 10_000_000 };
const membersRead = 1000;
const megabyte = 1024 * 1024;

export const sizing: Scenario = async (bench) => {
  const figures: Figure[] = [];
  for (const size of bench.options.full ? [...sizes, fullSize] : sizes) {
    figures.push(...(await figuresOf(bench, size)));
  }
  return figures;
};

async function figuresOf(bench: Bench, size: Size): Promise<Figure[]> {
  const { server, say } = bench;
  const database = `sizing_${size.members}`;
  const service = await startOnNewDatabase(bench, database);
  try {
    const business = await fillBusiness(bench, database, size);
    const at = ` at ${size.members.toLocaleString("en")} members`;
    const figures = await bytesOf(bench, database, size, at);
    const caller = await callerOf(service, business, business);
    const loads: Readonly<Record<string, Traffic>> = {
      adjustments: adjusting(caller),
      "members/get": {
        kind: "fixed",
        path: basePath + getMember.path,
        authorization: caller.authorization,
        bodies: Array.from({ length: membersRead }, () => ({
          contact_id: business.firstContactId + Math.floor(Math.random() * business.members),
        })),
      },
    };
    for (const cores of [1, availableParallelism()]) {
      await pin(bench, service, cores);
      for (const [name, traffic] of Object.entries(loads)) {
        const run = (seconds = bench.options.seconds) => measure(bench, service, traffic, { seconds });
        await run(compiledAfterSeconds);
        const rates: number[] = [];
        for (let round = 0; round < bench.options.rounds; round++) rates.push((await run()).perSecond);
        const value = median(rates);
        figures.push({ what: `${name}${at}, ${cores} core(s)`, value, unit: "/s", details: { rates } });
        say(`${name}${at}, ${cores} core(s): ${Math.round(value)} a second`);
      }
    }
    figures.push(await bytesOfKeys(bench, database, at), ...(await memoryOf(bench, service, at)));
    await checkLedgers(bench, database, [business]);
    return figures;
  } finally {
    await service.stop();
    await server.drop(database);
  }
}

/** Lets the service and the database run on so many cores. The load generator may use all. */
async function pin({ server }: Bench, service: BenchService, cores: number): Promise<void> {
  for (const pid of [service.pid, ...(await pidsOfTree(server.pid))]) {
    await promisify(execFile)("taskset", ["-acp", `0-${cores - 1}`, String(pid)]);
  }
}

/** Bytes on the disk, with indexes, before any load. */
function bytesOf({ server }: Bench, database: string, size: Size, at: string): Promise<Figure[]> {
  return server.use(database, async (sql) => {
    const [row] = await sql<{ all: number; entries: number; members: number }[]>`
      SELECT pg_database_size(current_database()) AS all,
        pg_total_relation_size('ledger_entry') AS entries,
        pg_total_relation_size('member') + pg_total_relation_size('account') AS members`;
    const { all, entries, members } = row as { all: number; entries: number; members: number };
    return [
      { what: `database${at}`, value: all / megabyte, unit: "MB" },
      { what: `bytes per member${at}`, value: members / size.members, unit: "B" },
      { what: `bytes per entry${at}`, value: entries / size.entries, unit: "B" },
    ];
  });
}

/** Bytes of what a write keeps to recognise its retries, by the keys of the loads. */
function bytesOfKeys({ server }: Bench, database: string, at: string): Promise<Figure> {
  return server.use(database, async (sql) => {
    const [row] = await sql<{ bytes: number; keys: number }[]>`
      SELECT pg_total_relation_size('idempotency_key') AS bytes, count(*) AS keys FROM idempotency_key`;
    const { bytes, keys } = row as { bytes: number; keys: number };
    return { what: `bytes per idempotency key${at}`, value: bytes / keys, unit: "B", details: { keys } };
  });
}

/** Memory after the loads; Linux tells it. The database's includes its shared buffers once. */
async function memoryOf({ server }: Bench, service: BenchService, at: string): Promise<Figure[]> {
  const ofService = await residentBytes(service.pid);
  const ofDatabase = await memoryOfTree(server.pid);
  return [
    { what: `memory of the service${at}`, value: (ofService ?? 0) / megabyte, unit: "MB" },
    { what: `memory of the database${at}`, value: (ofDatabase ?? 0) / megabyte, unit: "MB" },
  ];
}
