/**
 * The supervisor of the private PostgreSQL that the service runs when it is given no database of its own: one
 * PostgreSQL per data directory, kept running for as long as the service lives.
 */

import { openDatabase } from "../database/connection.ts";
import { codeOf } from "../database/faults.ts";
import { identifier } from "../database/sql.ts";
import { databaseAccount, openTheWay } from "./account.ts";
import { locateBinaries, prepareBinaries } from "./binaries.ts";
import {
  type Cluster,
  databaseName,
  databaseUser,
  openCluster,
  openDataDirectory,
  placeOf,
} from "./cluster.ts";
import { answersIn, chooseEndpoint } from "./endpoint.ts";
import { EmbeddedDatabaseError, explainFailure, explainOutput } from "./error.ts";
import { acquireLock } from "./lock.ts";
import { serverName, stopLeftover } from "./postmaster.ts";
import { tellsOfTrouble } from "./server-log.ts";
import { postgresArguments } from "./settings.ts";
import { Supervisor } from "./supervisor.ts";

export { EmbeddedDatabaseError, tellsOfTrouble };

export interface EmbeddedDatabase {
  /** Connection settings; the host is the directory of a socket, or 127.0.0.1. They never change. */
  readonly connection: { host: string; port: number; user: string; password: string; database: string };
  /**
   * Stops PostgreSQL, cleanly if that takes no more than ten seconds, and gives the data directory back. May be
   * called more than once, also while PostgreSQL is being restarted.
   */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Made if it does not exist; holds `postgres/` and `postgres.password`. */
  dataDirectory: string;
  /** Lines for a human who waits for the start, and what is done about a PostgreSQL that ended on its own. */
  onProgress?: (line: string) => void;
  /** The log of PostgreSQL, a line at a time; see tellsOfTrouble. */
  onLog?: (line: string) => void;
  /** Settings of PostgreSQL that win over the supervisor's own. */
  settings?: Record<string, string>;
  /** PostgreSQL ended on its own, and takes connections again; the reason says how it had ended. */
  onRestart?: (reason: string) => void;
}

/**
 * Starts the private PostgreSQL on a data directory, which is made on the first start. A PostgreSQL that a killed
 * service left running is stopped first; one that ends while the service lives is started again.
 * @returns once the database takes connections
 * @throws EmbeddedDatabaseError, with one line for the operator, when the directory is in use by another service,
 *   may not be written, lies on a full disk, cannot be reached by the account that PostgreSQL must run as, was made
 *   by another major version, or when there are no binaries for the platform or PostgreSQL does not start. Nothing
 *   is left running then.
 */
export async function startEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  try {
    const installation = await locateBinaries();
    const { dataDirectory, pgdata } = await openDataDirectory(options.dataDirectory);
    const unlock = await acquireLock(dataDirectory, () => answersIn(pgdata));
    try {
      const account = await databaseAccount(pgdata);
      const enclosed = account !== undefined && !(await openTheWay(dataDirectory, account));
      const binaries = await prepareBinaries(installation, account);
      return await start({ dataDirectory, pgdata, binaries, account, enclosed }, options, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  } catch (error) {
    throw explainFailure(error, options.dataDirectory);
  }
}

/** Starts PostgreSQL on a directory that is locked, and reachable for the account. */
async function start(
  cluster: Cluster,
  options: EmbeddedOptions,
  unlock: () => Promise<void>,
): Promise<EmbeddedDatabase> {
  const { onProgress = ignore, onLog = ignore, onRestart = ignore, settings = {} } = options;
  const { pgdata, binaries, account } = cluster;
  await stopLeftover(cluster, () => onProgress("Stopping the PostgreSQL that an earlier run left behind …"));
  const password = await openCluster(cluster, onProgress);
  const { path, directory } = placeOf(cluster, pgdata);
  const endpoint = await chooseEndpoint(pgdata, path, account);
  const names = { cluster_name: await serverName(pgdata) };
  const arguments_ = postgresArguments(path, settings, endpoint.settings, names);
  const launch = { ...cluster, directory, arguments: arguments_ };
  const supervisor = new Supervisor({ launch, endpoint, onProgress, onLog, onRestart });
  const end = async () => {
    await supervisor.stop();
    await endpoint.remove();
  };
  const endAndUnlock = async () => {
    try {
      await end();
    } finally {
      await unlock();
    }
  };
  try {
    onProgress(`Starting PostgreSQL ${binaries.version} …`);
    await supervisor.start();
    const { host, port } = endpoint;
    const connection = { host, port, user: databaseUser, password, database: databaseName };
    await ensureDatabase(connection, cluster);
    let ended: Promise<void> | undefined;
    return {
      connection,
      stop() {
        ended ??= endAndUnlock();
        return ended;
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Made on every start that finds it missing, as a first start may have been killed before this. */
async function ensureDatabase(connection: EmbeddedDatabase["connection"], cluster: Cluster): Promise<void> {
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
        `the password in ${cluster.dataDirectory}/postgres.password is not that of the database: restore the file ` +
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
  // Nobody listens.
}
