/**
 * Sends requests to several servers in turn, a few hundred at a time, and measures the processor time of each turn: of the server, and
 * of PostgreSQL. A disturbance of the machine meets all servers, or few turns. It is a process that gets one task, sends the result,
 * and ends.
 */
import { readdir, readFile } from "node:fs/promises";
import { HttpConnection } from "../test/support/http-connection.ts";
import { median } from "../test/support/runs/report.ts";
import { childPids } from "../test/support/service-process.ts";
import { requestsOf, type Workload } from "./workload.ts";

export interface Target {
  readonly port: number;
  readonly pid: number;
  readonly workload: Workload;
  /** The server process of its PostgreSQL. */
  readonly postmaster: number;
}

export interface TurnsTask {
  readonly targets: Readonly<Record<string, Target>>;
  /**
   * Whether a turn is measured until the next one of its target, so that its work in the background counts. Then no two targets may
   * share a process.
   */
  readonly untilNextTurn?: boolean;
  readonly connections: number;
  /** So many before the first turn. Node.js compiles hot functions in them. */
  readonly warmUpRequests: number;
  readonly turns: number;
  readonly requestsInTurn: number;
}

/** Microseconds of processor time for each request. */
export interface Cpu {
  readonly service: number;
  readonly database: number;
}

export const sumOf = ({ service, database }: Cpu) => service + database;

/** The median of the turns, by target; or why there is none. */
export type TurnsResult = Readonly<Record<string, Cpu>> | string;

const overdueMilliseconds = 60_000;

process.once("message", async (task: TurnsTask) => {
  const result = await run(task).catch((error: Error) => error.message);
  process.send?.(result, () => process.exit(0));
});

async function run(task: TurnsTask): Promise<TurnsResult> {
  const targets = Object.entries(task.targets).map(([name, { port, pid, postmaster, workload }]) => {
    const connect = () => new HttpConnection(port, overdueMilliseconds);
    const turns: Cpu[] = [];
    const connections = Array.from({ length: task.connections }, connect);
    return { name, connections, next: requestsOf(workload), turns, used: () => used(pid, postmaster) };
  });
  for (const { connections, next } of targets) await send(connections, next, task.warmUpRequests);
  const cpuOf = (before: Record<keyof Cpu, Used>, after: Record<keyof Cpu, Used>) => ({
    service: since(before.service, after.service) / task.requestsInTurn,
    database: since(before.database, after.database) / task.requestsInTurn,
  });
  const begun = new Map<string, Record<keyof Cpu, Used>>();
  for (let turn = 0; turn < task.turns; turn++) {
    // With two turns of a target in a row, a turn that lasts until the next one would contain less work of the others.
    const inOrder = turn % 2 === 0 || task.untilNextTurn ? targets : targets.toReversed();
    for (const { name, connections, next, turns, used } of inOrder) {
      const before = await used();
      const last = begun.get(name);
      if (task.untilNextTurn && last !== undefined) turns.push(cpuOf(last, before));
      begun.set(name, before);
      await send(connections, next, task.requestsInTurn);
      if (!task.untilNextTurn) turns.push(cpuOf(before, await used()));
    }
  }
  const middle = (turns: readonly Cpu[], part: keyof Cpu) => median(turns.map((turn) => turn[part]));
  return Object.fromEntries(
    targets.map(({ name, turns }) => {
      return [name, { service: middle(turns, "service"), database: middle(turns, "database") }];
    }),
  );
}

/** @throws if a request is lost or rejected */
async function send(connections: readonly HttpConnection[], next: () => string, requests: number) {
  let left = requests;
  const work = async (connection: HttpConnection) => {
    while (left > 0) {
      left -= 1;
      const outcome = await connection.send(next());
      if (typeof outcome === "string" || outcome.status >= 300) throw new Error(JSON.stringify(outcome));
    }
  };
  await Promise.all(connections.map(work));
}

interface Used {
  /** Microseconds of each process. */
  readonly processes: ReadonlyMap<number, number>;
  /** Those of all processes that have ended, in steps of a hundredth of a second. */
  readonly ended: number;
}

async function used(pid: number, postmaster: number): Promise<Record<keyof Cpu, Used>> {
  const read = async (parent: number, pids: readonly number[]) => ({
    processes: new Map(await Promise.all(pids.map(async (one) => [one, await microseconds(one)] as const))),
    ended: await microsecondsOfEnded(parent),
  });
  const pids = await childPids(postmaster);
  return { service: await read(pid, [pid]), database: await read(postmaster, pids) };
}

/** What processes used meanwhile. Of those that have ended, the parent has all that they ever used. */
function since(before: Used, after: Used): number {
  const sumOf = (processes: Iterable<readonly [number, number]>) =>
    [...processes].reduce((sum, [, time]) => sum + time, 0);
  return sumOf(after.processes) - sumOf(before.processes) + after.ended - before.ended;
}

/** Of the children of a process that have ended, where Linux tells. */
async function microsecondsOfEnded(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [, user, system] = /\) \S+ (?:\S+ ){12}(\d+) (\d+)/.exec(stat) ?? [];
  return (Number(user ?? 0) + Number(system ?? 0)) * 10_000;
}

/** Of all threads of a process, exactly, where Linux tells. */
async function microseconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = threads.map(async (thread) => {
    const stat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "0");
    return Number(stat.split(" ")[0]) / 1000;
  });
  return (await Promise.all(times)).reduce((sum, one) => sum + one, 0);
}
