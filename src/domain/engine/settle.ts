/**
 * Settles a member: points that are due mature or expire, vouchers and stamps lapse, and tiers end. Every decision and every read begins
 * with this, so nobody sees or spends what has expired, even if the background job is late.
 */
import type { EntryDraft, Points } from "../decision.ts";
import type { Debt, HeldVoucher, Lot, MemberStampCard, TierStanding } from "../records.ts";
import { changeLots, inSpendingOrder, leftOf, take } from "./lots.ts";
import { lapseCards } from "./stamps/cards.ts";
import { type StoredTier, settleTier } from "./tiers/tier.ts";
import { lapse, valueEntry } from "./vouchers/voucher.ts";

export interface Settled {
  readonly points: Points;
  readonly entries: readonly EntryDraft[];
}

/** A member after everything that was due has happened. */
export interface SettledState extends Settled {
  readonly vouchers: readonly HeldVoucher[];
  /** The value of the vouchers that lapsed. */
  readonly lapsedValue: number;
  /** Those that did not lapse are the same objects. */
  readonly cards: readonly MemberStampCard[];
  /** Undefined if it was not read. */
  readonly standing: TierStanding | undefined;
}

/** Settles a member's points, then its vouchers, its stamps, and its tier. @param tier undefined if it was not read */
export function settleAll(
  points: Points,
  {
    vouchers,
    cards,
  }: { readonly vouchers: readonly HeldVoucher[]; readonly cards: readonly MemberStampCard[] },
  tier: StoredTier | undefined,
  today: string,
): SettledState {
  const settled = settle(points, today);
  const lapsed = lapse(vouchers, today);
  return {
    points: settled.points,
    vouchers: lapsed.vouchers,
    lapsedValue: lapsed.value,
    cards: cards.length === 0 ? cards : lapseCards(cards, today),
    standing: tier && settleTier(tier, today),
    entries: [
      ...settled.entries,
      ...lapsed.due.flatMap((voucher) => {
        const { reference_id, location_id } = voucher;
        return valueEntry("voucher_issued", voucher, -1, { reference_id, location_id });
      }),
    ],
  };
}

/**
 * Settles points up to a day, day by day. On each day, points first expire, with one entry, and then mature, with one entry for
 * each lot. Points that mature pay the member's debts. The time is proportional to the number of due lots.
 */
export function settle(before: Points, today: string): Settled {
  const steps = stepsUntil(before.lots, today);
  if (steps.length === 0) return { points: before, entries: [] };
  const lots = new Map<number, Lot>();
  const entries: EntryDraft[] = [];
  let { balance, debts } = before;
  let expired = 0;
  for (const [index, { day, event, lot: atFirst }] of steps.entries()) {
    const lot = lots.get(atFirst.lot_id) ?? atFirst;
    const left = leftOf(lot);
    if (event === "expire") {
      lots.set(lot.lot_id, { ...lot, expired: lot.expired + left, lapsed: lot.lapsed + left });
      balance -= left;
      expired += left;
      const next = steps[index + 1];
      if (next?.day === day && next.event === "expire") continue;
      if (expired > 0) {
        entries.push({ event_type: "reward_points_expired", amount: -expired, facts: { day } });
      }
      expired = 0;
    } else {
      const payment = payOldestFirst(debts, left);
      lots.set(lot.lot_id, { ...lot, matured: true, clawed: lot.clawed + payment.paid });
      balance += left - payment.paid;
      debts = payment.debts;
      const { lot_id, reference_id, location_id } = lot;
      const matured = {
        event_type: "reward_points_earned",
        amount: left,
        reference_id,
        location_id,
      } as const;
      entries.push({ ...matured, facts: { lot_id } });
      entries.push(...payment.entries);
    }
  }
  return { points: { ...changeLots(before, [...lots.values()]), balance, debts }, entries };
}

/** A lot that matures or expires on a day. */
interface Step {
  readonly day: string;
  readonly event: "expire" | "mature";
  /** As it was before all steps. */
  readonly lot: Lot;
}

/** The steps that are due up to a day, in the order in which they happen. */
function stepsUntil(lots: readonly Lot[], today: string): Step[] {
  const steps: Step[] = [];
  for (const lot of lots) {
    if (leftOf(lot) === 0) continue;
    if (!lot.matured) {
      if (lot.matures_on > today) continue;
      steps.push({ day: lot.matures_on, event: "mature", lot });
    }
    if (lot.expires_on !== null && lot.expires_on <= today)
      steps.push({ day: lot.expires_on, event: "expire", lot });
  }
  return steps.sort((one, other) => {
    if (one.day !== other.day) return one.day < other.day ? -1 : 1;
    if (one.event !== other.event) return one.event === "expire" ? -1 : 1;
    return inSpendingOrder(one.lot, other.lot);
  });
}

/** Pays debts with points, the debt of the oldest sale first. The entries take these points from the balance. */
function payOldestFirst(before: readonly Debt[], most: number) {
  const entries: EntryDraft[] = [];
  if (before.length === 0) return { debts: before, entries, paid: 0 };
  let rest = most;
  const debts = [...before].sort((one, other) => one.sale_id - other.sale_id);
  for (const [index, debt] of debts.entries()) {
    const paid = Math.min(debt.owed, rest);
    if (paid === 0) continue;
    rest -= paid;
    debts[index] = { ...debt, owed: debt.owed - paid };
    const { reference_id, location_id } = debt;
    entries.push({ event_type: "reward_points_earned", amount: -paid, reference_id, location_id });
  }
  return { debts, entries, paid: most - rest };
}

/**
 * Pays the member's debts after points were put back into lots. A member who owes points has no other points in lots. Points
 * without a lot, such as gifts, pay no debt.
 */
export function payDebts(before: Points): Settled {
  const { debts, entries, paid } = payOldestFirst(before.debts, before.lotted);
  return { points: { ...take(before, paid, "clawed").points, debts }, entries };
}

/** The points that the member owes. */
export function owedOf({ debts }: Pick<Points, "debts">): number {
  return debts.reduce((sum, { owed }) => sum + owed, 0);
}
