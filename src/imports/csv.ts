/** The CSV records of a file, with their places in the file. */
import { CsvError, type Info, type Parser, parse } from "csv-parse";
import { FileProblem } from "./file-problem.ts";

export interface TextRecord {
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** Without blanks around them. */
  readonly fields: readonly string[];
}

export interface CsvRecord extends TextRecord {
  /** Its bytes in the file, without the end of the line. */
  readonly raw: Buffer;
}

/** A line of a file of another kind may be as long as the file. */
const mostRecordBytes = 1_000_000;
/** With its delimiters, which the parser does not count. */
const mostLineBytes = 4 * mostRecordBytes;
/** How much is parsed at once. */
const pieceBytes = 65_536;

/** The parser's error code for a record that is longer. */
const tooLong = "CSV_MAX_RECORD_SIZE";

/** As the parser returns it. */
interface ParsedRecord {
  readonly cells: readonly string[];
  readonly info: Pick<Info, "lines" | "bytes">;
}

const isBlanks = (delimiter: string) => delimiter === "whitespace";

/**
 * Reads records, some at a time, as they are requested. Records of blank fields only are left out.
 * @param delimiter the text between fields, or "whitespace" for any number of blanks
 * @throws FileProblem where the file is not CSV
 */
export async function* readRecords(
  source: AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord[]> {
  const parsed: ParsedRecord[] = [];
  const parser = parserOf(delimiter, (record) => void parsed.push(record));
  const place = { line: 0 };
  const recordOf = recordReader(delimiter, place);
  const read = new ReadBytes();
  const taken = () =>
    parsed.splice(0).flatMap(({ cells, info }): CsvRecord[] => {
      const raw = read.takeTo(info.bytes);
      const record = recordOf(cells, info.lines);
      return record === undefined ? [] : [{ ...record, raw }];
    });
  const during = (work: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve()))).catch(
      (error: Error) => {
        throw error instanceof CsvError ? notCsv(error, parsed.at(-1)?.info.lines ?? place.line) : error;
      },
    );
  let lineBytes = 0;
  for await (const part of source) {
    for (let from = 0; from < part.length; from += pieceBytes) {
      const bytes = part.subarray(from, from + pieceBytes);
      if (bytes.includes(0)) throw notText();
      const end = Math.max(bytes.lastIndexOf(10), bytes.lastIndexOf(13));
      lineBytes = end < 0 ? lineBytes + bytes.length : bytes.length - end - 1;
      if (lineBytes > mostLineBytes) throw notCsv({ code: tooLong, message: "" }, place.line);
      read.add(bytes);
      await during((done) => parser.write(bytes, done));
      if (parsed.length > 0) yield taken();
    }
  }
  await during((done) => parser.end(done));
  if (parsed.length > 0) yield taken();
}

/** @param keep gets each record. The parser itself returns none, because its stream would take longer than the parsing. */
function parserOf(delimiter: string, keep: (record: ParsedRecord) => void): Parser {
  const parser = parse({
    bom: true,
    delimiter: isBlanks(delimiter) ? [" ", "\t"] : delimiter,
    max_record_size: mostRecordBytes,
    on_record(cells: string[], info) {
      keep({ cells, info });
      return null;
    },
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    // A quote inside a field is part of the field: 5" nails.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // Errors are those of writes.
  return parser.on("error", () => undefined).resume();
}

/**
 * Makes the function that finds the places of records. It must see every record of the file, in their order.
 * @param place the last line of the last record
 * @returns a function that returns undefined for a record of blank fields only, and for a first line such as sep=;
 */
function recordReader(delimiter: string, place: { line: number }) {
  return (cells: readonly string[], lastLine: number): TextRecord | undefined => {
    const isFirst = place.line === 0;
    // A quoted field may hold line breaks. Empty lines are not part of a record.
    const breaks = lastLine === place.line + 1 ? 0 : cells.join("").split(/[\r\n]/).length - 1;
    place.line = lastLine;
    // Spreadsheets read and write this first line. It says what the delimiter is.
    if (isFirst && /^sep=.$/.test(cells.join(delimiter))) return undefined;
    const fields = (isBlanks(delimiter) ? cells.filter((cell) => cell !== "") : cells).map((cell) =>
      cell.trim(),
    );
    return fields.some((field) => field !== "") ? { line: lastLine - breaks, lastLine, fields } : undefined;
  };
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

/**
 * What is wrong with a file, by an error of the parser, which names the last line that it has reached.
 * @param line the last line of the last record that was parsed
 */
function notCsv(error: { code: string; message: string; lines?: unknown }, line: number): FileProblem {
  const next = line + 1;
  const isTooLong = error.code === tooLong;
  // A quote swallows the lines behind it.
  if (error.code === "CSV_QUOTE_NOT_CLOSED" || (isTooLong && Number(error.lines ?? 0) > next))
    return new FileProblem(`A quote that begins in line ${next} or later is not closed.`);
  if (!isTooLong) return new FileProblem(`The file is not CSV: ${error.message}.`);
  return new FileProblem(
    `Line ${next} is longer than ${mostRecordBytes / 1e6} MB. Is a quote not closed, or is this no CSV file?`,
  );
}

const notText = () =>
  new FileProblem(
    "The file is not text: it contains NUL bytes.",
    "Save a spreadsheet as CSV in UTF-8, or convert UTF-16 without a byte order mark with iconv.",
  );
