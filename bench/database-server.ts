/** The PostgreSQL of a run: the one that the service brings, with the settings that its users have. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "../src/database/connection.ts";
import { identifier } from "../src/database/sql.ts";
import { startEmbeddedDatabase } from "../src/postgres/embedded.ts";
import { postmasterPid } from "../test/support/service-process.ts";

export interface DatabaseServer {
  /** Where libpq and the driver find it: PGHOST, PGPORT, PGUSER and PGPASSWORD. */
  readonly environment: Readonly<Record<string, string>>;
  /** The process id of the postmaster. */
  readonly pid: number;
  readonly version: string;
  create(database: string): Promise<void>;
  drop(database: string): Promise<void>;
  open(database: string, connections: number): Database;
  /** Opens two connections for some work, and closes them. */
  use<Result>(database: string, work: (sql: Database) => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
}

/** @param parent the directory in which the data lies during the run */
export async function startDatabaseServer(
  parent: string,
  say: (line: string) => void,
): Promise<DatabaseServer> {
  const directory = await mkdtemp(join(parent, "loyalty-bench-"));
  const embedded = await startEmbeddedDatabase({
    dataDirectory: directory,
    onProgress: (line) => line.startsWith("PostgreSQL: ") && say(line),
  }).catch(async (error) => {
    await rm(directory, { recursive: true, force: true });
    throw error;
  });
  const { host, port, user, password } = embedded.connection;
  const open = (database: string, connections: number) =>
    openDatabase(
      { ...embedded.connection, database },
      { connections, statementTimeoutMilliseconds: 0, applicationName: "loyalty bench" },
    );
  const admin = open("postgres", 1);
  const [server] = await admin<{ version: string }[]>`SELECT current_setting('server_version') AS version`;
  return {
    environment: { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password },
    pid: await postmasterPid(directory),
    version: server?.version ?? "unknown",
    create: async (database) => {
      await admin`CREATE DATABASE ${identifier(database)}`;
    },
    drop: async (database) => {
      await admin`DROP DATABASE IF EXISTS ${identifier(database)} WITH (FORCE)`;
    },
    open,
    async use(database, work) {
      const sql = open(database, 2);
      return work(sql).finally(() => sql.end());
    },
    async stop() {
      await admin.end();
      await embedded.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
