/** The connections of a process, divided among kinds of work that must not wait for one another. */
import { type ConnectionSettings, type Database, openDatabase } from "./connection.ts";

export interface DatabasePools {
  /** For everything else. */
  readonly sql: Database;
  /**
   * For statements that read some rows by a key and wait for nothing, since others are sent right behind them. To wake
   * a server process that sleeps costs more than the look-up: so all share a few, which are awake where there is much
   * to do. Accounts that a batch of postings does not know are read here, too.
   */
  readonly lookUps: Database;
  /** For statements that go through much of the books: they may take long, and have the memory to sort it. */
  readonly patient: Database;
}

/** Of one, all answers would queue behind a large one; of more than two, each would sleep between look-ups. */
const lookUpConnections = 2;
const patientConnections = 3;

const statementTimeoutMilliseconds = 10_000;
/** Two such statements, one after the other, fit into the time of an operator's request. */
const patienceMilliseconds = 25_000;
/** What suits a few members' entries does not suit a million: such statements are planned for what they read. */
const patientSettings = { work_mem: "64MB", plan_cache_mode: "force_custom_plan" };

/**
 * Opens the pools. Connections are made when first needed.
 * @param target a PostgreSQL URL or settings
 * @param connections the most of all pools together; 8 leave 3 for postings, their locked batches and all else
 */
export function openPools(target: string | ConnectionSettings, connections: number): DatabasePools {
  const pool = { applicationName: "loyalty", statementTimeoutMilliseconds };
  return {
    sql: openDatabase(target, {
      ...pool,
      connections: connections - lookUpConnections - patientConnections,
    }),
    lookUps: openDatabase(target, { ...pool, connections: lookUpConnections }),
    patient: openDatabase(target, {
      ...pool,
      connections: patientConnections,
      statementTimeoutMilliseconds: patienceMilliseconds,
      serverSettings: patientSettings,
    }),
  };
}

/** Lets go of all connections, once what is under way is done or five seconds are over. */
export async function endPools({ sql, lookUps, patient }: DatabasePools): Promise<void> {
  await Promise.all([sql, lookUps, patient].map((pool) => pool.end({ timeout: 5 })));
}
