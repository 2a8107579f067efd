/**
 * Recording a sale: points and wallet pay a part of it, the rest is due at the till, and the sale earns points. A quote is
 * the same decision without its effects.
 */
import { addDays } from "../dates.ts";
import { type Account, balanceLimit, generatedReference } from "../ledger.ts";
import { type Lot, type Points, take, type Use, validThrough, withLots } from "./lots.ts";
import {
  type Earning,
  type EarningRate,
  type EarningReason,
  earn,
  payWithPoints,
  pointsDates,
  type RedemptionProblem,
  type Rules,
} from "./rules.ts";
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
  | {
      readonly status: "insufficient_balance" | "balance_limit_exceeded";
      readonly account: Account;
      readonly balance: number;
    }
  | { readonly status: "redemption_not_allowed"; readonly reason: RedemptionProblem };

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
  const { amount, contact_id, location_id, sold_on = today, eligible_amount = amount } = input;
  const earliest = addDays(today, -latestRecordingDays);
  if (sold_on > today || sold_on < earliest) {
    return { status: "sold_on_out_of_range", earliest, latest: today };
  }
  const settled = settle(member.points, today);
  // What was due before comes first in the ledger; the sale is named after its own first entry.
  const sale_id = nextEntryNo + settled.entries.length;
  const reference_id = input.reference_id ?? generatedReference("sale", sale_id);
  const paid = pay(member, settled.points, input, rules);
  if (paid.status !== "paid") return paid;
  const { points_used, points_amount, wallet_used, amount_due } = paid.payment;

  const net = wallet_used + amount_due;
  const { wallet, sales } = member.balances;
  if (sales > balanceLimit - net)
    return { status: "balance_limit_exceeded", account: "sales", balance: sales };
  const earning = earn(rules, eligible_amount, points_amount);
  const line = { sale_id, contact_id, location_id, reference_id, sold_on, amount };
  const { sale, lot } = earned({ ...line, eligible_amount, ...paid.payment }, earning, rules);
  const lots = withLots(paid.points.lots, lot === undefined ? [] : [lot]);
  // Its points mature at once unless they are pending for some days.
  const after = settle({ ...paid.points, lots }, today);
  const isPending = lot !== undefined && lot.matures_on > today;
  const points_settled = owedOf(paid.points) - owedOf(after.points);
  return {
    status: "sold",
    settled: settled.entries,
    entries: [
      ...saleEntry("reward_points_redeemed", -points_used, reference_id),
      ...saleEntry("wallet_payment", -wallet_used, reference_id),
      ...saleEntry("sale", net, reference_id),
      ...after.entries,
    ],
    points: after.points,
    balances: {
      ...member.balances,
      wallet: wallet - wallet_used,
      points: after.points.balance,
      sales: sales + net,
    },
    sale,
    points_pending: isPending ? earning.points : 0,
    matures_on: isPending ? lot.matures_on : null,
    valid_through: lot === undefined ? null : validThrough(lot),
    points_settled,
    why: [
      ...earning.why,
      ...(isPending ? [{ code: "pending_until", day: lot.matures_on } as const] : []),
      ...(points_settled === 0 ? [] : [{ code: "owed", points: points_settled } as const]),
    ],
  };
}

/** An entry under a sale's reference; none when the amount is 0. */
export function saleEntry(
  event_type: SaleEntry["event_type"],
  amount: number,
  reference_id: string,
): SaleEntry[] {
  return amount === 0 ? [] : [{ event_type, amount, reference_id }];
}

/** How a sale is paid. */
type Payment = Pick<Sale, "points_used" | "points_amount" | "wallet_used" | "amount_due" | "uses">;

/**
 * Points pay first, then the wallet, which is money; the till takes the rest.
 * @returns the payment and the member's points afterwards
 */
function pay(
  member: SalesMember,
  before: Points,
  input: SaleInput,
  rules: Rules,
): { status: "paid"; payment: Payment; points: Points } | SaleRejection {
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
  return { status: "paid", points, payment: { points_used, points_amount, wallet_used, amount_due, uses } };
}

function insufficient(account: Account, balance: number): SaleRejection {
  return { status: "insufficient_balance", account, balance };
}

/** A sale of the past that is imported: nothing was paid with points or wallet then. */
export type ImportedSale = Pick<
  Sale,
  "sale_id" | "contact_id" | "location_id" | "reference_id" | "sold_on" | "amount"
>;

/**
 * What an imported sale earns.
 * @param rules those that the sale earns by
 * @returns the sale as it is kept, and the lot of its points, if it earned any. The lot is still to be settled: until then,
 *   its points are in no balance.
 */
export function earnFromImport(line: ImportedSale, rules: Rules): { sale: Sale; lot: Lot | undefined } {
  const { amount } = line;
  const payment = { points_used: 0, points_amount: 0, wallet_used: 0, amount_due: amount, uses: [] };
  return earned({ ...line, eligible_amount: amount, ...payment }, earn(rules, amount, 0), rules);
}

/** The sale with what it earned, and the lot of its points, which are pending at first. */
function earned(
  made: ImportedSale & Payment & Pick<Sale, "eligible_amount">,
  { base, points, rate }: Earning,
  rules: Rules,
): { sale: Sale; lot: Lot | undefined } {
  const { sale_id, reference_id, sold_on } = made;
  const earning = { earning_base: base, points_earned: points, rules_version: rules.version };
  const sale: Sale = { ...made, ...rate, ...earning, refunded: 0, points_excused: 0 };
  if (points === 0) return { sale, lot: undefined };
  const dates = pointsDates(rules, sold_on);
  const lot = { lot_id: sale_id, reference_id, earned_on: sold_on, ...dates, points };
  return { sale, lot: { ...lot, matured: false, clawed: 0, used: 0, expired: 0 } };
}
