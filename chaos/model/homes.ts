/** Businesses as sequences begin with them, straight in the database, because making them is not what is tried. */

import { deriveKeys, hashSecret, newClientId, newClientSecret } from "../../src/credentials/keys.ts";
import { createTokens } from "../../src/credentials/tokens.ts";
import type { Database } from "../../src/database/connection.ts";
import type { Scope } from "../../src/domain/access.ts";
import { allScopes } from "./contract.ts";
import type { CallerName } from "./drafts.ts";
import type { Business, Voucher } from "./state.ts";

export interface Integration {
  readonly side: Side;
  readonly integration_id: number;
  readonly client_id: string;
  readonly client_secret: string;
  readonly enabled: boolean;
  readonly granted: readonly string[];
  /** The scopes of its token, which may be fewer. */
  readonly inToken: readonly string[];
  /** Those that it may use. */
  readonly locationIds: readonly number[];
}

/** A sequence plays in one business, beside another that must not notice. */
export type Side = "home" | "away";

export interface Setting {
  readonly businesses: Readonly<Record<Side, Business>>;
  readonly integrations: Readonly<Record<CallerName, Integration>>;
}

// Of those that never change their clocks, so that later is always a later text.
const zones: Readonly<Record<Side, string>> = { home: "Asia/Kolkata", away: "Pacific/Honolulu" };
const readScopes = allScopes.filter((scope) => scope.endsWith(".read"));

interface Plan {
  readonly side: Side;
  readonly granted: readonly string[];
  readonly inToken: readonly string[];
  /** How many of the business's locations, from the first; undefined: all, and those to come. */
  readonly locations?: number;
  readonly enabled: boolean;
}

const everything = { granted: allScopes, inToken: allScopes, enabled: true };
const plans: Readonly<Record<CallerName, Plan>> = {
  everywhere: { side: "home", ...everything },
  limited: { side: "home", ...everything, locations: 2 },
  // Its token comes from when it was allowed to write; what it was granted decides.
  reader: { side: "home", ...everything, granted: readScopes },
  late: { side: "home", ...everything, inToken: readScopes },
  disabled: { side: "home", ...everything, enabled: false },
  away: { side: "away", ...everything },
};

/** Makes the businesses and integrations that one sequence plays with. */
export async function makeSetting(sql: Database): Promise<Setting> {
  const [home, away] = await Promise.all([makeBusiness(sql, zones.home), makeBusiness(sql, zones.away)]);
  const businesses = { home, away };
  return { businesses, integrations: await makeIntegrations(sql, businesses) };
}

interface Made {
  readonly business_id: number;
  readonly locations: readonly number[];
  readonly tiers: Business["tiers"];
  readonly programs: Business["programs"];
  readonly vouchers: readonly Voucher[];
}

/** In one statement, as every sequence waits for it. */
async function makeBusiness(sql: Database, timeZone: string): Promise<Business> {
  const [row] = await sql<{ made: Made }[]>`
    WITH business AS (
      INSERT INTO business (name, time_zone, currency) VALUES ('Model', ${timeZone}, 'EUR') RETURNING business_id
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
      'business_id', business_id,
      'locations', (SELECT jsonb_agg(location_id ORDER BY location_id) FROM locations),
      'tiers', (SELECT jsonb_agg(tiers ORDER BY tier_id) FROM tiers),
      'programs', (SELECT jsonb_agg(programs) FROM programs),
      'vouchers', (SELECT jsonb_agg(vouchers) FROM vouchers)) AS made
    FROM business`;
  const { business_id, locations, tiers, programs, vouchers } = (row as { made: Made }).made;
  // What the settings are at first is not told: the first answer that shows them does.
  const empty = { members: [], entries: [], benefits: [], settings: {}, written: {} };
  return { businessId: business_id, timeZone, locationIds: locations, tiers, programs, vouchers, ...empty };
}

async function makeIntegrations(
  sql: Database,
  businesses: Setting["businesses"],
): Promise<Setting["integrations"]> {
  const made = Object.entries(plans).map(async ([caller, { locations, ...plan }]) => {
    const { businessId, locationIds: all } = businesses[plan.side];
    const locationIds = all.slice(0, locations);
    const credentials = { client_id: newClientId(), client_secret: newClientSecret() };
    const isEverywhere = locations === undefined;
    const [row] = await sql<{ integration_id: number }[]>`
      WITH made AS (
        INSERT INTO integration (business_id, name, client_id, scopes, all_locations, location_ids, enabled)
        VALUES (${businessId}, 'Model', ${credentials.client_id}, ${[...plan.granted]}, ${isEverywhere},
          ${isEverywhere ? [] : locationIds}, ${plan.enabled})
        RETURNING integration_id
      )
      INSERT INTO integration_secret (integration_id, secret_hash)
      SELECT integration_id, ${hashSecret(credentials.client_secret)} FROM made RETURNING integration_id`;
    const { integration_id } = row as { integration_id: number };
    return [caller, { ...plan, ...credentials, integration_id, locationIds }];
  });
  return Object.fromEntries(await Promise.all(made)) as Setting["integrations"];
}

const hour = 60 * 60 * 1000;

/** Signs tokens as the service does, or nearly so. */
export class Signer {
  readonly #key: Uint8Array;
  readonly #otherKey = deriveKeys("another secret, that nobody gave to the service").tokenSigning;
  readonly #signed = new Map<string, Promise<string>>();

  /** @param secret the service's */
  constructor(secret: string) {
    this.#key = deriveKeys(secret).tokenSigning;
  }

  /** @returns an access token of the integration */
  token(business: Business, integration: Integration, is: "sound" | "forged" | "expired"): Promise<string> {
    const name = `${integration.integration_id} ${is}`;
    const signed = this.#signed.get(name) ?? this.#sign(business, integration, is);
    if (this.#signed.size > 1000) this.#signed.clear();
    this.#signed.set(name, signed);
    return signed;
  }

  async #sign(
    { businessId }: Business,
    { integration_id, inToken }: Integration,
    is: "sound" | "forged" | "expired",
  ): Promise<string> {
    const clock = () => Date.now() - (is === "expired" ? 2 * hour : 0);
    const { token } = await createTokens(is === "forged" ? this.#otherKey : this.#key, clock).issue({
      businessId,
      integrationId: integration_id,
      scopes: inToken as Scope[],
      generation: 1,
    });
    return token;
  }
}
