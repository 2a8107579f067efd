/** Spending points without a sale, for example on a gift, and reversing that. */
import { checkLocation } from "../access/access.ts";
import type { Member, Moment, Undone } from "../decision.ts";
import { generatedReference } from "../ledger.ts";
import type { Redemption } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import { entryOf } from "./entries.ts";
import { pointsChanges, take } from "./lots.ts";
import { insufficient } from "./payment.ts";
import { giveBack } from "./refund.ts";
import type { Rules, VoucherDefinition } from "./rules.ts";
import { payDebts, settle } from "./settle.ts";
import { priceOf, takeBack } from "./vouchers/use.ts";
import { makeVoucher, valueEntry, voucherValidThrough } from "./vouchers/voucher.ts";
import { belowMinimum } from "./worth.ts";

export interface RedeemInput {
  readonly contact_id: number;
  /** The points to spend; the price of the voucher when absent. */
  readonly points?: number | undefined;
  readonly location_id?: number | undefined;
  readonly reference_id?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * Decides to spend points.
 * @param member settled
 * @param bought the voucher that they buy; undefined for something that is no voucher
 */
export function decideRedeem(
  member: Member,
  input: RedeemInput,
  bought: VoucherDefinition | undefined,
  rules: Rules,
  moment: Pick<Moment, "today" | "entryNo" | "voucherNo">,
) {
  const { entryNo: redemption_id } = moment;
  const { contact_id, location_id = bought?.location_id ?? null, reason } = input;
  if (!member.active) return reject("member_inactive");
  if (!rules.enable_rp) return reject("rewards_disabled");
  const reference_id = input.reference_id ?? generatedReference("reward_points_redeemed", redemption_id);
  const made = bought && makeVoucher(member, bought, { contact_id, reference_id }, moment);
  if (made instanceof Rejection) return made;
  const amount = bought === undefined ? (input.points as number) : priceOf(bought);
  if (amount instanceof Rejection) return amount;
  if (amount < rules.redeem_minimum_points) return belowMinimum(rules);
  const { balance } = member.points;
  if (amount > balance) return insufficient("points", balance);
  const { points, uses } = take(member.points, amount, "used");
  const voucher = made && { ...made, redemption_id };
  const redemption: Redemption = {
    redemption_id,
    contact_id,
    location_id,
    reference_id,
    points: amount,
    reversed: false,
    uses,
    held_voucher_id: voucher?.held_voucher_id ?? null,
  };
  const { vouchers } = member.balances;
  return {
    entries: [
      { event_type: "reward_points_redeemed" as const, amount: -amount },
      ...(voucher === undefined ? [] : valueEntry("voucher_issued", voucher, 1)),
    ],
    reference_id,
    location_id,
    reason,
    points,
    changes: {
      ...pointsChanges(member.points, points),
      redemption: [redemption],
      held_voucher: voucher === undefined ? [] : [voucher],
    },
    data: {
      redemption_id,
      points: amount,
      held_voucher_id: redemption.held_voucher_id,
      valid_through: voucher === undefined ? null : voucherValidThrough(voucher),
      balances: {
        ...member.balances,
        points: points.balance,
        vouchers: vouchers + (voucher?.coupon_value ?? 0),
      },
    },
  };
}

/** Decides to give spent points back to an active or inactive member. An erased member gets none back. */
export function decideReverse(
  member: Undone<Member>,
  redemption: Redemption,
  { reason }: { readonly reason?: string | undefined },
  rules: Rules,
  { today, locations }: Pick<Moment, "today" | "locations">,
) {
  const bought = member.vouchers.find((one) => one.held_voucher_id === redemption.held_voucher_id);
  const elsewhere = checkLocation(locations, bought?.location_id ?? null);
  if (elsewhere !== undefined) return elsewhere;
  if (redemption.reversed) return reject("already_reversed");
  const { redemption_id, reference_id, location_id, uses } = redemption;
  const voucher = redemption.held_voucher_id === null || member.erased ? undefined : takeBack(bought);
  if (voucher instanceof Rejection) return voucher;
  const points_back = member.erased ? 0 : redemption.points;
  const returned = giveBack(member.points, member.erased ? [] : uses, points_back, rules, today);
  if (returned instanceof Rejection) return returned;
  const paid = payDebts(returned.points);
  const { points, entries } = settle(paid.points, today);
  return {
    entries: [
      ...(voucher === undefined ? [] : valueEntry("voucher_issued", voucher, -1)),
      ...entryOf("reward_points_redeemed", points_back),
      ...paid.entries,
      ...entries,
    ],
    reference_id,
    location_id,
    reason,
    points,
    changes: {
      ...pointsChanges(member.points, points),
      redemption: [{ ...redemption, reversed: true, uses: returned.uses }],
      held_voucher: voucher === undefined ? [] : [voucher],
    },
    data: {
      redemption_id,
      points_back,
      member_erased: member.erased,
      balances: {
        ...member.balances,
        points: points.balance,
        vouchers: member.balances.vouchers - (voucher?.coupon_value ?? 0),
      },
    },
  };
}
