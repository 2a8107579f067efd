/** What processes cost, as Linux tells it; elsewhere these figures are missing, and the report says so. */
import { readFile } from "node:fs/promises";
import { childPids } from "../test/support/service-process.ts";
import type { DatabaseServer } from "./database-server.ts";
import type { LoadResult } from "./load/generator.ts";
import type { Figure } from "./report.ts";
import type { BenchService } from "./service.ts";

const clockTicksPerSecond = 100;

/** A process and those it started that still run. */
export async function pidsOfTree(pid: number): Promise<number[]> {
  return [pid, ...(await childPids(pid))];
}

/** Seconds of processor time of a process and of those it started that still run, such as PostgreSQL's backends. */
async function cpuSecondsOfTree(pid: number): Promise<number> {
  let ticks = 0;
  for (const each of await pidsOfTree(pid)) {
    const stat = await readFile(`/proc/${each}/stat`, "utf8").catch(() => "");
    const [, user = "0", system = "0"] = /\) \S+ (?:\S+ ){10}(\d+) (\d+)/.exec(stat) ?? [];
    ticks += Number(user) + Number(system);
  }
  return ticks / clockTicksPerSecond;
}

/** Bytes of memory that a process and its children hold, with what they share counted once; undefined where it can't be told. */
export async function memoryOfTree(pid: number): Promise<number | undefined> {
  let kilobytes = 0;
  for (const each of await pidsOfTree(pid)) {
    const rollup = await readFile(`/proc/${each}/smaps_rollup`, "utf8").catch(() => "");
    kilobytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
  }
  return kilobytes === 0 ? undefined : kilobytes * 1024;
}

/**
 * How much processor time a request takes of the service, the database and the load generator. On a machine that others
 * share it says more than a rate does: it counts what is done, not how long that had to wait.
 */
export class CpuMeter {
  readonly #used = { service: 0, database: 0, generator: 0 };
  readonly #server: DatabaseServer;
  readonly #service: BenchService;
  #requests = 0;

  constructor(server: DatabaseServer, service: BenchService) {
    this.#server = server;
    this.#service = service;
  }

  /** Runs a load of the service, and counts what it uses. */
  async during(run: () => Promise<LoadResult>): Promise<LoadResult> {
    const before = await this.#read();
    const result = await run();
    const after = await this.#read();
    this.#used.service += after.service - before.service;
    this.#used.database += after.database - before.database;
    this.#used.generator += result.generatorCpuSeconds;
    this.#requests += result.answers;
    return result;
  }

  /** @param where added to each name, such as ", at 10,000 entries" */
  figures(where = ""): Figure[] {
    return Object.entries(this.#used).map(([name, seconds]) => ({
      what: `CPU time of the ${name}${where}`,
      value: (seconds / this.#requests) * 1_000_000,
      unit: "µs per request",
    }));
  }

  async #read() {
    return {
      service: await cpuSecondsOfTree(this.#service.pid),
      database: await cpuSecondsOfTree(this.#server.pid),
    };
  }
}
