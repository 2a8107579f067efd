import type { Connection } from "./connection.ts";

/** Below this, whatever plan the planner picks is quick enough. */
const firstLook = 1000;
/** Estimates that are off by as much lead to the same plans. */
const growthBetweenLooks = 4;

/**
 * Has the planner learn how much a business has, once it has several times as much as the last time. Its statistics
 * list the businesses that hold the most; of one that is not among them it believes that it has a single row, and
 * reads everything the business has for each row that it looks up. What grows slowly, autovacuum analyzes in time;
 * an import outruns it.
 * @param before how many rows the business had of what grew
 * @param after how many it has now
 */
export async function learnOfGrowth(tx: Connection, before: number, after: number): Promise<void> {
  if (looks(after) === looks(before)) return;
  // Where a table is locked, another transaction is looking at it.
  await tx`
    ANALYZE (SKIP_LOCKED) member (business_id), account (business_id), ledger_entry (business_id),
      imported_line (business_id)`;
}

/** How many looks are due at a size. */
function looks(rows: number): number {
  return rows < firstLook ? 0 : 1 + Math.floor(Math.log(rows / firstLook) / Math.log(growthBetweenLooks));
}
