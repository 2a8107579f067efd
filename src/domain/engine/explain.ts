/** Where a member's points come from and how long they are good, for apps and for "why do I have 120 points?". */
import { addDays } from "../dates.ts";
import { type Lot, leftOf, type Points, unlotted } from "./lots.ts";

export interface PendingPoints {
  readonly matures_on: string;
  readonly points: number;
}

export interface ExpiringPoints {
  /** The last day on which they can be spent; null: they don't expire. */
  readonly valid_through: string | null;
  readonly points: number;
}

/** Pending points by the day on which they mature. */
export function pendingPoints({ lots }: Points): PendingPoints[] {
  const pending = lots.filter((lot) => !lot.matured && leftOf(lot) > 0);
  const days = sums(pending, (lot) => lot.matures_on);
  return days.map(([matures_on, points]) => ({ matures_on: matures_on as string, points }));
}

/** The points of the balance by the last day on which they can be spent, earliest first; those without one last. */
export function expiringPoints(points: Points): ExpiringPoints[] {
  const spendable = points.lots.filter((lot) => lot.matured && leftOf(lot) > 0);
  const days = sums(spendable, (lot) => lot.expires_on);
  const dated = days.filter(([day]) => day !== null);
  const undated = days.find(([day]) => day === null)?.[1] ?? 0;
  const unlimited = undated + unlotted(points);
  return [
    ...dated.map(([day, sum]) => ({ valid_through: addDays(day as string, -1), points: sum })),
    ...(unlimited === 0 ? [] : [{ valid_through: null, points: unlimited }]),
  ];
}

function sums(lots: readonly Lot[], dayOf: (lot: Lot) => string | null): [string | null, number][] {
  const days = new Map<string | null, number>();
  for (const lot of lots) days.set(dayOf(lot), (days.get(dayOf(lot)) ?? 0) + leftOf(lot));
  return [...days].sort(([one], [other]) => ((one ?? "") < (other ?? "") ? -1 : 1));
}

/** What became of a lot. */
export function lotStatus(lot: Lot): "pending" | "available" | "closed" {
  if (leftOf(lot) === 0) return "closed";
  return lot.matured ? "available" : "pending";
}

/** The last day on which a lot's points can be spent; null: they don't expire. */
export function validThrough({ expires_on }: Lot): string | null {
  return expires_on === null ? null : addDays(expires_on, -1);
}
