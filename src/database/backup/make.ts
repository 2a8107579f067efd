/**
 * Backups of the embedded database while it is used: a copy of its files, together with the log of what changed
 * while they were copied. They go by PostgreSQL's low-level functions, as the binaries that come with the service
 * have neither pg_basebackup nor pg_dump.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { startEmbeddedDatabase } from "../../postgres/embedded.ts";
import { findRunning } from "../../postgres/socket.ts";
import { type ConnectionSettings, openDatabase } from "../connection.ts";
import { controlFile, listCluster, listLog, readControlFile } from "./cluster-files.ts";
import {
  BackupError,
  copyFile,
  databaseFolder,
  type FileRecord,
  forEach,
  keptFiles,
  makeDirectories,
  syncDirectories,
  writeManifest,
} from "./files.ts";

export interface BackupOptions {
  readonly dataDirectory: string;
  /** Made by this; it may be there already as long as it is empty. */
  readonly target: string;
  readonly onProgress: (line: string) => void;
  /** Gives up, and leaves nothing behind. */
  readonly signal: AbortSignal;
}

export interface Backup {
  /** As the manifest has it. */
  readonly madeAt: string;
  readonly files: number;
  readonly bytes: number;
  /** Secrets that are not in the data directory, and so not in the backup. */
  readonly missing: readonly string[];
}

/**
 * Makes a backup. The service may be running, and goes on as ever; when it is not, the database is started for as
 * long as the backup takes.
 * @throws BackupError or EmbeddedDatabaseError with a line for the operator
 */
export async function makeBackup({
  dataDirectory,
  target,
  onProgress,
  signal,
}: BackupOptions): Promise<Backup> {
  const source = await realpath(dataDirectory).catch(() => resolve(dataDirectory));
  const pgdata = join(source, databaseFolder);
  const postgresql = await versionOf(pgdata, source);
  const draft = await createDraft(resolve(target), source);
  try {
    const running = await findRunning(source);
    const embedded =
      running === undefined ? await startEmbeddedDatabase({ dataDirectory: source, onProgress }) : undefined;
    const contents = await copyCluster(
      pgdata,
      join(draft, databaseFolder),
      running ?? (embedded as { connection: ConnectionSettings }).connection,
      { onProgress, signal },
    ).finally(() => embedded?.stop());
    const kept = await copyKept(source, draft);
    const directories = [databaseFolder, ...contents.directories.map(inBackup)];
    const files = [...contents.files.map((file) => ({ ...file, path: inBackup(file.path) })), ...kept];
    await syncDirectories(draft, directories);
    const madeAt = contents.madeAt;
    await writeManifest(draft, { format: 1, made_at: madeAt, postgresql, directories, files });
    await rename(draft, resolve(target));
    return {
      madeAt,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      missing: keptFiles.slice(0, 2).filter((name) => !kept.some(({ path }) => path === name)),
    };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw explain(error, target);
  }
}

const inBackup = (path: string) => `${databaseFolder}/${path}`;

async function versionOf(pgdata: string, dataDirectory: string): Promise<string> {
  try {
    return (await readFile(join(pgdata, "PG_VERSION"), "utf8")).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new BackupError(
      code === "ENOENT" || code === "ENOTDIR"
        ? `${dataDirectory} holds no database: set LOYALTY_DATA_DIR to the data directory of the service.`
        : `The database in ${dataDirectory} can't be read (${code}): run this as the user whom it belongs to.`,
    );
  }
}

/** Makes the directory that becomes the backup once it is whole. */
async function createDraft(target: string, dataDirectory: string): Promise<string> {
  const entries = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new BackupError(`The backup can't be made in ${target} (${error.code}).`);
  });
  if (entries.length > 0)
    throw new BackupError(`${target} is not empty: name a directory that is not there yet.`);
  const parent = await realpath(dirname(target)).catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(
      `${dirname(target)}, where the backup is to be made, can't be found (${error.code}).`,
    );
  });
  if (`${parent}${sep}`.startsWith(`${dataDirectory}${sep}`)) {
    throw new BackupError(
      `${target} lies in the data directory: name a place outside, best of all on another disk.`,
    );
  }
  const draft = join(parent, `${basename(target)}.part-${process.pid}`);
  await mkdir(draft, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(`The backup can't be made in ${parent} (${error.code}).`);
  });
  return draft;
}

interface Contents {
  readonly madeAt: string;
  readonly directories: readonly string[];
  /** Below PGDATA. */
  readonly files: readonly FileRecord[];
}

async function copyCluster(
  pgdata: string,
  target: string,
  connection: ConnectionSettings,
  { onProgress, signal }: Pick<BackupOptions, "onProgress" | "signal">,
): Promise<Contents> {
  const pool = { connections: 1, statementTimeoutMilliseconds: 0, applicationName: "loyalty backup" };
  const sql = openDatabase(connection, pool);
  // The state of the backup is the session's: should that end, so does the backup.
  const session = await sql.reserve();
  try {
    // Keeps PostgreSQL from removing the log that is written from now on; it is gone with the session.
    await session`
      SELECT pg_create_physical_replication_slot(${`loyalty_backup_${process.pid}`}, true, true)`;
    onProgress("Copying the database …");
    const [begun] = await session<{ segment: string }[]>`
      SELECT pg_walfile_name(pg_backup_start('loyalty backup', fast => true)) AS segment`;
    const { directories, files: names } = await listCluster(pgdata);
    await mkdir(target, { mode: 0o700 });
    await makeDirectories(target, directories);
    const files: FileRecord[] = [];
    const copy = async (path: string) => {
      const copied = await copyFile(join(pgdata, path), join(target, path));
      if (copied !== undefined) files.push({ path, ...copied });
    };
    const keep = async (path: string, contents: Buffer) => {
      await writeFile(join(target, path), contents, { mode: 0o600, flag: "wx", flush: true });
      files.push({
        path,
        size: contents.length,
        sha256: createHash("sha256").update(contents).digest("hex"),
      });
    };
    await forEach(names, signal, copy);
    await keep(controlFile, await readControlFile(pgdata));
    const [ended] = await session<{ segment: string; label: string; made_at: string }[]>`
      SELECT pg_walfile_name(lsn) AS segment, labelfile AS label,
        to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS made_at
      FROM pg_backup_stop(wait_for_archive => false)`;
    const { segment, label, made_at } = ended as { segment: string; label: string; made_at: string };
    await keep("backup_label", Buffer.from(label));
    const log = await listLog(pgdata, (begun as { segment: string }).segment, segment);
    await forEach(log, signal, (name) => copy(`pg_wal/${name}`));
    return { madeAt: made_at, directories, files };
  } finally {
    session.release();
    await sql.end();
  }
}

async function copyKept(source: string, draft: string): Promise<FileRecord[]> {
  const kept: FileRecord[] = [];
  for (const path of keptFiles) {
    const copied = await copyFile(join(source, path), join(draft, path));
    if (copied !== undefined) kept.push({ path, ...copied });
  }
  return kept;
}

function explain(error: unknown, target: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof BackupError || syscall === undefined) return error;
  if (code === "ENOSPC" || code === "EDQUOT") return new BackupError(`The disk of ${target} is full.`);
  return new BackupError(`The backup can't be made in ${target}: ${(error as Error).message}.`);
}
