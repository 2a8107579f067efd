/** The file of an import: its text, and its CSV records with their places in the file. */
import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import type { Encoding } from "../domain/import-jobs.ts";
import {
  mostLineBytes,
  type ParsedRecord,
  Place,
  parserOptions,
  recordReader,
  type TextRecord,
  tooLong,
} from "./csv.ts";
import { FileProblem } from "./file-problem.ts";
import { decodingOf, headBytes, wrongFile } from "./text.ts";
import { unpack } from "./unpack.ts";

export interface Source {
  /** The name of its encoding, as a TextDecoder knows it. */
  readonly decoding: string;
  /** The beginning of its text. */
  readonly head: string;
  /** The bytes of a part of the text as they are in the file. They are UTF-8 if the file is UTF-16. */
  original(text: Buffer): Buffer;
  /** Reads the source from its beginning, as UTF-8. */
  open(): Readable;
}

/**
 * Finds how the text of a file is encoded.
 * @param parts reads the file from its beginning, as it was uploaded
 * @throws FileProblem when it is no text
 */
export async function openSource(parts: () => AsyncIterable<Buffer>, encoding: Encoding): Promise<Source> {
  const head = await headOf(parts());
  const wrong = wrongFile(head);
  if (wrong !== undefined) throw new FileProblem(wrong);
  const decoding = decodingOf(head, encoding);
  const open = () => unpack(parts());
  return {
    decoding,
    head: new TextDecoder(decoding).decode(head),
    original: (text) => (decoding === "windows-1252" ? windowsBytes(text.toString()) : text),
    open: () =>
      Readable.from(decoding === "utf-8" ? open() : decoded(open(), decoding), { objectMode: false }),
  };
}

async function headOf(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const head: Buffer[] = [];
  let bytes = 0;
  for await (const piece of unpack(parts)) {
    head.push(piece);
    bytes += piece.length;
    if (bytes >= headBytes) break;
  }
  return Buffer.concat(head).subarray(0, headBytes);
}

async function* decoded(bytes: AsyncIterable<Buffer>, decoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(decoding);
  for await (const part of bytes) {
    const text = decoder.decode(part, { stream: true });
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

export interface CsvRecord extends TextRecord {
  /** Its bytes in the file, without the end of the line. */
  readonly raw: Buffer;
  /** The number of bytes of the file up to its end. */
  readonly bytes: number;
}

/**
 * Reads records as they are requested. Records of blank fields only are left out.
 * @param delimiter the text between fields, or "whitespace" for any number of blanks
 * @throws FileProblem where the file is not CSV
 */
export async function* readRecords(source: Readable, delimiter: string): AsyncGenerator<CsvRecord> {
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

function notCsv(error: Pick<CsvError, "code" | "message">, place: Place): FileProblem {
  return new FileProblem(place.problemOf(error));
}

function notText(): FileProblem {
  return new FileProblem(
    "The file is not text: it contains NUL bytes.",
    "Save a spreadsheet as CSV in UTF-8, or convert UTF-16 without a byte order mark with iconv.",
  );
}
