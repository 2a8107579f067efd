/** Which files of a PostgreSQL that is running make a copy of it, together with its log of what changes meanwhile. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { BackupError } from "./files.ts";

/** Folders that PostgreSQL needs and fills anew: as its manual lists them for the low-level backup functions. */
const emptied = new Set([
  ...["pg_wal", "pg_dynshmem", "pg_notify", "pg_replslot", "pg_serial", "pg_snapshots"],
  ...["pg_stat_tmp", "pg_subtrans"],
]);

/** What belongs to the run and not to the data; the label and the map of tablespaces are the backup's own. */
const left =
  /^(?:postmaster\.(?:pid|opts).*|backup_label.*|tablespace_map.*|current_logfiles.*|pgsql_tmp.*|pg_internal\.init.*|\.s\.PGSQL\..*)$/;

/** Says how much of the log was done with; it is copied after all else. */
export const controlFile = "global/pg_control";

export interface ClusterFiles {
  readonly directories: readonly string[];
  /** Without the control file. */
  readonly files: readonly string[];
}

/**
 * Lists what to copy, below PGDATA. Files may be gone by the time they are copied: the log knows of that.
 * @throws BackupError when parts of the database lie elsewhere
 */
export async function listCluster(pgdata: string): Promise<ClusterFiles> {
  const directories: string[] = [];
  const files: string[] = [];
  const walk = async (folder: string) => {
    const entries = await readdir(join(pgdata, folder), { withFileTypes: true });
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (left.test(entry.name) || path === controlFile) continue;
      if (emptied.has(path)) directories.push(path);
      else if (entry.isDirectory()) {
        directories.push(path);
        await walk(path);
      } else if (entry.isFile()) files.push(path);
      else if (entry.isSymbolicLink()) {
        throw new BackupError(
          `${join(pgdata, path)} is a link: a database with parts elsewhere can't be backed up by this command.`,
        );
      }
    }
  };
  await walk("");
  return { directories, files };
}

/** Segments of the log from one to another, and the histories of timelines. */
export async function listLog(pgdata: string, first: string, last: string): Promise<string[]> {
  const names = await readdir(join(pgdata, "pg_wal"));
  const needed = names.filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last);
  if (!needed.includes(first) || !needed.includes(last)) {
    throw new BackupError("PostgreSQL has removed a part of its log that the backup needs: try again.");
  }
  return [...needed, ...names.filter((name) => /^[0-9A-F]{8}\.history$/.test(name))].sort();
}

/** Reads the control file as it was at one moment: a reading that a write came into differs from the next. */
export async function readControlFile(pgdata: string): Promise<Buffer> {
  let before: Buffer | undefined;
  for (;;) {
    const handle = await open(join(pgdata, controlFile), "r");
    const now = await handle.readFile().finally(() => handle.close());
    if (before?.equals(now)) return now;
    before = now;
  }
}
