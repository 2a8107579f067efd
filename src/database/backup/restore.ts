/** Restores a backup into an empty database, in one transaction. */
import { createReadStream } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { from as copyFrom } from "pg-copy-streams";
import { OperatorError } from "../../domain/operator-error.ts";
import { openDataDirectory, syncDirectory } from "../../postgres/cluster.ts";
import { startEmbeddedDatabase } from "../../postgres/embedded.ts";
import { explainFailure } from "../../postgres/error.ts";
import { acquireLock } from "../../postgres/lock.ts";
import { stopLeftover } from "../../postgres/postmaster.ts";
import { answersIn } from "../../postgres/socket.ts";
import { type Connection, type ConnectionSettings, openDatabase, type Session } from "../connection.ts";
import { codeOf } from "../faults.ts";
import { migrateWithin, tablesOfMigrations } from "../migrate.ts";
import { copyOf, copySettings, countRows, type Place, type Progress } from "./make.ts";
import { BackupError, keptFiles, type Manifest, summaryOf, tablesOf, verifyBackup } from "./manifest.ts";

export interface RestoreOptions extends Place, Progress {
  /** The directory of a backup. */
  readonly source: string;
}

/** Holds the database until it is complete. A restore that was killed leaves it, and no service starts on it. */
const draftName = ".restore";
const leftovers = /^(?:\.restore|postgres\.lock.*)$/;

/**
 * Restores a backup into the embedded database of an empty data directory, or into the database of databaseUrl, which
 * must have no tables of the service. All files are compared with the manifest first.
 * @throws BackupError or another OperatorError with a line for the operator; nothing is restored then
 */
export async function restoreBackup(
  options: RestoreOptions,
): Promise<{ manifest: Manifest; dataDirectory: string }> {
  const { databaseUrl, dataDirectory, onProgress, signal } = options;
  const source = resolve(options.source);
  onProgress("Checking the files of the backup …");
  const backup = { ...options, source, manifest: await verifyBackup(source, signal) };
  try {
    if (databaseUrl !== undefined) await load(databaseUrl, backup);
    const restored = databaseUrl === undefined ? await restoreEmbedded(backup) : dataDirectory;
    return { manifest: backup.manifest, dataDirectory: restored };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OperatorError || codeOf(error) === "") throw error;
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (databaseUrl === undefined && syscall !== undefined) throw explainFailure(error, dataDirectory);
    throw new BackupError(`The backup can't be restored: ${message.trim()}.`);
  }
}

type Opened = RestoreOptions & { readonly manifest: Manifest };

/** @returns the canonical path of the data directory */
async function restoreEmbedded(backup: Opened): Promise<string> {
  const { source, manifest, onProgress } = backup;
  const kept = keptFiles.filter((name) => manifest.files.some(({ path }) => path === name));
  const { dataDirectory, pgdata } = await openDataDirectory(backup.dataDirectory);
  await rejectData(dataDirectory);
  const unlock = await acquireLock(dataDirectory, () => answersIn(pgdata));
  const draft = join(dataDirectory, draftName);
  try {
    // Another process may have used the directory before the lock was taken.
    await rejectData(dataDirectory);
    await stopLeftover(join(draft, "postgres"), () => undefined);
    await rm(draft, { recursive: true, force: true });
    // Tables that the transaction creates then need no log. They are on disk when it commits.
    const settings = { wal_level: "minimal", max_wal_senders: "0" };
    const embedded = await startEmbeddedDatabase({ dataDirectory: draft, onProgress, settings });
    await load(embedded.connection, backup).finally(() => embedded.stop());
    for (const name of kept) {
      await writeFile(join(draft, name), await readFile(join(source, name)), { mode: 0o600, flush: true });
    }
    await syncDirectory(draft);
    // The database comes last: without it, a start finds an empty data directory.
    for (const name of [...kept, "postgres.password", "postgres"])
      await rename(join(draft, name), join(dataDirectory, name));
    await syncDirectory(dataDirectory);
    return dataDirectory;
  } finally {
    await rm(draft, { recursive: true, force: true });
    await unlock();
  }
}

async function rejectData(dataDirectory: string): Promise<void> {
  const found = (await readdir(dataDirectory)).filter((name) => !leftovers.test(name));
  if (found.length === 0) return;
  throw new BackupError(
    `${dataDirectory} is not empty (${found.slice(0, 3).join(", ")}): move its content away, or set ` +
      "LOYALTY_DATA_DIR to another directory.",
  );
}

/** Loads the rows. It all happens in one transaction: a failure leaves the database as it was. */
async function load(database: string | ConnectionSettings, backup: Opened): Promise<void> {
  const { manifest, onProgress, signal } = backup;
  // With the usual 64 MB, the index for searches takes 1.5 times as long.
  const serverSettings = { ...copySettings.serverSettings, maintenance_work_mem: "256MB" };
  const settings = { ...copySettings, serverSettings, applicationName: "loyalty restore" };
  const sql = openDatabase(database, settings);
  const session = await sql.reserve();
  signal.addEventListener("abort", session.cut);
  try {
    signal.throwIfAborted();
    await session.begin();
    await requireEmpty(session);
    await migrateWithin(session, manifest.schema_version);
    const indexes = await findIndexes(session);
    for (const { drop } of indexes) await session.query(drop);
    await loadTables(session, backup);
    onProgress("Creating indexes …");
    for (const { create } of indexes.reverse()) await session.query(create);
    await migrateWithin(session);
    await session`ANALYZE`;
    await session.commit();
  } catch (error) {
    await session.rollBack();
    throw error;
  } finally {
    signal.removeEventListener("abort", session.cut);
    session.release();
    await sql.end();
  }
}

async function requireEmpty(tx: Connection): Promise<void> {
  const [found] = await tx<{ name: string }[]>`
    SELECT name FROM unnest(${["migration", ...(await tablesOfMigrations())]}::text[]) AS name
    WHERE to_regclass(quote_ident(name)) IS NOT NULL`;
  if (found === undefined) return;
  throw new BackupError(
    `The database of DATABASE_URL is not empty (it has a table ${found.name}): name a database without tables of ` +
      "the service.",
  );
}

/** The statements that drop and create foreign keys and secondary indexes. Rows load several times as fast without them. */
async function findIndexes(tx: Connection): Promise<{ drop: string; create: string }[]> {
  return tx<{ drop: string; create: string }[]>`
    WITH tables AS (
      SELECT to_regclass(quote_ident(name))::oid AS oid FROM unnest(${await tablesOfMigrations()}::text[]) AS name)
    SELECT format('DROP INDEX %s', indexrelid::regclass) AS drop, pg_get_indexdef(indexrelid) AS create, 2 AS step
    FROM pg_index JOIN tables ON indrelid = tables.oid
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    UNION ALL
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid)), 1
    FROM pg_constraint JOIN tables ON conrelid = tables.oid
    WHERE contype = 'f'
    ORDER BY step`;
}

async function loadTables(session: Session, { source, manifest, onProgress, onRows }: Opened): Promise<void> {
  onProgress("Loading the tables …");
  const known = new Set(await tablesOfMigrations());
  const { rows: all } = summaryOf(manifest);
  let loaded = 0;
  for (const record of tablesOf(manifest)) {
    const { table, path, rows, identities } = record;
    if (!known.has(table)) throw new BackupError(`The backup has an unknown table ${table}: don't trust it.`);
    const before = loaded;
    const target = session.copy(copyFrom(`${copyOf(record)} FROM STDIN (FREEZE)`));
    const counted = countRows((count) => onRows(before + count, all));
    await pipeline(createReadStream(join(source, path)), createGunzip(), counted, target);
    loaded += target.rowCount;
    if (target.rowCount !== rows) {
      throw new BackupError(
        `The backup is damaged: ${path} has ${target.rowCount} rows instead of ${rows}. Use another one.`,
      );
    }
    for (const [column, value] of Object.entries(identities)) {
      if (value === null) continue;
      await session`SELECT setval(pg_get_serial_sequence(quote_ident(${table}), ${column}), ${value})`;
    }
  }
}
