/** What the imports of members and of sales share: looking up lines of files, and the lines that are imported. */
import type { Connection } from "../connection.ts";
import { type Fragment, fragment, raw } from "../sql.ts";

/**
 * Joins the row that has a key, if any, as a table of this name. LATERAL with OFFSET 0 makes each a look-up by key. If the
 * planner knew the business, it would expect one row of a business that is missing from its statistics, and read all its
 * rows for each look-up. So the statement has a table `own` with the business's id.
 */
export function lookUp(name: string, columns: string, key: string): Fragment {
  return raw(`LEFT JOIN LATERAL (
    SELECT ${columns} WHERE business_id = own.business_id AND ${key} OFFSET 0
  ) AS ${name} ON true`);
}

/** The instant of a text of a table, which has an offset from UTC or is on the business's clock. */
export function instantOf(table: string, column: string, timeZone: string): Fragment {
  const text = raw(`${table}.${column}`);
  return fragment`CASE WHEN ${raw(table)}.has_offset THEN ${text}::timestamptz
    ELSE ${text}::timestamp AT TIME ZONE ${timeZone} END`;
}

/**
 * Finds the amounts with which lines were imported. A statement of its own, because the snapshot of `claimSales` does not
 * have the lines of another import that it waited for.
 * @returns amounts by digest, without lines for which no amount is stored
 */
export async function findImportedAmounts(
  tx: Connection,
  businessId: number,
  digests: readonly string[],
): Promise<Map<string, number>> {
  if (digests.length === 0) return new Map();
  const rows = await tx<{ digest: string; amount: number }[]>`
    WITH own AS MATERIALIZED (SELECT ${businessId}::bigint AS business_id)
    SELECT replace(known.digest::text, '-', '') AS digest, line.amount
    FROM own CROSS JOIN unnest(${digests}::uuid[]) AS known (digest)
    ${lookUp("line", "amount FROM imported_line", "digest = known.digest")}
    WHERE line.amount IS NOT NULL`;
  return new Map(rows.map(({ digest, amount }) => [digest, amount]));
}

/** Releases lines that `claimSales` claimed and that are rejected, so that they can be imported later. */
export function releaseLines(tx: Connection, businessId: number, digests: readonly string[]) {
  return tx`
    DELETE FROM imported_line
    WHERE business_id = ${businessId} AND digest = ANY (ARRAY(SELECT unnest(${digests}::uuid[])))`;
}
