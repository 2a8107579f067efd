/** Postings that a test commits itself, past HTTP and the queue. */

import type { Database } from "../../src/database/connection.ts";
import { faultOf } from "../../src/database/faults.ts";
import { anyLocation } from "../../src/domain/access/access.ts";
import { adjustRewardPoints } from "../../src/operations/partner/reward-points/adjust.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { commitGroup } from "../../src/pipeline/postings/group-commit.ts";
import type { PostingCommand } from "../../src/pipeline/postings/group-state.ts";
import type { Outcome } from "../../src/pipeline/postings/outcome.ts";
import { type Business, nextKey, type useWorld } from "./world.ts";

type Outcomes = Awaited<ReturnType<typeof commitGroup>>;

/** Commits a group as the queue does: again if it waited too long for a lock, or if a day ended meanwhile. */
export async function commitAgain(
  postings: Database,
  commands: readonly PostingCommand[],
  attempts = Number.POSITIVE_INFINITY,
): Promise<Exclude<Outcomes[number], undefined>[]> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const outcomes = await commitGroup(postings, commands, "wait", () => undefined);
      if (!outcomes.includes(undefined)) return outcomes as Exclude<Outcomes[number], undefined>[];
    } catch (error) {
      if (faultOf(error) !== "retry") throw error;
    }
  }
  throw new Error("the ledger stayed locked");
}

/** @param world in whose home business the postings are, unless they say otherwise */
export function usePostings(world: ReturnType<typeof useWorld>) {
  const ownerOf = ({ businessId, everywhere: { integrationId } }: Business) => ({
    businessId,
    integrationId,
  });
  const adjustment = (
    contactId: number,
    amount: number,
    { key = nextKey(), fingerprint = "00".repeat(32), business = world.home } = {},
  ): PostingCommand => ({
    operation: adjustWallet,
    businessId: business.businessId,
    contactId,
    integrationId: business.everywhere.integrationId,
    locations: anyLocation,
    idempotencyKey: { owner: ownerOf(business), key, fingerprint },
    input: {
      contact_id: contactId,
      location_id: business.locationIds[0],
      amount: Math.abs(amount),
      adjustment_type: amount < 0 ? "debit" : "credit",
    } as PostingCommand["input"],
  });
  const pointsAdjustment = (contactId: number, points: number): PostingCommand => ({
    ...adjustment(contactId, points),
    operation: adjustRewardPoints,
    input: {
      contact_id: contactId,
      points: Math.abs(points),
      adjustment_type: points < 0 ? "debit" : "credit",
    } as PostingCommand["input"],
  });
  const runOn = (postings: Database, ...commands: PostingCommand[]) =>
    commitAgain(postings, commands, 20) as Promise<Outcome[]>;
  const run = (...commands: PostingCommand[]) => runOn(world.database.postings, ...commands);

  const entriesOf = (contactId: number) => world.sql<{ amount: number; balance_after: number }[]>`
    SELECT amount, balance_after FROM ledger_entry WHERE contact_id = ${contactId} ORDER BY entry_no`;
  const balancesOf = async (contactId: number) =>
    (await entriesOf(contactId)).map((entry) => entry.balance_after);

  return { adjustment, pointsAdjustment, run, runOn, entriesOf, balancesOf };
}
