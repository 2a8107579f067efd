/** Spending points without a sale, for a gift at the counter, say, and taking that back. */
import { addDays } from "../dates.ts";
import { balanceLimit, generatedReference } from "../ledger.ts";
import { type Points, putBack, take, type Use } from "./lots.ts";
import type { Rules } from "./rules.ts";
import type { SalesMember } from "./sale.ts";
import { type PointsEntry, payDebts, settle } from "./settle.ts";

/** Points that were spent without a sale. */
export interface Redemption {
  /** The number of its ledger entry. */
  readonly redemption_id: number;
  readonly contact_id: number;
  readonly reference_id: string;
  readonly points: number;
  readonly reversed: boolean;
  /** Where the points came from. */
  readonly uses: readonly Use[];
}

export interface ExchangeDecision {
  readonly status: "redeemed" | "reversed";
  /** What was due before. */
  readonly settled: readonly PointsEntry[];
  readonly entries: readonly PointsEntry[];
  readonly points: Points;
  readonly redemption: Redemption;
}

export interface RedeemInput {
  readonly contact_id: number;
  readonly points: number;
  readonly reference_id?: string | undefined;
}

export type RedeemRejection =
  | { readonly status: "member_inactive" | "rewards_disabled" }
  | { readonly status: "redemption_not_allowed"; readonly reason: "minimum" }
  | { readonly status: "insufficient_balance"; readonly account: "points"; readonly balance: number };

/**
 * Decides to spend points.
 * @param nextEntryNo the number of the entry that is recorded next
 */
export function decideRedeem(
  member: SalesMember,
  { contact_id, points: amount, reference_id }: RedeemInput,
  rules: Rules,
  today: string,
  nextEntryNo: number,
): ExchangeDecision | RedeemRejection {
  if (!member.active) return { status: "member_inactive" };
  if (!rules.enable_rp) return { status: "rewards_disabled" };
  if (amount < rules.redeem_minimum_points) return { status: "redemption_not_allowed", reason: "minimum" };
  const settled = settle(member.points, today);
  const { balance } = settled.points;
  if (amount > balance) return { status: "insufficient_balance", account: "points", balance };
  const { points, uses } = take(settled.points, amount, "used");
  const redemption_id = nextEntryNo + settled.entries.length;
  const reference = reference_id ?? generatedReference("reward_points_redeemed", redemption_id);
  return {
    status: "redeemed",
    settled: settled.entries,
    entries: [{ event_type: "reward_points_redeemed", amount: -amount, reference_id: reference }],
    points,
    redemption: { redemption_id, contact_id, reference_id: reference, points: amount, reversed: false, uses },
  };
}

export type ReverseRejection =
  | { readonly status: "already_reversed" }
  | { readonly status: "balance_limit_exceeded"; readonly account: "points"; readonly balance: number };

/** Decides to give spent points back. Also for inactive members: what is theirs returns to them. */
export function decideReverse(
  member: SalesMember,
  redemption: Redemption,
  rules: Rules,
  today: string,
): ExchangeDecision | ReverseRejection {
  if (redemption.reversed) return { status: "already_reversed" };
  const { points: amount, reference_id } = redemption;
  const settled = settle(member.points, today);
  const { balance } = settled.points;
  if (balance > balanceLimit - amount) {
    return { status: "balance_limit_exceeded", account: "points", balance };
  }
  const restoredUntil = addDays(today, rules.restored_points_valid_days);
  const returned = putBack(settled.points, redemption.uses, amount, today, restoredUntil);
  const expired = settle(returned.points, today);
  const paid = payDebts(expired.points, amount);
  return {
    status: "reversed",
    settled: settled.entries,
    entries: [
      { event_type: "reward_points_redeemed", amount, reference_id },
      ...expired.entries,
      ...paid.entries,
    ],
    points: paid.points,
    redemption: { ...redemption, reversed: true, uses: [] },
  };
}
