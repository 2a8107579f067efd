/**
 * Refunding a sale. Every part is a function of the total refunded so far, and a refund is the difference of two totals. So
 * the result depends on how much was refunded, and not on how it was cut.
 */

import { addDays } from "../dates.ts";
import { balanceLimit } from "../ledger.ts";
import { type Debt, leftOf, type Points, putBack, take, withLots } from "./lots.ts";
import type { Rules } from "./rules.ts";
import { pointsFor } from "./rules.ts";
import { type Sale, type SaleEntry, type SalesMember, saleEntry } from "./sale.ts";
import { type PointsEntry, payDebts, settle } from "./settle.ts";

/** What goes back in all once so much of a sale's amount has been refunded. */
export interface RefundParts {
  /** In minor units, what the till gives back. */
  readonly money_back: number;
  readonly wallet_back: number;
  /** Points that had paid. */
  readonly points_back: number;
  /** Points that the sale had earned. */
  readonly points_clawed: number;
}

/** Rounds down. The product may leave the exact integers. */
function share(part: number, refunded: number, amount: number): number {
  return Number((BigInt(part) * BigInt(refunded)) / BigInt(amount));
}

/** @param refunded the total refunded so far, at most the sale's amount */
export function refundParts(sale: Sale, refunded: number): RefundParts {
  const { amount } = sale;
  const kept = share(sale.earning_base, amount - refunded, amount);
  return {
    money_back: share(sale.amount_due, refunded, amount),
    wallet_back: share(sale.wallet_used, refunded, amount),
    points_back: share(sale.points_used, refunded, amount),
    points_clawed: sale.points_earned - Math.min(sale.points_earned, pointsFor(kept, sale)),
  };
}

export type RefundRejection =
  | { readonly status: "refund_exceeds_sale"; readonly refundable: number }
  | {
      readonly status: "balance_limit_exceeded";
      readonly account: "wallet" | "points";
      readonly balance: number;
    };

export interface RefundDecision {
  readonly status: "refunded";
  /** What this refund gives back and takes back. */
  readonly parts: RefundParts;
  /** The amount of this refund. */
  readonly refunded: number;
  /** What can still be refunded. */
  readonly refundable: number;
  /** What was due before the refund. */
  readonly settled: readonly PointsEntry[];
  readonly entries: readonly SaleEntry[];
  readonly points: Points;
  readonly balances: SalesMember["balances"];
  readonly sale: Sale;
}

/**
 * Decides a refund.
 * @param request what to refund, in minor units, all that is left when absent; and the reference of the entries
 * @param rules those in force today
 * @param today the day of the business
 */
export function decideRefund(
  member: SalesMember,
  sale: Sale,
  { amount, reference }: { amount?: number | undefined; reference: string },
  rules: Rules,
  today: string,
): RefundDecision | RefundRejection {
  const refundable = sale.amount - sale.refunded;
  const refunded = amount ?? refundable;
  if (refunded > refundable || refundable === 0) return { status: "refund_exceeds_sale", refundable };
  const before = refundParts(sale, sale.refunded);
  const after = refundParts(sale, sale.refunded + refunded);
  const parts = {
    money_back: after.money_back - before.money_back,
    wallet_back: after.wallet_back - before.wallet_back,
    points_back: after.points_back - before.points_back,
    points_clawed: after.points_clawed - before.points_clawed,
  };
  const { wallet } = member.balances;
  if (wallet > balanceLimit - parts.wallet_back) return limited("wallet", wallet);

  const settled = settle(member.points, today);
  if (settled.points.balance > balanceLimit - parts.points_back) {
    return limited("points", settled.points.balance);
  }
  const restoredUntil = addDays(today, rules.restored_points_valid_days);
  const returned = putBack(settled.points, sale.uses, parts.points_back, today, restoredUntil);
  const clawed = claw(returned.points, sale, parts.points_clawed, rules);
  const expired = settle(clawed.points, today);
  const paid = payDebts(expired.points, parts.points_back);

  const net = parts.wallet_back + parts.money_back;
  return {
    status: "refunded",
    parts,
    refunded,
    refundable: refundable - refunded,
    settled: settled.entries,
    entries: [
      ...saleEntry("reward_points_redeemed", parts.points_back, reference),
      ...saleEntry("wallet_payment", parts.wallet_back, reference),
      ...saleEntry("sale_refund", -net, reference),
      ...saleEntry("reward_points_earned", -clawed.taken, reference),
      ...expired.entries,
      ...paid.entries,
    ],
    points: paid.points,
    balances: {
      ...member.balances,
      wallet: wallet + parts.wallet_back,
      points: paid.points.balance,
      sales: member.balances.sales - net,
    },
    sale: {
      ...sale,
      refunded: sale.refunded + refunded,
      points_excused: sale.points_excused + clawed.excused,
      uses: returned.uses,
    },
  };
}

function limited(account: "wallet" | "points", balance: number): RefundRejection {
  return { status: "balance_limit_exceeded", account, balance };
}

/**
 * Takes back points that a sale earned: from its own lot; not those that expired there, which the member never had the use
 * of; then from other points; what is missing is owed.
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
