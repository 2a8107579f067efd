/**
 * Settles a member: points that are due mature or expire. Every decision and every read begins with this, so nobody sees or
 * spends expired points, even if the background job is late.
 */
import { balanceLimit } from "../ledger.ts";
import type { EntryDraft, Lot, Points } from "../posting.ts";
import { dueOn, leftOf, take, trim, withLots } from "./lots.ts";

export interface Settled {
  readonly points: Points;
  readonly entries: readonly EntryDraft[];
}

/** Settles points up to a day. On each day, points first expire, then mature. */
export function settle(before: Points, today: string): Settled {
  let points = trim(before);
  const entries: EntryDraft[] = [];
  for (;;) {
    const day = nextDue(points.lots);
    if (day === undefined || day > today) return { points, entries };
    const expired = expire(points, day);
    const matured = mature(expired.points, day);
    points = matured.points;
    entries.push(...expired.entries, ...matured.entries);
  }
}

function nextDue(lots: readonly Lot[]): string | undefined {
  let next: string | undefined;
  for (const lot of lots) {
    const due = dueOn(lot);
    if (due !== null && (next === undefined || due < next)) next = due;
  }
  return next;
}

/** Expires the points of matured lots that are due on a day, with one entry. */
function expire(points: Points, day: string): Settled {
  const due = points.lots.filter((lot) => lot.matured && dueOn(lot) === day);
  const total = due.reduce((sum, lot) => sum + leftOf(lot), 0);
  if (total === 0) return { points, entries: [] };
  const lots = withLots(
    points.lots,
    due.map((lot) => ({ ...lot, expired: lot.expired + leftOf(lot) })),
  );
  return {
    points: { ...points, balance: points.balance - total, lots },
    entries: [{ event_type: "reward_points_expired", amount: -total }],
  };
}

/** Matures the lots that are due on a day, with one entry for each. Their points pay the member's debts. */
function mature(before: Points, day: string): Settled {
  let points = before;
  const entries: EntryDraft[] = [];
  for (const lot of points.lots.filter((candidate) => !candidate.matured && dueOn(candidate) === day)) {
    // Points over the limit of the balance are lost.
    const credit = Math.min(leftOf(lot), balanceLimit - points.balance);
    const matured = { ...lot, matured: true, clawed: lot.clawed + leftOf(lot) - credit };
    points = { ...points, balance: points.balance + credit, lots: withLots(points.lots, [matured]) };
    if (credit === 0) continue;
    entries.push({ event_type: "reward_points_earned", amount: credit, reference_id: lot.reference_id });
    const paid = payDebts(points, credit);
    points = paid.points;
    entries.push(...paid.entries);
  }
  return { points, entries };
}

/**
 * Pays the member's debts, oldest first, after points were credited by a rule.
 * @param credit the points that were credited
 */
export function payDebts(before: Points, credit: number): Settled {
  let points = before;
  let rest = Math.min(credit, points.balance);
  const entries: EntryDraft[] = [];
  const debts = points.debts.map((debt) => {
    const paid = Math.min(debt.owed, rest);
    if (paid === 0) return debt;
    rest -= paid;
    points = take(points, paid, "clawed").points;
    entries.push({ event_type: "reward_points_earned", amount: -paid, reference_id: debt.reference_id });
    return { ...debt, owed: debt.owed - paid };
  });
  return { points: { ...points, debts }, entries };
}

/** The points that the member owes. */
export function owedOf({ debts }: Points): number {
  return debts.reduce((sum, { owed }) => sum + owed, 0);
}

/**
 * Settles a member's points, and takes away all of them, also pending points and debts, when the member is erased.
 * @returns the entries that were due, and the points afterwards. The caller records the entry that takes the balance.
 */
export function closePoints(before: Points, today: string): Settled {
  const { points, entries } = settle(before, today);
  const lots = points.lots.map((lot) =>
    leftOf(lot) === 0 ? lot : { ...lot, clawed: lot.clawed + leftOf(lot) },
  );
  const debts = points.debts.map((debt) => (debt.owed === 0 ? debt : { ...debt, owed: 0 }));
  return { points: { balance: 0, lots, debts }, entries };
}
