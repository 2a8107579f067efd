/**
 * The private PostgreSQL that the service runs when DATABASE_URL is not set: one per data directory, kept running
 * until the service stops.
 */

import { type ConnectionSettings, openDatabase } from "../database/connection.ts";
import { codeOf } from "../database/faults.ts";
import { identifier } from "../database/sql.ts";
import { databaseAccount, isEnclosed } from "./account.ts";
import { locateBinaries, prepareBinaries } from "./binaries.ts";
import { type Cluster, openCluster, openDataDirectory, placeOf } from "./cluster.ts";
import { EmbeddedDatabaseError, explainFailure, explainOutput, tellsOfTrouble } from "./error.ts";
import { acquireLock } from "./lock.ts";
import { serverName, stopLeftover } from "./postmaster.ts";
import { postgresArguments } from "./settings.ts";
import { checkSocketPath, connectionTo, databaseName, socketSettings } from "./socket.ts";
import { supervise } from "./supervisor.ts";

export { EmbeddedDatabaseError, tellsOfTrouble };

export interface EmbeddedDatabase {
  /** Connection settings. They never change. The host is the directory of the socket. */
  readonly connection: ConnectionSettings;
  /**
   * Stops PostgreSQL, cleanly if that takes at most ten seconds, and releases the data directory. It may be called
   * more than once, also while PostgreSQL restarts.
   */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Created if it does not exist. It contains `postgres/` and `postgres.password`. */
  dataDirectory: string;
  /** Gets lines for the operator about the start and about restarts. */
  onProgress?: (line: string) => void;
  /** Gets each line of PostgreSQL's log; see tellsOfTrouble. */
  onLog?: (line: string) => void;
  /** Settings of PostgreSQL that override the defaults of settings.ts. */
  settings?: Record<string, string>;
  /** Called after PostgreSQL ended by itself and was restarted. The reason says how it ended. */
  onRestart?: (reason: string) => void;
}

/**
 * Starts the private PostgreSQL on a data directory, which the first start creates. It first stops a PostgreSQL that a
 * killed service left running, and restarts PostgreSQL when it ends by itself.
 * @returns once the database accepts connections
 * @throws EmbeddedDatabaseError, with one line for the operator, when the directory is in use by another service, is
 *   not writable, lies on a full disk, has too long a path, is closed to the account that runs PostgreSQL, was made by
 *   another major version, or when there are no binaries for the platform or PostgreSQL does not start. Nothing is left
 *   running then.
 */
export async function startEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  try {
    const installation = await locateBinaries();
    const { dataDirectory, pgdata } = await openDataDirectory(options.dataDirectory);
    checkSocketPath(dataDirectory, pgdata);
    const unlock = await acquireLock(dataDirectory);
    try {
      const account = await databaseAccount(pgdata);
      const binaries = await prepareBinaries(installation, account);
      const enclosed = account !== undefined && (await isEnclosed(dataDirectory, account));
      return await start({ dataDirectory, pgdata, binaries, account, enclosed }, options, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  } catch (error) {
    throw explainFailure(error, options.dataDirectory);
  }
}

/** Starts PostgreSQL on a directory that is locked and that the account can reach. */
async function start(
  cluster: Cluster,
  options: EmbeddedOptions,
  unlock: () => Promise<void>,
): Promise<EmbeddedDatabase> {
  const { onProgress = ignore, onLog = ignore, onRestart = ignore, settings = {} } = options;
  const { pgdata, binaries } = cluster;
  await stopLeftover(pgdata, () => onProgress("Stopping the PostgreSQL that an earlier run left behind …"));
  const password = await openCluster(cluster, onProgress);
  const { path } = placeOf(cluster, pgdata);
  const names = { cluster_name: await serverName(pgdata) };
  const args = postgresArguments(path, settings, socketSettings(path), names);
  onProgress(`Starting PostgreSQL ${binaries.version} …`);
  const stop = await supervise({ cluster, args, onProgress, onLog, onRestart });
  const connection = { ...connectionTo(pgdata), password };
  try {
    await ensureDatabase(connection, cluster);
  } catch (error) {
    await stop();
    throw error;
  }
  const stopAndUnlock = async () => {
    try {
      await stop();
    } finally {
      await unlock();
    }
  };
  let stopped: Promise<void> | undefined;
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
    if (found === undefined) await sql`create database ${identifier(databaseName)}`;
  } catch (error) {
    if (codeOf(error) === "28P01") {
      throw new EmbeddedDatabaseError(
        `the password in ${cluster.dataDirectory}/postgres.password is not the password of the database: restore the file ` +
          "from the same backup as the database, or delete it to have a new password set",
        { cause: error },
      );
    }
    const { version } = cluster.binaries;
    throw explainOutput(`PostgreSQL ${version} does not serve`, [(error as Error).message], cluster.pgdata);
  } finally {
    await sql.end();
  }
}

function ignore(): void {
  // The caller passed no callback.
}
