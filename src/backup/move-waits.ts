/** What a move waits for. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Session } from "../database/connection.ts";
import { listRunningTransactions } from "../database/moving.ts";
import { OperatorError } from "../domain/access/operator-error.ts";

/** Shorter only in tests. */
export interface Waits {
  /** From the announcement of the move to the rejection of writes. By then, no process has an integration in its cache. */
  readonly cachesMilliseconds: number;
  /** From the rejection of reads to the deletion. By then, reads under way have ended. */
  readonly readsMilliseconds: number;
  /** For the end of an earlier command that moves the same business. */
  readonly earlierMilliseconds: number;
}

export const usualWaits: Waits = {
  cachesMilliseconds: 6000,
  readsMilliseconds: 16_000,
  earlierMilliseconds: 15_000,
};
const transactionsEndWithinMilliseconds = 60_000;

interface EarlierOptions {
  readonly businessId: number;
  readonly onProgress: (line: string) => void;
  readonly waits?: Waits;
}

/** Waits for what PostgreSQL still does for a command that was interrupted. It notices within a second. @param name of such commands */
export async function untilEarlierEnds(
  tx: Session,
  name: string,
  { businessId, onProgress, waits = usualWaits }: EarlierOptions,
): Promise<void> {
  for (const deadline = performance.now() + waits.earlierMilliseconds; ; await sleep(200)) {
    const earlier = (await listRunningTransactions(tx)).find(({ application }) => application === name);
    if (earlier === undefined) return;
    const { pid, since } = earlier;
    onProgress(`Waiting for another command that moves the business (process ${pid} of PostgreSQL) …`);
    if (performance.now() < deadline) continue;
    throw new OperatorError(
      `Another command moves business ${businessId}: process ${pid} of PostgreSQL, since ${since}. Wait for it, and then repeat ` +
        `this one. If nobody runs it any more, end it in that database: SELECT pg_terminate_backend(${pid})`,
    );
  }
}

/** Waits until every transaction has ended that may write because it has read the state before writes were rejected. */
export async function untilTransactionsEnd(tx: Session): Promise<void> {
  const before = new Set(
    (await listRunningTransactions(tx))
      // Another command moves only its own business.
      .filter(({ writes, application }) => writes && !application.startsWith("loyalty move"))
      .map(({ transaction }) => transaction),
  );
  for (const deadline = performance.now() + transactionsEndWithinMilliseconds; ; await sleep(50)) {
    const running = (await listRunningTransactions(tx)).filter(({ transaction }) => before.has(transaction));
    const [first] = running;
    if (first === undefined) return;
    if (performance.now() < deadline) continue;
    throw new OperatorError(
      `A transaction of ${first.application || "another program"} runs for more than a minute in the database. Repeat the command when it has ended.`,
    );
  }
}
