/**
 * Every operation against every caller that may not use it. After the attempts on an operation, no table has changed. All operations
 * of a kind share the check of tokens, so the variants of forged ones are tried on the first of each kind.
 */
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { isAuthorized, type Operation } from "../../src/contract/operation.ts";
import type { TokenClaims } from "../../src/credentials/tokens.ts";
import { allScopes } from "../../src/domain/access/access.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import type { Body, Records } from "../support/engine-requests.ts";
import { makeOperatorRecords, soundOperatorBody } from "../support/operator-requests.ts";
import {
  endingLast,
  firstOfEachKind,
  makeRecords,
  operationsInRealTime,
  validBody,
} from "../support/requests.ts";
import { tableDigests } from "../support/table-digests.ts";
import { signToken, testOperatorKey, testSecret, useWorld } from "../support/world.ts";

const world = useWorld();

interface Attempt {
  readonly by: string;
  readonly error: ErrorCode;
  /** What is sent as Bearer; undefined for no such header. */
  readonly token: () => string | undefined | Promise<string | undefined>;
  /** Changes to a sound body. */
  readonly body?: (operation: Operation) => Body;
  /** The operations that it is tried on; absent: all. */
  readonly on?: (operation: Operation) => boolean;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function claims(changes: Partial<TokenClaims> = {}): TokenClaims {
  const { businessId, everywhere } = world.home;
  return {
    integrationId: everywhere.integrationId,
    businessId,
    scopes: allScopes,
    generation: 1,
    ...changes,
  };
}

/** A sound token, taken apart and put together again by someone who has no key. */
async function forged(header: object, changes: object, sign: (input: string, genuine: string) => string) {
  const [, payload = "", signature = ""] = (await signToken(claims())).split(".");
  const claimed = JSON.parse(Buffer.from(payload, "base64url").toString());
  const input = `${base64url(header)}.${base64url({ ...claimed, ...changes })}`;
  return `${input}.${sign(input, signature)}`;
}
const unsigned = () => "";
const genuine = (_input: string, signature: string) => signature;
const hmac = (algorithm: string, key: string) => (input: string) =>
  createHmac(algorithm, key).update(input).digest("base64url");
const hs256 = { alg: "HS256" };
const variants = { on: (operation: Operation) => firstOfKinds.has(operation) };

/** Callers without a token of the service, on both sides. */
const withoutToken: readonly Attempt[] = [
  { by: "nobody", error: "unauthorized", token: () => undefined },
  { by: "an empty token", error: "unauthorized", token: () => "" },
  ...["none", "None", "NONE"].map((alg, nth) => ({
    by: `a token with alg ${alg}`,
    error: "unauthorized" as const,
    token: () => forged({ alg, typ: "JWT" }, {}, unsigned),
    ...(nth > 0 && variants),
  })),
  ...["", "secret", testSecret, testOperatorKey].map((key, nth) => ({
    // The secret itself signs nothing: the key is derived from it.
    by: `a token signed with ${key === "" ? "an empty key" : key}`,
    error: "unauthorized" as const,
    token: () => forged(hs256, {}, hmac("sha256", key || "\0")),
    ...(nth > 0 && variants),
  })),
  {
    by: "a token of another service",
    error: "unauthorized",
    token: () => signToken(claims(), { secret: "the secret of another service altogether" }),
  },
  {
    by: "a token with another algorithm over a genuine signature",
    error: "unauthorized",
    token: () => forged({ alg: "HS512" }, {}, genuine),
    ...variants,
  },
  {
    by: "a token that asks for a key of its own",
    error: "unauthorized",
    token: () =>
      forged({ ...hs256, jwk: { kty: "oct", k: "AA" }, kid: "../../dev/null" }, {}, hmac("sha256", "\0")),
    ...variants,
  },
  ...[
    { business: 2 },
    { integration: 2 },
    { sub: "1" },
    { scope: "wa.members.write" },
    { exp: 99_999_999_999 },
    { generation: 99 },
  ].map((changes, nth) => ({
    by: `a token with ${Object.keys(changes)[0]} changed`,
    error: "unauthorized" as const,
    token: () => forged(hs256, changes, genuine),
    ...(nth > 0 && variants),
  })),
  {
    by: "a client secret in the place of a token",
    error: "unauthorized",
    token: () => world.home.everywhere.client_secret,
  },
];

const anHour = 60 * 60 * 1000;
let disabled: number;
let scopeless: number;
let ours: Records;
let theirs: Records;

/** Callers who have, or had, something to do with the partner's side. */
const partnerAttempts: readonly Attempt[] = [
  ...withoutToken,
  { by: "the operator key", error: "unauthorized", token: () => testOperatorKey },
  {
    by: "an expired token",
    error: "unauthorized",
    token: () => signToken(claims(), { issuedAt: Date.now() - 2 * anHour }),
  },
  {
    by: "a token from before tokens were revoked",
    error: "unauthorized",
    token: () => signToken(claims({ generation: 0 })),
  },
  {
    by: "a token of an integration that names another business",
    error: "sp_integration_not_found",
    token: () => signToken(claims({ businessId: world.away.businessId })),
  },
  {
    by: "a disabled integration",
    error: "sp_integration_not_found",
    token: () => signToken(claims({ integrationId: disabled })),
  },
  {
    by: "an integration without the scope, whatever its token says",
    error: "sp_scope_not_granted",
    token: () => signToken(claims({ integrationId: scopeless })),
  },
  {
    by: "a token without the scope",
    error: "sp_token_scope_missing",
    token: () => signToken(claims({ scopes: [] })),
  },
  {
    by: "an integration that may not use the location",
    error: "sp_location_not_allowed",
    token: () => world.token(world.home.limited),
    body: () => ({ location_id: world.home.locationIds[2] }),
    on: names("location_id"),
  },
  ...namings({
    contact_id: "member_not_found",
    location_id: "sp_location_not_allowed",
    benefit_id: "benefit_not_found",
    program_id: "program_not_found",
    tier_id: "tier_not_found",
    voucher_id: "voucher_not_found",
  }),
];

/** The records of another business, named by an integration that may do everything in its own. */
function namings(fields: Partial<Record<keyof Records, ErrorCode>>): Attempt[] {
  return Object.entries(fields).map(([field, error]) => ({
    by: `another business's ${field}`,
    error,
    token: () => world.token(),
    // A benefit is named instead of an amount, and a voucher instead of points.
    body: () => ({
      [field]: theirs[field as keyof Records],
      ...(field === "benefit_id" && { amount: undefined }),
      ...(field === "voucher_id" && { points: undefined }),
    }),
    // A filter by somebody else's member finds nothing, and says no more than that.
    on: (operation) =>
      names(field)(operation) && operation.kind !== "list" && operation.path !== "/sp/events/list",
  }));
}

function names(field: string): (operation: Operation) => boolean {
  return (operation) => field in operation.input.properties;
}

const operatorAttempts: readonly Attempt[] = [
  ...withoutToken,
  { by: "a partner's token", error: "unauthorized", token: () => world.token() },
  { by: "another key", error: "unauthorized", token: () => "another-operator-key-just-as-long-as-the-one" },
  ...Object.entries({
    "the beginning of the key": testOperatorKey.slice(0, -1),
    "the key and more": `${testOperatorKey}x`,
    "the key in capitals": testOperatorKey.toUpperCase(),
    "the service's secret": testSecret.replaceAll(/[ ,]/g, "-"),
  }).map(([by, key]) => ({ by, error: "unauthorized" as const, token: () => key, ...variants })),
];

const sides = {
  partner: {
    operations: operationsInRealTime.filter(({ kind }) => kind !== "token"),
    attempts: partnerAttempts,
    body: async (operation: Operation): Promise<Body> => validBody(operation, world.home, ours),
  },
  operator: {
    // Sign-ins have no authenticated caller, and tests of their own.
    operations: operatorOperations.filter(isAuthorized),
    attempts: operatorAttempts,
    body: async (operation: Operation): Promise<Body> => soundOperatorBody(operation, operatorRecords),
  },
};
const firstOfKinds = new Set(
  Object.values(sides).flatMap(({ operations }) => [...firstOfEachKind(operations)]),
);
let operatorRecords: Awaited<ReturnType<typeof makeOperatorRecords>>;

beforeAll(async () => {
  await holdBackgroundWrites(world.sql);
  ours = await makeRecords(world, world.home);
  theirs = await makeRecords(world, world.away);
  operatorRecords = await makeOperatorRecords(world, world.home);
  ({ integrationId: disabled } = await world.integration(world.home));
  await world.sql`UPDATE integration SET enabled = false WHERE integration_id = ${disabled}`;
  ({ integrationId: scopeless } = await world.integration(world.home, { scopes: [] }));
  for (const credentials of [world.home.everywhere, world.home.limited]) await world.token(credentials);
  before = await stored();
});

// The audit log is there to grow: it tells of every wrong operator key.
const stored = () => tableDigests(world.sql, ["audit_entry"]);
let before: Record<string, string>;

describe.each(Object.entries(sides))("the %s's side", (_side, { operations, attempts, body }) => {
  describe.each(operations)("$path", (operation) => {
    afterAll(async () => {
      expect(await stored()).toEqual(before);
    });

    it.each(attempts.filter(({ on }) => on === undefined || on(operation)))(
      "returns $error to $by",
      async ({ error, token, body: changes }) => {
        const sent = { ...(await body(operation)), ...changes?.(operation) };
        const reply = await world.call(operation.path, sent, { token: await token() });
        expect(reply.body).toMatchObject({ success: false, error: { code: error } });
      },
    );
  });
});

it("lets in who may, with the same requests", async () => {
  for (const operation of sides.partner.operations) {
    const reply = await world.ask(operation.path, await sides.partner.body(operation));
    expect(reply.body.success, operation.path).toBe(true);
  }
  for (const operation of endingLast(sides.operator.operations)) {
    const sent = await sides.operator.body(operation);
    const reply = await world.call(operation.path, sent, { token: testOperatorKey });
    expect(reply.body.success, `${operation.path} ${reply.text}`).toBe(true);
  }
});
