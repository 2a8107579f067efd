/** What a service of a given size needs: bytes, memory, and the rates on one processor core and on all. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { type Figure, median } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import { residentBytes } from "../../test/support/service-process.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  databasePids,
  fill,
  measure,
  type Server,
  startServer,
} from "../bench.ts";
import type { Workload } from "../workload.ts";

const sizes = [
  { members: 10_000, entries: 100_000 },
  { members: 100_000, entries: 1_000_000 },
];
const fullSize = { members: 1_000_000, entries: 10_000_000 };
const membersRead = 1000;
const megabyte = 1024 * 1024;

export async function sizing(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of bench.options.full ? [...sizes, fullSize] : sizes) {
    figures.push(...(await figuresOf(bench, size)));
  }
  return figures;
}

async function figuresOf(bench: Bench, size: typeof fullSize): Promise<Figure[]> {
  const server = await startServer(bench);
  const { service, sql } = server;
  const business = await fill(server, size);
  const { authorization, firstContactId, members } = business.caller;
  const figures: Figure[] = [];
  const add = (what: string, value: number, unit: string) => {
    figures.push({ what: `${what} at ${size.members.toLocaleString("en")} members`, value, unit });
    bench.say(`${figures.at(-1)?.what}: ${Math.round(value)} ${unit}`);
  };
  const [bytes] = await sql<{ all: number; entries: number; members: number }[]>`
    SELECT pg_database_size(current_database()) AS all, pg_total_relation_size('ledger_entry') AS entries,
      pg_total_relation_size('member') + pg_total_relation_size('account') AS members`;
  add("database", (bytes?.all ?? 0) / megabyte, "MB");
  add("bytes per member", (bytes?.members ?? 0) / size.members, "B");
  add("bytes per entry", (bytes?.entries ?? 0) / size.entries, "B");
  const loads: Readonly<Record<string, Workload>> = {
    adjustments: adjusting(business),
    "members/get": {
      kind: "fixed",
      path: `${basePath}/sp/members/get`,
      authorization,
      bodies: Array.from({ length: membersRead }, () => ({
        contact_id: firstContactId + Math.floor(Math.random() * members),
      })),
    },
  };
  for (const cores of [1, availableParallelism()]) {
    // The load generator may use all cores.
    for (const pid of [service.pid, ...(await databasePids(server))]) {
      await promisify(execFile)("taskset", ["-acp", `0-${cores - 1}`, String(pid)]);
    }
    for (const [name, workload] of Object.entries(loads)) {
      const run = (seconds = bench.options.seconds) => measure(bench, service.port, workload, { seconds });
      await run(compiledAfterSeconds);
      const rates: number[] = [];
      for (let round = 0; round < bench.options.rounds; round++) rates.push((await run()).perSecond);
      add(`${name}, ${cores} core(s),`, median(rates), "/s");
    }
  }
  const [keys] = await sql<{ bytes: number; count: number }[]>`
    SELECT pg_total_relation_size('idempotency_key') AS bytes, count(*) AS count FROM idempotency_key`;
  add("bytes per idempotency key", (keys?.bytes ?? 0) / (keys?.count ?? 0), "B");
  add("memory of the service", ((await residentBytes(service.pid)) ?? 0) / megabyte, "MB");
  add("memory of the database", (await databaseMemory(server)) / megabyte, "MB");
  await checkLedgers(server, [business]);
  await service.process.stop();
  return figures;
}

/** Bytes of memory, with shared memory counted once, where Linux tells. */
async function databaseMemory(server: Server): Promise<number> {
  let kilobytes = 0;
  for (const pid of await databasePids(server)) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
    kilobytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
  }
  return kilobytes * 1024;
}
