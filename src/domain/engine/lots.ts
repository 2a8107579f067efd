/**
 * A member's points by lot. The points of one sale are a lot. They mature and expire together. Points that were credited by hand
 * belong to no lot and never expire. Points that were imported with a last day are a lot without a sale.
 *
 * The balance of the points account is the number of points that can be spent: the points that are left in matured lots, and the
 * points without a lot. It does not include pending points.
 */
import { addDays, lastDay } from "../dates.ts";
import type { Points } from "../decision.ts";
import { balanceLimit } from "../ledger.ts";
import type { Changes, Lot, Use } from "../records.ts";

/** The points that are left in a lot, pending or not. */
export function leftOf(lot: Lot): number {
  return lot.points - lot.clawed - lot.used - lot.expired;
}

/** Points that mature or expire on a day: those of a lot, or the sum of several. */
export interface DuePoints {
  readonly event: "points_mature" | "points_expire";
  /** Null: they don't expire. */
  readonly day: string | null;
  readonly points: number;
}

/** The next event of a lot; undefined when no points are left in it. */
export function dueOf(lot: Lot): DuePoints | undefined {
  const points = leftOf(lot);
  if (points === 0) return undefined;
  return lot.matured
    ? { event: "points_expire", day: lot.expires_on, points }
    : { event: "points_mature", day: lot.matures_on, points };
}

/** Whether a lot has points that mature or expire on a day or before it. */
export function isDue(lot: Lot, today: string): boolean {
  const day = dueOf(lot)?.day ?? null;
  return day !== null && day <= today;
}

/** The order in which lots that are due are settled. */
export function inDueOrder(one: Lot, other: Lot): number {
  const [first, second] = [dueOf(one)?.day ?? lastDay, dueOf(other)?.day ?? lastDay];
  if (first !== second) return first < second ? -1 : 1;
  if (one.matured !== other.matured) return one.matured ? -1 : 1;
  return inSpendingOrder(one, other);
}

/** The matured lots that have points left, in the order in which points are spent. */
export function spendable(lots: readonly Lot[]): Lot[] {
  return lots.filter((lot) => lot.matured && leftOf(lot) > 0).sort(inSpendingOrder);
}

/** Lots that expire first are spent first. Of lots that expire on one day, the oldest is spent first. */
export function inSpendingOrder(one: Lot, other: Lot): number {
  const [first, second] = [one.expires_on ?? lastDay, other.expires_on ?? lastDay];
  if (first !== second) return first < second ? -1 : 1;
  return one.lot_id - other.lot_id;
}

/** The points of the balance that belong to no lot. */
export function unlotted({ balance, lotted }: Points): number {
  return balance - lotted;
}

/** How many points can be credited. The balance with all pending points must stay within the limit. */
export function roomFor({ balance, pending }: Points): number {
  return balanceLimit - balance - pending;
}

/** Changes or adds some lots, and updates the totals. Other lots stay the same objects. */
export function changeLots(points: Points, changed: readonly Lot[]): Points {
  const rest = new Map(changed.map((lot) => [lot.lot_id, lot]));
  let { lotted, pending } = points;
  const count = (lot: Lot, sign: 1 | -1) => {
    if (lot.matured) lotted += sign * leftOf(lot);
    else pending += sign * leftOf(lot);
  };
  const lots = points.lots.map((lot) => {
    const replacement = rest.get(lot.lot_id);
    if (replacement === undefined) return lot;
    rest.delete(lot.lot_id);
    count(lot, -1);
    count(replacement, 1);
    return replacement;
  });
  for (const lot of rest.values()) {
    count(lot, 1);
    lots.push(lot);
  }
  return { ...points, lotted, pending, lots };
}

/** The lots and debts that differ between two states of a member's points. */
export function pointsChanges(before: Points, after: Points): Changes {
  const [lots, debts] = [new Set(before.lots), new Set(before.debts)];
  return {
    lot: after.lots.filter((lot) => !lots.has(lot)),
    debt: after.debts.filter((debt) => !debts.has(debt)),
  };
}

/**
 * Takes points from the balance: first points of lots, in spending order, then points without a lot.
 * @param amount at most the balance
 * @param as whether they were spent or clawed back
 * @throws when lots that are spent first were not read
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
  if (rest > unlotted(points)) throw new Error("lots that are to be spent were not read");
  if (rest > 0) uses.push({ lot_id: 0, points: rest });
  return { points: { ...changeLots(points, changed), balance: points.balance - amount }, uses };
}

/** The points of a lot that were valid on a day and have lapsed since. */
export function lapsedSince(lot: Lot, day: string): number {
  const wasGood = lot.matures_on <= day && lot.expires_on !== null && lot.expires_on > day;
  return wasGood ? lot.lapsed : 0;
}

/**
 * Makes lapsed points spendable again, for a sale of an earlier day. They come first in the order of spending.
 * @param most the points that the sale spends
 * @param day of the sale
 */
export function revive(points: Points, most: number, day: string): Points {
  const changed: Lot[] = [];
  let rest = most;
  for (const lot of points.lots.toSorted(inSpendingOrder)) {
    const back = Math.min(rest, lapsedSince(lot, day));
    if (back === 0) continue;
    changed.push({ ...lot, expired: lot.expired - back, lapsed: lot.lapsed - back });
    rest -= back;
  }
  return { ...changeLots(points, changed), balance: points.balance + most - rest };
}

/**
 * Puts spent points back into their lots, in reverse order of use.
 * @param amount at most the points of the uses
 * @param restoredUntil the new `expires_on` of a lot that has expired; a day that has passed leaves its own
 * @returns the points, and the remaining uses
 */
export function putBack(
  points: Points,
  uses: readonly Use[],
  amount: number,
  today: string,
  restoredUntil: string,
): { points: Points; uses: Use[] } {
  const lots = new Map(points.lots.map((lot) => [lot.lot_id, lot]));
  const changed: Lot[] = [];
  const left = uses.map((use) => ({ ...use }));
  let rest = amount;
  for (const use of left.toReversed()) {
    const given = Math.min(rest, use.points);
    rest -= given;
    use.points -= given;
    if (given === 0 || use.lot_id === 0) continue;
    const lot = lots.get(use.lot_id);
    if (lot === undefined) throw new Error("a lot whose points are put back was not read");
    const hasPassed = lot.expires_on !== null && lot.expires_on <= today;
    // They are valid from today to another day, on which what lapsed before does not lapse again.
    const isRestored = hasPassed && restoredUntil > today;
    const restored = isRestored ? { matures_on: today, expires_on: restoredUntil, lapsed: 0 } : {};
    changed.push({ ...lot, used: lot.used - given, ...restored });
  }
  const after = { ...changeLots(points, changed), balance: points.balance + amount };
  return { points: after, uses: left.filter((use) => use.points > 0) };
}

/** Takes a debit by hand from the balance: first points without a lot, then points of lots, in spending order. */
export function debitByHand(points: Points, amount: number): Points {
  const excess = Math.max(0, amount - unlotted(points));
  const { points: after } = take(points, excess, "used");
  return { ...after, balance: points.balance - amount };
}

/** Updates the sums of what is due by day, after some lots have changed. */
export function changeSums(
  sums: readonly DuePoints[],
  changed: readonly { readonly before: Lot | undefined; readonly after: Lot }[],
): DuePoints[] {
  const byDay = new Map<string, DuePoints>();
  const add = (due: DuePoints | undefined, sign: 1 | -1) => {
    if (due === undefined) return;
    const name = `${due.event} ${due.day}`;
    const points = (byDay.get(name)?.points ?? 0) + sign * due.points;
    byDay.set(name, { event: due.event, day: due.day, points });
  };
  for (const sum of sums) add(sum, 1);
  for (const { before, after } of changed) {
    add(before && dueOf(before), -1);
    add(dueOf(after), 1);
  }
  return [...byDay.values()].filter(({ points }) => points !== 0);
}

/** Pending points by the day on which they mature. */
export function pendingPoints(sums: readonly DuePoints[]): { matures_on: string; points: number }[] {
  return sums
    .filter(({ event }) => event === "points_mature")
    .map(({ day, points }) => ({ matures_on: day as string, points }))
    .sort((one, other) => (one.matures_on < other.matures_on ? -1 : 1));
}

/** The points of the balance by the last day on which they can be spent, earliest first. Points that don't expire come last. */
export function expiringPoints(balance: number, sums: readonly DuePoints[]) {
  const dated = sums.flatMap(({ event, day, points }) =>
    event === "points_expire" && day !== null
      ? { valid_through: addDays(day, -1) as string | null, points }
      : [],
  );
  dated.sort((one, other) => ((one.valid_through as string) < (other.valid_through as string) ? -1 : 1));
  const unlimited = dated.reduce((rest, { points }) => rest - points, balance);
  return [...dated, ...(unlimited === 0 ? [] : [{ valid_through: null, points: unlimited }])];
}

export function lotStatus(lot: Lot): "pending" | "available" | "closed" {
  if (leftOf(lot) === 0) return "closed";
  return lot.matured ? "available" : "pending";
}

/** The last day on which a lot's points can be spent; null: they don't expire. */
export function validThrough({ expires_on }: Lot): string | null {
  return expires_on === null ? null : addDays(expires_on, -1);
}
