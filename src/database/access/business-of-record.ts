import type { Connection } from "../connection.ts";
import { fragment } from "../sql.ts";
import type { BusinessRow } from "./businesses.ts";

export interface RecordNames {
  readonly contact_id?: number | undefined;
  readonly integration_id?: number | undefined;
  readonly location_id?: number | undefined;
  readonly tier_id?: number | undefined;
  readonly program_id?: number | undefined;
  readonly voucher_id?: number | undefined;
  readonly benefit_id?: number | undefined;
}

/**
 * Up to ten businesses that have every one of these records. OFFSET 0 keeps each subquery a probe of the primary key for
 * each business: as a join, it could read all members.
 */
export async function findBusinessesOf(sql: Connection, names: RecordNames): Promise<BusinessRow[]> {
  const { contact_id, integration_id, location_id, tier_id, program_id, voucher_id, benefit_id } = names;
  return sql<BusinessRow[]>`
    SELECT business_id, name, time_zone, currency,
      (SELECT clock_at IS NOT NULL FROM ledger WHERE ledger.business_id = business.business_id) AS sandbox
    FROM business
    WHERE true
      ${
        contact_id === undefined
          ? fragment``
          : fragment`AND EXISTS (
        SELECT FROM member AS record WHERE record.business_id = business.business_id AND contact_id = ${contact_id} OFFSET 0)`
      }
      ${
        integration_id === undefined
          ? fragment``
          : fragment`AND EXISTS (
        SELECT FROM integration AS record WHERE record.business_id = business.business_id AND integration_id = ${integration_id} OFFSET 0)`
      }
      ${
        location_id === undefined
          ? fragment``
          : fragment`AND EXISTS (
        SELECT FROM location AS record WHERE record.business_id = business.business_id AND location_id = ${location_id} OFFSET 0)`
      }
      ${
        tier_id === undefined
          ? fragment``
          : fragment`AND EXISTS (
        SELECT FROM member_tier AS record WHERE record.business_id = business.business_id AND tier_id = ${tier_id} OFFSET 0)`
      }
      ${
        program_id === undefined
          ? fragment``
          : fragment`AND EXISTS (
        SELECT FROM reward_program AS record WHERE record.business_id = business.business_id AND program_id = ${program_id} OFFSET 0)`
      }
      ${
        voucher_id === undefined
          ? fragment``
          : fragment`AND EXISTS (
        SELECT FROM voucher AS record WHERE record.business_id = business.business_id AND voucher_id = ${voucher_id} OFFSET 0)`
      }
      ${
        benefit_id === undefined
          ? fragment``
          : fragment`AND EXISTS (
        SELECT FROM topup_benefit AS record WHERE record.business_id = business.business_id AND benefit_id = ${benefit_id} OFFSET 0)`
      }
    ORDER BY business_id LIMIT 10`;
}
