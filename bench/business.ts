/** Businesses that a run needs, made in the database as the operator's commands would. */

import { hashSecret, newClientId, newClientSecret } from "../src/credentials/keys.ts";
import { insertBusiness } from "../src/database/access/businesses.ts";
import type { Database } from "../src/database/connection.ts";
import { allScopes } from "../src/domain/access.ts";
import type { Caller } from "./load/traffic.ts";
import type { BenchService } from "./service.ts";

export interface Business {
  readonly businessId: number;
  readonly integrationId: number;
  readonly locationIds: readonly number[];
  readonly voucherIds: readonly number[];
  readonly credentials: { readonly client_id: string; readonly client_secret: string };
}

const locations = 20;
const vouchers = 100;
const tiers = 4;

/** Makes a business with 20 locations, 100 vouchers, 4 tiers and an integration that may do everything. */
export async function makeBusiness(sql: Database, timeZone = "Europe/Madrid"): Promise<Business> {
  const businessId = await insertBusiness(sql, { name: "Bench", time_zone: timeZone, currency: "EUR" });
  const locationIds = await sql<{ location_id: number }[]>`
    INSERT INTO location (business_id, name)
    SELECT ${businessId}::bigint, 'Location ' || number FROM generate_series(1, ${locations}::int) AS number
    RETURNING location_id`;
  const voucherIds = await sql<{ voucher_id: number }[]>`
    INSERT INTO voucher (business_id, campaign_name, coupon_code, coupon_value)
    SELECT ${businessId}::bigint, 'Campaign ' || number, 'COUPON' || number, number * 100
    FROM generate_series(1, ${vouchers}::int) AS number
    RETURNING voucher_id`;
  await sql`
    INSERT INTO member_tier (business_id, name, expiry, expiry_period)
    SELECT ${businessId}::bigint, 'Tier ' || number, 12, 'month' FROM generate_series(1, ${tiers}::int) AS number`;
  const credentials = { client_id: newClientId(), client_secret: newClientSecret() };
  const [integration] = await sql<{ integration_id: number }[]>`
    INSERT INTO integration (business_id, name, client_id, scopes, all_locations)
    VALUES (${businessId}, 'Bench', ${credentials.client_id}, ${allScopes as string[]}, true)
    RETURNING integration_id`;
  const { integration_id: integrationId } = integration as NonNullable<typeof integration>;
  await sql`
    INSERT INTO integration_secret (integration_id, secret_hash)
    VALUES (${integrationId}, ${hashSecret(credentials.client_secret)})`;
  return {
    businessId,
    integrationId,
    locationIds: locationIds.map((row) => row.location_id),
    voucherIds: voucherIds.map((row) => row.voucher_id),
    credentials,
  };
}

/** Gets a token as the integration of a business. @returns the Authorization header */
export async function authorize(service: BenchService, { credentials }: Business): Promise<string> {
  const { data } = await service.post<{ access_token: string }>("/sp/auth/token", credentials);
  return `Bearer ${data.access_token}`;
}

/** A business as the load generator sees it. */
export async function callerOf(
  service: BenchService,
  business: Business,
  members: { firstContactId: number; members: number },
): Promise<Caller> {
  return { authorization: await authorize(service, business), locationIds: business.locationIds, ...members };
}

/** The number of the last entry of a business, which is also how many it has. */
export async function lastEntryNo(sql: Database, businessId: number): Promise<number> {
  const [ledger] = await sql<{ last_entry_no: number }[]>`
    SELECT last_entry_no FROM ledger WHERE business_id = ${businessId}`;
  if (ledger === undefined) throw new Error(`there is no business ${businessId}`);
  return ledger.last_entry_no;
}

/**
 * Checks the ledger of a business after a load.
 * @throws when a number is missing, or a balance is not the sum of its entries
 */
export async function checkLedger(sql: Database, businessId: number): Promise<void> {
  const [ledger] = await sql<{ entries: number; last: number; head: number }[]>`
    SELECT count(*) AS entries, coalesce(max(entry_no), 0) AS last, (
        SELECT last_entry_no FROM ledger WHERE business_id = ${businessId}) AS head
    FROM ledger_entry WHERE business_id = ${businessId}`;
  if (ledger === undefined || ledger.entries !== ledger.last || ledger.last !== ledger.head) {
    throw new Error(`the ledger of business ${businessId} is not gapless: ${JSON.stringify(ledger)}`);
  }
  const [wrong] = await sql`
    SELECT a.contact_id, a.account FROM account a
    LEFT JOIN (
      SELECT contact_id, account, sum(amount) AS sum FROM ledger_entry
      WHERE business_id = ${businessId} GROUP BY contact_id, account
    ) e ON e.contact_id = a.contact_id AND e.account = a.account
    WHERE a.business_id = ${businessId} AND a.balance <> coalesce(e.sum, 0) LIMIT 1`;
  if (wrong !== undefined) throw new Error(`an account does not add up: ${JSON.stringify(wrong)}`);
}
