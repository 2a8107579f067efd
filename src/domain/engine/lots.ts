/**
 * A member's points by lot. The points of one sale are a lot: they mature and expire together. Points that were credited
 * by hand belong to no lot and never expire.
 *
 * The points that can be spent are the balance of the points account: what is left of matured lots, and the points
 * without a lot. Pending points are in no balance.
 */
import { addDays } from "../dates.ts";
import type { Lot, Points, Use } from "../posting.ts";

/** The points of a lot that are still there, pending or not. */
export function leftOf(lot: Lot): number {
  return lot.points - lot.clawed - lot.used - lot.expired;
}

/** The next day on which a lot matures or expires; null if it never does. */
export function dueOn(lot: Lot): string | null {
  if (leftOf(lot) === 0) return null;
  return lot.matured ? lot.expires_on : lot.matures_on;
}

/** The matured lots that have points left, in the order in which points are spent: first those that expire first. */
export function spendable(lots: readonly Lot[]): Lot[] {
  return lots.filter((lot) => lot.matured && leftOf(lot) > 0).sort(inSpendingOrder);
}

const never = "9999-12-31";

function inSpendingOrder(one: Lot, other: Lot): number {
  const [first, second] = [one.expires_on ?? never, other.expires_on ?? never];
  if (first !== second) return first < second ? -1 : 1;
  return one.lot_id - other.lot_id;
}

/** The points of the balance that belong to no lot. */
export function unlotted({ balance, lots }: Points): number {
  return spendable(lots).reduce((rest, lot) => rest - leftOf(lot), balance);
}

/** The lots, with some of them replaced. Lots that are not replaced stay the same objects. */
export function withLots(lots: readonly Lot[], changed: readonly Lot[]): Lot[] {
  const replacements = new Map(changed.map((lot) => [lot.lot_id, lot]));
  const known = new Set(lots.map((lot) => lot.lot_id));
  return [
    ...lots.map((lot) => replacements.get(lot.lot_id) ?? lot),
    ...changed.filter((lot) => !known.has(lot.lot_id)),
  ];
}

/**
 * Takes points from the balance: from lots in spending order, then those without a lot.
 * @param amount at most the balance
 * @param as whether they were spent or clawed back
 */
export function take(points: Points, amount: number, as: "used" | "clawed"): { points: Points; uses: Use[] } {
  const changed: Lot[] = [];
  const uses: Use[] = [];
  let rest = amount;
  for (const lot of spendable(points.lots)) {
    if (rest === 0) break;
    const taken = Math.min(rest, leftOf(lot));
    changed.push({ ...lot, [as]: lot[as] + taken });
    uses.push({ lot_id: lot.lot_id, points: taken });
    rest -= taken;
  }
  if (rest > 0) uses.push({ lot_id: 0, points: rest });
  const after = { ...points, balance: points.balance - amount, lots: withLots(points.lots, changed) };
  return { points: after, uses };
}

/**
 * Puts spent points back where they came from, in reverse order of use.
 * @param amount at most the points of the uses
 * @param restoredUntil the new `expires_on` of a lot that has expired
 * @returns the points, and the uses that are left
 */
export function putBack(
  points: Points,
  uses: readonly Use[],
  amount: number,
  today: string,
  restoredUntil: string,
): { points: Points; uses: Use[] } {
  const lots = new Map(points.lots.map((lot) => [lot.lot_id, lot]));
  const left = uses.map((use) => ({ ...use }));
  let rest = amount;
  for (const use of left.toReversed()) {
    const given = Math.min(rest, use.points);
    rest -= given;
    use.points -= given;
    const lot = lots.get(use.lot_id);
    if (lot === undefined || given === 0) continue;
    const hasPassed = lot.expires_on !== null && lot.expires_on <= today;
    const expires_on = hasPassed ? restoredUntil : lot.expires_on;
    lots.set(lot.lot_id, { ...lot, used: lot.used - given, expires_on });
  }
  const after = { ...points, balance: points.balance + amount, lots: [...lots.values()] };
  return { points: after, uses: left.filter((use) => use.points > 0) };
}

/**
 * Corrects lots after debits by hand, which take points without a lot first. If they took more, the lots lose the rest, in
 * spending order.
 */
export function trim(points: Points): Points {
  const excess = -unlotted(points);
  if (excess <= 0) return points;
  const { points: after } = take(points, excess, "used");
  return { ...after, balance: points.balance };
}

/** Pending points by the day on which they mature. */
export function pendingPoints({ lots }: Points): { matures_on: string; points: number }[] {
  const pending = lots.filter((lot) => !lot.matured && leftOf(lot) > 0);
  return sums(pending, (lot) => lot.matures_on).map(([matures_on, points]) => ({ matures_on, points }));
}

/**
 * The points of the balance by the last day on which they can be spent, earliest first. Those that don't expire come last,
 * with null.
 */
export function expiringPoints(points: Points): { valid_through: string | null; points: number }[] {
  const left = spendable(points.lots);
  const dated = sums(left, (lot) => lot.expires_on ?? never).filter(([day]) => day !== never);
  const unlimited = dated.reduce((rest, [, sum]) => rest - sum, points.balance);
  return [
    ...dated.map(([day, sum]) => ({ valid_through: addDays(day, -1), points: sum })),
    ...(unlimited === 0 ? [] : [{ valid_through: null, points: unlimited }]),
  ];
}

function sums(lots: readonly Lot[], dayOf: (lot: Lot) => string): [day: string, points: number][] {
  const days = new Map<string, number>();
  for (const lot of lots) days.set(dayOf(lot), (days.get(dayOf(lot)) ?? 0) + leftOf(lot));
  return [...days].sort(([one], [other]) => (one < other ? -1 : 1));
}

export function lotStatus(lot: Lot): "pending" | "available" | "closed" {
  if (leftOf(lot) === 0) return "closed";
  return lot.matured ? "available" : "pending";
}

/** The last day on which a lot's points can be spent; null: they don't expire. */
export function validThrough({ expires_on }: Lot): string | null {
  return expires_on === null ? null : addDays(expires_on, -1);
}
