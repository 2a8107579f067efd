/** What a move waits for, and who is waited for. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Session } from "../database/connection.ts";
import { findHolder, type Holder, listRunningTransactions } from "../database/moving.ts";

const toldAfterMilliseconds = 1000;

/**
 * Waits until every transaction that may write, and runs now, has ended.
 * @returns a name for one that runs for longer
 */
export async function untilTransactionsEnd(
  tx: Session,
  withinMilliseconds: number,
  onProgress: (line: string) => void,
): Promise<string | undefined> {
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
    if (first === undefined) return undefined;
    const milliseconds = performance.now() - startedAt;
    if (milliseconds > withinMilliseconds) return nameOf(first);
    if (milliseconds > toldAfterMilliseconds) onProgress(`Waiting for ${nameOf(first)} …`);
    await sleep(50);
  }
}

const nameOf = ({ application, pid, since }: Holder) =>
  `process ${pid} of PostgreSQL (${application || "another program"}${since === null ? "" : `, since ${since}`})`;

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
