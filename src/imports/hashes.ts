/** Numbers by text, for files of any length: only hashes of the texts are kept. */
import { randomInt } from "node:crypto";

/** Numbers by text; 0 for a text without one. */
export interface Numbers {
  get(text: string): number;
  set(text: string, number: number): void;
}

export function hashedNumbers(): Numbers {
  const table = new HashTable();
  // Nobody can write a file of texts with one hash.
  const seed = randomInt(2 ** 32);
  return {
    get: (text) => table.get(...hashOf(text, seed)),
    set: (text, number) => table.set(...hashOf(text, seed), number),
  };
}

type Hash = readonly [low: number, high: number];

/** The steps and the end of MurmurHash3, twice. A hash of node:crypto takes ten times as long, because most of it is the call. */
export function hashOf(text: string, seed: number): Hash {
  let [low, high] = [seed, ~seed];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0xcc9e2d51);
    low = (low << 15) | (low >>> 17);
    high = Math.imul(high ^ code, 0x1b873593);
    high = (high << 13) | (high >>> 19);
  }
  low = Math.imul(low ^ (high >>> 16) ^ text.length, 0x85ebca6b);
  high = Math.imul(high ^ (low >>> 13), 0xc2b2ae35);
  low ^= high >>> 16;
  return [low >>> 0, high >>> 0];
}

/** A place has the two halves of a hash and its number. */
const words = 3;

/**
 * Numbers by 64-bit hashes, in a typed array: 12 bytes a place, 45 to 90 % of them in use. Ten million hashes take
 * 200 MB outside the heap. Maps of them took 900 MB of heap, which is more than Node allows on a small machine.
 */
export class HashTable {
  #places = 1024;
  #table = new Uint32Array(words * 1024);
  #used = 0;

  /** @returns the number of a hash; 0 when it has none */
  get(low: number, high: number): number {
    return this.#table[this.#placeOf(low, high) + 2] as number;
  }

  /** @param number from 1 to 2³² - 1 */
  set(low: number, high: number, number: number): void {
    if (this.#used > 0.9 * this.#places) this.#grow();
    const place = this.#placeOf(low, high);
    const table = this.#table;
    if (table[place + 2] === 0) this.#used += 1;
    table[place] = low;
    table[place + 1] = high;
    table[place + 2] = number;
  }

  /** Where the place of a hash begins, or the free place where it goes. */
  #placeOf(low: number, high: number): number {
    const table = this.#table;
    const last = this.#places - 1;
    let place = low & last;
    let at = words * place;
    while (table[at + 2] !== 0 && (table[at] !== low || table[at + 1] !== high)) {
      place = (place + 1) & last;
      at = words * place;
    }
    return at;
  }

  #grow(): void {
    const before = this.#table;
    this.#places *= 2;
    this.#table = new Uint32Array(words * this.#places);
    this.#used = 0;
    for (let at = 0; at < before.length; at += words) {
      const number = before[at + 2] as number;
      if (number !== 0) this.set(before[at] as number, before[at + 1] as number, number);
    }
  }
}
