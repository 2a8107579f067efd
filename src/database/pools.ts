/** The connections of a process, divided among kinds of work that must not wait for one another. */
import { type ConnectionSettings, type Database, openDatabase } from "./connection.ts";
import { HostList, targetOf } from "./target.ts";

export interface DatabasePools {
  /** For everything else. */
  readonly sql: Database;
  /** For statements that read some rows by a key: callers share connections, so no statement here may be slow. */
  readonly lookUps: Database;
  /** For groups of postings. */
  readonly postings: Database;
  /** For statements that go through much of the ledger: they may take long, and have the memory to sort it. */
  readonly longRunning: Database;
}

/** Of one, all look-ups would queue behind a large one. More than two would keep more server processes awake. */
const lookUpConnections = 2;
const longRunningConnections = 2;
/** The fewest connections with which each kind of work has at least two. */
export const fewestConnections = 8;

const statementTimeoutMilliseconds = 10_000;
/** Two such statements, one after the other, fit into the time of an operator's request. */
const longRunningTimeoutMilliseconds = 25_000;
/** What suits a few members' entries does not suit a million: such statements are planned for what they read. */
const longRunningSettings = { work_mem: "64MB", plan_cache_mode: "force_custom_plan" };
/** Writes that wait for what a frozen process holds must not take all connections from reads for long. */
const longestWait = "2s";
/**
 * A process that stops in the middle of a group releases its locks after the first; a group that waits for a ledger
 * gives up after the second, and is tried again.
 */
const postingSettings = { idle_in_transaction_session_timeout: "2s", lock_timeout: "250ms" };

/**
 * Opens the pools. Connections are opened on first use.
 * @param target a PostgreSQL URL or settings
 * @param connections the most of all pools together, at least `fewestConnections`
 */
export function openPools(target: string | ConnectionSettings, connections: number): DatabasePools {
  const hosts = new HostList(targetOf(target));
  const pool = { applicationName: "loyalty", statementTimeoutMilliseconds };
  const postingConnections = Math.max(2, Math.floor(connections / 4));
  const others = connections - lookUpConnections - longRunningConnections - postingConnections;
  return {
    sql: openDatabase(hosts, { ...pool, connections: others, serverSettings: { lock_timeout: longestWait } }),
    lookUps: openDatabase(hosts, { ...pool, connections: lookUpConnections, shared: true }),
    postings: openDatabase(hosts, {
      ...pool,
      connections: postingConnections,
      serverSettings: postingSettings,
    }),
    longRunning: openDatabase(hosts, {
      ...pool,
      connections: longRunningConnections,
      statementTimeoutMilliseconds: longRunningTimeoutMilliseconds,
      serverSettings: longRunningSettings,
    }),
  };
}

/** Closes all connections, once what is under way is done or some seconds are over. */
export async function endPools(pools: DatabasePools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Database) => pool.end()));
}
