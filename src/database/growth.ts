import type { TransactionSql } from "postgres";

/** Below this, whatever plan the planner picks is quick enough. */
const firstLook = 1000;
/** Estimates that are off by as much lead to the same plans. */
const growthBetweenLooks = 4;

const tables = `member (business_id), account (business_id), ledger_entry (business_id),
  imported_line (business_id)`;
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
export async function learnOfGrowth(tx: TransactionSql, before: number, after: number): Promise<void> {
  if (looks(after) === looks(before)) return;
  try {
    await tx.savepoint(async (look) => {
      // For each table: an autovacuum that is in the way gives way after a second (deadlock_timeout).
      await look`SET LOCAL lock_timeout = '2s'`;
      await look`ANALYZE ${look.unsafe(tables)}`;
      await look`SET LOCAL lock_timeout = DEFAULT`;
    });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && gaveUpWaiting.has(String(error.code)))) throw error;
    await tx`ANALYZE (SKIP_LOCKED) ${tx.unsafe(tables)}`;
  }
}

/** How many looks are due at a size. */
function looks(rows: number): number {
  return rows < firstLook ? 0 : 1 + Math.floor(Math.log(rows / firstLook) / Math.log(growthBetweenLooks));
}
