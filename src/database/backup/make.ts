/**
 * Makes a backup: the rows of all tables, read in one snapshot, and the service's secrets. Or exports one business: its
 * rows alone.
 */
import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { to as copyTo } from "pg-copy-streams";
import { syncDirectory } from "../../credentials/secret-files.ts";
import type { Session } from "../connection.ts";
import { codeOf } from "../faults.ts";
import { schemaVersion, tablesOfMigrations } from "../migrate.ts";
import { first, only } from "../rows.ts";
import {
  copyOf,
  countRows,
  explained,
  inTransaction,
  type Place,
  type Progress,
  quoted,
  withDatabase,
} from "./copy.ts";
import {
  BackupError,
  type FileRecord,
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
 * @throws BackupError or another OperatorError with a line for the operator
 */
export async function makeBackup(options: BackupOptions): Promise<{ manifest: Manifest; removed: string[] }> {
  const { businessId, databaseUrl, keep, productVersion } = options;
  const target = resolve(options.target);
  const source = await realpath(options.dataDirectory).catch(() => resolve(options.dataDirectory));
  if (databaseUrl === undefined) await requireDatabase(source);
  const draft = join(dirname(target), `${basename(target)}.part-${process.pid}`);
  try {
    await createDraft(draft, target, source);
    // With DATABASE_URL, a file `secret` would belong to another database.
    const names = keptFiles.filter((name) => databaseUrl === undefined || name !== "secret");
    const kept = businessId === undefined ? await copyKept(source, draft, names) : [];
    const mode = "ISOLATION LEVEL REPEATABLE READ READ ONLY";
    const transaction = { applicationName: "loyalty backup", signal: options.signal, mode };
    const contents = await withDatabase({ ...options, dataDirectory: source }, (database) =>
      inTransaction(database, transaction, (tx) => copyTables(tx, draft, options)),
    );
    const files = [...kept, ...contents.files];
    const manifest: Manifest = { format: 2, product_version: productVersion, ...contents, files };
    await writeManifest(draft, manifest);
    await rename(draft, target);
    await syncDirectory(dirname(target));
    return { manifest, removed: keep === undefined ? [] : await removeOlder(target, keep) };
  } catch (error) {
    const failure = explained(error, options.signal, `The backup can't be made in ${target}`);
    const isFull = ["ENOSPC", "EDQUOT"].includes(codeOf(error));
    throw isFull && failure instanceof BackupError
      ? new BackupError(`The disk of ${target} is full.`)
      : failure;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function requireDatabase(dataDirectory: string): Promise<void> {
  await stat(join(dataDirectory, "postgres", "PG_VERSION")).catch(({ code }: NodeJS.ErrnoException) => {
    throw new BackupError(
      code === "ENOENT" || code === "ENOTDIR"
        ? `${dataDirectory} holds no database: set LOYALTY_DATA_DIR to the data directory of the service.`
        : `The database in ${dataDirectory} can't be read (${code}): run this as the user that owns it.`,
    );
  });
}

/** Makes the directory that is renamed to the target when the backup is complete. */
async function createDraft(draft: string, target: string, dataDirectory: string): Promise<void> {
  const entries = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (entries.length > 0) {
    throw new BackupError(`${target} is not empty: name a directory that does not exist yet.`);
  }
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  if (`${await realpath(dirname(target))}${sep}`.startsWith(`${dataDirectory}${sep}`)) {
    throw new BackupError(
      `${target} lies in the data directory: name a place outside it, preferably on another disk.`,
    );
  }
  await mkdir(draft, { mode: 0o700 });
}

const noSuchTable = "42P01";
const noTables = "The database holds no tables of the service.";

type Contents = Pick<Manifest, "made_at" | "schema_version" | "business"> & { files: TableRecord[] };

async function copyTables(
  session: Session,
  draft: string,
  { businessId, onProgress, onRows }: BackupOptions,
): Promise<Contents> {
  // Migrations wait for it: a table that one rewrites would look empty in this snapshot.
  await session`LOCK TABLE migration IN ROW SHARE MODE`.catch((error) => {
    throw codeOf(error) === noSuchTable ? new BackupError(noTables) : error;
  });
  const { made_at } = await only(session<{ made_at: string }[]>`
    SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS made_at`);
  const schema_version = await schemaVersion(session);
  if (schema_version === 0) throw new BackupError(noTables);
  const business = businessId === undefined ? {} : { business: await findBusiness(session, businessId) };
  onProgress(`Copying ${business.business?.name ?? "the database"} …`);
  const tables = await findTables(session);
  const all = businessId === undefined ? tables.reduce((sum, { estimate }) => sum + estimate, 0) : 0;
  const files: TableRecord[] = [];
  let copied = 0;
  for (const { estimate: _, ...table } of tables) {
    const text = businessId === undefined ? `${copyOf(table)} TO STDOUT` : copyOfBusiness(table, businessId);
    const file = await copyTable(session, draft, { table, text }, (rows) => onRows(copied + rows, all));
    copied += file.rows;
    files.push(file);
  }
  return { made_at, schema_version, ...business, files };
}

type Table = Pick<TableRecord, "table" | "columns" | "identities">;

/** Returns the tables that migrations made, and no others, with the number of rows at the last ANALYZE. */
async function findTables(session: Session): Promise<(Table & { estimate: number })[]> {
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

async function findBusiness(session: Session, business_id: number) {
  const found = await first(session<{ name: string }[]>`
    SELECT name FROM business WHERE business_id = ${business_id}`);
  if (found === undefined) {
    throw new BackupError(`Business ${business_id} not found. See which there are: loyalty business list`);
  }
  return { business_id, name: found.name };
}

/** Returns the COPY command of the rows that a business has in a table. */
function copyOfBusiness({ table, columns }: Table, businessId: number): string {
  const own = columns.includes("business_id")
    ? `business_id = ${businessId}`
    : `integration_id IN (SELECT integration_id FROM integration WHERE business_id = ${businessId})`;
  return `COPY (SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(table)} WHERE ${own}) TO STDOUT`;
}

async function copyTable(
  session: Session,
  draft: string,
  { table, text }: { readonly table: Table; readonly text: string },
  onRows: (rows: number) => void,
): Promise<TableRecord> {
  const path = `${table.table}.copy.gz`;
  let rows = 0;
  const counted = countRows((count) => {
    rows = count;
    onRows(count);
  });
  const digest = createHash("sha256");
  let size = 0;
  async function* measured(compressed: AsyncIterable<Buffer>) {
    for await (const chunk of compressed) {
      digest.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  const source = session.copy(copyTo(text));
  // Level 6 takes 3.7 times as long and saves an eighth.
  const gzip = createGzip({ level: 1 });
  const file = createWriteStream(join(draft, path), { mode: 0o600, flags: "wx", flush: true });
  await pipeline(source, counted, gzip, measured, file);
  return { path, size, sha256: digest.digest("hex"), ...table, rows };
}

/** Copies the files with these names that the data directory has. */
async function copyKept(source: string, draft: string, names: readonly string[]): Promise<FileRecord[]> {
  const files: FileRecord[] = [];
  for (const path of names.filter((name) => existsSync(join(source, name)))) {
    const content = await readFile(join(source, path));
    await writeFile(join(draft, path), content, { mode: 0o600, flag: "wx", flush: true });
    files.push({ path, size: content.length, sha256: createHash("sha256").update(content).digest("hex") });
  }
  return files;
}

/** Removes all but the newest backups beside a new one. The manifest goes first, so that no half of a backup is left. */
async function removeOlder(target: string, keep: number): Promise<string[]> {
  const directory = dirname(target);
  const others = (await listBackups(directory)).filter(({ name }) => name !== basename(target));
  const older = others.slice(keep - 1).map(({ name }) => name);
  for (const path of older.map((name) => join(directory, name))) {
    const removed = rm(join(path, manifestName)).then(() => rm(path, { recursive: true }));
    await removed.catch(({ code }: NodeJS.ErrnoException) => {
      throw new BackupError(`The backup ${target} is complete, but ${path} can't be removed (${code}).`);
    });
  }
  return older;
}
