/** Files that appear under their name only when they are complete, readable by their owner alone. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { type CliError, usageError } from "../cli-error.ts";

export interface DraftFile {
  write(text: string): Promise<void>;
  /** Renames the draft to its final name, and replaces what has it now. A link is replaced, not followed. */
  finish(): Promise<void>;
  /** Removes the draft, unless it was finished. So does the end of the process. */
  discard(): Promise<void>;
}

/**
 * Makes a file with an unpredictable name, beside its final place.
 * @param advice what to do when it can't be written
 * @throws CliError when it can't
 */
export async function createDraft(file: string, ...advice: string[]): Promise<DraftFile> {
  const refusal = (error: unknown): unknown => {
    const { code, syscall } = error as NodeJS.ErrnoException;
    return syscall === undefined ? error : usageError(`${file} can't be written (${code}).`, ...advice);
  };
  const refused = (error: unknown): never => {
    throw refusal(error);
  };
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw noFile(file, advice);
  const draft = `${file}.${randomUUID()}.part`;
  const remove = () => rmSync(draft, { force: true });
  process.on("exit", remove);
  const handle = await open(draft, "wx", 0o600).catch(refused);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= handle.close();
    return closed;
  };
  return {
    write: (text) => handle.appendFile(text).catch(refused),
    finish: () =>
      close()
        .then(() => rename(draft, file))
        .catch(refused),
    async discard() {
      await close();
      remove();
      process.off("exit", remove);
    },
  };
}

function noFile(file: string, advice: readonly string[]): CliError {
  return usageError(`${file} exists and is not a regular file: name another.`, ...advice);
}
