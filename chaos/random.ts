import { randomNumbers } from "../bench/history/random.ts";

/** Random choices that come out the same for the same seed. */
export interface Random {
  /** A whole number from 0 to below the limit. */
  below(limit: number): number;
  /** True in `share` of all cases. */
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

export function randomFrom(seed: number): Random {
  const next = randomNumbers(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    pick: (items) => items[below(items.length)] as never,
  };
}
