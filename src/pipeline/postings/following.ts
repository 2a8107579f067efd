/** What follows from the postings of a group, in the same transaction: what members get for tiers, and referrals that go on. */
import type { Connection } from "../../database/connection.ts";
import { type WantedForTier, withoutGranted } from "../../database/engine/rewards/occasions.ts";
import { type DecidedReferral, qualifyReferrals } from "../../database/engine/rewards/referrals.ts";
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
  if (sales.length > 0)
    for (const referral of await qualifyReferrals(tx, sales)) group.apply(referralCommand(referral, follows));
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
