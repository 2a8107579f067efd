/** Gives members what occasions give for the tiers that they have reached in a group, in the same transaction. */
import type { Connection } from "../../database/connection.ts";
import { type WantedForTier, withoutGranted } from "../../database/engine/rewards/occasions.ts";
import type { PostingCommand } from "./group-state.ts";
import { occasionCommand } from "./internal-commands.ts";
import type { PostingGroup } from "./posting-group.ts";

/**
 * Decides what members get for tiers, before the group is saved. Without such members, it sends no statement.
 * @param follows whether a write is the cause, whose event comes first
 */
export async function giveForTiers(tx: Connection, group: PostingGroup, follows = false): Promise<void> {
  const wanted = group.reached().flatMap(({ occasions, ...reached }) =>
    occasions.map((occasion): WantedForTier & { readonly command: PostingCommand } => {
      const { business_id, contact_id, tier_id, day: occurrence } = reached;
      const granted = { contact_id, occurrence, tier_id };
      const command = occasionCommand(business_id, occasion, granted, follows);
      return { ...reached, occasion_id: occasion.occasion_id, command };
    }),
  );
  if (wanted.length === 0) return;
  for (const { nth } of await withoutGranted(tx, wanted)) {
    const { command } = wanted[nth - 1] as (typeof wanted)[number];
    group.apply(command);
  }
}
