/** The connections and the COPY commands that read rows from a database and load them into one. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { from as copyFrom } from "pg-copy-streams";
import {
  type Connection,
  type ConnectionSettings,
  openDatabase,
  type Session,
} from "../database/connection.ts";
import { codeOf } from "../database/faults.ts";
import { tablesOfMigrations } from "../database/migrate.ts";
import { requiredRow } from "../database/rows.ts";
import { quotedName } from "../database/sql.ts";
import { movedTables, tables } from "../database/tables.ts";
import { HostList, targetOf } from "../database/target.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { findRunning, startEmbeddedDatabase } from "../postgres/embedded.ts";
import { type Manifest, summaryOf, type TableRecord, tablesOf } from "./manifest.ts";
import { tellLocks } from "./move-waits.ts";

/** The database of a service. */
export interface Place {
  readonly dataDirectory: string;
  /** Undefined: the embedded database in the data directory. */
  readonly databaseUrl: string | undefined;
  /** Where its rows are read, such as a standby; by default, in the same database. */
  readonly readDatabaseUrl?: string | undefined;
}

export interface Progress {
  readonly onProgress: (line: string) => void;
  /** Gets the number of rows so far, and an estimate of all rows. */
  readonly onRows: (rows: number, all: number) => void;
  /** Ends the work. Nothing of it is left then. */
  readonly signal: AbortSignal;
}

/** What to load, and where. */
export interface LoadOptions extends Place, Progress {
  /** The directory of a backup or of an exported business. */
  readonly source: string;
}

export interface TransactionOptions {
  readonly applicationName: string;
  /** Cuts the connection when it aborts. */
  readonly signal: AbortSignal;
  readonly mode?: string;
  /** The work begins and commits transactions of its own. */
  readonly isSession?: boolean;
  /** Otherwise, a database with several hosts is read on its primary, which has every acknowledged write. */
  readonly takesStandbys?: boolean;
  readonly serverSettings?: Readonly<Record<string, string>>;
  /** Whether an embedded database that does not run is started for the work, as by default. Its service can't start meanwhile. */
  readonly startsDatabase?: boolean;
  /** Gets a line when the transaction waits for the lock of another one. A second session finds out. Undefined: there is none. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** @throws OperatorError when there is no database */
export async function requireDatabase({ dataDirectory, databaseUrl }: Place): Promise<void> {
  if (databaseUrl !== undefined) return;
  await stat(join(dataDirectory, "postgres", "PG_VERSION")).catch(({ code }: NodeJS.ErrnoException) => {
    throw new OperatorError(
      code === "ENOENT" || code === "ENOTDIR"
        ? `${dataDirectory} holds no database. It must be the data directory of the service: LOYALTY_DATA_DIR, or data_directory of a cell.`
        : `The database in ${dataDirectory} can't be read (${code}): run this as the user that owns it.`,
    );
  });
}

/** Runs a transaction in the database of a service. */
export async function inDatabaseOf<Value>(
  { dataDirectory, databaseUrl, onProgress }: Place & Progress,
  given: TransactionOptions,
  work: (tx: Session) => Promise<Value>,
): Promise<Value> {
  const options = { onProgress, ...given };
  const running = databaseUrl ?? (await findRunning(dataDirectory));
  if (running !== undefined) return inCopyTransaction(running, options, work);
  if (options.startsDatabase === false)
    throw new OperatorError(`The database in ${dataDirectory} does not run: start the service.`);
  const embedded = await startEmbeddedDatabase({ dataDirectory, onProgress });
  return inCopyTransaction(embedded.connection, options, work).finally(() => embedded.stop());
}

/**
 * Settings for the text of values, and for slow disks, on which a transaction can be idle between two tables. The statement of a
 * command that was interrupted ends soon, and not only when it has its result.
 */
const copySettings = {
  datestyle: "ISO, YMD",
  bytea_output: "hex",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  client_connection_check_interval: "1s",
};

export async function inCopyTransaction<Value>(
  database: string | ConnectionSettings,
  given: TransactionOptions,
  work: (tx: Session) => Promise<Value>,
): Promise<Value> {
  const {
    applicationName,
    signal,
    mode,
    isSession,
    serverSettings,
    takesStandbys = false,
    onProgress,
  } = given;
  const sql = openDatabase(new HostList(targetOf(database), takesStandbys), {
    // The second one finds what the first one waits for.
    connections: onProgress === undefined ? 1 : 2,
    statementTimeoutMilliseconds: 0,
    applicationName,
    pipeline: false,
    serverSettings: { ...copySettings, ...serverSettings },
  });
  const run = async (tx: Session) => {
    signal.addEventListener("abort", tx.cut);
    const stop = onProgress && tellLocks(sql, onProgress);
    try {
      signal.throwIfAborted();
      return await work(tx);
    } finally {
      stop?.();
      signal.removeEventListener("abort", tx.cut);
    }
  };
  return (isSession ? sql.use(run) : sql.begin(run, mode)).finally(() => sql.end());
}

/** @throws OperatorError when the role can't make temporary tables, which the rows of a business need */
export async function requireTemporaryTables(tx: Connection): Promise<void> {
  const { may, role, database } = await requiredRow(tx<{ may: boolean; role: string; database: string }[]>`
    SELECT has_database_privilege(current_database(), 'TEMPORARY') AS may, current_user::text AS role,
      current_database()::text AS database`);
  if (may) return;
  throw new OperatorError(
    `The role ${role} may not make temporary tables in the database ${database}. As an administrator, run: ` +
      `GRANT TEMPORARY ON DATABASE ${quotedName(database)} TO ${quotedName(role)}`,
  );
}

/** Returns the COPY command of a table, without its direction. */
export function copyOf({ table, columns }: Pick<TableRecord, "table" | "columns">): string {
  return `COPY ${quotedName(table)} (${columns.map(quotedName).join(", ")})`;
}

type Table = Pick<TableRecord, "table" | "columns" | "identities">;

/** Returns the tables that migrations made, with their numbers of rows at the last ANALYZE. */
export async function findTables(session: Session): Promise<(Table & { estimate: number })[]> {
  return session<(Table & { estimate: number })[]>`
    SELECT relname::text AS table, greatest(reltuples, 0)::bigint AS estimate,
      array_agg(attname::text ORDER BY attnum) AS columns,
      coalesce(
        jsonb_object_agg(attname, pg_sequence_last_value(pg_get_serial_sequence(quote_ident(name), attname)::regclass))
          FILTER (WHERE attidentity <> ''), '{}') AS identities
    FROM unnest(${await tablesOfMigrations()}::text[]) AS name
      JOIN pg_class ON pg_class.oid = to_regclass(quote_ident(name))
      JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE attnum > 0 AND NOT attisdropped AND attgenerated = ''
    GROUP BY relname, reltuples ORDER BY relname`;
}

export type Rows = Pick<TableRecord, "table" | "columns">;

/**
 * Returns the tables whose rows move with their business, in the order in which they can be added.
 * @throws OperatorError when the database does not have exactly the tables of this build
 */
export async function findMovedTables(session: Session): Promise<(Table & { estimate: number })[]> {
  const found = await findTables(session);
  const isKnown = ({ table }: Rows) => table in tables;
  if (found.length === Object.keys(tables).length && found.every(isKnown))
    return movedTables.flatMap((name) => found.filter(({ table }) => table === name));
  throw new OperatorError(
    "The database has another schema than this build: start the service of this release on it first.",
  );
}

/** The condition for the rows of a business. */
export const ownRows = (businessId: number) => `business_id = ${businessId}`;

/** Returns the COPY command of the rows of a table that meet a condition, without its direction. */
export const copyWhere = ({ table, columns }: Rows, condition: string) =>
  `COPY (SELECT ${columns.map(quotedName).join(", ")} FROM ${quotedName(table)} WHERE ${condition})`;

/** Makes a stream that passes on the text of COPY and counts its rows. */
export function countRows(onRows: (rows: number) => void) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let rows = 0;
    for await (const chunk of source) {
      // A line feed always ends a row.
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
      onRows(rows);
      yield chunk;
    }
  };
}

/** Checks that a manifest has exactly these tables with exactly these columns. @throws OperatorError when it has others */
export function requireTables(manifest: Manifest, expected: readonly Table[]): void {
  const differs = (what: string) =>
    new OperatorError(`The ${manifest.business ? "export" : "backup"} ${what}: don't trust it.`);
  const found = tablesOf(manifest);
  const other = found.find(({ table }) => !expected.some((one) => one.table === table));
  if (other !== undefined) throw differs(`has a table ${other.table} that does not belong to it`);
  for (const { table, columns, identities } of expected) {
    const record = found.find((one) => one.table === table);
    if (record === undefined) throw differs(`lacks the table ${table}`);
    const namesOf = (one: Pick<Table, "columns" | "identities">) =>
      [...one.columns.toSorted(), ...Object.keys(one.identities).toSorted()].join();
    if (namesOf(record) !== namesOf({ columns, identities }))
      throw differs(`has other columns in the table ${table}`);
  }
}

/** Loads the rows of each table. @param into prepares a table, and returns the COPY command into it */
export async function loadTables(
  session: Session,
  { source, onProgress, onRows }: LoadOptions,
  manifest: Manifest,
  into: (record: TableRecord) => Promise<string> | string,
): Promise<void> {
  onProgress("Loading the tables …");
  const what = manifest.business === undefined ? "backup" : "export";
  const { rows: all } = summaryOf(manifest);
  let loaded = 0;
  for (const record of tablesOf(manifest)) {
    const { path, rows } = record;
    const target = session.copy(copyFrom(await into(record)));
    const counted = countRows((count) => onRows(loaded + count, all));
    await pipeline(createReadStream(join(source, path)), createGunzip(), counted, target);
    loaded += target.rowCount;
    if (target.rowCount === rows) continue;
    throw new OperatorError(
      `The ${what} is damaged: ${path} has ${target.rowCount} rows instead of ${rows}. Use another one.`,
    );
  }
}

const lockNotAvailable = "55P03";
const lostConnection = ["CONNECTION_LOST", "ECONNRESET", "57P01", "57P02"];

/** Makes the error for a failure: a line for the operator, which says what can't be done and why. */
export function explained(error: unknown, signal: AbortSignal, what: string): unknown {
  if (signal.aborted) return signal.reason;
  const [code, message] = [codeOf(error), error instanceof Error ? error.message.trim() : ""];
  // The driver ends a COPY with an error that has no code.
  const isCut = /^Connection terminated/.test(message) || lostConnection.includes(code);
  if (error instanceof OperatorError || (code === "" && !isCut)) return error;
  if (code === lockNotAvailable) {
    return new OperatorError(
      `${what}: it has waited for the lock of another process of PostgreSQL, which the lines above name. Repeat the command when ` +
        "that has ended. If nobody needs it any more, end it in that database: SELECT pg_terminate_backend(<its number>)",
    );
  }
  return new OperatorError(`${what}: ${isCut ? "the connection to the database ended" : message}.`);
}
