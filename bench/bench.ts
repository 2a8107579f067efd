/** What every scenario works with. */
import { type Business, checkLedger, makeBusiness } from "./business.ts";
import type { DatabaseServer } from "./database-server.ts";
import { generateHistory, type History } from "./history.ts";
import { type LoadResult, type LoadTask, load } from "./load.ts";
import type { Figure } from "./report.ts";
import { type ServiceOptions, type ServiceProcess, startService } from "./service.ts";

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
export async function fillBusiness(
  { server, say }: Bench,
  database: string,
  size: { members: number; entries: number; bulkImport?: boolean },
): Promise<FilledBusiness> {
  const sql = server.open(database, 2);
  try {
    const business = await makeBusiness(sql);
    const order = { ...business, bulkImport: false, seed, ...size };
    return { ...business, ...(await generateHistory(sql, order, say)) };
  } finally {
    await sql.end();
  }
}

/** Makes many small businesses, with members and without entries. */
export async function fillBusinesses(
  { server, say }: Bench,
  database: string,
  { businesses, members }: { businesses: number; members: number },
): Promise<FilledBusiness[]> {
  const sql = server.open(database, 2);
  try {
    const filled: FilledBusiness[] = [];
    for (let number = 0; number < businesses; number++) {
      const business = await makeBusiness(sql);
      const order = { ...business, members, entries: 0, bulkImport: false, seed: number };
      filled.push({ ...business, ...(await generateHistory(sql, order, say)) });
    }
    await sql`VACUUM ANALYZE`;
    return filled;
  } finally {
    await sql.end();
  }
}

/** Makes a database and starts a service on it, which migrates it. */
export async function startOnNewDatabase(
  { server }: Bench,
  database: string,
  options: Omit<ServiceOptions, "server" | "database"> = {},
): Promise<ServiceProcess> {
  await server.create(database);
  return startService({ server, database, ...options });
}

/**
 * For so long the runtime compiles what runs often: of a service that has just started, nobody learns what one does that
 * has been under load.
 */
export const compiledAfterSeconds = 10;
const warmUpSeconds = 1.5;

/** Runs a load for as long as the options say. */
export function measure(
  { options }: Bench,
  task: Omit<LoadTask, "warmUpSeconds" | "seconds"> & { seconds?: number },
): Promise<LoadResult> {
  return load({ warmUpSeconds, seconds: options.seconds, ...task });
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
export async function checkLedgers(
  { server }: Bench,
  database: string,
  businesses: readonly Pick<Business, "businessId">[],
): Promise<void> {
  const sql = server.open(database, 1);
  try {
    for (const { businessId } of businesses) await checkLedger(sql, businessId);
  } finally {
    await sql.end();
  }
}
