/** Chance that repeats itself: the same seed gives the same numbers. */
export interface Random {
  /** A whole number from minimum to maximum, both included. */
  between(minimum: number, maximum: number): number;
  /** True once in `times` on average. */
  once(times: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** @param seed a 32-bit integer */
export function createRandom(seed: number): Random {
  let state = seed;
  // Mulberry32: small, and random enough for a demo.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (minimum: number, maximum: number) =>
    minimum + Math.floor(next() * (maximum - minimum + 1));
  return {
    between,
    once: (times) => next() * times < 1,
    pick: (items) => items[between(0, items.length - 1)] as never,
  };
}
