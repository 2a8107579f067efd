/** Keeps plans suitable for the rows that there are: for single statements, and for a business that grows. */
import type { Connection } from "./connection.ts";
import { codeOf } from "./faults.ts";

/**
 * Runs statements that are planned for their parameters, inside a transaction. Connections keep one generic plan for
 * each statement. That suits look-ups by key, but not statements over many rows, nor searches of rare text.
 */
export async function plannedFor<Value>(tx: Connection, run: () => Promise<Value>): Promise<Value> {
  const [, value] = await Promise.all([tx`SET LOCAL plan_cache_mode = force_custom_plan`, run()]);
  // It is not awaited: if it fails, so do the statements after it in the transaction.
  tx`SET LOCAL plan_cache_mode = force_generic_plan`.catch(() => undefined);
  return value;
}

/** Below this, every plan is fast enough. */
const firstLook = 1000;
/** The planner chooses the same plans for estimates within this factor. */
const growthBetweenLooks = 4;

const tables = "member, account, ledger_entry, imported_line";
const gaveUpWaiting = new Set([
  "55P03", // lock_not_available
  "57014", // query_canceled: the statement timeout
]);

/**
 * Analyzes tables of a business that has grown several times over. The statistics list the businesses with
 * the most rows. The planner expects one row for any other, and reads all rows of the business for each look-
 * up. Autovacuum is soon enough for slow growth, but an import outruns it. A table that stays locked is
 * skipped.
 * @param before how many rows the business had of what grew
 * @param after how many it has now
 */
export async function learnOfGrowth(tx: Connection, before: number, after: number): Promise<void> {
  if (looks(after) === looks(before)) return;
  await tx`SAVEPOINT growth`;
  try {
    // An autovacuum that holds the table gives way after a second (deadlock_timeout).
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
