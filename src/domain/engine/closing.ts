/** Takes a member's points away for good, when its personal data is erased. */
import { leftOf, type Points } from "./lots.ts";
import { type Settled, settle } from "./settle.ts";

/**
 * Settles the points, and takes what is left of them: also points that are still pending, and what the member owes.
 * @returns what was due before, and the points afterwards; the caller records that the balance was taken
 */
export function closePoints(before: Points, today: string): Settled {
  const { points, entries } = settle(before, today);
  const lots = points.lots.map((lot) =>
    leftOf(lot) === 0 ? lot : { ...lot, clawed: lot.clawed + leftOf(lot) },
  );
  const debts = points.debts.map((debt) => (debt.owed === 0 ? debt : { ...debt, owed: 0 }));
  return { points: { balance: 0, lots, debts }, entries };
}
