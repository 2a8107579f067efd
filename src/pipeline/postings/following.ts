/** What follows from the postings of a group, in the same transaction: what members get for tiers, and referrals that go on. */
import type { Connection } from "../../database/connection.ts";
import { type WantedForTier, withoutGranted } from "../../database/engine/rewards/occasions.ts";
import { type DecidedReferral, qualifyReferrals } from "../../database/engine/rewards/referrals.ts";
import { addHappenings, type DayHappening } from "../../database/ledger/day-totals.ts";
import type { ReferralStatus } from "../../domain/engine/referrals.ts";
import { firstSaleIn, reachedIn } from "./group-member.ts";
import type { PostingCommand } from "./group-state.ts";
import { internalCommand, occasionCommand } from "./internal-commands.ts";
import type { PostingGroup } from "./posting-group.ts";

/**
 * Decides what follows, before the group is saved. Without such members, it sends no statement.
 * @param follows whether a write is the cause, whose event comes first
 */
export async function addFollowing(tx: Connection, group: PostingGroup, follows = false): Promise<void> {
  const wanted = group.ofMembers(reachedIn).flatMap(({ occasions, ...reached }) =>
    occasions.map((occasion): WantedForTier & { readonly command: PostingCommand } => {
      const { business_id, contact_id, tier_id, day: occurrence } = reached;
      const granted = { contact_id, occurrence, tier_id };
      const command = occasionCommand(business_id, occasion, granted, follows);
      return { ...reached, occasion_id: occasion.occasion_id, command };
    }),
  );
  if (wanted.length > 0)
    for (const { nth } of await withoutGranted(tx, wanted)) {
      const { command } = wanted[nth - 1] as (typeof wanted)[number];
      group.apply(command);
    }
  const sales = group.ofMembers(firstSaleIn);
  if (sales.length === 0) return;
  const decided = await qualifyReferrals(tx, sales);
  for (const referral of decided) group.apply(referralCommand(referral, follows));
  await countReferrals(tx, decided);
}

/** Counts referrals that were made or that ended, for reports. */
export async function countReferrals(
  tx: Connection,
  referrals: readonly (Pick<DecidedReferral, "business_id" | "decided_on"> & {
    readonly status: ReferralStatus;
  })[],
): Promise<void> {
  const happened = referrals.flatMap(({ business_id, decided_on: day, status }): DayHappening[] => {
    if (status === "qualified") return [];
    const of = { business_id, location_id: null, day, together: "by_day" } as const;
    return [{ ...of, what: `referral_${status}`, items: 1, amount: 0 }];
  });
  if (happened.length > 0) await addHappenings(tx, happened);
}

/** Makes the command that has the event of a referral. Its status is stored already. */
export function referralCommand(
  { business_id, contact_id, referrer_contact_id, status, sale_id }: DecidedReferral,
  follows: boolean,
): PostingCommand {
  const data = { referrer_contact_id, sale_id };
  const decision = { entries: [], reference_id: undefined, data };
  const command = internalCommand(business_id, contact_id, { balances: ["points"] }, () => decision);
  return { ...command, operation: { ...command.operation, emits: `referral.${status}`, follows } };
}
