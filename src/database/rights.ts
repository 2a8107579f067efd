import type { Connection } from "./connection.ts";

/** What a check of the database looks at. */
export interface DatabaseRights {
  readonly server_version: string;
  /** Such as 150004. */
  readonly server_version_num: number;
  readonly may_create: boolean;
  /** Tables of the schema that belong to somebody else. */
  readonly foreign_tables: number;
  /** Whole milliseconds since the epoch. */
  readonly clock_milliseconds: number;
}

/** What the role may do: migrations create tables and change those that it owns. */
export async function readDatabaseRights(sql: Connection): Promise<DatabaseRights> {
  const [row] = await sql<DatabaseRights[]>`
    SELECT current_setting('server_version') AS server_version,
      current_setting('server_version_num')::integer AS server_version_num,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
      (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()
        AND NOT pg_has_role(current_user, tableowner, 'USAGE')) AS foreign_tables,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock_milliseconds`;
  return row as DatabaseRights;
}
