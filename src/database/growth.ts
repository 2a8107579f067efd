import type { Connection } from "./connection.ts";
import { codeOf } from "./faults.ts";

/** Below this, every plan is fast enough. */
const firstLook = 1000;
/** Estimates that are off by as much lead to the same plans. */
const growthBetweenLooks = 4;

const tables = "member, account, ledger_entry, imported_line";
const gaveUpWaiting = new Set([
  "55P03", // lock_not_available
  "57014", // query_canceled: the statement timeout
]);

/**
 * Has the planner learn how much a business has, once it has several times as much as the last time. Its statistics
 * list the businesses that hold the most; of one that is not among them it believes that it has a single row, and
 * reads everything the business has for each row that it looks up. What grows slowly, autovacuum analyzes in time;
 * an import outruns it. A table that stays locked is passed over.
 * @param before how many rows the business had of what grew
 * @param after how many it has now
 */
export async function learnOfGrowth(tx: Connection, before: number, after: number): Promise<void> {
  if (looks(after) === looks(before)) return;
  await tx`SAVEPOINT growth`;
  try {
    // For each table: an autovacuum that is in the way gives way after a second (deadlock_timeout).
    await tx`SET LOCAL lock_timeout = '2s'`;
    await tx.query(`ANALYZE ${tables}`);
    await tx`SET LOCAL lock_timeout = DEFAULT`;
    await tx`RELEASE SAVEPOINT growth`;
  } catch (error) {
    if (!gaveUpWaiting.has(codeOf(error))) throw error;
    await tx`ROLLBACK TO SAVEPOINT growth`;
    await tx.query(`ANALYZE (SKIP_LOCKED) ${tables}`);
  }
}

/** How many looks are due at a size. */
function looks(rows: number): number {
  return rows < firstLook ? 0 : 1 + Math.floor(Math.log(rows / firstLook) / Math.log(growthBetweenLooks));
}
