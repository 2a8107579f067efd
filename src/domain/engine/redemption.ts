/** Spending points without a sale, for example on a gift, and reversing that. */
import { generatedReference } from "../ledger.ts";
import type { Member, Redemption } from "../posting.ts";
import { Refusal } from "../refusal.ts";
import { take } from "./lots.ts";
import { giveBack } from "./refund.ts";
import { notAllowed, type Rules } from "./rules.ts";
import { insufficient } from "./sale.ts";
import { payDebts, settle } from "./settle.ts";

export interface RedeemInput {
  readonly contact_id: number;
  readonly points: number;
  readonly location_id?: number | undefined;
  readonly reference_id?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * Decides to spend points.
 * @param nextEntryNo the number of the entry that is recorded next
 */
export function decideRedeem(
  member: Member,
  input: RedeemInput,
  rules: Rules,
  today: string,
  nextEntryNo: number,
) {
  const { contact_id, points: amount, location_id = null, reason } = input;
  if (!member.active) return new Refusal("member_inactive");
  if (!rules.enable_rp) return new Refusal("rewards_disabled");
  if (amount < rules.redeem_minimum_points) return notAllowed("minimum");
  const settled = settle(member.points, today);
  const { balance } = settled.points;
  if (amount > balance) return insufficient("points", balance);
  const { points, uses } = take(settled.points, amount, "used");
  const redemption_id = nextEntryNo + settled.entries.length;
  const reference_id = input.reference_id ?? generatedReference("reward_points_redeemed", redemption_id);
  const redemption = { redemption_id, contact_id, location_id, reference_id, points: amount, uses };
  return {
    settled: settled.entries,
    entries: [{ event_type: "reward_points_redeemed" as const, amount: -amount, reference_id }],
    location_id,
    reason,
    points,
    redemption: { ...redemption, reversed: false },
    data: { redemption_id, points: amount, balances: { ...member.balances, points: points.balance } },
  };
}

/** Decides to give spent points back, also to an inactive member. */
export function decideReverse(
  member: Member,
  redemption: Redemption,
  { reason }: { readonly reason?: string | undefined },
  rules: Rules,
  today: string,
) {
  if (redemption.reversed) return new Refusal("already_reversed");
  const { redemption_id, points: amount, reference_id, uses } = redemption;
  const settled = settle(member.points, today);
  const returned = giveBack(settled.points, uses, amount, rules, today);
  if (returned instanceof Refusal) return returned;
  const expired = settle(returned.points, today);
  const { points, entries } = payDebts(expired.points, amount);
  return {
    settled: settled.entries,
    entries: [
      { event_type: "reward_points_redeemed" as const, amount, reference_id },
      ...expired.entries,
      ...entries,
    ],
    reason,
    points,
    redemption: { ...redemption, reversed: true, uses: [] },
    data: {
      redemption_id,
      points_back: amount,
      balances: { ...member.balances, points: points.balance },
    },
  };
}
