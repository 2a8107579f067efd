/** Merges a member into another one: one person had two cards, or was entered twice. */

import type { Balances, Buyer, EntryDraft, Moment, Points, StampHolder } from "../decision.ts";
import { type Account, accounts, balanceLimit, type EventType } from "../ledger.ts";
import { mergeReference } from "../merge-references.ts";
import type { SalesOfDay, TierStanding } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import { pointsChanges } from "./lots.ts";
import type { Rules } from "./rules.ts";
import { owedOf, payDebts } from "./settle.ts";
import { joinStamps } from "./stamps/sale.ts";
import { tierChanges, tierResult } from "./tiers/progress.ts";
import { tierAfterMerge } from "./tiers/tier.ts";

/** A settled member, with what a merge adds up. */
interface MergingMember {
  readonly contact_id: number;
  readonly balances: Balances;
  readonly points: Pick<Points, "pending" | "debts">;
}

/** The kind of entry that moves each balance. Both entries have the same, so that the sums of the business stay the same. */
const movedBy = {
  wallet: "wallet_adjustment",
  points: "reward_points_adjustment",
  vouchers: "voucher_issued",
  sales: "sale",
} as const satisfies Record<Account, EventType>;

/**
 * Decides which entries move the balances of a member to another one.
 * @param days the net sales of the member by day and location
 * @returns a rejection when a balance would exceed its limit
 */
export function decideMerge(from: MergingMember, to: MergingMember, days: readonly SalesOfDay[]) {
  const full = accounts.find((account) => {
    const pending = account === "points" ? from.points.pending + to.points.pending : 0;
    return BigInt(from.balances[account]) + BigInt(to.balances[account]) + BigInt(pending) > balanceLimit;
  });
  if (full !== undefined) {
    return reject("balance_limit_exceeded", { account: full, balance: to.balances[full] });
  }
  const entries = (sign: 1 | -1): EntryDraft[] =>
    accounts
      .filter((account) => from.balances[account] !== 0)
      .map((account) => ({
        event_type: movedBy[account],
        amount: sign * from.balances[account],
        ...(account === "sales" && {
          sold: days.map((part) => ({ ...part, net: sign * part.net, sales: 0 })),
        }),
      }));
  return {
    reference_id: mergeReference(from.contact_id, to.contact_id),
    taken: entries(-1),
    given: entries(1),
    merged: { ...from.balances, points_pending: from.points.pending, points_owed: owedOf(from.points) },
    /** All points that are owed. */
    owed: owedOf(from.points) + owedOf(to.points),
  };
}

/**
 * Decides what follows for the member that remains: points in lots pay what either member owed, the tier is the higher one, and
 * the stamps of both are on one card.
 * @param member with the balances and records of both, but its own tier and stamp cards
 * @param other the other member
 */
export function decideJoin(
  member: Buyer,
  other: StampHolder & { readonly standing: TierStanding | undefined },
  rules: Rules,
  contact_id: number,
  moment: Pick<Moment, "today" | "voucherNo">,
) {
  const { points, entries } = payDebts(member.points);
  const joined = tierAfterMerge(member.tier, other.standing, moment.today);
  const stamps = joinStamps(member, other.cards, rules, contact_id, moment);
  if (stamps instanceof Rejection) return stamps;
  return {
    entries: [...entries, ...stamps.entries],
    reference_id: undefined,
    changes: {
      ...pointsChanges(member.points, points),
      tier_standing: tierChanges(member.tier, joined),
      member_stamp_card: stamps.cards,
      held_voucher: stamps.vouchers,
    },
    data: {},
    tier: tierResult(member.tier, joined),
  };
}
