/** Where the lines come from: a file, or standard input. */
import { createReadStream, createWriteStream, type Stats } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { usageError } from "../failure.ts";

export interface Source {
  /** Undefined when nobody knows. */
  readonly bytes: number | undefined;
  /** Reads it from its beginning. */
  open(): Readable;
  /** Removes what was kept of it. */
  close(): Promise<void>;
}

const nothingKept = async () => undefined;

/**
 * Finds what is to be imported.
 * @param file its path, or - for standard input
 * @param twice whether it is to be read twice: standard input is kept in a temporary file then
 * @throws CliError when it can't be read
 */
export async function findSource(file: string, twice: boolean): Promise<Source> {
  if (file === "-") return twice ? keepInput() : inputSource();
  const found = await lookAt(file);
  // A pipe has no size.
  const bytes = found.isFile() ? found.size : undefined;
  if (bytes === undefined && twice)
    throw usageError(`${file} is no file that can be read twice, as --strict does.`);
  return { bytes, open: () => createReadStream(file), close: nothingKept };
}

async function lookAt(file: string): Promise<Stats> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${file} can't be read (${error.code}).`);
  });
  if (found.isDirectory()) throw usageError(`${file} is a directory.`);
  return found;
}

function inputSource(): Source {
  return { bytes: undefined, open: () => process.stdin, close: nothingKept };
}

async function keepInput(): Promise<Source> {
  // For its owner's eyes only.
  const directory = await mkdtemp(join(tmpdir(), "loyalty-import-"));
  const close = () => rm(directory, { recursive: true, force: true });
  const file = join(directory, "input");
  try {
    await pipeline(process.stdin, createWriteStream(file, { mode: 0o600 }));
    const { size } = await stat(file);
    return { bytes: size, open: () => createReadStream(file), close };
  } catch (error) {
    await close();
    throw error;
  }
}
