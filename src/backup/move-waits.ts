/** What a move waits for, and who is waited for. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Session } from "../database/connection.ts";
import { findHolder, type Holder, listRunningTransactions, moverOf } from "../database/moving.ts";
import { OperatorError } from "../domain/access/operator-error.ts";

/** Shorter only in tests. */
export interface Waits {
  /** From the announcement of the move to the rejection of writes. By then, no process has an integration in its cache. */
  readonly cachesMilliseconds: number;
  /** From the rejection of reads to the deletion. By then, reads under way have ended. */
  readonly readsMilliseconds: number;
  /** For the end of an earlier command that moves the same business. */
  readonly earlierMilliseconds: number;
  /** For the last rows, beside the time that they should take. Then services accept writes again, whatever the command does. */
  readonly pauseMilliseconds: number;
}

export const usualWaits: Waits = {
  cachesMilliseconds: 6000,
  readsMilliseconds: 16_000,
  earlierMilliseconds: 15_000,
  pauseMilliseconds: 20_000,
};

const toldAfterMilliseconds = 1000;

interface EarlierOptions {
  readonly businessId: number;
  readonly onProgress: (line: string) => void;
  readonly waits?: Waits;
}

/** Waits for what PostgreSQL still does for a command that was interrupted. It notices within a second. */
export async function untilEarlierEnds(
  tx: Session,
  { businessId, onProgress, waits = usualWaits }: EarlierOptions,
): Promise<void> {
  for (const deadline = performance.now() + waits.earlierMilliseconds; ; await sleep(200)) {
    const earlier = (await listRunningTransactions(tx)).find(
      ({ application }) => application === moverOf(businessId),
    );
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
  for (;;) {
    const running = (await listRunningTransactions(tx)).filter(({ transaction }) => before.has(transaction));
    const [first] = running;
    if (first === undefined) return;
    const milliseconds = performance.now() - startedAt;
    if (milliseconds > withinMilliseconds)
      throw new OperatorError(
        `The command has waited for ${nameOf(first)}, which has not ended. Repeat the command when it has.`,
      );
    if (milliseconds > toldAfterMilliseconds) onProgress(`Waiting for ${nameOf(first)} …`);
    await sleep(50);
  }
}

const nameOf = ({ application, pid, since }: Holder) =>
  `a transaction of ${application || "another program"} (process ${pid} of PostgreSQL${since === null ? "" : `, since ${since}`})`;

/** Says for whose lock a transaction waits. @param sql a pool with its name, and a connection that is free @returns stops it */
export function tellLocks(sql: Database, onProgress: (line: string) => void): () => void {
  const look = async () => {
    const holder = await findHolder(sql);
    if (holder !== undefined) onProgress(`Waiting for ${nameOf(holder)} …`);
  };
  // The next look tries again.
  const timer = setInterval(() => void look().catch(() => undefined), toldAfterMilliseconds);
  return () => clearInterval(timer);
}
