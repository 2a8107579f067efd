import type { Connection } from "../../src/database/connection.ts";

/**
 * How many rows of a table this transaction has read so far, in whatever way; not those that a parallel worker read for
 * it.
 */
export async function tuplesRead(tx: Connection, table: string): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    SELECT pg_stat_get_xact_tuples_returned(${table}::regclass) + pg_stat_get_xact_tuples_fetched(${table}::regclass)
      + sum(pg_stat_get_xact_tuples_fetched(indexrelid))::bigint AS rows
    FROM pg_index WHERE indrelid = ${table}::regclass`;
  return row?.rows ?? 0;
}
