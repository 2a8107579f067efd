/** Converts the records of a file into the lines that the service takes, and compares the lines of a file. */
import { hash } from "node:crypto";
import type { ChunkResult } from "../../operations/imports.ts";
import type { Column, ImportKind } from "./columns.ts";
import type { CsvRecord } from "./file.ts";

/** Why a line is not imported. */
export interface Rejection {
  readonly line: number;
  /** Empty for the line as a whole. */
  readonly field: string;
  readonly message: string;
  /** The message without what differs between lines, by which rejections are counted. By default, the message. */
  readonly reason?: string;
}

/** A line as the service takes it: its fields besides these. */
export interface Line extends Readonly<Record<string, unknown>> {
  readonly line: number;
  /** Fields whose text is not a value. The service checks the other fields, and does not import the line. */
  readonly unreadable?: readonly string[];
}

/** A record, its line to send unless the number of columns is wrong, and the reasons to reject it that are known so far. */
export interface ReadLine {
  readonly record: CsvRecord;
  readonly line: Line | undefined;
  readonly rejections: readonly Rejection[];
}

/**
 * Makes the function that turns records into lines. It must see every record of the file, in their order.
 * @param width the number of columns. Missing cells at the end of a row are empty.
 */
export function lineMaker(
  { reference, countsEqual }: ImportKind,
  columns: readonly Column[],
  width: number,
): (record: CsvRecord) => ReadLine {
  const equalBefore = counter();
  return (record) => {
    const last = record.fields.findLastIndex((text) => text !== "");
    if (last >= width) {
      const problem = `has ${last + 1} columns instead of ${width}`;
      return { record, line: undefined, rejections: [rejectLine(record, "", problem)] };
    }
    const values: Record<string, string | number> = {};
    const rejections: Rejection[] = [];
    for (const { field, index, fallback, read } of columns) {
      const text = record.fields[index] || fallback;
      if (text === "") continue;
      const value = read(text);
      if (typeof value === "object") rejections.push(rejectLine(record, field, value.problem));
      else values[field] = value;
    }
    const unreadable = rejections.map(({ field }) => field);
    // Lines with the same text are several sales. The same values in another text are the same sale, written in another way.
    const counted = countsEqual && values[reference] === undefined;
    const equal = counted
      ? equalBefore(JSON.stringify(columns.map(({ index }) => record.fields[index] ?? "")))
      : 0;
    const more = { ...(equal > 0 && { equal_before: equal }), ...(unreadable.length > 0 && { unreadable }) };
    return { record, line: { ...values, line: record.line, ...more }, rejections };
  };
}

const hashOf = (text: string) => hash("sha256", text, "buffer").readBigUInt64LE();

/** Makes a function that counts how often it was called with a text before. */
function counter(): (text: string) => number {
  const counts = new HashTable();
  return (text) => {
    const key = hashOf(text);
    const before = counts.get(key);
    counts.set(key, before + 1);
    return before;
  };
}

function rejectLine({ line, lastLine }: CsvRecord, field: string, problem: string): Rejection {
  // A quote that is not closed joins lines. A field of several lines may be the only sign of it.
  const where = lastLine > line ? ` (lines ${line} to ${lastLine}: is a quote not closed?)` : "";
  const subject = field === "" ? "The line" : field;
  return { line, field, message: `${subject} ${problem}${where}.`, reason: `${subject} ${problem}.` };
}

/** How a line compares with the lines before it. */
export interface Comparison {
  /** An earlier line that is the same record. */
  readonly same?: number;
  readonly rejections: readonly Rejection[];
}

/** Compares a line with those before it, and keeps its values if it is not rejected. */
export type FileComparison = (
  line: Line,
  identified: NonNullable<ChunkResult["identities"]>[number],
) => Comparison;

/**
 * Makes the function that compares the lines of a dry run, however far apart they are: the service compares only the lines
 * of one request.
 */
export function fileComparison({ unique, reference }: ImportKind): FileComparison {
  /** The first line that has a value, by hash. */
  const lines = new HashTable();
  return (line, { identity, values }) => {
    const [record, whole] = [hashOf(identity), hashOf(`${identity} ${values}`)];
    const earlier = lines.get(record);
    if (earlier !== 0) {
      const same = lines.get(whole);
      if (same !== 0) return { same, rejections: [] };
      const reasonFor = (where: string) =>
        `${reference} is the same as in ${where}, but other values differ.`;
      const [message, reason] = [`line ${earlier}`, "an earlier line"].map(reasonFor) as [string, string];
      return { rejections: [{ line: line.line, field: reference, message, reason }] };
    }
    const keys = unique.flatMap((field) => {
      if (line[field] === undefined) return [];
      // Only e-mail addresses are compared without regard to case.
      const text = field === "email" ? String(line[field]).toLowerCase() : String(line[field]);
      return { field, key: hashOf(`${field} ${text}`) };
    });
    const rejections = keys.flatMap(({ field, key }) => {
      const earlier = lines.get(key);
      const message = `${field} is the same as in line ${earlier}.`;
      const reason = `${field} is the same as in an earlier line.`;
      return earlier === 0 ? [] : { line: line.line, field, message, reason };
    });
    if (rejections.length === 0) {
      for (const key of [record, whole, ...keys.map(({ key }) => key)]) lines.set(key, line.line);
    }
    return { rejections };
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
