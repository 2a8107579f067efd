import type { Connection, Database } from "../../src/database/connection.ts";

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

/** A database that is the one connection, for work that is looked at inside a transaction. */
export function databaseOf(connection: Connection): Database {
  const tag: Connection = Object.assign((...statement: Parameters<Connection>) => connection(...statement), {
    query: connection.query,
  }) as Connection;
  return Object.assign(tag, {
    connections: 1,
    begin: <Value>(work: (tx: Connection) => Promise<Value>) => work(connection),
    reserve: () => Promise.reject(new Error("there is one connection")),
    end: () => Promise.resolve(),
  });
}
