/**
 * Refunding a sale. Each part is a function of the total refunded so far, and a refund is the difference of two totals. So
 * several small refunds have the same result as one large refund.
 */

import { addDays } from "../dates.ts";
import { balanceLimit } from "../ledger.ts";
import type { Debt, Member, Points, RefundParts, Sale, Use } from "../posting.ts";
import { Refusal } from "../refusal.ts";
import { leftOf, putBack, take, withLots } from "./lots.ts";
import { pointsFor, type Rules } from "./rules.ts";
import { entryOf } from "./sale.ts";
import { owedOf, payDebts, settle } from "./settle.ts";

/** A proportional share, rounded down. The product may be too large for a number. */
function share(part: number, refunded: number, amount: number): number {
  return Number((BigInt(part) * BigInt(refunded)) / BigInt(amount));
}

/**
 * All that was given and taken back after a part of a sale's amount has been refunded.
 * @param refunded the total refunded so far, at most the sale's amount
 */
export function refundParts(sale: Sale, refunded: number): RefundParts {
  const { amount } = sale;
  const baseLeft = share(sale.earning_base, amount - refunded, amount);
  return {
    money_back: share(sale.amount_due, refunded, amount),
    wallet_back: share(sale.wallet_used, refunded, amount),
    points_back: share(sale.points_used, refunded, amount),
    points_clawed: sale.points_earned - Math.min(sale.points_earned, pointsFor(baseLeft, sale)),
  };
}

export interface RefundInput {
  readonly location_id: number;
  /** The part of the sale's amount to refund; the rest when absent. */
  readonly amount?: number | undefined;
  /** The reference of the entries; the sale's when absent. */
  readonly reference_id?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * Decides a refund, also for an inactive member.
 * @param rules those in force today
 * @param today the day of the business
 */
export function decideRefund(member: Member, sale: Sale, input: RefundInput, rules: Rules, today: string) {
  const { location_id, reason, reference_id = sale.reference_id } = input;
  const { sale_id } = sale;
  const refundable = sale.amount - sale.refunded;
  const { amount = refundable } = input;
  if (amount > refundable || refundable === 0) return new Refusal("refund_exceeds_sale", { refundable });
  const refunded = sale.refunded + amount;
  const [before, after] = [refundParts(sale, sale.refunded), refundParts(sale, refunded)];
  const parts = {
    money_back: after.money_back - before.money_back,
    wallet_back: after.wallet_back - before.wallet_back,
    points_back: after.points_back - before.points_back,
    points_clawed: after.points_clawed - before.points_clawed,
  };
  const { wallet, sales } = member.balances;
  if (wallet > balanceLimit - parts.wallet_back) {
    return new Refusal("balance_limit_exceeded", { account: "wallet", balance: wallet });
  }
  const settled = settle(member.points, today);
  const returned = giveBack(settled.points, sale.uses, parts.points_back, rules, today);
  if (returned instanceof Refusal) return returned;
  const clawed = claw(returned.points, sale, parts.points_clawed, rules);
  const expired = settle(clawed.points, today);
  const paid = payDebts(expired.points, parts.points_back);

  const net = parts.wallet_back + parts.money_back;
  return {
    settled: settled.entries,
    entries: [
      ...entryOf("reward_points_redeemed", parts.points_back, reference_id),
      ...entryOf("wallet_payment", parts.wallet_back, reference_id),
      ...entryOf("sale_refund", -net, reference_id),
      ...entryOf("reward_points_earned", -clawed.taken, reference_id),
      ...expired.entries,
      ...paid.entries,
    ],
    location_id,
    reason,
    points: paid.points,
    sale: {
      ...sale,
      refunded,
      points_excused: sale.points_excused + clawed.excused,
      uses: returned.uses,
    },
    refund: { ...parts, sale_id, refunded, amount, location_id, reference_id, reason: reason ?? null },
    data: {
      sale_id,
      refunded: amount,
      refundable: refundable - amount,
      ...parts,
      points_owed: owedOf(paid.points),
      balances: {
        ...member.balances,
        ...{ wallet: wallet + parts.wallet_back, points: paid.points.balance, sales: sales - net },
      },
    },
  };
}

/** Gives spent points back, if the balance has room for them. */
export function giveBack(points: Points, uses: readonly Use[], amount: number, rules: Rules, today: string) {
  const { balance } = points;
  if (balance > balanceLimit - amount) {
    return new Refusal("balance_limit_exceeded", { account: "points", balance });
  }
  return putBack(points, uses, amount, today, addDays(today, rules.restored_points_valid_days));
}

/**
 * Takes back points that a sale earned: from its own lot, then from other points. Points that expired in the lot are
 * excused, because the member has not used them. The member owes the rest, if the rules say so.
 * @returns the points, how many left the balance, and how many were excused because they had expired
 */
function claw(
  before: Points,
  sale: Sale,
  amount: number,
  rules: Rules,
): { points: Points; taken: number; excused: number } {
  const own = before.lots.find((lot) => lot.lot_id === sale.sale_id);
  if (own === undefined || amount === 0) return { points: before, taken: 0, excused: 0 };
  const fromOwn = Math.min(amount, leftOf(own));
  const lots = withLots(before.lots, [{ ...own, clawed: own.clawed + fromOwn }]);
  const takenFromOwn = own.matured ? fromOwn : 0;
  const afterOwn = { ...before, balance: before.balance - takenFromOwn, lots };

  const excused = Math.min(amount - fromOwn, own.expired - sale.points_excused);
  const rest = amount - fromOwn - excused;
  const fromOthers = Math.min(rest, afterOwn.balance);
  const { points } = take(afterOwn, fromOthers, "clawed");
  const short = rules.clawback_shortfall === "owe" ? rest - fromOthers : 0;
  return { points: owe(points, sale, short), taken: takenFromOwn + fromOthers, excused };
}

function owe(points: Points, { sale_id, reference_id }: Sale, short: number): Points {
  if (short === 0) return points;
  const known = points.debts.find((debt) => debt.sale_id === sale_id);
  const debt: Debt = { sale_id, reference_id, owed: (known?.owed ?? 0) + short };
  const debts = [...points.debts.filter((other) => other !== known), debt];
  return { ...points, debts: debts.sort((one, other) => one.sale_id - other.sale_id) };
}
