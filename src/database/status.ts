import type { Connection } from "./connection.ts";

/** What the database holds and how large it is. */
export interface DatabaseStatus {
  /** The number of the last migration. */
  readonly schema_version: number;
  readonly server_version: string;
  readonly size_bytes: number;
  readonly shared_buffers_bytes: number;
  readonly businesses: number;
  readonly members: number;
  readonly entries: number;
  /** Whole seconds by which the last entry of a ledger lies ahead of the database's clock; 0 when none does. */
  readonly ledger_lead_seconds: number;
}

/** Counts records over all businesses. Members and entries are counted as they are made. */
export async function readDatabaseStatus(sql: Connection): Promise<DatabaseStatus> {
  const [row] = await sql<DatabaseStatus[]>`
    SELECT (SELECT max(version) FROM migration) AS schema_version,
      current_setting('server_version') AS server_version,
      pg_database_size(current_database()) AS size_bytes,
      pg_size_bytes(current_setting('shared_buffers')) AS shared_buffers_bytes,
      (SELECT count(*) FROM business) AS businesses,
      (SELECT coalesce(sum(members), 0)::bigint FROM member_block) AS members,
      (SELECT coalesce(sum(last_entry_no), 0)::bigint FROM ledger) AS entries,
      (SELECT greatest(0, ceil(extract(epoch FROM max(last_recorded_at) - clock_timestamp())))::bigint FROM ledger)
        AS ledger_lead_seconds`;
  return row as DatabaseStatus;
}
