/** Writes CSV, and files that appear only when they are complete. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { usageError } from "./terminal/cli-error.ts";

/** One line of CSV (RFC 4180), with its line break. */
export function csvLine(values: readonly unknown[]): string {
  // Some readers take a carriage return for the end of a line, or remove blanks around a value.
  return stringify([[...values]], { quoted_match: /^\s|\s$|\r/, cast: { boolean: String } });
}

/** A number or a phone number, which a spreadsheet does not read as a formula. */
const signedNumber = /^[+-]\d+(?:\.\d+)?$/;

/**
 * Puts a ' before text that a spreadsheet would run as a formula, because members choose their names. The library's
 * `escape_formulas` would also mark phone numbers.
 */
export function withoutFormula(value: unknown): unknown {
  if (typeof value !== "string" || !/^[=@\t\r+-]/.test(value) || signedNumber.test(value)) return value;
  return `'${value}`;
}

/**
 * Makes a file with an unpredictable name, beside its final place, that only its owner may read.
 * @param advice what to do when it can't be written
 * @throws CliError when it can't
 */
export async function createDraft(file: string, ...advice: string[]) {
  const refused = (error: NodeJS.ErrnoException): never => {
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
  const handle = await open(draft, "wx", 0o600).catch(refused);
  return {
    write: (content: string | Buffer) => handle.appendFile(content).catch(refused),
    /** Renames the draft to its final name. Replaces an existing file or link. */
    async finish() {
      await handle.close().catch(refused);
      await rename(draft, file).catch(refused);
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
