/** Files that hold secrets: for their owner's eyes only, and never half written. */
import { randomUUID } from "node:crypto";
import { link, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file that only its owner may read. It appears under its name only when it is whole and on
 * disk, even if the process or the machine stops meanwhile.
 * @param existing what to do about a file that is there already
 * @returns whether it was written; false when one was there and is kept
 */
export async function writePrivateFile(
  file: string,
  text: string,
  existing: "keep" | "replace",
): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: "wx", flush: true });
    // A link, unlike a rename, never takes the place of a file that is there.
    if (existing === "keep") await link(draft, file);
    else await rename(draft, file);
    await syncDirectory(dirname(file));
    return true;
  } catch (error) {
    if (existing === "keep" && (error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes the new names in a directory to disk. Windows can't sync directories. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
