/** Two businesses behind a running service: what most tests of the contract need. */

import { type Logger, pino } from "pino";
import { afterAll, afterEach, beforeAll } from "vitest";
import { type Config, readConfig } from "../../src/config.ts";
import { deriveKeys, hashSecret, newClientId, newClientSecret } from "../../src/credentials/keys.ts";
import {
  createTokens,
  type TokenClaims,
  type Tokens,
  tokenLifetimeSeconds,
} from "../../src/credentials/tokens.ts";
import { insertBusiness } from "../../src/database/access/businesses.ts";
import type { Database } from "../../src/database/connection.ts";
import { updateSettings } from "../../src/database/engine/rules.ts";
import { setActive } from "../../src/database/members/members.ts";
import type { DatabasePools } from "../../src/database/pools.ts";
import { allScopes, type Scope } from "../../src/domain/access/access.ts";
import { createService, type Service } from "../../src/service.ts";
import { type TestDatabase, useDatabase } from "./database.ts";
import { departures } from "./document.ts";
import { Faults } from "./faults.ts";
import { send } from "./http.ts";

export const testSecret = "a secret for tests, long enough to be one";

export const testOperatorKey = "an-operator-key-for-tests-long-enough-to-be-one";

export interface Business {
  readonly businessId: number;
  readonly locationIds: readonly [number, number, number];
  readonly tierIds: readonly number[];
  readonly programId: number;
  /** Usable everywhere; archived; tied to the first location; tied to the third. */
  readonly vouchers: { everywhere: number; archived: number; first: number; third: number };
  readonly everywhere: Credentials;
  /** Every scope, but the first two locations only. */
  readonly limited: Credentials;
}

export interface Credentials {
  readonly integrationId: number;
  readonly client_id: string;
  readonly client_secret: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
  readonly body: any;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Of another service than the world's. */
  readonly baseUrl?: string;
}

export class World {
  readonly database: TestDatabase;
  service!: Service;
  config!: Config;
  baseUrl = "";
  home!: Business;
  away!: Business;
  /** What the services have logged as a warning or an error during the test, shown when it fails. */
  readonly faults = new Faults();
  readonly log: Logger = pino({ level: "warn" }, { write: (line: string) => this.faults.add(line) });
  #tokens = new Map<string, string>();

  constructor(database: TestDatabase) {
    this.database = database;
  }

  get sql(): Database {
    return this.database.sql;
  }

  async start(environment: Record<string, string>): Promise<void> {
    this.config = readConfig({
      LOYALTY_RATE_LIMIT: "0",
      LOYALTY_FAILED_TOKEN_LIMIT: "0",
      LOYALTY_WRONG_CODE_LIMIT: "0",
      LOYALTY_UNAUTHENTICATED_LIMIT: "0",
      LOYALTY_REJECTED_BYTES_LIMIT: "0",
      LOYALTY_SECRET: testSecret,
      // Nothing listens there.
      LOYALTY_APPLE_PUSH_URL: "https://127.0.0.1:9",
      LOYALTY_GOOGLE_WALLET_URL: "http://127.0.0.1:9",
      ...environment,
    });
    this.service = createService(this.config, {
      sql: this.sql,
      lookUps: this.database.lookUps,
      postings: this.database.postings,
      longRunning: this.database.longRunning,
      secret: testSecret,
      operatorKey: testOperatorKey,
      log: this.log,
    });
    this.baseUrl = (await this.service.listen({ host: "127.0.0.1", port: 0 })) + this.config.basePath;
    this.home = await makeBusiness(this.sql, "Home", "Europe/Madrid");
    this.away = await makeBusiness(this.sql, "Away", "UTC");
  }

  async stop(): Promise<void> {
    await this.service?.close();
  }

  /** Sends a body (an object, or text or bytes as they are) to an operation. */
  async call(path: string, body: unknown, options: CallOptions = {}): Promise<Reply> {
    const method = options.method ?? "POST";
    const url = (options.baseUrl ?? this.baseUrl) + path;
    const sent = {
      "content-type": "application/json",
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    };
    const content = typeof body === "string" || body instanceof Buffer ? body : JSON.stringify(body);
    const { status, headers, text } = await send(url, method, sent, content);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    const reply = { status, headers, text, body: parsed };
    // Whatever a test is about, the responses on the way are what the documents promise.
    const found = method === "POST" ? departures(path, reply) : [];
    if (found.length > 0) throw new Error(`${found.join("\n")}\n${text}`);
    return reply;
  }

  /** A token of an integration; by default of the one that may do everything at home. */
  async token(credentials: Credentials = this.home.everywhere): Promise<string> {
    const known = this.#tokens.get(credentials.client_id);
    if (known !== undefined) return known;
    const token = await this.freshToken(credentials);
    this.#tokens.set(credentials.client_id, token);
    return token;
  }

  async freshToken({ client_id, client_secret }: Credentials): Promise<string> {
    const reply = await this.call("/sp/auth/token", { client_id, client_secret });
    if (reply.status !== 200) throw new Error(`no token: ${reply.text}`);
    return reply.body.data.access_token;
  }

  /** Calls as the integration that may do everything at home. */
  async ask(path: string, body: object, credentials?: Credentials): Promise<Reply> {
    return this.call(path, body, { token: await this.token(credentials) });
  }

  /** Like ask, with a key of its own. */
  async write(path: string, body: object, credentials?: Credentials): Promise<Reply> {
    return this.ask(path, { idempotency_key: nextKey(), ...body }, credentials);
  }

  /** Makes a member and returns its contact_id. */
  async member(fields: object = {}, credentials?: Credentials): Promise<number> {
    const body = { idempotency_key: nextKey(), ...newPerson(), ...fields };
    const reply = await untilServed(() => this.ask("/sp/members/create", body, credentials));
    if (reply.status !== 201) throw new Error(`no member: ${reply.text}`);
    return reply.body.data.contact_id;
  }

  async deactivate(contactId: number): Promise<void> {
    const [member] = await this.sql<{ business_id: number }[]>`
      SELECT business_id FROM member WHERE contact_id = ${contactId}`;
    await this.sql.begin((tx) => setActive(tx, member?.business_id ?? 0, contactId, false));
  }

  async business(name: string, timeZone: string): Promise<Business> {
    return makeBusiness(this.sql, name, timeZone);
  }

  async integration(business: Business, fields: IntegrationFields = {}): Promise<Credentials> {
    return makeIntegration(this.sql, business.businessId, fields);
  }
}

/** A world for the calling test file: database, service and two businesses, gone after its tests. */
export function useWorld(environment: Record<string, string> = {}): World {
  const world = new World(useDatabase());
  beforeAll(() => world.start(environment));
  afterEach(({ task }) => {
    const faults = world.faults.take();
    if (task.result?.state === "fail" && faults.length > 0) {
      process.stderr.write(`What the service logged during "${task.name}":\n${faults.join("\n")}\n`);
    }
  });
  afterAll(() => world.stop());
  return world;
}

let counter = 0;

export function nextKey(): string {
  counter += 1;
  return `key-${process.pid}-${counter}`;
}

/** The required fields of a member that nobody else is. The number is in letters, so that a search for digits finds no name. */
export function newPerson(): { first_name: string; last_name: string; phone_number: string } {
  counter += 1;
  return {
    first_name: "Ana",
    last_name: `López ${String(counter).replace(/\d/g, (digit) => "bcdfghjkmp"[Number(digit)] as string)}`,
    phone_number: `+34${600_000_000 + counter}`,
  };
}

/** The fields that a member need not have. */
export const nothingElse = { email: null, date_of_birth: null, external_ref: null, password_hash: null };

async function makeBusiness(sql: Database, name: string, timeZone: string): Promise<Business> {
  const businessId = await insertBusiness(sql, {
    name,
    time_zone: timeZone,
    currency: "EUR",
  });
  const locations = await sql<{ location_id: number }[]>`
    INSERT INTO location (business_id, name)
    VALUES (${businessId}, 'First'), (${businessId}, 'Second'), (${businessId}, 'Third') RETURNING location_id`;
  const [first, second, third] = locations.map((row) => row.location_id) as [number, number, number];
  const tiers = await sql<{ tier_id: number }[]>`
    INSERT INTO member_tier (business_id, name, expiry, expiry_period)
    VALUES (${businessId}, 'Silver', 12, 'month'), (${businessId}, 'Gold', 2, 'year') RETURNING tier_id`;
  const [program] = await sql<{ program_id: number }[]>`
    INSERT INTO reward_program (business_id, membership_name, maximum_points_per_order)
    VALUES (${businessId}, 'Club', 500) RETURNING program_id`;
  const vouchers = await sql<{ voucher_id: number }[]>`
    INSERT INTO voucher (business_id, campaign_name, coupon_code, coupon_value, archived, location_id)
    VALUES (${businessId}, 'Summer', 'SUMMER', 1000, false, NULL), (${businessId}, 'Old', 'OLD', 500, true, NULL),
      (${businessId}, 'First', 'FIRST', 700, false, ${first}), (${businessId}, 'Third', 'THIRD', 700, false, ${third})
    RETURNING voucher_id`;
  await sql`
    UPDATE voucher SET public_code = coupon_code || ' 20', public_key = lower(coupon_code) || '20'
    WHERE business_id = ${businessId} AND coupon_code IN ('SUMMER', 'OLD', 'THIRD')`;
  await sql`
    INSERT INTO voucher_code (business_id, voucher_id, code, code_key)
    SELECT business_id, voucher_id, code, lower(replace(code, '-', '')) FROM voucher
    JOIN (VALUES ('SUMMER', 'K7QD-3MVX-9TRB'), ('OLD', 'K7QD-3MVX-9TRC'), ('THIRD', 'K7QD-3MVX-9TRD')) AS made (coupon_code, code)
      USING (coupon_code)
    WHERE business_id = ${businessId}`;
  const [everywhere, archived, atFirst, atThird] = vouchers.map((row) => row.voucher_id) as [
    number,
    number,
    number,
    number,
  ];
  await sql.begin(async (tx) => {
    const rules = { value_points: 10, value_amount: 50, redeem_minimum_points: 10 };
    await updateSettings(tx, businessId, { ...rules, enable_rp: true });
  });
  return {
    businessId,
    locationIds: [first, second, third],
    tierIds: tiers.map((row) => row.tier_id),
    programId: (program as { program_id: number }).program_id,
    vouchers: { everywhere, archived, first: atFirst, third: atThird },
    everywhere: await makeIntegration(sql, businessId, {}),
    limited: await makeIntegration(sql, businessId, { locationIds: [first, second] }),
  };
}

export interface IntegrationFields {
  readonly scopes?: readonly Scope[];
  /** Absent: everywhere. */
  readonly locationIds?: readonly number[];
}

async function makeIntegration(
  sql: Database,
  businessId: number,
  { scopes = allScopes, locationIds }: IntegrationFields,
): Promise<Credentials> {
  const client_id = newClientId();
  const client_secret = newClientSecret();
  const [row] = await sql<{ integration_id: number }[]>`
    INSERT INTO integration (business_id, name, client_id, scopes, all_locations, location_ids)
    VALUES (${businessId}, 'Test', ${client_id}, ${scopes as string[]}, ${locationIds === undefined},
      ${(locationIds ?? []) as number[]})
    RETURNING integration_id`;
  const integrationId = (row as { integration_id: number }).integration_id;
  await sql`
    INSERT INTO integration_secret (business_id, integration_id, secret_hash)
    VALUES (${businessId}, ${integrationId}, ${hashSecret(client_secret)})`;
  return { integrationId, client_id, client_secret };
}

/** Each of them reserves room for the tokens that it verifies, which a test that signs a thousand would pay for each. */
const signers = new Map<string, Tokens>();

/**
 * Signs an access token that says anything at all.
 * @param secret other than the service's: a forged one
 * @param issuedAt milliseconds
 */
export async function signToken(
  claims: TokenClaims,
  { secret = testSecret, issuedAt = Date.now() }: { secret?: string; issuedAt?: number } = {},
): Promise<string> {
  const signer = signers.get(secret) ?? createTokens(deriveKeys(secret).tokenSigning, Date.now);
  signers.set(secret, signer);
  return signer.issue(claims, Math.floor(issuedAt / 1000) + tokenLifetimeSeconds);
}

/**
 * Sends a write under its own key again while it is rejected because it waited for too long: for others that write to the same
 * ledger, on a machine with too much to do.
 */
export async function untilServed<Response extends Pick<Reply, "status">>(
  send: () => Promise<Response>,
): Promise<Response> {
  let reply = await send();
  while (reply.status === 503) reply = await send();
  return reply;
}

export interface StartedService {
  /** With the base path, as operations are called. */
  readonly baseUrl: string;
  /** Without it, as health is. */
  readonly root: string;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** Starts another service beside the world's: over a pool of its own, or with a log that is looked at. */
export async function startService(
  world: World,
  {
    sql = world.sql,
    lookUps = sql,
    postings = world.database.postings,
    longRunning = sql,
    secret = testSecret,
    previousSecret,
    log = world.log,
    processes = world.config.processes,
  }: Partial<DatabasePools> & { secret?: string; previousSecret?: string; log?: Logger; processes?: number },
): Promise<StartedService> {
  const service = createService(
    { ...world.config, processes, previousSecret },
    {
      sql,
      lookUps,
      postings,
      longRunning,
      secret,
      operatorKey: testOperatorKey,
      log,
    },
  );
  const root = await service.listen({ host: "127.0.0.1", port: 0 });
  return {
    baseUrl: root + world.config.basePath,
    root,
    metrics: service.metrics,
    close: () => service.close(),
  };
}
