/** The embedded PostgreSQL, which the service runs without DATABASE_URL: one per data directory, until the service stops. */
import { join } from "node:path";
import { type ConnectionSettings, openDatabase } from "../database/connection.ts";
import { nameInSql } from "../database/sql.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { locateBinaries, prepareBinaries } from "./binaries.ts";
import { type Cluster, openCluster, openDataDirectory, pathWithin } from "./cluster.ts";
import { explainFailure, explainOutput } from "./error.ts";
import { acquireLock, isServed } from "./lock.ts";
import { serverName, stopLeftover, supervise } from "./postmaster.ts";
import { databaseAccount, runProgram } from "./processes.ts";
import {
  databaseName,
  databaseUser,
  longestSocketPath,
  postgresArguments,
  socketOf,
  socketPort,
} from "./settings.ts";

export interface EmbeddedDatabase {
  /** They never change. The host is the directory of the socket. */
  readonly connection: ConnectionSettings;
  /** Stops PostgreSQL, cleanly if that takes at most ten seconds. It may be called more than once. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Created if it does not exist. The database is in `postgres/`. */
  dataDirectory: string;
  /** Gets lines for the operator: about the start, about restarts, and lines of PostgreSQL's log about problems. */
  onProgress?: (line: string) => void;
  /** Settings of PostgreSQL that override the defaults of settings.ts. */
  settings?: Record<string, string>;
}

/** The beginning of the line for the operator when PostgreSQL is about to start. */
export const startingLine = "Starting PostgreSQL";

/**
 * Starts PostgreSQL on a data directory, which the first start creates. It first stops a PostgreSQL that a killed service left
 * running, and restarts PostgreSQL when it ends by itself.
 * @returns once the database accepts connections
 * @throws OperatorError, with one line for the operator; nothing is left running then
 */
export async function startEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  try {
    const installed = await locateBinaries();
    const { dataDirectory, pgdata } = await openDataDirectory(options.dataDirectory);
    checkSocketPath(dataDirectory, pgdata);
    const unlock = await acquireLock(dataDirectory);
    try {
      const account = await databaseAccount(pgdata);
      const binaries = await prepareBinaries(installed, account);
      // The test runs as the account, because mode bits don't show access lists and mount options.
      const test = runProgram("/bin/sh", ["-c", 'test -x "$1"', "sh", dataDirectory], { account });
      const cluster = { dataDirectory, pgdata, binaries, account, isEnclosed: (await test).failed };
      return await startLocked(cluster, options, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  } catch (error) {
    throw explainFailure(error, options.dataDirectory);
  }
}

async function startLocked(
  cluster: Cluster,
  { onProgress = () => undefined, settings = {} }: EmbeddedOptions,
  unlock: () => Promise<void>,
): Promise<EmbeddedDatabase> {
  const { pgdata, binaries } = cluster;
  await stopLeftover(pgdata, onProgress);
  await openCluster(cluster, onProgress);
  const args = postgresArguments(pathWithin(cluster, pgdata), await serverName(pgdata), settings);
  onProgress(`${startingLine} ${binaries.version} …`);
  const stop = await supervise({ cluster, args, onProgress });
  const connection = connectionTo(pgdata);
  try {
    await ensureDatabase(connection, cluster);
  } catch (error) {
    await stop();
    throw error;
  }
  let stopped: Promise<void> | undefined;
  const stopAndUnlock = async () => {
    try {
      await stop();
    } finally {
      await unlock();
    }
  };
  return { connection, stop: () => (stopped ??= stopAndUnlock()) };
}

/** Creates the database if it is missing, also after a first start that was killed before this step. */
async function ensureDatabase(connection: ConnectionSettings, cluster: Cluster): Promise<void> {
  const sql = openDatabase(
    { ...connection, database: "postgres" },
    { connections: 1, statementTimeoutMilliseconds: 0, applicationName: "loyalty start" },
  );
  try {
    const [found] = await sql`select from pg_database where datname = ${databaseName}`;
    if (found === undefined) await sql`create database ${nameInSql(databaseName)}`;
  } catch (error) {
    const { version } = cluster.binaries;
    throw explainOutput(`PostgreSQL ${version} does not serve`, [(error as Error).message], cluster.pgdata);
  } finally {
    await sql.end();
  }
}

/** @throws OperatorError when the path of the data is too long for a socket */
function checkSocketPath(dataDirectory: string, pgdata: string): void {
  const excess = Buffer.byteLength(socketOf(pgdata)) - longestSocketPath;
  if (excess <= 0) return;
  const longest = Buffer.byteLength(dataDirectory) - excess;
  throw new OperatorError(
    `the path of the data directory ${dataDirectory} is too long for the socket of PostgreSQL: move the directory ` +
      `to a path of at most ${longest} bytes, and set LOYALTY_DATA_DIR to that path`,
  );
}

/** Finds the PostgreSQL that another process runs on a data directory. @returns undefined when none accepts connections */
export async function findRunning(dataDirectory: string): Promise<ConnectionSettings | undefined> {
  const pgdata = join(dataDirectory, "postgres");
  if (!(await isServed(pgdata))) return undefined;
  return connectionTo(pgdata);
}

const connectionTo = (host: string): ConnectionSettings => ({
  host,
  port: socketPort,
  user: databaseUser,
  // Only the account of the database and root can reach the socket.
  password: "",
  database: databaseName,
});
