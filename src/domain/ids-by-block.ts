/**
 * Ids, two bytes each: by blocks of 1,024, in which an id is written as two characters. That is how the database writes
 * them, too (`string_agg`), so that nothing has to take apart what may be a million ids.
 */

export const idsInBlock = 1024;
/** An id's place in its block is written in digits of five bits, from this character on. */
export const firstDigit = 64;
export const digitValues = 32;

/** Never changed: others may be reading it. */
export class IdsByBlock {
  /** The highest first; those of a block in no order. */
  readonly #blocks: ReadonlyMap<number, string>;
  /** How many ids there are. */
  readonly size: number;

  /** @param blocks numbers of blocks, each once, with the ids in them as they are written */
  constructor(blocks: Iterable<readonly [block: number, ids: string]>) {
    const descending = [...blocks].filter(([, ids]) => ids !== "").sort(([a], [b]) => b - a);
    this.#blocks = new Map(descending);
    this.size = descending.reduce((sum, [, ids]) => sum + ids.length / 2, 0);
  }

  /** About how much memory they take. */
  get bytes(): number {
    return 2 * this.size + 100 * this.#blocks.size;
  }

  /** The ids with some of them, which need not have been there before, there or gone. */
  with(changes: Iterable<{ readonly id: number; readonly there: boolean }>): IdsByBlock {
    const changed = new Map<number, Set<number>>();
    for (const { id, there } of changes) {
      const block = Math.floor(id / idsInBlock);
      const ids = changed.get(block) ?? new Set(idsIn(block, this.#blocks.get(block) ?? ""));
      changed.set(block, ids);
      if (there) ids.add(id);
      else ids.delete(id);
    }
    const written = [...changed].map(([block, ids]) => [block, [...ids].map(textOf).join("")] as const);
    return new IdsByBlock(new Map([...this.#blocks, ...written]));
  }

  /** Some ids, the highest first. */
  highest(offset: number, count: number): number[] {
    const found: number[] = [];
    let before = offset;
    for (const [block, text] of this.#blocks) {
      if (before >= text.length / 2) {
        before -= text.length / 2;
        continue;
      }
      const descending = idsIn(block, text).sort((a, b) => b - a);
      found.push(...descending.slice(before, before + count - found.length));
      before = 0;
      if (found.length === count) break;
    }
    return found;
  }
}

function textOf(id: number): string {
  const place = id % idsInBlock;
  return String.fromCharCode(
    firstDigit + Math.floor(place / digitValues),
    firstDigit + (place % digitValues),
  );
}

function idsIn(block: number, text: string): number[] {
  const digit = (at: number) => text.charCodeAt(at) - firstDigit;
  return Array.from(
    { length: text.length / 2 },
    (_, nth) => block * idsInBlock + digit(2 * nth) * digitValues + digit(2 * nth + 1),
  );
}
