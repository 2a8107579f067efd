import type { Connection } from "./connection.ts";

/** What the database holds and how large it is. */
export interface DatabaseStatus {
  /** The number of the last migration. */
  readonly schema_version: number;
  readonly server_version: string;
  readonly size_bytes: number;
  readonly businesses: number;
  readonly members: number;
  readonly entries: number;
}

/** Counts what there is, over all businesses. Entries come from the ledgers' heads, which is why it is quick. */
export async function readDatabaseStatus(sql: Connection): Promise<DatabaseStatus> {
  const [row] = await sql<DatabaseStatus[]>`
    SELECT (SELECT max(version) FROM migration) AS schema_version,
      current_setting('server_version') AS server_version,
      pg_database_size(current_database()) AS size_bytes,
      (SELECT count(*) FROM business) AS businesses,
      (SELECT count(*) FROM member) AS members,
      (SELECT coalesce(sum(last_entry_no), 0)::bigint FROM ledger) AS entries`;
  return row as DatabaseStatus;
}
