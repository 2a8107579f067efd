/** Postings that a test gives to the runner itself, past HTTP and the queue. */
import { adjustRewardPoints } from "../../src/operations/partner/reward-points/adjust.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import type { PostingCommand } from "../../src/pipeline/posting-batch.ts";
import { PostingRunner, type PostingRunnerSettings } from "../../src/pipeline/posting-runner.ts";
import { nextKey, type useWorld } from "./world.ts";

/** @param world in whose home business the postings are */
export function usePostings(world: ReturnType<typeof useWorld>) {
  const settings: PostingRunnerSettings = {
    lockedAtOnce: 2,
    knownAccounts: 1000,
    neighboursAfterBatches: 0,
  };
  /** What one process would have. */
  const newRunner = (
    sql = world.sql,
    knownAccounts = settings.knownAccounts,
    lookUps = world.database.lookUps,
    neighboursAfterBatches = settings.neighboursAfterBatches,
  ) => new PostingRunner({ sql, lookUps }, { ...settings, knownAccounts, neighboursAfterBatches }, () => {});

  const adjustment = (
    contactId: number,
    amount: number,
    { key = nextKey(), fingerprint = "00".repeat(32) } = {},
  ): PostingCommand => ({
    operation: adjustWallet,
    integrationId: world.home.everywhere.integrationId,
    key,
    fingerprint,
    input: {
      contact_id: contactId,
      location_id: world.home.locationIds[0],
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
  const run = (runner: PostingRunner, ...commands: PostingCommand[]) =>
    runner.run(world.home.businessId, commands);

  const entriesOf = (contactId: number) => world.sql<{ amount: number; balance_after: number }[]>`
    SELECT amount, balance_after FROM ledger_entry WHERE contact_id = ${contactId} ORDER BY entry_no`;
  const balancesOf = async (contactId: number) =>
    (await entriesOf(contactId)).map((entry) => entry.balance_after);

  return { newRunner, adjustment, pointsAdjustment, run, entriesOf, balancesOf };
}
