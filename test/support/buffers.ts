/** How many buffers (pages of tables and indexes) statements read, by the server's statistics. */
import type { Database } from "../../src/database/connection.ts";
import type { DatabasePools } from "../../src/database/pools.ts";

/** Keeps autovacuum away: it would count as well, and renew statistics that a test wants to be stale. */
export async function turnAutovacuumOff(sql: Database): Promise<void> {
  const tables = await sql<{ name: string }[]>`SELECT relname AS name FROM pg_stat_user_tables`;
  await sql.query(
    tables.map(({ name }) => `ALTER TABLE "${name}" SET (autovacuum_enabled = false)`).join(";"),
  );
}

/** Those that the work uses, and the one that set up the test: the server may count what it has read seconds later. */
type CountedPools = Pick<DatabasePools, "sql"> & Partial<DatabasePools> & { readonly setup: Database };

/** Counts the buffers that some work reads, in the database that nobody else uses meanwhile. */
export async function buffersRead(pools: CountedPools, work: () => Promise<unknown>): Promise<number> {
  await flushCounters(pools);
  const before = await countedBuffers(pools.sql);
  await work();
  await flushCounters(pools);
  return (await countedBuffers(pools.sql)) - before;
}

/** A connection adds its counters to the server's once a second, unless told to. */
export async function flushCounters(pools: object): Promise<void> {
  await Promise.all(
    Object.values(pools).map((pool: Database) =>
      // All at once, so that each connection gets one of them.
      Promise.all(Array.from({ length: pool.connections }, () => pool`SELECT pg_stat_force_next_flush()`)),
    ),
  );
}

async function countedBuffers(sql: Database): Promise<number> {
  const [row] = await sql<{ buffers: number }[]>`
    SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)
      + coalesce(toast_blks_read + toast_blks_hit + tidx_blks_read + tidx_blks_hit, 0))::bigint AS buffers
    FROM pg_statio_user_tables`;
  return row?.buffers ?? 0;
}
