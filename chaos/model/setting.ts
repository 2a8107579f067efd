/** The businesses and integrations of a sequence, made in the database, because each sequence waits for them. */
import { deriveKeys, hashSecret, newClientId, newClientSecret } from "../../src/credentials/keys.ts";
import { createTokens, tokenLifetimeSeconds } from "../../src/credentials/tokens.ts";
import type { Database } from "../../src/database/connection.ts";
import type { Scope } from "../../src/domain/access/access.ts";
import type { Business } from "./business.ts";
import { allScopes } from "./contract.ts";

/** The business of a sequence, and another one that must not change. */
export type Side = "home" | "away";

export interface Integration {
  readonly side: Side;
  readonly integration_id: number;
  readonly client_id: string;
  readonly client_secret: string;
  readonly enabled: boolean;
  readonly granted: readonly string[];
  /** The scopes of its token. */
  readonly inToken: readonly string[];
  readonly locationIds: readonly number[];
}

const readScopes = allScopes.filter((scope) => scope.endsWith(".read"));
const everything = {
  side: "home",
  granted: allScopes,
  inToken: allScopes,
  locations: 3,
  enabled: true,
} as const;
const plans = {
  everywhere: everything,
  limited: { ...everything, locations: 2 },
  // Its token is from before it lost the right to write.
  reader: { ...everything, granted: readScopes },
  late: { ...everything, inToken: readScopes },
  disabled: { ...everything, enabled: false },
  away: { ...everything, side: "away" },
} as const;
export type CallerName = keyof typeof plans;
export const callers = Object.keys(plans) as CallerName[];

export interface Setting {
  readonly businesses: Readonly<Record<Side, Business>>;
  readonly integrations: Readonly<Record<CallerName, Integration>>;
}

export async function makeSetting(sql: Database): Promise<Setting> {
  // Without daylight saving time, so that a later time is always a later text.
  const [home, away] = await Promise.all([
    makeBusiness(sql, "Asia/Kolkata"),
    makeBusiness(sql, "Pacific/Honolulu"),
  ]);
  const businesses = { home, away };
  const made = callers.map(async (name) => [name, await makeIntegration(sql, businesses, plans[name])]);
  return { businesses, integrations: Object.fromEntries(await Promise.all(made)) };
}

type Made = Pick<Business, "businessId" | "locationIds" | "tiers" | "programs" | "vouchers">;

async function makeBusiness(sql: Database, timeZone: string): Promise<Business> {
  const [row] = await sql<{ made: Made }[]>`
    WITH business AS (
      INSERT INTO business (name, time_zone, currency, currency_decimals) VALUES ('Model', ${timeZone}, 'EUR', 2) RETURNING business_id
    ), ledger AS (INSERT INTO ledger (business_id) SELECT business_id FROM business
    ), ledger_count AS (INSERT INTO ledger_count (business_id) SELECT business_id FROM business
    ), settings AS (INSERT INTO reward_settings (business_id) SELECT business_id FROM business
    ), locations AS (
      INSERT INTO location (business_id, name)
      SELECT business_id, 'Location' FROM business, generate_series(1, 3) RETURNING location_id
    ), tiers AS (
      INSERT INTO member_tier (business_id, name, expiry, expiry_period)
      SELECT business_id, 'Silver', 12, 'month' FROM business, generate_series(1, 2)
      RETURNING tier_id, name, expiry, expiry_period
    ), programs AS (
      INSERT INTO reward_program (business_id, membership_name, maximum_points_per_order)
      SELECT business_id, 'Club', 500 FROM business
      RETURNING program_id, membership_name, maximum_points_per_order
    ), vouchers AS (
      INSERT INTO voucher (business_id, campaign_name, coupon_code, coupon_value, archived, location_id)
      SELECT business_id, 'Summer', 'SUMMER' || nth, 100 * nth, nth = 2,
        -- The third is of the first location, the fourth of the third.
        (SELECT (array_agg(location_id ORDER BY location_id))[2 * nth - 5] FROM locations)
      FROM business, generate_series(1, 4) nth
      RETURNING voucher_id, campaign_name, coupon_code, coupon_value, archived, location_id
    )
    SELECT jsonb_build_object(
      'businessId', business_id,
      'locationIds', (SELECT jsonb_agg(location_id ORDER BY location_id) FROM locations),
      'tiers', (SELECT jsonb_agg(tiers ORDER BY tier_id) FROM tiers),
      'programs', (SELECT jsonb_agg(programs) FROM programs),
      'vouchers', (SELECT jsonb_agg(vouchers) FROM vouchers)) AS made
    FROM business`;
  const empty = { members: [], entries: [], benefits: [], settings: {}, written: {} };
  return { ...(row as { made: Made }).made, timeZone, ...empty };
}

async function makeIntegration(
  sql: Database,
  businesses: Setting["businesses"],
  { locations, ...plan }: (typeof plans)[CallerName],
): Promise<Integration> {
  const { businessId, locationIds: all } = businesses[plan.side];
  const isEverywhere = locations === all.length;
  const locationIds = all.slice(0, locations);
  const credentials = { client_id: newClientId(), client_secret: newClientSecret() };
  const [row] = await sql<{ integration_id: number }[]>`
    WITH made AS (
      INSERT INTO integration (business_id, name, client_id, scopes, all_locations, location_ids, enabled)
      VALUES (${businessId}, 'Model', ${credentials.client_id}, ${[...plan.granted]}, ${isEverywhere},
        ${isEverywhere ? [] : locationIds}, ${plan.enabled})
      RETURNING integration_id
    )
    INSERT INTO integration_secret (business_id, integration_id, secret_hash)
    SELECT ${businessId}, integration_id, ${hashSecret(credentials.client_secret)} FROM made RETURNING integration_id`;
  return { ...plan, ...credentials, ...(row as { integration_id: number }), locationIds };
}

/** Signs tokens of integrations, as the service does or nearly so. @param secret of the service */
export function tokenSigner(secret: string) {
  const [key, otherKey] = [secret, `not ${secret}`].map((each) => deriveKeys(each).tokenSigning);
  return async (
    { businesses }: Setting,
    { side, integration_id, inToken }: Integration,
    is: "valid" | "forged" | "expired",
  ): Promise<string> => {
    const tokens = createTokens((is === "forged" ? otherKey : key) as Uint8Array, Date.now);
    const claims = {
      businessId: businesses[side].businessId,
      integrationId: integration_id,
      scopes: inToken as Scope[],
      generation: 1,
    };
    const expiresAt = Math.floor(Date.now() / 1000) + (is === "expired" ? 0 : tokenLifetimeSeconds);
    return tokens.issue(claims, expiresAt);
  };
}
