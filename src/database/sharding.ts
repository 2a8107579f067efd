import type { Connection } from "./connection.ts";

/** Whether the database distributes its tables over several servers, by the extension Citus. */
export async function isSharded(sql: Connection): Promise<boolean> {
  const rows = await sql`SELECT FROM pg_extension WHERE extname = 'citus'`;
  return rows.length > 0;
}
