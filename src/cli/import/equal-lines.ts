/**
 * Counts how often something was seen, in little memory: a table of 64-bit hashes with open addressing, nine bytes a
 * place. Ten million lines take 150 MB; a Map of their texts would take ten times that.
 */

export interface EqualLines {
  /**
   * Counts one more.
   * @param hash evenly distributed, at least eight bytes long
   * @returns how many equal ones came before it
   */
  add(hash: Buffer): number;
}

/** Counts that a byte can't hold are kept beside the table. */
const mostInByte = 255;
const fewestPlaces = 1024;

class Table {
  readonly #mask: number;
  /** Two words a place: the halves of a hash. */
  readonly #hashes: Uint32Array;
  /** 0 where a place is free. */
  readonly #counts: Uint8Array;
  used = 0;

  constructor(places: number) {
    this.#mask = places - 1;
    this.#hashes = new Uint32Array(2 * places);
    this.#counts = new Uint8Array(places);
  }

  get places(): number {
    return this.#mask + 1;
  }

  /** The place of a hash, or the free one where it goes. */
  placeOf(low: number, high: number): number {
    let place = low & this.#mask;
    while (
      this.#counts[place] !== 0 &&
      (this.#hashes[2 * place] !== low || this.#hashes[2 * place + 1] !== high)
    ) {
      place = (place + 1) & this.#mask;
    }
    return place;
  }

  countAt(place: number): number {
    return this.#counts[place] as number;
  }

  put(low: number, high: number, place: number, count: number): void {
    if (this.#counts[place] === 0) this.used += 1;
    this.#hashes[2 * place] = low;
    this.#hashes[2 * place + 1] = high;
    this.#counts[place] = count;
  }

  copyInto(other: Table): void {
    for (let place = 0; place < this.places; place += 1) {
      const count = this.countAt(place);
      if (count === 0) continue;
      const low = this.#hashes[2 * place] as number;
      const high = this.#hashes[2 * place + 1] as number;
      other.put(low, high, other.placeOf(low, high), count);
    }
  }
}

/** @param places how many there are at first, a power of two; it grows by itself */
export function createEqualLines(places = fewestPlaces): EqualLines {
  let table = new Table(places);
  const many = new Map<string, number>();
  return {
    add(hash) {
      const [low, high] = [hash.readUInt32LE(0), hash.readUInt32LE(4)];
      if (table.used >= 0.8 * table.places) {
        const larger = new Table(2 * table.places);
        table.copyInto(larger);
        table = larger;
      }
      const place = table.placeOf(low, high);
      const before = table.countAt(place);
      if (before < mostInByte) {
        table.put(low, high, place, before + 1);
        return before;
      }
      const key = hash.toString("latin1", 0, 8);
      const further = many.get(key) ?? mostInByte;
      many.set(key, further + 1);
      return further;
    },
  };
}
