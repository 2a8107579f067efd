/** Writes files that appear only when they are complete. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { usageError } from "./terminal/cli-error.ts";

/**
 * Makes a file with an unpredictable name, beside its final place, that only its owner may read.
 * @param advice what to do when it can't be written
 * @throws CliError when it can't
 */
export async function createDraft(file: string, ...advice: string[]) {
  const explain = (error: NodeJS.ErrnoException): never => {
    throw error.syscall === undefined
      ? error
      : usageError(`${file} can't be written (${error.code}).`, ...advice);
  };
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && !found.isFile()) {
    throw usageError(`${file} exists and is not a regular file. Name another file.`, ...advice);
  }
  const draft = `${file}.${randomUUID()}.part`;
  const remove = () => rmSync(draft, { force: true });
  process.on("exit", remove);
  const handle = await open(draft, "wx", 0o600).catch(explain);
  return {
    write: (content: string | Buffer) => handle.appendFile(content).catch(explain),
    /** Renames the draft to its final name. Replaces an existing file or link. */
    async finish() {
      await handle.close().catch(explain);
      await rename(draft, file).catch(explain);
    },
    /** Removes the draft, unless it was finished. The end of the process does the same. */
    async discard() {
      // A closed handle may be closed again.
      await handle.close();
      remove();
      process.off("exit", remove);
    },
  };
}
