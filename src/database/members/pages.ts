/** The pages that show members what they have. A page is found by the hash of the token in its address. */
import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";

interface PageRow {
  readonly generation: number;
  readonly token_hash: Buffer;
}

/** The caller holds the member's lock. */
export function findPageOf(tx: Connection, businessId: number, contactId: number) {
  return firstRow(tx<PageRow[]>`
    SELECT generation, token_hash FROM member_page WHERE business_id = ${businessId} AND contact_id = ${contactId}`);
}

/** Gives a member a page, or replaces its address. */
export function putPage(
  tx: Connection,
  businessId: number,
  contactId: number,
  { generation, token_hash }: PageRow,
) {
  return tx`
    INSERT INTO member_page (business_id, contact_id, generation, token_hash)
    VALUES (${businessId}, ${contactId}, ${generation}, ${token_hash})
    ON CONFLICT (business_id, contact_id) DO UPDATE
      SET generation = excluded.generation, token_hash = excluded.token_hash, created_at = now()`;
}

export interface PageOwner {
  readonly contact_id: number;
  readonly first_name: string;
  readonly anonymous: string | null;
  readonly name: string;
  readonly color: string | null;
  readonly country: string | null;
  readonly time_zone: string;
  readonly currency: string;
  readonly currency_decimals: number;
  /** The last day of the money of a gift card; null: it does not lapse. */
  readonly wallet_valid_through: string | null;
}

/** Finds the active member whose page has an address, and its business. */
export function findPageOwner(sql: Connection, businessId: number, tokenHash: Buffer) {
  return firstRow(sql<PageOwner[]>`
    SELECT m.contact_id, m.first_name, m.anonymous, b.name, b.color, b.country, b.time_zone, b.currency, b.currency_decimals,
      (SELECT (lapses_on - 1)::text FROM account AS a
      WHERE a.business_id = m.business_id AND a.contact_id = m.contact_id AND a.account = 'wallet') AS wallet_valid_through
    FROM member_page AS p
    JOIN member AS m ON m.business_id = p.business_id AND m.contact_id = p.contact_id
    JOIN business AS b ON b.business_id = p.business_id
    WHERE p.business_id = ${businessId} AND p.token_hash = ${tokenHash} AND m.active AND m.erased_at IS NULL`);
}
