/** What all scenarios use: services with data, loads, and figures that compare them. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deriveKeys } from "../src/credentials/keys.ts";
import type { Connection, ConnectionSettings, Database } from "../src/database/connection.ts";
import { lastEntryNo } from "../src/database/ledger/ledger.ts";
import { adjustWallet } from "../src/operations/partner/wallet/adjust.ts";
import { authorize, type Business, Operator } from "../test/support/runs/operator.ts";
import { type Figure, median } from "../test/support/runs/report.ts";
import type { Run } from "../test/support/runs/run.ts";
import { basePath, Service, serviceSecret } from "../test/support/runs/service.ts";
import { childPids, postmasterPid } from "../test/support/service-process.ts";
import type { LoadResult, LoadTask } from "./generator.ts";
import { fillHistory, type HistorySize } from "./history.ts";
import type { Cpu, Target, TurnsResult, TurnsTask } from "./turns.ts";
import type { Caller, Workload } from "./workload.ts";

export interface BenchOptions {
  /** How long each load is measured. */
  readonly seconds: number;
  /** How often the compared variants are measured. */
  readonly rounds: number;
  /** The sizes of the published figures. */
  readonly full: boolean;
  /** Also profiles the service. */
  readonly profile: boolean;
  /** The directory of another build, to compare this one with. */
  readonly before: string | undefined;
  /** The program of Node.js that runs the other build; by default the same. */
  readonly node: string | undefined;
}

export interface Bench extends Run {
  readonly options: BenchOptions;
}

/** The settings of users, except that the rate limits are higher than the load. */
const environment = {
  LOG_LEVEL: "info",
  LOYALTY_RATE_LIMIT: "1000000",
  LOYALTY_FAILED_TOKEN_LIMIT: "1000000",
  // Receivers of webhooks are on this machine.
  LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
};
/** Node.js compiles hot functions in this time. */
export const compiledAfterSeconds = 10;
const warmUpSeconds = 1.5;
const usualConnections = 64;

/** A service with its own database. */
export interface Server {
  readonly service: Service;
  readonly operator: Operator;
  /** Connects to its database. */
  readonly sql: Database;
}

/** A business with data. Its active members are those of the caller. */
export interface Filled extends Business {
  readonly caller: Caller;
}

interface ServerOptions {
  readonly node?: string | undefined;
  readonly nodeOptions?: readonly string[];
  /** Settings besides the usual ones. */
  readonly more?: Readonly<Record<string, string>>;
}

export async function startServer(bench: Bench, { more = {}, ...node }: ServerOptions = {}): Promise<Server> {
  const service = await Service.start(bench, { environment: { ...environment, ...more }, ...node });
  return { service, operator: new Operator(bench, service.port), sql: await service.openDatabase() };
}

/** Starts a second service on the database of the first one. */
export async function startBeside(bench: Bench, { service }: Server): Promise<Service> {
  const { host, port, user, password, database } = await service.database();
  // A URL can't name the directory of a socket.
  const server = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password };
  return Service.start(bench, {
    environment: { ...environment, ...server, DATABASE_URL: `postgres:///${database}` },
  });
}

/** A server that the service is compared with. */
export interface Baseline {
  readonly port: number;
  readonly pid: number;
}

/** Starts the server that does nothing but HTTP, JSON and the check of a token. */
export const startBareServer = (bench: Bench): Promise<Baseline> =>
  startBaseline(bench, join(import.meta.dirname, "bare-server.js"));

/** Starts the service that is written by hand, on a database with its tables. */
export async function startByHand(bench: Bench, database: ConnectionSettings): Promise<Baseline> {
  const folder = join(bench.installation, "bench/baselines");
  if (!existsSync(join(folder, "node_modules"))) await promisify(execFile)("npm", ["ci"], { cwd: folder });
  const { host, port, user, password } = database;
  const server = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password };
  return startBaseline(bench, join(folder, "service.mjs"), { ...server, PGDATABASE: database.database });
}

async function startBaseline(bench: Bench, file: string, environment = {}): Promise<Baseline> {
  // The baselines take the tokens of the service.
  const TOKEN_KEY = Buffer.from(deriveKeys(serviceSecret).tokenSigning).toString("hex");
  const env = { ...process.env, ...environment, TOKEN_KEY };
  const child = fork(file, { stdio: "inherit", env });
  bench.atEnd(() => child.kill());
  const [port] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [number];
  return { port, pid: child.pid as number };
}

/** Makes a business with members and entries. */
export async function fill({ operator, service, sql }: Server, size: HistorySize): Promise<Filled> {
  const business = await operator.makeBusiness({ locations: 20, programs: 1, timeZone: "Europe/Madrid" });
  const history = await fillHistory(sql, business, size);
  const authorization = await authorize(service.port, business.credentials);
  return { ...business, caller: { authorization, locationIds: business.locationIds, ...history } };
}

/** Makes many small businesses, with members and without entries. */
export async function fillMany(server: Server, businesses: number, members: number): Promise<Filled[]> {
  const filled: Filled[] = [];
  for (let count = 0; count < businesses; count++) filled.push(await fill(server, { members, entries: 0 }));
  await server.sql`VACUUM ANALYZE`;
  return filled;
}

/** Wallet adjustments of the members of businesses, in turn. */
export function adjusting(...filled: readonly Filled[]): Extract<Workload, { kind: "adjustments" }> {
  const callers = filled.map(({ caller }) => caller);
  return { kind: "adjustments", path: basePath + adjustWallet.path, callers };
}

/**
 * Runs a load from another process.
 * @param ports one, or several among which the connections are divided
 * @throws if a request is lost or rejected, unless rejections are expected
 */
export async function measure(
  bench: Bench,
  ports: number | readonly number[],
  workload: Workload,
  more: Partial<LoadTask> & { readonly mayBeRejected?: boolean } = {},
): Promise<LoadResult> {
  const usual = { connections: usualConnections, warmUpSeconds, seconds: bench.options.seconds };
  const task: LoadTask = { ...usual, ...more, ports: [ports].flat(), workload };
  const child = fork(new URL("./generator.js", import.meta.url), { stdio: "inherit" });
  bench.atEnd(() => child.kill());
  child.send(task);
  const [result] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [LoadResult];
  if (typeof result !== "object" || result === null) throw new Error("the load generator failed");
  const { lost, rejections, rejected } = result;
  if (lost > 0) throw new Error(`${lost} requests were lost`);
  if (rejected !== undefined && more.mayBeRejected !== true) {
    throw new Error(`the load got ${JSON.stringify(rejections)}, such as ${rejected}`);
  }
  return result;
}

/** A server and what it gets. */
export async function targetOf({ service }: Server, workload: Workload): Promise<Target> {
  const { port, pid, dataDirectory } = service;
  return { port, pid, workload, postmaster: await postmasterPid(dataDirectory) };
}

/** Measures the processor time of requests to several servers in turn. @throws if a request is lost or rejected */
export async function cpuInTurns(bench: Bench, task: TurnsTask): Promise<Readonly<Record<string, Cpu>>> {
  const child = fork(new URL("./turns.js", import.meta.url), { stdio: "inherit" });
  bench.atEnd(() => child.kill());
  child.send(task);
  const [result] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [TurnsResult];
  if (typeof result !== "object" || result === null) throw new Error(`the load failed: ${result}`);
  return result;
}

export type Measured = Pick<LoadResult, "perSecond" | "mean" | "p99">;

/** Measures variants in turn. Every second round begins with the last one, so that no variant always comes after another. */
export async function inTurn<Name extends string, Result extends Measured>(
  { options, say }: Bench,
  variants: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(variants) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < options.rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await variants[name]();
      results[name].push(result);
      say(`${name}: ${Math.round(result.perSecond)} per second, p99 ${result.p99.toFixed(1)} ms`);
    }
  }
  return results;
}

export interface Comparison {
  /** The requests per second by default. */
  readonly of?: "perSecond" | "mean" | "p99";
  /** What the results are compared with, round by round. */
  readonly against?: readonly [name: string, results: readonly Measured[]];
  readonly target?: NonNullable<Figure["target"]>;
}

/** The median of results, and the median of the ratios of all rounds. */
export function figure(what: string, results: readonly Measured[], comparison: Comparison = {}): Figure {
  const { of = "perSecond", against, target } = comparison;
  return {
    what,
    value: median(results.map((result) => result[of])),
    unit: of === "perSecond" ? "/s" : "ms",
    ...(against && {
      against: against[0],
      ratio: median(results.map((result, round) => result[of] / (against[1][round]?.[of] ?? Number.NaN))),
    }),
    ...(target && { target }),
    details: { results },
  };
}

/** How many entries a business has. */
export async function countEntries(sql: Connection, businessId: number): Promise<number> {
  const [ledger] = await sql<{ entries: number }[]>`SELECT ${lastEntryNo(businessId)} AS entries`;
  return ledger?.entries ?? Number.NaN;
}

/** @throws if entries are missing, or a balance is not the sum of its entries */
export async function checkLedgers({ sql }: Server, businesses: readonly Business[]): Promise<void> {
  for (const { businessId } of businesses) {
    const [ledger] = await sql<{ entries: number; last: number }[]>`
      SELECT count(*) AS entries, coalesce(max(entry_no), 0) AS last
      FROM ledger_entry WHERE business_id = ${businessId}`;
    const head = await countEntries(sql, businessId);
    if (ledger?.entries !== head || ledger.last !== head) {
      throw new Error(
        `the ledger of business ${businessId} has ${JSON.stringify(ledger)} of ${head} entries`,
      );
    }
    const [wrong] = await sql`
      SELECT a.contact_id, a.account FROM account a
      LEFT JOIN (
        SELECT contact_id, account, sum(amount) AS sum FROM ledger_entry
        WHERE business_id = ${businessId} GROUP BY contact_id, account
      ) e USING (contact_id, account)
      WHERE a.business_id = ${businessId} AND a.balance <> coalesce(e.sum, 0) LIMIT 1`;
    if (wrong !== undefined) throw new Error(`a balance is wrong: ${JSON.stringify(wrong)}`);
  }
}

const clockTicksPerSecond = 100;

/** The server process of PostgreSQL and its backends. */
export async function databasePids({ service }: Server): Promise<number[]> {
  const pid = await postmasterPid(service.dataDirectory);
  return [pid, ...(await childPids(pid))];
}

/**
 * Seconds of processor time, where Linux tells. Those of a process that has ended, such as a backend of PostgreSQL, are its parent's.
 */
async function cpuSeconds(pids: readonly number[]): Promise<number> {
  let ticks = 0;
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [, ...times] = /\) \S+ (?:\S+ ){10}(\d+) (\d+) (\d+) (\d+)/.exec(stat) ?? [];
    for (const time of times) ticks += Number(time);
  }
  return ticks / clockTicksPerSecond;
}

/** Processor time per request. On a shared machine it says more than a rate. */
export class CpuMeter {
  readonly #used = { service: 0, database: 0, generator: 0 };
  readonly #server: Server;
  #requests = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  async during(run: () => Promise<LoadResult>): Promise<LoadResult> {
    const { result, service, database } = await cpuDuring(this.#server, run);
    this.#used.service += service;
    this.#used.database += database;
    this.#used.generator += result.generatorCpuSeconds;
    this.#requests += result.responses;
    return result;
  }

  /** @param where for the end of each name, such as ", at 10,000 entries" */
  figures(where = ""): Figure[] {
    return Object.entries(this.#used).map(([name, seconds]) => ({
      what: `CPU time of the ${name}${where}`,
      value: (seconds / this.#requests) * 1_000_000,
      unit: "µs per request",
    }));
  }
}

/** Measures the seconds of processor time of the service and of PostgreSQL while something runs. */
export async function cpuDuring<Result>(server: Server, run: () => Promise<Result>) {
  const used = async () => {
    const pids = await databasePids(server);
    return [await cpuSeconds([server.service.pid]), await cpuSeconds(pids)] as const;
  };
  const before = await used();
  const result = await run();
  const after = await used();
  return { result, service: after[0] - before[0], database: after[1] - before[1] };
}
