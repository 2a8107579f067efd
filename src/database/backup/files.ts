/** The files of a backup: copying them so that a later reader can tell whether they are still the same. */
import { createHash } from "node:crypto";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError } from "../../domain/operator-error.ts";

/** A backup can't be made or restored; the message says why and what to do, in one line. */
export class BackupError extends OperatorError {}

/** Files of the data directory that belong to the database. The operator may keep the first two elsewhere. */
export const keptFiles = ["secret", "operator.key", "demo.json", "postgres.password"] as const;

/** Where the database lies, both in a data directory and in a backup. */
export const databaseFolder = "postgres";

export interface FileRecord {
  /** Below the backup, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** What a backup says of itself. */
export interface Manifest {
  readonly format: 1;
  /** ISO 8601, UTC: the state that a restore brings back is that of this moment. */
  readonly made_at: string;
  /** Such as 18: another major version can't read the files. */
  readonly postgresql: string;
  /** All of them, empty ones included. */
  readonly directories: readonly string[];
  readonly files: readonly FileRecord[];
}

const manifestName = "backup.json";
const copiesAtOnce = 8;
const chunkBytes = 1024 * 1024;

/** Written last, so that a directory with a manifest is a whole backup. */
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  await writeFile(join(directory, manifestName), text, { mode: 0o600, flag: "wx", flush: true });
  await syncDirectory(directory);
}

/** @throws BackupError when the directory is no backup, or one that only a later release understands */
export async function readManifest(directory: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(directory, manifestName), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new BackupError(
      code === "ENOENT" || code === "ENOTDIR"
        ? `${directory} is no backup: it holds no ${manifestName}.`
        : `The backup ${directory} can't be read (${code}): run this as the user whom it belongs to.`,
    );
  }
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text) as Partial<Manifest>;
  } catch {
    throw new BackupError(`${join(directory, manifestName)} is damaged: restore from another backup.`);
  }
  if (manifest.format !== 1) {
    throw new BackupError(
      `${directory} was made by a later release of the service: restore it with that one.`,
    );
  }
  const { directories = [], files = [] } = manifest;
  const paths = [...directories, ...files.map(({ path }) => path)];
  if (!paths.every((path) => staysInside.test(path))) {
    throw new BackupError(
      `${join(directory, manifestName)} names files outside of the backup: it is not to be trusted.`,
    );
  }
  return manifest as Manifest;
}

/** No empty part, none that leads upwards, and no way of writing that only some systems understand. */
const staysInside = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/;

/**
 * Copies a file, for its owner's eyes only, onto the disk.
 * @returns what was copied; undefined when the file is not there
 */
export async function copyFile(from: string, to: string): Promise<Omit<FileRecord, "path"> | undefined> {
  const source = await open(from, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (source === undefined) return undefined;
  try {
    const target = await open(to, "wx", 0o600);
    try {
      const digest = createHash("sha256");
      const buffer = Buffer.allocUnsafe(chunkBytes);
      let size = 0;
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, chunkBytes);
        if (bytesRead === 0) break;
        const chunk = buffer.subarray(0, bytesRead);
        digest.update(chunk);
        await target.writeFile(chunk);
        size += bytesRead;
      }
      await target.sync();
      return { size, sha256: digest.digest("hex") };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Does the same for every item, a few at a time. The first failure ends it, once those under way are through. */
export async function forEach<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let failed = false;
  const work = async () => {
    for (const item of left) {
      if (failed) return;
      signal.throwIfAborted();
      await act(item);
    }
  };
  const workers = Array.from({ length: copiesAtOnce }, () =>
    work().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(workers);
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}

/** Makes directories for their owner's eyes only; parents come before what they hold. */
export async function makeDirectories(root: string, directories: readonly string[]): Promise<void> {
  for (const directory of directories) await mkdir(join(root, directory), { mode: 0o700 });
}

/** New names are on disk when their directories are. */
export async function syncDirectories(root: string, directories: readonly string[]): Promise<void> {
  for (const directory of directories) await syncDirectory(join(root, directory));
  await syncDirectory(root);
  await syncDirectory(dirname(root));
}

/** Windows knows no such thing. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
