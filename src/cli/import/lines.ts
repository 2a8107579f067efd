/** Converts the records of a file into the lines that the service takes, each with the digest that identifies it. */
import { hash } from "node:crypto";
import type { Column, ImportKind } from "./columns.ts";
import type { CsvRecord } from "./file.ts";

/** Why a line is not imported. */
export interface Rejection {
  readonly line: number;
  /** Empty for the line as a whole. */
  readonly field: string;
  readonly message: string;
}

/** A line as the service takes it: its fields besides these. */
export interface Line extends Readonly<Record<string, unknown>> {
  readonly line: number;
  readonly digest: string;
  /** Fields whose text is not a value. The service checks the other fields, and does not import the line. */
  readonly unreadable?: readonly string[];
}

/** A record, its line to send unless the number of columns is wrong, and the reasons to reject it that are known so far. */
export interface ReadLine {
  readonly record: CsvRecord;
  readonly line: Line | undefined;
  readonly rejections: readonly Rejection[];
}

const noDigest = "0".repeat(32);

/**
 * Makes the function that turns records into lines. It must see every record of the file, in their order. A line with
 * a reference is identified by that reference. Any other line is identified by its imported values and by the number
 * of equal lines before it. So a line keeps its digest when other lines are corrected, added, removed or sorted, and
 * in another file that overlaps with this one.
 * @param width the number of columns
 * @param batch names a file whose lines differ from equal lines of other files
 */
export function lineMaker(
  { name, reference }: ImportKind,
  columns: readonly Column[],
  width: number,
  batch = "",
): (record: CsvRecord) => ReadLine {
  const fields = columns.map(({ field }) => field).sort();
  const prefix = `loyalty import of ${name} by`;
  const digestOf = contentDigest(`${prefix} content ${JSON.stringify(batch)} `);
  return (record) => {
    const { length } = record.fields;
    if (length !== width) {
      const problem = `has ${length} columns instead of ${width}`;
      return { record, line: undefined, rejections: [rejectLine(record, "", problem)] };
    }
    const values: Record<string, string | number> = {};
    const rejections: Rejection[] = [];
    for (const { field, index, read } of columns) {
      const text = record.fields[index] as string;
      if (text === "") continue;
      const value = read(text);
      if (typeof value === "object") rejections.push(rejectLine(record, field, value.problem));
      else values[field] = value;
    }
    const known = values[reference];
    const unreadable = rejections.map(({ field }) => field);
    // Values and not text are hashed: quotes, the order of columns and other columns make no difference.
    const digest =
      known !== undefined
        ? hash("sha256", `${prefix} ${reference} ${known}`).slice(0, 32)
        : unreadable.length > 0
          ? noDigest
          : digestOf(JSON.stringify(values, fields));
    const line = { ...values, line: record.line, digest, ...(unreadable.length > 0 && { unreadable }) };
    return { record, line, rejections };
  };
}

function contentDigest(prefix: string): (content: string) => string {
  const counts = new HashTable();
  return (content) => {
    const text = prefix + content;
    const found = hash("sha256", text, "buffer");
    const key = found.readBigUInt64LE();
    const equal = counts.get(key);
    counts.set(key, equal + 1);
    const digest = equal === 0 ? found : hash("sha256", `${equal} before, ${text}`, "buffer");
    return digest.toString("hex", 0, 16);
  };
}

function rejectLine({ line, lastLine }: CsvRecord, field: string, problem: string): Rejection {
  // A quote that is not closed joins lines. A field of several lines may be the only sign of it.
  const where = lastLine > line ? ` (lines ${line} to ${lastLine}: is a quote not closed?)` : "";
  return { line, field, message: `${field === "" ? "The line" : field} ${problem}${where}.` };
}

/**
 * Makes the function that finds lines of a file that share a value that must be unique, however far apart they are.
 * It returns a rejection for each value that an earlier line has. Without one, it keeps the line's values.
 */
export function uniqueValues({ unique, reference }: ImportKind): (line: Line) => Rejection[] {
  /** The first line that has a value, by the hash of field and value. */
  const lines = new HashTable();
  return (line) => {
    const keys = unique.flatMap((field) => {
      if (line[field] === undefined) return [];
      // Only e-mail addresses are compared without regard to case.
      const text = field === "email" ? String(line[field]).toLowerCase() : String(line[field]);
      const key = hash("sha256", `${field} ${text}`, "buffer").readBigUInt64LE();
      return { field, key, earlier: lines.get(key) };
    });
    const taken = keys.filter(({ earlier }) => earlier !== 0);
    // A second line with the same reference is skipped by an import.
    if (taken.some(({ field }) => field === reference)) return [];
    if (taken.length === 0) for (const { key } of keys) lines.set(key, line.line);
    return taken.map(({ field, earlier }) => {
      return { line: line.line, field, message: `${field} is the same as in line ${earlier}.` };
    });
  };
}

/**
 * Numbers by 64-bit hashes, in typed arrays: 12 bytes a place, 45 to 90 % of them in use. Ten million hashes take
 * 200 MB outside the heap. Maps of them took 900 MB of heap, which is more than Node allows on a small machine.
 */
export class HashTable {
  #hashes = new BigUint64Array(1024);
  /** 0 where a place is free. */
  #numbers = new Uint32Array(1024);
  #used = 0;

  /** @returns the number of a hash; 0 when it has none */
  get(hash: bigint): number {
    return this.#numbers[this.#placeOf(hash)] as number;
  }

  /**
   * @param hash an evenly distributed unsigned number of 64 bits
   * @param number from 1 to 2³² - 1
   */
  set(hash: bigint, number: number): void {
    if (this.#used > 0.9 * this.#numbers.length) this.#grow();
    const place = this.#placeOf(hash);
    if (this.#numbers[place] === 0) this.#used += 1;
    this.#hashes[place] = hash;
    this.#numbers[place] = number;
  }

  /** The place of a hash, or the free place where it goes. */
  #placeOf(hash: bigint): number {
    const last = this.#numbers.length - 1;
    let place = Number(hash & 0xffffffffn) & last;
    while (this.#numbers[place] !== 0 && this.#hashes[place] !== hash) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers];
    this.#hashes = new BigUint64Array(2 * hashes.length);
    this.#numbers = new Uint32Array(2 * numbers.length);
    this.#used = 0;
    for (const [place, number] of numbers.entries()) {
      if (number !== 0) this.set(hashes[place] as bigint, number);
    }
  }
}
