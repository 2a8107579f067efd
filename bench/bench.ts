/** What every scenario works with. */
import { adjustWallet } from "../src/operations/partner/wallet/adjust.ts";
import type { BareRoute } from "./baselines/bare-server.ts";
import { type Business, checkLedger, makeBusiness } from "./business.ts";
import { ask } from "./child.ts";
import type { DatabaseServer } from "./database-server.ts";
import { generateHistory, type History } from "./history.ts";
import type { LoadResult, LoadTask } from "./load/generator.ts";
import type { Caller, Traffic } from "./load/traffic.ts";
import type { Figure } from "./report.ts";
import { type BenchService, basePath, startService } from "./service.ts";

export interface BenchOptions {
  /** How long each load is measured. */
  readonly seconds: number;
  /** How often what is compared is measured in turn. */
  readonly rounds: number;
  /** The sizes of the lists, and the longest runs, as the published figures have them. */
  readonly full: boolean;
  /** Also writes a profile of the service under load. */
  readonly profile: boolean;
  /** Other Node.js programs to run the service on. */
  readonly nodes: readonly string[];
}

export interface Bench {
  readonly server: DatabaseServer;
  readonly options: BenchOptions;
  readonly say: (line: string) => void;
}

export type Scenario = (bench: Bench) => Promise<Figure[]>;

const seed = 20_260_417;

export type FilledBusiness = Business & History;

/** Makes a business, and fills it by bulk loads. */
export function fillBusiness(
  { server, say }: Bench,
  database: string,
  size: { members: number; entries: number; bulkImport?: boolean },
): Promise<FilledBusiness> {
  return server.use(database, async (sql) => {
    const business = await makeBusiness(sql);
    const order = { ...business, bulkImport: false, seed, ...size };
    return { ...business, ...(await generateHistory(sql, order, say)) };
  });
}

/** Makes many small businesses, with members and without entries. */
export function fillBusinesses(
  { server, say }: Bench,
  database: string,
  { businesses, members }: { businesses: number; members: number },
): Promise<FilledBusiness[]> {
  return server.use(database, async (sql) => {
    const filled: FilledBusiness[] = [];
    for (let number = 0; number < businesses; number++) {
      const business = await makeBusiness(sql);
      const order = { ...business, members, entries: 0, bulkImport: false, seed: number };
      filled.push({ ...business, ...(await generateHistory(sql, order, say)) });
    }
    await sql`VACUUM ANALYZE`;
    return filled;
  });
}

/** Makes a database and starts a service on it, which migrates it. */
export async function startOnNewDatabase({ server }: Bench, database: string): Promise<BenchService> {
  await server.create(database);
  return startService({ server, database });
}

/** Starts baseline B in a process of its own. */
export async function startBareServer(
  routes: readonly BareRoute[],
): Promise<{ readonly port: number; stop(): void }> {
  const module = new URL("./baselines/bare-server.js", import.meta.url);
  const { child, answer } = await ask<{ port: number }>(module, routes);
  return { port: answer.port, stop: () => child.kill() };
}

/**
 * For so long the runtime compiles what runs often: of a service that has just started, nobody learns what one does that
 * has been under load.
 */
export const compiledAfterSeconds = 10;
const warmUpSeconds = 1.5;
export const usualConnections = 64;

/** Wallet adjustments of the members of some businesses, in turn. */
export function adjusting(...callers: readonly Caller[]): Extract<Traffic, { kind: "adjustments" }> {
  return { kind: "adjustments", path: basePath + adjustWallet.path, callers };
}

/**
 * Runs a load from a process of its own: every connection sends its next request when it has the answer to the
 * one before, or later if the options set a rate. It lasts for as long as the bench's options say.
 * @param services one, or several among which the connections are divided
 * @throws when the server closes a connection or refuses a request, unless the options expect refusals
 */
export async function measure(
  { options }: Bench,
  services: { readonly port: number } | readonly { readonly port: number }[],
  traffic: Traffic,
  more: Partial<Omit<LoadTask, "ports" | "traffic">> = {},
): Promise<LoadResult> {
  const ports = [services].flat().map(({ port }) => port);
  const usual = { connections: usualConnections, warmUpSeconds, seconds: options.seconds };
  const task: LoadTask = { ...usual, ...more, ports, traffic };
  const { answer } = await ask<LoadResult>(new URL("./load/generator.js", import.meta.url), task);
  if (!task.mayBeRefused && Object.keys(answer.refusals).length > 0) {
    throw new Error(`the load met refusals: ${JSON.stringify(answer.refusals)}, such as ${answer.refused}`);
  }
  return answer;
}

/** Measures two loads. Every other round begins with the second, so that what one leaves to be written slows both. */
export async function inTurn<First, Second>(
  round: number,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  if (round % 2 === 0) {
    const earlier = await first();
    return [earlier, await second()];
  }
  const earlier = await second();
  return [await first(), earlier];
}

/**
 * Checks the ledgers that were written to.
 * @throws when a number is missing, or a balance is not the sum of its entries
 */
export function checkLedgers(
  { server }: Bench,
  database: string,
  businesses: readonly Pick<Business, "businessId">[],
): Promise<void> {
  return server.use(database, async (sql) => {
    for (const { businessId } of businesses) await checkLedger(sql, businessId);
  });
}
