/** Random numbers that come out the same at every run. */

/** @returns a function that makes numbers from 0 to below 1 (Mulberry32) */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Draws ranks from 0 to below `count` after Zipf: a rank's share falls with its number to the power of
 * `exponent`. By inversion of the continuous distribution, which costs the same for any count.
 */
export function zipf(random: () => number, count: number, exponent: number): () => number {
  const power = 1 - exponent;
  const span = (count + 1) ** power - 1;
  return () => Math.min(count - 1, Math.floor((random() * span + 1) ** (1 / power)) - 1);
}

/** Draws items by their weights. */
export function weighted<Item>(
  random: () => number,
  weights: readonly (readonly [Item, number])[],
): () => Item {
  // A table of a thousand places makes a draw one look-up.
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  const table = weights.flatMap(([item, weight]) =>
    Array.from({ length: Math.max(1, Math.round((weight / total) * 1000)) }, () => item),
  );
  return () => table[Math.floor(random() * table.length)] as Item;
}

/** A number that shares no factor with `count`: stepping by it visits every place once, far apart. */
export function scatterStep(count: number): number {
  let step = Math.max(1, Math.floor(count * 0.618));
  while (greatestCommonDivisor(step, count) !== 1) step += 1;
  return step;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
