/** The pages that show members what they have. A page is found by the hash of the token in its address. */
import type { MoveState } from "../../domain/moving.ts";
import { logoPath, type ShownBusiness } from "../access/businesses.ts";
import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";
import { type Fragment, fragment } from "../sql.ts";
import { signsPasses, type WalletKind } from "../wallets/issuers.ts";

export interface PageRow {
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

/** Whether members of a business have pages. */
export async function hasPages(sql: Connection, businessId: number): Promise<boolean> {
  const [row] = await sql`SELECT FROM member_page WHERE business_id = ${businessId} LIMIT 1`;
  return row !== undefined;
}

export interface PageOwner extends ShownBusiness {
  readonly contact_id: number;
  readonly first_name: string;
  readonly anonymous: string | null;
  /** The last day of the money of a gift card; null: it does not lapse. */
  readonly wallet_valid_through: string | null;
  /** What signs passes, encrypted, by the kind of wallet. */
  readonly sealed_wallets: Readonly<Partial<Record<WalletKind, string>>>;
}

interface Found extends PageOwner {
  readonly move_state: MoveState | null;
  readonly is_active: boolean;
  /** Of its page. */
  readonly generation: number | null;
}

function findOwner(sql: Connection, businessId: number, condition: Fragment) {
  return firstRow(sql<Found[]>`
    SELECT m.contact_id, m.first_name, m.anonymous, business.name, business.color, ${logoPath} AS logo_path,
      (SELECT move_state FROM ledger AS l WHERE l.business_id = m.business_id),
      business.country, business.time_zone, business.currency, business.currency_decimals,
      ${signsPasses("business.business_id")} AS sealed_wallets, m.active AND m.erased_at IS NULL AS is_active,
      (SELECT generation FROM member_page AS p
      WHERE p.business_id = m.business_id AND p.contact_id = m.contact_id) AS generation,
      (SELECT (lapses_on - 1)::text FROM account AS a
      WHERE a.business_id = m.business_id AND a.contact_id = m.contact_id AND a.account = 'wallet') AS wallet_valid_through
    FROM member AS m JOIN business ON business.business_id = m.business_id
    WHERE m.business_id = ${businessId} AND ${condition}`);
}

/** Finds the active member whose page has an address, and its business. */
export async function findPageOwner(sql: Connection, businessId: number, tokenHash: Buffer) {
  const found = await findOwner(
    sql,
    businessId,
    fragment`m.contact_id = (
      SELECT contact_id FROM member_page WHERE business_id = ${businessId} AND token_hash = ${tokenHash})`,
  );
  return found?.is_active === true ? found : undefined;
}

/** Finds the member of a pass, which can be inactive, and its business. */
export const findPassOwner = (sql: Connection, businessId: number, contactId: number) =>
  findOwner(sql, businessId, fragment`m.contact_id = ${contactId}`);

/** The names of the locations of promotions that have not ended, by promotion_id. Those that act everywhere are absent. */
export async function findPlacesOfPromotions(sql: Connection, businessId: number) {
  const rows = await sql<{ promotion_id: number; names: string[] }[]>`
    SELECT p.promotion_id, array_agg(l.name ORDER BY l.name) AS names
    FROM promotion AS p JOIN location AS l ON l.business_id = p.business_id AND l.location_id = ANY (p.location_ids)
    WHERE p.business_id = ${businessId} AND p.status <> 'ended' GROUP BY p.promotion_id`;
  return new Map(rows.map(({ promotion_id, names }) => [promotion_id, names]));
}

/** Which of some members are anonymous cards. */
export async function findAnonymous(
  tx: Connection,
  businessId: number,
  contactIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (contactIds.length === 0) return new Set();
  const rows = await tx<{ contact_id: number }[]>`
    SELECT contact_id FROM member
    WHERE business_id = ${businessId} AND contact_id = ANY (${[...contactIds]}::bigint[]) AND anonymous IS NOT NULL`;
  return new Set(rows.map(({ contact_id }) => contact_id));
}
