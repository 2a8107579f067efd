/** Makes a backup: the rows of all tables, read in one snapshot, and the service's secrets. Or exports the rows of one business. */
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { to as copyTo } from "pg-copy-streams";
import { syncDirectory } from "../credentials/secret-files.ts";
import type { Session } from "../database/connection.ts";
import { codeOf } from "../database/faults.ts";
import { readSchema } from "../database/migrate.ts";
import { firstRow, requiredRow } from "../database/rows.ts";
import { recordBackup } from "../database/server.ts";
import { otherTargetOf } from "../database/target.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { findRunning } from "../postgres/embedded.ts";
import {
  copyWhere,
  countRows,
  explained,
  findMovedTables,
  findTables,
  inCopyTransaction,
  inDatabaseOf,
  ownRows,
  type Place,
  type Progress,
  requireDatabase,
} from "./copy.ts";
import {
  type FileRecord,
  fileOf,
  fileRecordOf,
  keptFiles,
  listBackups,
  type Manifest,
  manifestName,
  type TableRecord,
  writeManifest,
} from "./manifest.ts";

export interface BackupOptions extends Progress, Place {
  /** The directory to make; it may exist if it is empty. */
  readonly target: string;
  readonly productVersion: string;
  /** Exports the rows of this business instead. */
  readonly businessId?: number | undefined;
  /** How many backups to keep in the directory above; undefined for all. */
  readonly keep?: number | undefined;
}

/**
 * Makes a backup. The service may be running. If the embedded database is not, it is started for the backup.
 * @returns the manifest, and the names of older backups that were removed
 * @throws OperatorError with a line for the operator
 */
export async function makeBackup(given: BackupOptions): Promise<{ manifest: Manifest; removed: string[] }> {
  const { keep, productVersion, signal } = given;
  const target = resolve(given.target);
  const dataDirectory = await realpath(given.dataDirectory).catch(() => resolve(given.dataDirectory));
  const options = { ...given, dataDirectory };
  await requireDatabase(options);
  const draft = join(dirname(target), `${basename(target)}.part-${process.pid}`);
  try {
    await makeDraftDirectory(draft, target, dataDirectory);
    const kept = await copyKept(draft, options);
    const mode = "ISOLATION LEVEL REPEATABLE READ READ ONLY";
    const { readDatabaseUrl, databaseUrl } = options;
    const takesStandbys = readDatabaseUrl !== undefined;
    // The error names the variable.
    if (takesStandbys) otherTargetOf(readDatabaseUrl);
    const readIn = { ...options, databaseUrl: readDatabaseUrl ?? databaseUrl };
    const transaction = { applicationName: "loyalty backup", signal, mode, takesStandbys };
    const contents = await inDatabaseOf(readIn, transaction, (tx) => copyTables(tx, draft, options));
    const files = [...kept, ...contents.files];
    const manifest: Manifest = { format: 1, product_version: productVersion, ...contents, files };
    await writeManifest(draft, manifest);
    await rename(draft, target);
    await syncDirectory(dirname(target));
    if (options.businessId === undefined) await remember(options, manifest.made_at);
    return { manifest, removed: keep === undefined ? [] : await removeOlder(target, keep) };
  } catch (error) {
    throw explained(error, signal, `The backup can't be made in ${target}`);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Tells the status of the service that there is a backup. A server or a role that only reads can be backed up, too. */
async function remember(
  { dataDirectory, databaseUrl, signal }: BackupOptions,
  madeAt: string,
): Promise<void> {
  const running = databaseUrl ?? (await findRunning(dataDirectory));
  if (running === undefined) return;
  const record = (tx: Session) => recordBackup(tx, madeAt);
  await inCopyTransaction(running, { applicationName: "loyalty backup", signal }, record).catch(
    () => undefined,
  );
}

/** Makes the directory that is renamed to the target when the backup is complete. */
async function makeDraftDirectory(draft: string, target: string, dataDirectory: string): Promise<void> {
  const entries = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (entries.length > 0) {
    throw new OperatorError(`${target} is not empty: name a directory that does not exist yet.`);
  }
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  if (`${await realpath(dirname(target))}${sep}`.startsWith(`${dataDirectory}${sep}`)) {
    throw new OperatorError(
      `${target} lies in the data directory: name a place outside it, preferably on another disk.`,
    );
  }
  await mkdir(draft, { mode: 0o700 });
}

async function copyKept(draft: string, { dataDirectory, databaseUrl, businessId, signal }: BackupOptions) {
  const files: FileRecord[] = [];
  if (businessId !== undefined) return files;
  for (const name of keptFiles) {
    // With DATABASE_URL, a file `secret` would belong to another database.
    const isOther = databaseUrl !== undefined && name === "secret";
    if (isOther || !existsSync(join(dataDirectory, name))) continue;
    const content = await readFile(join(dataDirectory, name));
    await writeFile(join(draft, name), content, { mode: 0o600, flag: "wx", flush: true });
    files.push(await fileRecordOf(draft, name, signal));
  }
  return files;
}

type Contents = Pick<Manifest, "made_at" | "schema_version" | "schema_digest" | "business"> & {
  files: TableRecord[];
};

async function copyTables(session: Session, draft: string, options: BackupOptions): Promise<Contents> {
  const { businessId, onProgress, onRows, signal } = options;
  const noTables = new OperatorError("The database holds no tables of the service.");
  // Migrations wait for this lock. A table that a migration rewrites would look empty in this snapshot.
  await session`LOCK TABLE migration IN ROW SHARE MODE`.catch((error) => {
    throw codeOf(error) === noSuchTable ? noTables : error;
  });
  const { made_at } = await findMoment(session);
  const { version: schema_version, digest: schema_digest } = await readSchema(session);
  if (schema_version === 0) throw noTables;
  const business = businessId === undefined ? undefined : await exportedBusiness(session, businessId);
  onProgress(`Copying ${business?.name ?? "the database"} …`);
  const tables = await (businessId === undefined ? findTables(session) : findMovedTables(session));
  const all = business === undefined ? tables.reduce((sum, { estimate }) => sum + estimate, 0) : 0;
  const files: TableRecord[] = [];
  let copied = 0;
  for (const { estimate: _, ...table } of tables) {
    // As a query, because a table can have partitions.
    const from = copyWhere(table, businessId === undefined ? "true" : ownRows(businessId));
    const path = fileOf(table.table);
    const source = session.copy(copyTo(`${from} TO STDOUT`));
    const counted = countRows((rows) => onRows(copied + rows, all));
    // Level 6 takes 3.7 times as long and saves an eighth.
    const gzip = createGzip({ level: 1 });
    const file = createWriteStream(join(draft, path), { mode: 0o600, flags: "wx", flush: true });
    await pipeline(source, counted, gzip, file);
    copied += source.rowCount;
    files.push({ ...(await fileRecordOf(draft, path, signal)), ...table, rows: source.rowCount });
  }
  return { made_at, schema_version, schema_digest, ...(business && { business }), files };
}

const noSuchTable = "42P01";

/**
 * The time of what a session reads: now, or for a standby that has not replayed all, the time of the last transaction that it has. A
 * standby that gets nothing would otherwise look like the primary. Not every role sees the status of the receiver.
 */
function findMoment(session: Session) {
  return requiredRow(session<{ made_at: string }[]>`
    SELECT to_char(CASE
        WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (
          SELECT FROM pg_stat_wal_receiver WHERE coalesce(status, 'streaming') = 'streaming'
        ) THEN clock_timestamp()
        ELSE coalesce(pg_last_xact_replay_timestamp(), '1970-01-01Z')
      END AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS made_at`);
}

async function exportedBusiness(session: Session, business_id: number) {
  const found = await firstRow(session<{ name: string }[]>`
    SELECT name FROM business WHERE business_id = ${business_id}`);
  if (found === undefined) {
    throw new OperatorError(`Business ${business_id} not found. See which there are: loyalty business list`);
  }
  return { business_id, name: found.name };
}

/** Removes all but the newest backups beside a new one. The manifest is removed first, so that no incomplete backup is left. */
async function removeOlder(target: string, keep: number): Promise<string[]> {
  const directory = dirname(target);
  const others = (await listBackups(directory)).filter(({ name }) => name !== basename(target));
  const older = others.slice(keep - 1).map(({ name }) => name);
  for (const path of older.map((name) => join(directory, name))) {
    const removed = rm(join(path, manifestName)).then(() => rm(path, { recursive: true }));
    await removed.catch(({ code }: NodeJS.ErrnoException) => {
      throw new OperatorError(`The backup ${target} is complete, but ${path} can't be removed (${code}).`);
    });
  }
  return older;
}
