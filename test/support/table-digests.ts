import type { Database } from "../../src/database/connection.ts";

/** The tables of the request log. */
const requestLog: ReadonlySet<string> = new Set(["rejected_request", "request_count"]);

/**
 * What every table holds, as its number of rows and a digest of them: equal exactly when nothing has changed.
 * @param except tables that are not looked at, besides the request log, which also has requests that change nothing
 * @param businessId looks at the rows of one business only
 */
export async function tableDigests(
  sql: Database,
  except: readonly string[] = [],
  businessId?: number,
): Promise<Record<string, string>> {
  // The views of information_schema take a hundred times as long.
  const tables = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class AS t
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      AND (${businessId === undefined} OR EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = t.oid AND attname = 'business_id' AND NOT attisdropped
      ))
    ORDER BY 1`;
  const where = businessId === undefined ? "" : `WHERE business_id = ${businessId}`;
  const names = tables
    .map(({ name }) => name)
    .filter((name) => !requestLog.has(name) && !except.includes(name));
  if (names.length === 0) return {};
  const digests = names.map(
    (
      name,
    ) => `SELECT '${name}' AS name, count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) AS digest
      FROM "${name}" t ${where}`,
  );
  const rows = await sql.query<{ name: string; digest: string }[]>(digests.join(" UNION ALL "));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
