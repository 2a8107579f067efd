/** The CSV records of a file, with their places in the file. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { FileProblem } from "./file-problem.ts";

export interface TextRecord {
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** Without blanks around them. */
  readonly fields: readonly string[];
  /** Whether text follows the end of a quoted field of several lines. A quote that is not closed can have swallowed other records. */
  readonly isBroken: boolean;
}

export interface CsvRecord extends TextRecord {
  /** Its bytes in the file, without the end of the line. */
  readonly raw: Buffer;
}

/** A line of a file of another kind may be as long as the file. */
const mostRecordBytes = 1_000_000;
/** How much is read at once. Other work of the process has its turn in between. */
const pieceBytes = 65_536;

const [lineFeed, carriageReturn] = [10, 13];

/**
 * Reads records, some at a time, as they are requested. Records of blank fields only are left out.
 * @param delimiter the text between fields, or "whitespace" for any number of blanks
 * @throws FileProblem where the file is not CSV
 */
export async function* readRecords(
  source: AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord[]> {
  const reader = new RecordReader(delimiter);
  for await (const part of source) {
    for (let from = 0; from < part.length; from += pieceBytes) {
      const records = reader.read(part.subarray(from, from + pieceBytes), false);
      if (records.length > 0) yield records;
      await nextTurn();
    }
  }
  const records = reader.read(Buffer.alloc(0), true);
  if (records.length > 0) yield records;
}

/** Reads lines without quotes by themselves. The package csv-parse took five times as long: a seventh of the service's time for an import. */
export class RecordReader {
  readonly #delimiter: string | RegExp;
  /** The bytes from the beginning of a record whose end was not read. */
  #rest: Buffer = Buffer.alloc(0);
  /** How many of them are lines of the record that were read. */
  #taken = 0;
  /** The last line that was read. */
  #line = 0;
  #firstLine = 1;
  #cells: string[] = [];
  /** The text of a quoted field that goes on in the next line. */
  #open: string | undefined;
  #isBroken = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter === "whitespace" ? /[ \t]/g : delimiter;
  }

  /** @param isLast whether the file ends with these bytes */
  read(bytes: Buffer, isLast: boolean): CsvRecord[] {
    if (bytes.includes(0)) throw notText();
    const block = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const records: CsvRecord[] = [];
    let [from, at] = [0, this.#taken];
    for (const [end, begin] of lineEnds(block, at, isLast)) {
      const text = block.toString("utf8", at, end);
      this.#addLine(this.#line === 0 && text.startsWith("\ufeff") ? text.slice(1) : text);
      at = begin;
      if (this.#open === undefined) {
        const record = this.#takeRecord(block.subarray(from, end));
        if (record !== undefined) records.push(record);
        from = begin;
      } else this.#open += block.toString("latin1", end, begin);
      if (at - from > mostRecordBytes) break;
    }
    this.#rest = block.subarray(from);
    this.#taken = at - from;
    if (this.#open !== undefined && (isLast || (this.#rest.length > mostRecordBytes && this.#taken > 0)))
      throw new FileProblem(`A quote that begins in line ${this.#firstLine} or later is not closed.`);
    if (this.#rest.length > mostRecordBytes)
      throw new FileProblem(
        `Line ${this.#firstLine} is longer than ${mostRecordBytes / 1e6} MB. Is a quote not closed, or is this no CSV file?`,
      );
    return records;
  }

  #addLine(text: string): void {
    this.#line += 1;
    if (this.#open === undefined && !text.includes('"')) this.#cells = text.split(this.#delimiter);
    else this.#addQuoted(text);
  }

  /** Adds the fields of a line with quotes. A quote inside a field is part of the field: 5" nails. */
  #addQuoted(text: string): void {
    let field = this.#open;
    let spansLines = field !== undefined;
    this.#open = undefined;
    for (let at = 0; ; ) {
      if (field === undefined && text[at] === '"') [field, at] = ["", at + 1];
      let before = "";
      while (field !== undefined) {
        const quote = text.indexOf('"', at);
        field += text.slice(at, quote === -1 ? undefined : quote);
        if (quote === -1) {
          this.#open = field;
          return;
        }
        at = quote + 1;
        if (text[at] !== '"') break;
        field += '"';
        at += 1;
      }
      const end = this.#delimiterAfter(text, at);
      // With text behind its last quote, a field has its quotes.
      if (field !== undefined) before = end === at ? field : `"${field}"`;
      if (spansLines && text.slice(at, end).trim() !== "") this.#isBroken = true;
      spansLines = false;
      this.#cells.push(before + text.slice(at, end));
      if (end === text.length) return;
      at = end + 1;
      field = undefined;
    }
  }

  #delimiterAfter(text: string, at: number): number {
    if (typeof this.#delimiter === "string") {
      const found = text.indexOf(this.#delimiter, at);
      return found === -1 ? text.length : found;
    }
    const found = text.slice(at).search(this.#delimiter);
    return found === -1 ? text.length : at + found;
  }

  /** @returns undefined for a record of blank fields only, and for a first line such as sep=; */
  #takeRecord(raw: Buffer): CsvRecord | undefined {
    const [line, cells, isBroken] = [this.#firstLine, this.#cells, this.#isBroken];
    this.#firstLine = this.#line + 1;
    this.#cells = [];
    this.#isBroken = false;
    const isBlanks = typeof this.#delimiter !== "string";
    // Spreadsheets read and write this first line. It says what the delimiter is.
    if (line === 1 && /^sep=.$/.test(isBlanks ? "" : cells.join(this.#delimiter as string))) return undefined;
    const fields = (isBlanks ? cells.filter((cell) => cell !== "") : cells).map(textOfCell);
    return fields.some((field) => field !== "")
      ? { line, lastLine: this.#line, fields, isBroken, raw }
      : undefined;
  }
}

/** Without blanks around it, and without the ="…" by which programs keep spreadsheets from changing digits. */
function textOfCell(cell: string): string {
  const text = cell.trim();
  return text.startsWith('="') && text.endsWith('"') ? text.slice(2, -1) : text;
}

/**
 * The ends of lines: line feeds, carriage returns, and both together.
 * @param from where a line begins
 * @param isLast whether the file ends with these bytes
 * @returns where each line ends and where the next one begins. A line whose end is not in the bytes is left out.
 */
function* lineEnds(
  bytes: Buffer,
  from: number,
  isLast: boolean,
): Generator<readonly [end: number, next: number]> {
  const { length } = bytes;
  const find = (byte: number, at: number) => {
    const found = bytes.indexOf(byte, at);
    return found === -1 ? length : found;
  };
  // The next ones. A file without one of them is searched for it once.
  let [feed, carriage] = [-1, -1];
  for (let at = from; at < length; ) {
    if (feed < at) feed = find(lineFeed, at);
    if (carriage < at) carriage = find(carriageReturn, at);
    const end = Math.min(feed, carriage);
    const isReturn = end === carriage;
    // A line feed can follow in the next bytes.
    if (!isLast && (end === length || (isReturn && end + 1 === length))) return;
    at = isReturn && feed === end + 1 ? end + 2 : Math.min(end + 1, length);
    yield [end, at];
  }
}

const notText = () =>
  new FileProblem(
    "The file is not text: it contains NUL bytes.",
    "Save a spreadsheet as CSV in UTF-8, or convert UTF-16 without a byte order mark with iconv.",
  );
