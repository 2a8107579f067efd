/** The file to import, or standard input, and its CSV records with their places in the file. */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open as openFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";
import {
  mostLineBytes,
  type ParsedRecord,
  Place,
  parserOptions,
  recordReader,
  type TextRecord,
  tooLong,
} from "./csv.ts";
import { decodingOf, type Encoding, headBytes, wrongFile } from "./text.ts";

export interface Source {
  readonly bytes: number;
  /** The beginning of its text. */
  readonly head: string;
  /** The bytes of a part of the text as they are in the file. They are UTF-8 if the file is UTF-16. */
  original(text: Buffer): Buffer;
  /** Reads the source from its beginning, as UTF-8. */
  open(): Readable;
  /** Removes temporary files. */
  close(): Promise<void>;
}

/**
 * Finds the source, which is read twice. Standard input and pipes are kept in a temporary file.
 * @param file its path, or - for standard input
 * @throws CliError when it can't be read
 */
export async function findSource(file: string, encoding: Encoding, signal: AbortSignal): Promise<Source> {
  if (file === "-") return keepInput(process.stdin, encoding, signal);
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${file} can't be read (${error.code}).`);
  });
  if (found.isDirectory()) throw usageError(`${file} is a directory.`);
  if (!found.isFile()) return keepInput(createReadStream(file), encoding, signal);
  const head = await headOf(file);
  const wrong = wrongFile(head);
  if (wrong !== undefined) throw usageError(wrong);
  const decoding = decodingOf(head, encoding);
  const isOther = decoding !== "utf-8";
  const open = () => createReadStream(file);
  return {
    bytes: found.size,
    head: new TextDecoder(decoding).decode(head),
    original: (text) => (decoding === "windows-1252" ? windowsBytes(text.toString()) : text),
    open: isOther ? () => Readable.from(decoded(open(), decoding), { objectMode: false }) : open,
    close: async () => undefined,
  };
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await openFile(file).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${file} can't be read (${error.code}).`);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function* decoded(bytes: Readable, decoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(decoding);
  for await (const part of bytes) {
    const text = decoder.decode(part as Buffer, { stream: true });
    if (text !== "") yield Buffer.from(text);
  }
  const rest = decoder.decode();
  if (rest !== "") yield Buffer.from(rest);
}

/** The character of each byte. */
const windowsCharacters = new TextDecoder("windows-1252").decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
);

function windowsBytes(text: string): Buffer {
  return Buffer.from(Array.from(text, (character) => windowsCharacters.indexOf(character)));
}

async function keepInput(input: Readable, encoding: Encoding, signal: AbortSignal): Promise<Source> {
  // Only its owner may read it.
  const directory = await mkdtemp(join(tmpdir(), "loyalty-import-"));
  const close = () => rm(directory, { recursive: true, force: true });
  const file = join(directory, "input");
  try {
    await pipeline(input, createWriteStream(file, { mode: 0o600 }), { signal });
    return { ...(await findSource(file, encoding, signal)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface CsvRecord extends TextRecord {
  /** Its bytes in the file, without the end of the line. */
  readonly raw: Buffer;
  /** The number of bytes of the file up to its end. */
  readonly bytes: number;
}

/**
 * Reads records as they are requested, until the signal aborts. Records of blank fields only are left out.
 * @param delimiter the text between fields, or "whitespace" for any number of blanks
 * @throws CliError where the file is not CSV
 */
export async function* readRecords(
  source: Readable,
  delimiter: string,
  signal: AbortSignal,
): AsyncGenerator<CsvRecord> {
  const place = new Place();
  const parser = parse(parserOptions(delimiter, place));
  const read = new ReadBytes();
  source.on("error", (error) => parser.destroy(error));
  let lineBytes = 0;
  source.on("data", (bytes: Buffer) => {
    if (bytes.includes(0)) parser.destroy(notText());
    const end = Math.max(bytes.lastIndexOf(10), bytes.lastIndexOf(13));
    lineBytes = end < 0 ? lineBytes + bytes.length : bytes.length - end - 1;
    if (lineBytes > mostLineBytes) parser.destroy(notCsv({ code: tooLong, message: "" }, place));
    read.add(bytes);
  });
  source.pipe(parser);
  // Destroying the source would not end a read from a terminal.
  signal.addEventListener("abort", () => parser.destroy(signal.reason));
  const readRecord = recordReader(delimiter);
  try {
    for await (const parsed of parser as AsyncIterable<ParsedRecord>) {
      const { bytes } = parsed.info;
      const record = readRecord(parsed);
      const raw = read.takeTo(bytes);
      if (record !== undefined) yield { ...record, raw, bytes };
    }
  } catch (error) {
    throw error instanceof CsvError ? notCsv(error, place) : error;
  } finally {
    source.destroy();
  }
}

/** The bytes that were read and are not taken yet. The parser's own `raw` lacks bytes of long delimiters. */
class ReadBytes {
  #chunks: Buffer[] = [];
  #taken = 0;

  add(bytes: Buffer): void {
    this.#chunks.push(bytes);
    // No record begins with a line break, so a file of empty lines is not kept.
    for (let [first] = this.#chunks; first?.every(isBreak); [first] = this.#chunks) {
      this.#chunks.shift();
      this.#taken += first.length;
    }
  }

  /** @returns the bytes from the last place to this one, without line breaks at either end */
  takeTo(place: number): Buffer {
    const parts: Buffer[] = [];
    while (this.#taken < place) {
      const [first] = this.#chunks;
      if (first === undefined) break;
      const part = first.subarray(0, place - this.#taken);
      parts.push(part);
      this.#taken += part.length;
      if (part.length === first.length) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(part.length);
    }
    const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    let [from, to] = [0, bytes.length];
    while (from < to && isBreak(bytes[from])) from += 1;
    while (to > from && isBreak(bytes[to - 1])) to -= 1;
    return bytes.subarray(from, to);
  }
}

const isBreak = (byte: number | undefined) => byte === 10 || byte === 13;

function notCsv(error: Pick<CsvError, "code" | "message">, place: Place): CliError {
  return new CliError(exitCodes.failed, place.problemOf(error), [
    "Nothing was imported. Fix the file, and run the same command again.",
  ]);
}

function notText(): CliError {
  return usageError(
    "The input is not a text file: it contains NUL bytes.",
    "Save a spreadsheet as CSV in UTF-8, unpack an archive, or convert UTF-16 without a byte order mark with iconv.",
  );
}
