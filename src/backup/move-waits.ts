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

const toldAfterMilliseconds = 1000;

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

/**
 * Waits until every transaction that may write, and runs now, has ended.
 * @throws OperatorError when one runs for longer
 */
export async function untilTransactionsEnd(
  tx: Session,
  withinMilliseconds: number,
  onProgress: (line: string) => void,
): Promise<void> {
  const before = new Set(
    (await listRunningTransactions(tx))
      // Another command moves only its own business.
      .filter(({ writes, application }) => writes && !application.startsWith("loyalty move"))
      .map(({ transaction }) => transaction),
  );
  const startedAt = performance.now();
  let isTold = false;
  for (;;) {
    const running = (await listRunningTransactions(tx)).filter(({ transaction }) => before.has(transaction));
    const [first] = running;
    if (first === undefined) return;
    const milliseconds = performance.now() - startedAt;
    const name = `a transaction of ${first.application || "another program"} (process ${first.pid} of PostgreSQL, since ${first.since})`;
    if (milliseconds > withinMilliseconds)
      throw new OperatorError(
        `The command has waited for ${name}, which has not ended. Repeat the command when it has.`,
      );
    if (!isTold && milliseconds > toldAfterMilliseconds) {
      isTold = true;
      onProgress(`Waiting for ${name} …`);
    }
    await sleep(50);
  }
}
