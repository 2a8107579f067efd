/** Cuts a file into the chunks that go into one request each. */
import { importBodyBytes } from "../../operations/import-lines.ts";
import type { Line, Rejection } from "./lines.ts";
import type { CsvRecord } from "./records.ts";

export interface Chunk {
  readonly lines: readonly Line[];
  /** What the lines were made of, and those that are no lines to send. */
  readonly records: readonly CsvRecord[];
  /** Lines that are no lines to send. */
  readonly rejections: readonly Rejection[];
  /** How many lines of the file it is, and after how many bytes of the file it ends. */
  readonly count: number;
  readonly bytes: number;
}

/** Room for what surrounds the lines in a request. */
const maximumBytes = importBodyBytes - 4096;

/** Cuts the records of a file, which are turned into lines on the way. */
export async function* cutIntoChunks(
  source: AsyncIterable<CsvRecord>,
  toLine: (record: CsvRecord) => Line | Rejection[],
  maximumLines: number,
): AsyncGenerator<Chunk> {
  let lines: Line[] = [];
  let records: CsvRecord[] = [];
  let rejections: Rejection[] = [];
  let bytes = 0;
  let size = 0;
  const cut = (): Chunk => {
    const chunk = { lines, records, rejections, count: records.length, bytes };
    lines = [];
    records = [];
    rejections = [];
    size = 0;
    return chunk;
  };
  for await (const record of source) {
    const line = toLine(record);
    const more = Array.isArray(line) ? 0 : mostBytesOf(line);
    if (records.length === maximumLines || size + more > maximumBytes) yield cut();
    if (Array.isArray(line)) rejections.push(...line);
    else lines.push(line);
    size += more;
    records.push(record);
    bytes = record.bytes;
  }
  if (records.length > 0) yield cut();
}

/**
 * No fewer bytes than a line takes in a request. Writing it out to count them would be done for every line, for a
 * bound that only very long ones reach.
 */
function mostBytesOf(line: Line): number {
  let bytes = 3;
  for (const name in line) {
    const value = line[name] as string | number;
    // A character that JSON escapes takes six bytes, no other more.
    bytes += name.length + (typeof value === "string" ? 6 * value.length : 20) + 6;
  }
  return bytes;
}
