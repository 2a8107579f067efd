/** The connections of a process, divided by kinds of work that must not wait for each other. */
import { type ConnectionSettings, type Database, openDatabase } from "./connection.ts";
import { HostList, targetOf } from "./target.ts";

export interface DatabasePools {
  /** For everything else. */
  readonly sql: Database;
  /** For statements that read a few rows by key. Callers share connections, so no statement here may be slow. */
  readonly lookUps: Database;
  /** For groups of postings. */
  readonly postings: Database;
  /** For statements that read much of the ledger, which may take long and use much memory to sort. It may be on a standby. */
  readonly longRunning: Database;
}

/** With one connection, a slow look-up would delay all others. More than two would only add server processes. */
const lookUpConnections = 2;
const longRunningConnections = 2;
/** The fewest connections with which each kind of work has at least two. */
export const fewestConnections = 8;

/** The application_name of a running service, in all releases. */
export const serviceConnectionName = "loyalty";
const statementTimeoutMilliseconds = 10_000;
/** Two such statements, one after the other, fit into the time of an operator's request. */
const longRunningTimeoutMilliseconds = 25_000;
/** A plan for a few members does not suit a million, so these statements are planned for their parameters. */
const longRunningSettings = { work_mem: "64MB", plan_cache_mode: "force_custom_plan" };
/** Writes that wait for a lock of a stopped process end after this time, so that reads get their connections. */
const generalSettings = { lock_timeout: "2s" };
/**
 * The first limit ends the transaction of a process that stops in the middle of a group, which releases its locks. After the
 * second limit, a group stops waiting for a ledger, and waits again later.
 */
const postingSettings = { idle_in_transaction_session_timeout: "2s", lock_timeout: "250ms" };

/**
 * Opens the pools. Connections are opened on first use.
 * @param target a PostgreSQL URL or settings
 * @param connections the most of all pools together, at least `fewestConnections`
 * @param readTarget where long statements read, which may be a standby; by default, the same database
 */
export function openPools(
  target: string | ConnectionSettings,
  connections: number,
  readTarget?: string,
): DatabasePools {
  const hosts = new HostList(targetOf(target));
  const pool = { applicationName: serviceConnectionName, statementTimeoutMilliseconds };
  const postingConnections = Math.max(2, Math.floor(connections / 4));
  const others = connections - lookUpConnections - longRunningConnections - postingConnections;
  return {
    sql: openDatabase(hosts, { ...pool, connections: others, serverSettings: generalSettings }),
    lookUps: openDatabase(hosts, { ...pool, connections: lookUpConnections, shared: true }),
    postings: openDatabase(hosts, {
      ...pool,
      connections: postingConnections,
      serverSettings: postingSettings,
    }),
    longRunning: openDatabase(readTarget === undefined ? hosts : new HostList(targetOf(readTarget), true), {
      ...pool,
      connections: longRunningConnections,
      statementTimeoutMilliseconds: longRunningTimeoutMilliseconds,
      serverSettings: longRunningSettings,
    }),
  };
}

/** Closes all connections, when they are idle or after some seconds. */
export async function endPools(pools: DatabasePools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Database) => pool.end()));
}
