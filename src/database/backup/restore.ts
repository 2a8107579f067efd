/** Bringing a backup back: into a data directory that holds nothing yet. */
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { locateBinaries } from "../../postgres/binaries.ts";
import { openDataDirectory } from "../../postgres/cluster.ts";
import { explainFailure } from "../../postgres/error.ts";
import { acquireLock } from "../../postgres/lock.ts";
import { answersIn } from "../../postgres/socket.ts";
import {
  BackupError,
  copyFile,
  databaseFolder,
  type FileRecord,
  forEach,
  keptFiles,
  makeDirectories,
  readManifest,
  syncDirectories,
} from "./files.ts";

export interface RestoreOptions {
  /** A backup, as makeBackup made it. */
  readonly source: string;
  /** Made if it does not exist; empty if it does. */
  readonly dataDirectory: string;
  /** Gives up; the data directory is then as empty as before. */
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly dataDirectory: string;
  readonly madeAt: string;
  /** Secrets that the backup does not have. */
  readonly missing: readonly string[];
}

/** What a restore that was killed may have left: it never got to be the data. */
const draftName = "restore.part";
const leftovers = /^(?:restore\.part|postgres\.lock.*)$/;

/**
 * Restores a backup. Every file is compared with what the backup says of it before anything is put in its place;
 * the database comes last. It is not started: the service does that, and PostgreSQL then goes through the log.
 * @throws BackupError or EmbeddedDatabaseError with a line for the operator
 */
export async function restoreBackup({ source, dataDirectory, signal }: RestoreOptions): Promise<Restored> {
  const backup = resolve(source);
  const manifest = await readManifest(backup);
  const { major } = await locateBinaries();
  if (manifest.postgresql !== major) {
    throw new BackupError(
      `The backup was made by PostgreSQL ${manifest.postgresql}, and this service brings PostgreSQL ${major}, which ` +
        "can't read it: restore it with the release of the service that made it.",
    );
  }
  try {
    const { dataDirectory: target, pgdata } = await openDataDirectory(dataDirectory);
    await refuseData(target);
    const unlock = await acquireLock(target, () => answersIn(pgdata));
    const draft = join(target, draftName);
    try {
      // Once more: another may have been at it until now.
      await refuseData(target);
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { mode: 0o700 });
      await makeDirectories(draft, manifest.directories);
      await forEach(manifest.files, signal, (file) => restoreFile(backup, draft, file));
      await syncDirectories(draft, manifest.directories);
      const kept = keptFiles.filter((name) => manifest.files.some(({ path }) => path === name));
      for (const name of [...kept, databaseFolder]) await rename(join(draft, name), join(target, name));
      await syncDirectories(target, []);
      const missing = keptFiles.slice(0, 2).filter((name) => !kept.includes(name));
      return { dataDirectory: target, madeAt: manifest.made_at, missing };
    } finally {
      await rm(draft, { recursive: true, force: true });
      await unlock();
    }
  } catch (error) {
    throw explainFailure(error, dataDirectory);
  }
}

async function refuseData(dataDirectory: string): Promise<void> {
  const found = (await readdir(dataDirectory)).filter((name) => !leftovers.test(name));
  if (found.length === 0) return;
  throw new BackupError(
    `${dataDirectory} is not empty (${found.slice(0, 3).join(", ")}): move what is there away, or set ` +
      "LOYALTY_DATA_DIR to another directory.",
  );
}

async function restoreFile(backup: string, draft: string, { path, size, sha256 }: FileRecord): Promise<void> {
  const copied = await copyFile(join(backup, path), join(draft, path));
  if (copied === undefined) throw damaged(backup, path, "is missing");
  if (copied.size !== size || copied.sha256 !== sha256) throw damaged(backup, path, "has changed");
}

function damaged(backup: string, path: string, how: string): BackupError {
  return new BackupError(`The backup is damaged: ${join(backup, path)} ${how}. Restore from another one.`);
}
