/**
 * Sums that postings add to, such as the number of sales of a day. A transaction adds rows of its own, whose `part` is the number of
 * the last entry. When entries are counted (counts.ts), their parts are added to part 0. If all postings updated one row, its versions
 * would pile up while a snapshot is open, and each posting would read past them.
 */
import type { Connection } from "../connection.ts";
import { type Fragment, raw } from "../sql.ts";

const sums = {
  sale_count: { of: "sold_on, location_id", columns: ["sales"] },
  liability_change: { of: "kind, ends_on, begins_on, changed_on", columns: ["items", "amount"] },
  day_total: { of: "location_id, day, what", columns: ["items", "amount"] },
} as const;
type SumTable = keyof typeof sums;

/** The end of a statement that adds rows to a table of sums. */
export function addToSums(table: SumTable): Fragment {
  const { of, columns } = sums[table];
  const added = columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`);
  return raw(`ON CONFLICT (business_id, ${of}, part) DO UPDATE SET ${added.join(", ")}`);
}

/**
 * Adds parts to part 0. The caller holds the lock of the ledger's counts.
 * @param from the first part
 * @param until the first part after them
 */
export async function mergeParts(tx: Connection, businessId: number, from: number, until: number) {
  for (const [table, { of, columns }] of Object.entries(sums)) {
    const added = columns.map((column) => `sum(${column})`).join(", ");
    await tx`
      WITH parts AS (
        DELETE FROM ${raw(table)} WHERE business_id = ${businessId} AND part > 0 AND part >= ${from} AND part < ${until}
        RETURNING *
      )
      INSERT INTO ${raw(table)} (business_id, ${raw(of)}, part, ${raw(columns.join(", "))})
      SELECT business_id, ${raw(of)}, 0, ${raw(added)} FROM parts GROUP BY business_id, ${raw(of)}
      ORDER BY ${raw(of)} ${addToSums(table as SumTable)}`;
  }
}
