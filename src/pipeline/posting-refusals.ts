/** Postings that were refused ahead: whether their keys were used before is looked up only then. */
import { Refusal } from "../contract/errors.ts";
import type { SharedCommits } from "../database/shared-commits.ts";
import { allSettledOrThrow } from "./all-settled.ts";
import { answerUnderKey, type PostingCommand, type WriteOutcome } from "./posting-batch.ts";
import { findKeptAnswersFor } from "./posting-reads.ts";

/**
 * Looks up the keys of commands that were refused: those that were used before are answered as they were then.
 * @param holds whether what the commands were decided on proves right
 * @returns undefined when it does not
 */
export async function settleRefusals(
  commits: SharedCommits,
  businessId: number,
  commands: readonly PostingCommand[],
  decided: WriteOutcome[],
  holds: Promise<boolean>,
): Promise<WriteOutcome[] | undefined> {
  const refused = commands.filter((_, index) => decided[index] instanceof Refusal);
  if (refused.length === 0) return (await holds) ? decided : undefined;
  const [held, kept] = await allSettledOrThrow([
    holds,
    findKeptAnswersFor(commits.inOrder(businessId), businessId, refused),
  ]);
  if (!held) return undefined;
  return decided.map((outcome, index) => {
    const { integrationId, key, fingerprint } = commands[index] as PostingCommand;
    const used = kept.find((row) => row.integration_id === integrationId && row.idempotency_key === key);
    return outcome instanceof Refusal ? (answerUnderKey(used, fingerprint) ?? outcome) : outcome;
  });
}
