import type { Connection } from "./connection.ts";

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
