import type { Database } from "../../src/database/connection.ts";
import { identifier } from "../../src/database/sql.ts";

/**
 * What every table holds, as its number of rows and a digest of them: equal exactly when nothing has changed.
 * @param except tables that are not looked at
 */
export async function tableDigests(
  sql: Database,
  except: readonly string[] = [],
): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`;
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    if (except.includes(name)) continue;
    const [row] = await sql<{ rows: number; digest: string | null }[]>`
      SELECT count(*) AS rows, md5(string_agg(to_jsonb(t)::text, ' ' ORDER BY to_jsonb(t)::text)) AS digest
      FROM ${identifier(name)} t`;
    digests[name] = `${row?.rows} rows, ${row?.digest}`;
  }
  return digests;
}
