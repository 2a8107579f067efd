/**
 * Recording a sale: points and wallet pay a part of it, the rest is due at the till, and the sale earns points. A quote is
 * the same decision without its effects.
 */
import { addDays } from "../dates.ts";
import { type Account, balanceLimit, generatedReference } from "../ledger.ts";
import { type EarningReason, earn } from "./earning.ts";
import { type Points, take, type Use, withLots } from "./lots.ts";
import { payWithPoints } from "./redemption.ts";
import { type EarningRate, pointsDates, type Rules } from "./rules.ts";
import { owedOf, type PointsEntry, settle } from "./settle.ts";

/** How many days a till that was offline may record a sale after it happened. */
const latestRecordingDays = 31;

export interface SaleInput {
  readonly contact_id: number;
  readonly location_id: number;
  /** In minor units, like all amounts here. */
  readonly amount: number;
  /** What of the amount earns at all; all of it when absent. */
  readonly eligible_amount?: number | undefined;
  readonly use_points?: number | undefined;
  readonly use_wallet?: number | undefined;
  /** The day of the sale; today when absent. */
  readonly sold_on?: string | undefined;
  readonly reference_id?: string | undefined;
}

/** A sale as it is kept: what was paid how, what it earned, and by which rate, for its refunds. */
export interface Sale extends EarningRate {
  /** The number of its first ledger entry. */
  readonly sale_id: number;
  readonly contact_id: number;
  readonly location_id: number;
  readonly reference_id: string;
  readonly sold_on: string;
  readonly amount: number;
  readonly eligible_amount: number;
  readonly points_used: number;
  /** What these points paid. */
  readonly points_amount: number;
  readonly wallet_used: number;
  /** What the till took. */
  readonly amount_due: number;
  /** The amount that earned. */
  readonly earning_base: number;
  readonly points_earned: number;
  readonly rules_version: number;
  /** What was refunded of the amount so far. */
  readonly refunded: number;
  /** Points that refunds did not take back because they had expired before. */
  readonly points_excused: number;
  /** Where the points came from that paid and were not put back. */
  readonly uses: readonly Use[];
}

export interface SaleEntry {
  readonly event_type: PointsEntry["event_type"] | "wallet_payment" | "sale" | "sale_refund";
  readonly amount: number;
  readonly reference_id?: string;
}

/** What the decisions about a member's sales see. */
export interface SalesMember {
  readonly active: boolean;
  readonly balances: Readonly<Record<Account, number>>;
  readonly points: Points;
}

export type SaleRejection =
  | { readonly status: "member_inactive" | "rewards_disabled" }
  | { readonly status: "sold_on_out_of_range"; readonly earliest: string; readonly latest: string }
  | { readonly status: "insufficient_balance"; readonly account: Account; readonly balance: number }
  | { readonly status: "balance_limit_exceeded"; readonly account: Account; readonly balance: number }
  | {
      readonly status: "redemption_not_allowed";
      readonly reason: "minimum" | "step" | "exceeds_amount" | "points_cannot_pay";
    };

export interface SaleDecision {
  readonly status: "sold";
  /** What was due before the sale. */
  readonly settled: readonly PointsEntry[];
  readonly entries: readonly SaleEntry[];
  readonly points: Points;
  readonly balances: Readonly<Record<Account, number>>;
  readonly sale: Sale;
  /** What of the points earned can't be spent yet. */
  readonly points_pending: number;
  readonly matures_on: string | null;
  /** The last day on which the points earned can be spent. */
  readonly valid_through: string | null;
  /** What of the points earned paid what the member owed. */
  readonly points_settled: number;
  readonly why: readonly SaleReason[];
}

export type SaleReason =
  | EarningReason
  | { readonly code: "pending_until"; readonly day: string }
  | { readonly code: "owed"; readonly points: number };

/**
 * Decides a sale.
 * @param rules those in force on the day of the sale
 * @param today the day of the business
 * @param nextEntryNo the number of the entry that is recorded next
 */
export function decideSale(
  member: SalesMember,
  input: SaleInput,
  rules: Rules,
  today: string,
  nextEntryNo: number,
): SaleDecision | SaleRejection {
  if (!member.active) return { status: "member_inactive" };
  const sold_on = input.sold_on ?? today;
  const earliest = addDays(today, -latestRecordingDays);
  if (sold_on > today || sold_on < earliest) {
    return { status: "sold_on_out_of_range", earliest, latest: today };
  }
  const settled = settle(member.points, today);
  // What was due before comes first in the ledger; the sale is named after its own first entry.
  const saleId = nextEntryNo + settled.entries.length;
  const reference = input.reference_id ?? generatedReference("sale", saleId);
  const paid = pay(member, settled.points, input, rules);
  if (paid.status !== "paid") return paid;
  const { points_used, points_amount, wallet_used, amount_due, uses } = paid;

  const net = wallet_used + amount_due;
  const sales = member.balances.sales;
  if (sales > balanceLimit - net)
    return { status: "balance_limit_exceeded", account: "sales", balance: sales };
  const earning = earn(rules, input.eligible_amount ?? input.amount, points_amount);
  const dates = pointsDates(rules, sold_on);
  const earned = credit(paid.points, { saleId, reference, sold_on, ...dates, points: earning.points }, today);
  const matured = earning.points === 0 || dates.matures_on <= today;
  const points_settled = owedOf(paid.points) - owedOf(earned.points);

  const entry = (event_type: SaleEntry["event_type"], amount: number): SaleEntry[] =>
    amount === 0 ? [] : [{ event_type, amount, reference_id: reference }];
  return {
    status: "sold",
    settled: settled.entries,
    entries: [
      ...entry("reward_points_redeemed", -points_used),
      ...entry("wallet_payment", -wallet_used),
      ...entry("sale", net),
      ...earned.entries,
    ],
    points: earned.points,
    balances: {
      ...member.balances,
      wallet: member.balances.wallet - wallet_used,
      points: earned.points.balance,
      sales: sales + net,
    },
    // Field by field: copying another object into one with so many fields takes a third of the decision.
    sale: {
      earn_points: earning.rate.earn_points,
      earn_amount: earning.rate.earn_amount,
      earn_minimum_amount: earning.rate.earn_minimum_amount,
      maximum_points_per_order: earning.rate.maximum_points_per_order,
      sale_id: saleId,
      contact_id: input.contact_id,
      location_id: input.location_id,
      reference_id: reference,
      sold_on,
      amount: input.amount,
      eligible_amount: input.eligible_amount ?? input.amount,
      points_used,
      points_amount,
      wallet_used,
      amount_due,
      earning_base: earning.base,
      points_earned: earning.points,
      rules_version: rules.version,
      refunded: 0,
      points_excused: 0,
      uses,
    },
    points_pending: matured ? 0 : earning.points,
    matures_on: matured ? null : dates.matures_on,
    valid_through: earning.points === 0 || dates.expires_on === null ? null : addDays(dates.expires_on, -1),
    points_settled,
    why: [
      ...earning.why,
      ...(matured ? [] : [{ code: "pending_until", day: dates.matures_on } as const]),
      ...(points_settled === 0 ? [] : [{ code: "owed", points: points_settled } as const]),
    ],
  };
}

interface Paid {
  readonly status: "paid";
  readonly points: Points;
  readonly uses: readonly Use[];
  readonly points_used: number;
  readonly points_amount: number;
  readonly wallet_used: number;
  readonly amount_due: number;
}

/** Points pay first, then the wallet, which is money; the till takes the rest. */
function pay(member: SalesMember, before: Points, input: SaleInput, rules: Rules): Paid | SaleRejection {
  const { amount, use_points: points_used = 0, use_wallet: wallet_used = 0 } = input;
  let points_amount = 0;
  let [points, uses]: [Points, readonly Use[]] = [before, []];
  if (points_used > 0) {
    const redemption = payWithPoints(rules, points_used, amount);
    if (redemption.status !== "allowed") return redemption;
    if (points_used > points.balance) return insufficient("points", points.balance);
    points_amount = redemption.amount;
    ({ points, uses } = take(points, points_used, "used"));
  }
  const amount_due = amount - points_amount - wallet_used;
  if (amount_due < 0) return { status: "redemption_not_allowed", reason: "exceeds_amount" };
  const { wallet } = member.balances;
  if (wallet_used > wallet) return insufficient("wallet", wallet);
  return { status: "paid", points, uses, points_used, points_amount, wallet_used, amount_due };
}

function insufficient(account: Account, balance: number): SaleRejection {
  return { status: "insufficient_balance", account, balance };
}

/** Adds the lot of a sale. It matures at once unless points are pending for some days. */
function credit(
  points: Points,
  lot: {
    saleId: number;
    reference: string;
    sold_on: string;
    matures_on: string;
    expires_on: string | null;
    points: number;
  },
  today: string,
) {
  if (lot.points === 0) return { points, entries: [] };
  const { saleId: lot_id, reference: reference_id, sold_on: earned_on, ...rest } = lot;
  const added = { lot_id, reference_id, earned_on, ...rest, matured: false, clawed: 0, used: 0, expired: 0 };
  return settle({ ...points, lots: withLots(points.lots, [added]) }, today);
}
