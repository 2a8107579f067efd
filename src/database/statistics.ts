/** The planner's statistics of tables that get many rows in one transaction. */
import type { Connection } from "./connection.ts";
import { codeOf } from "./faults.ts";
import { requiredRow } from "./rows.ts";
import { quotedName } from "./sql.ts";

/** With fewer rows, every plan is fast enough. */
export const rowsToAnalyze = 1000;

const gaveUpWaiting = new Set([
  "55P03", // lock_not_available
  "57014", // query_canceled: the statement timeout
]);

/**
 * Analyzes tables. The statistics list the businesses with the most rows. For any other business, the planner expects one row, and its
 * plans, also those of foreign keys, read all rows of the business for each look-up. Autovacuum does not see rows that are not
 * committed: it even leaves behind that the table is empty. It does not touch the tables again before the end of the transaction.
 * A table that stays locked is skipped.
 */
export async function analyze(tx: Connection, tables: readonly string[]): Promise<void> {
  const names = tables.map(quotedName).join(", ");
  const { before } = await requiredRow(tx<{ before: string }[]>`
    SELECT current_setting('lock_timeout') AS before`);
  await tx`SAVEPOINT statistics`;
  try {
    // An autovacuum that holds the table gives way after a second (deadlock_timeout).
    await tx`SET LOCAL lock_timeout = '2s'`;
    await tx.query(`ANALYZE ${names}`);
    await tx`SELECT set_config('lock_timeout', ${before}, true)`;
    await tx`RELEASE SAVEPOINT statistics`;
  } catch (error) {
    if (!gaveUpWaiting.has(codeOf(error))) throw error;
    await tx`ROLLBACK TO SAVEPOINT statistics`;
    await tx.query(`ANALYZE (SKIP_LOCKED) ${names}`);
  }
}

/**
 * Begins to load a business. It waits for the end of another load: ANALYZE locks a table until the commit, so the other one would have no
 * statistics.
 */
export function beginLoad(tx: Connection) {
  return tx`SELECT pg_advisory_xact_lock(hashtext('loyalty load'))`;
}
