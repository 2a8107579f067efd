/** Merges a member into another one: one person had two cards, or was entered twice. */

import type { Balances, EntryDraft, Points } from "../decision.ts";
import { type Account, accounts, balanceLimit, type EventType } from "../ledger.ts";
import { mergeReference } from "../merge-references.ts";
import type { SalesOfDay, TierStanding } from "../records.ts";
import { reject } from "../rejection.ts";
import { pointsChanges } from "./lots.ts";
import { owedOf, payDebts } from "./settle.ts";
import { type MemberTier, tierAfterMerge } from "./tier.ts";
import { tierChanges, tierResult } from "./tier-progress.ts";

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
 * Decides what follows for the member that remains: points in lots pay what either member owed, and the tier is the higher one.
 * @param member with the balances and records of both
 * @param standing that of the other member
 */
export function decideJoin(
  member: { readonly points: Points; readonly tier: MemberTier },
  standing: TierStanding | undefined,
  today: string,
) {
  const { points, entries } = payDebts(member.points);
  const joined = tierAfterMerge(member.tier, standing, today);
  return {
    entries,
    reference_id: undefined,
    changes: { ...pointsChanges(member.points, points), tier_standing: tierChanges(member.tier, joined) },
    data: {},
    tier: tierResult(member.tier, joined),
  };
}
