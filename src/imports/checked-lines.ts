/** What a check keeps of the lines of a file. It records nothing, so later lines are compared with this. */
import { randomInt } from "node:crypto";
import type { EarlierLine, EarlierLines, Kept, TriedLine } from "../operations/imports/chunks.ts";
import { hashedNumbers, hashOf } from "./hashes.ts";

/** More than a line has. */
const mostValues = 16;

/** Lines are found by hashes, and values are in a typed array. Ten million sales with references take 700 MB outside the heap. */
export class CheckedLines implements EarlierLines {
  /** By digest: twice the place of the values, or for a line without values twice its number, and one. */
  readonly #places = hashedNumbers();
  readonly #seed = randomInt(2 ** 32);
  /** At a place are the line and the number of values, and behind them the values. The first place is not used. */
  #values = new Float64Array(1024);
  #end = 1;

  add({ digest, line = 0, values }: TriedLine): void {
    if (values.length === 0) {
      this.#places.set(digest, 2 * line + 1);
      return;
    }
    const place = this.#places.get(digest) / 2 || this.#place(digest, values.length);
    const numbers = values.map((value) => this.numberOf(value));
    this.#values.set([line * mostValues + values.length, ...numbers], place);
  }

  /** Makes a place for values. */
  #place(digest: string, length: number): number {
    const place = this.#end;
    this.#end += length + 1;
    if (this.#end > this.#values.length) {
      const before = this.#values;
      this.#values = new Float64Array(2 * this.#end);
      this.#values.set(before);
    }
    this.#places.set(digest, 2 * place);
    return place;
  }

  find(digest: string): EarlierLine | undefined {
    const number = this.#places.get(digest);
    if (number === 0) return undefined;
    if (number % 2 === 1) return { line: (number - 1) / 2 || undefined, values: [] };
    const place = number / 2;
    const head = this.#values[place] as number;
    const values = [...this.#values.subarray(place + 1, place + 1 + (head % mostValues))];
    return { line: Math.floor(head / mostValues) || undefined, values };
  }

  numberOf(value: Kept): number {
    if (typeof value === "number") return value;
    if (value === null) return -1;
    const [low, high] = hashOf(value, this.#seed);
    return low + (high % 2 ** 21) * 2 ** 32;
  }
}
