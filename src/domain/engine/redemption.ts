/** Spends points without a sale, for example on a gift, and gives them back. */
import type { Member } from "../decision.ts";
import { generatedReference } from "../ledger.ts";
import type { Redemption } from "../records.ts";
import { Refusal } from "../refusal.ts";
import { pointsChanges, take } from "./lots.ts";
import { giveBack } from "./refund.ts";
import { notAllowed, type Rules } from "./rules.ts";
import { entryOf, insufficient } from "./sale.ts";
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
 * @param member settled
 * @param redemption_id the number of the decision's first entry
 */
export function decideRedeem(member: Member, input: RedeemInput, rules: Rules, redemption_id: number) {
  const { contact_id, points: amount, location_id = null, reason } = input;
  if (!member.active) return new Refusal("member_inactive");
  if (!rules.enable_rp) return new Refusal("rewards_disabled");
  if (amount < rules.redeem_minimum_points) return notAllowed("minimum");
  const { balance } = member.points;
  if (amount > balance) return insufficient("points", balance);
  const { points, uses } = take(member.points, amount, "used");
  const reference_id = input.reference_id ?? generatedReference("reward_points_redeemed", redemption_id);
  const redemption: Redemption = {
    ...{ redemption_id, contact_id, location_id, reference_id, points: amount, reversed: false, uses },
  };
  return {
    entries: [{ event_type: "reward_points_redeemed" as const, amount: -amount, reference_id }],
    location_id,
    reason,
    points,
    changes: { ...pointsChanges(member.points, points), redemption: [redemption] },
    data: { redemption_id, points: amount, balances: { ...member.balances, points: points.balance } },
  };
}

/** Decides to give spent points back to an active or inactive member. An erased member gets none back. */
export function decideReverse(
  member: Member,
  redemption: Redemption,
  { reason }: { readonly reason?: string | undefined },
  rules: Rules,
  today: string,
) {
  if (redemption.reversed) return new Refusal("already_reversed");
  const { redemption_id, reference_id, uses } = redemption;
  const points_back = member.erased ? 0 : redemption.points;
  const returned = giveBack(member.points, member.erased ? [] : uses, points_back, rules, today);
  if (returned instanceof Refusal) return returned;
  const paid = payDebts(returned.points);
  const { points, entries } = settle(paid.points, today);
  return {
    entries: [...entryOf("reward_points_redeemed", points_back, reference_id), ...paid.entries, ...entries],
    reason,
    points,
    changes: {
      ...pointsChanges(member.points, points),
      redemption: [{ ...redemption, reversed: true, uses: returned.uses }],
    },
    data: {
      redemption_id,
      points_back,
      member_erased: member.erased,
      balances: { ...member.balances, points: points.balance },
    },
  };
}
