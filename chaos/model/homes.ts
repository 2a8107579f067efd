/** Businesses as sequences begin with them, straight in the database: many at once, because making them is not what is tried. */

import type { Scope } from "../../src/contract/scopes.ts";
import { hashClientSecret, newClientId, newClientSecret } from "../../src/credentials/client-secrets.ts";
import { deriveKeys } from "../../src/credentials/keys.ts";
import { createTokens } from "../../src/credentials/tokens.ts";
import type { Database } from "../../src/database/connection.ts";
import { fragment, list } from "../../src/database/sql.ts";
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
const sides: readonly Side[] = ["home", "away"];
const madeAtOnce = 32;
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

/** Hands out settings that nobody has used. */
export class Homes {
  readonly #sql: Database;
  #ready: Promise<Setting[]> = Promise.resolve([]);

  constructor(sql: Database) {
    this.#sql = sql;
  }

  async take(): Promise<Setting> {
    for (;;) {
      const setting = (await this.#ready).pop();
      if (setting !== undefined) return setting;
      // The first caller that finds none left makes more; the others wait for them.
      const made = this.#ready;
      if ((await made).length === 0 && made === this.#ready) this.#ready = makeSettings(this.#sql);
    }
  }
}

async function makeSettings(sql: Database): Promise<Setting[]> {
  const timeZones = Array.from({ length: madeAtOnce }, () => sides.map((side) => zones[side])).flat();
  const made = await sql<{ business_id: number }[]>`
    INSERT INTO business (name, time_zone, currency)
    SELECT 'Model', zone, 'EUR' FROM unnest(${timeZones}::text[]) zone RETURNING business_id`;
  const ids = made.map((row) => row.business_id);
  await sql`INSERT INTO ledger (business_id) SELECT unnest(${ids}::bigint[])`;
  await sql`INSERT INTO ledger_count (business_id) SELECT unnest(${ids}::bigint[])`;
  await sql`INSERT INTO reward_settings (business_id) SELECT unnest(${ids}::bigint[])`;
  const locations = await sql<{ business_id: number; location_id: number }[]>`
    INSERT INTO location (business_id, name)
    SELECT business_id, 'Location' FROM unnest(${ids}::bigint[]) business_id, generate_series(1, 3)
    RETURNING business_id, location_id`;
  const tiers = await sql<{ business_id: number; tier_id: number }[]>`
    INSERT INTO member_tier (business_id, name, expiry, expiry_period)
    SELECT business_id, 'Silver', 12, 'month' FROM unnest(${ids}::bigint[]) business_id, generate_series(1, 2)
    RETURNING business_id, tier_id`;
  const programs = await sql<{ business_id: number; program_id: number }[]>`
    INSERT INTO reward_program (business_id, membership_name, maximum_points_per_order)
    SELECT business_id, 'Club', 500 FROM unnest(${ids}::bigint[]) business_id RETURNING business_id, program_id`;
  const vouchers = await sql<(Voucher & { business_id: number })[]>`
    INSERT INTO voucher (business_id, campaign_name, coupon_code, coupon_value, archived, location_id)
    SELECT business_id, 'Summer', 'SUMMER' || nth, 100 * nth, nth = 2,
      -- The third is of the first location, the fourth of the third.
      (SELECT (array_agg(location_id ORDER BY location_id))[2 * nth - 5] FROM location
        WHERE location.business_id = made.business_id)
    FROM unnest(${ids}::bigint[]) made (business_id), generate_series(1, 4) nth
    RETURNING business_id, voucher_id, campaign_name, coupon_code, coupon_value, archived, location_id`;
  const own = <Row extends { business_id: number }>(rows: readonly Row[], businessId: number) =>
    rows.filter((row) => row.business_id === businessId);
  const businesses = ids.map(
    (businessId, nth): Business => ({
      businessId,
      timeZone: timeZones[nth] as string,
      locationIds: own(locations, businessId)
        .map((row) => row.location_id)
        .sort((a, b) => a - b),
      members: [],
      entries: [],
      benefits: [],
      tiers: own(tiers, businessId)
        .map(({ tier_id }) => ({ tier_id, name: "Silver", expiry: 12, expiry_period: "month" }))
        .sort((a, b) => a.tier_id - b.tier_id),
      programs: own(programs, businessId).map(({ program_id }) => ({
        program_id,
        membership_name: "Club",
        maximum_points_per_order: 500,
      })),
      vouchers: own(vouchers, businessId).map(({ business_id: _, ...voucher }) => voucher),
      // What they are at first is not told: the first answer that shows them does.
      settings: {},
      written: {},
    }),
  );
  const pairs = Array.from({ length: madeAtOnce }, (_, nth) => ({
    home: businesses[2 * nth] as Business,
    away: businesses[2 * nth + 1] as Business,
  }));
  const integrations = await makeIntegrations(sql, pairs);
  return pairs.map((pair, nth) => ({
    businesses: pair,
    integrations: integrations[nth] as Setting["integrations"],
  }));
}

async function makeIntegrations(
  sql: Database,
  pairs: readonly Setting["businesses"][],
): Promise<Setting["integrations"][]> {
  const drafts = pairs.flatMap((pair) =>
    Object.entries(plans).map(([caller, { side, granted, inToken, locations, enabled }]) => ({
      caller,
      side,
      businessId: pair[side].businessId,
      client_id: newClientId(),
      client_secret: newClientSecret(),
      enabled,
      granted,
      inToken,
      everywhere: locations === undefined,
      locationIds: pair[side].locationIds.slice(0, locations),
    })),
  );
  const rows = drafts.map(({ businessId, client_id, enabled, granted, everywhere, locationIds }) => ({
    business_id: businessId,
    name: "Model",
    client_id,
    scopes: [...granted],
    all_locations: everywhere,
    location_ids: everywhere ? [] : locationIds,
    enabled,
  }));
  const made = await sql<{ integration_id: number }[]>`
    INSERT INTO integration (business_id, name, client_id, scopes, all_locations, location_ids, enabled)
    VALUES ${list(rows.map((row) => fragment`(${list(Object.values(row))})`))} RETURNING integration_id`;
  const secrets = made.map(({ integration_id }, nth) => ({
    integration_id,
    secret_hash: hashClientSecret((drafts[nth] as { client_secret: string }).client_secret),
  }));
  await sql`
    INSERT INTO integration_secret (integration_id, secret_hash)
    VALUES ${list(secrets.map((secret) => fragment`(${list(Object.values(secret))})`))}`;
  const perPair = Object.keys(plans).length;
  return pairs.map(
    (_, pair) =>
      Object.fromEntries(
        drafts
          .slice(pair * perPair, (pair + 1) * perPair)
          .map(({ caller, businessId: _id, ...draft }, nth) => {
            const { integration_id } = made[pair * perPair + nth] as { integration_id: number };
            return [caller, { ...draft, integration_id }];
          }),
      ) as unknown as Setting["integrations"],
  );
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
