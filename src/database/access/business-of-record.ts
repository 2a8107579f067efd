import type { Connection } from "../connection.ts";
import { fragment, identifier } from "../sql.ts";
import type { BusinessRow } from "./businesses.ts";

/** The table of each field; the column has the name of the field. */
const tables = {
  contact_id: "member",
  integration_id: "integration",
  location_id: "location",
  tier_id: "member_tier",
  program_id: "reward_program",
  voucher_id: "voucher",
  benefit_id: "topup_benefit",
} as const;
const fields = Object.keys(tables) as (keyof typeof tables)[];

export type RecordNames = { readonly [Field in keyof typeof tables]?: number | undefined };

/**
 * Up to ten businesses that have every one of these records. OFFSET 0 keeps each subquery a probe of the primary key for
 * each business: as a join, it could read all members.
 */
export async function findBusinessesOf(sql: Connection, names: RecordNames): Promise<BusinessRow[]> {
  const hasAll = fields
    .filter((field) => names[field] !== undefined)
    .reduce(
      (condition, field) => fragment`${condition} AND EXISTS (
        SELECT FROM ${identifier(tables[field])} AS record
        WHERE record.business_id = business.business_id AND ${identifier(field)} = ${names[field] as number} OFFSET 0)`,
      fragment`true`,
    );
  return sql<BusinessRow[]>`
    SELECT business_id, name, time_zone, currency,
      (SELECT clock_at IS NOT NULL FROM ledger WHERE ledger.business_id = business.business_id) AS sandbox
    FROM business WHERE ${hasAll} ORDER BY business_id LIMIT 10`;
}
