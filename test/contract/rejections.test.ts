/**
 * What every operation rejects, and how: the errors that all share, those of their kinds and their own. At the
 * end every error that an operation declares was provoked, and none that it doesn't.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { messageOf } from "../../src/contract/error-message.ts";
import { type ErrorCode, errors } from "../../src/contract/errors.ts";
import { errorsOf, type Operation } from "../../src/contract/operation.ts";
import { legacyFields } from "../../src/contract/validation.ts";
import { allScopes, type Scope } from "../../src/domain/access/access.ts";
import { type Body, engineOperations, type Records, type Rejection } from "../support/engine-requests.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import {
  firstOfEachKind,
  isWrite,
  makeRecords,
  operationsInRealTime,
  storeAsByAnotherSecret,
  validBody,
} from "../support/requests.ts";
import {
  type CallOptions,
  type Credentials,
  newPerson,
  type Reply,
  signToken,
  useWorld,
} from "../support/world.ts";

const world = useWorld();

let records: Records;
/** A member without a balance, one with the largest, one that is inactive, one that was merged. */
let poor: Records;
let rich: Records;
let inactive: Records;
let merged: Records;
let takenEmail: string;
let takenPhoneNumber: string;
let benefitAtThird: number;
let inactiveBenefit: number;
let spentMovement: number;
let spentRedemption: number;
let disabled: Credentials;
/** By why they are no good. */
const tokens: Record<string, string> = {};

beforeAll(async () => {
  const { home } = world;
  records = await makeRecords(world, home);
  poor = await makeRecords(world, home);
  rich = await makeRecords(world, home);
  inactive = await makeRecords(world, home);
  await world.sql`
    UPDATE account SET balance = ${Number.MAX_SAFE_INTEGER}
    WHERE contact_id = ${rich.contact_id} OR contact_id = ${rich.buyer_contact_id} AND account IN ('wallet', 'points', 'vouchers')`;
  await world.deactivate(inactive.contact_id);
  await world.write("/sp/webhook-endpoints/disable", { endpoint_id: poor.endpoint_id });
  merged = await makeRecords(world, home);
  const merge = { from_contact_id: merged.contact_id, contact_id: records.contact_id };
  await world.write("/sp/members/merge", merge);
  takenEmail = "taken@example.com";
  takenPhoneNumber = newPerson().phone_number;
  await world.member({ email: takenEmail, phone_number: takenPhoneNumber });
  const benefit = await world.write("/sp/wallet/topup-benefits/create", {
    title: "Third",
    amount: 1,
    location_id: home.locationIds[2],
  });
  benefitAtThird = benefit.body.data.benefit_id;
  const [location_id] = home.locationIds;
  const unsold = { title: "Unsold", amount: 1, location_id, status: "inactive" };
  inactiveBenefit = (await world.write("/sp/wallet/topup-benefits/create", unsold)).body.data.benefit_id;
  const spender = { contact_id: (await makeRecords(world, home)).contact_id, location_id, amount: 5 };
  spentMovement = (await world.write("/sp/wallet/topup", spender)).body.data.movement_id;
  await world.write("/sp/wallet/pay", spender);
  const forPoints = {
    business_id: home.businessId,
    campaign_name: "Mug",
    coupon_code: "MUG",
    coupon_value: 5,
  };
  const mug = await operatorWrite(world, "/op/vouchers/create", { ...forPoints, points_price: 10 });
  const buyer = { contact_id: records.buyer_contact_id };
  const bought = await world.write("/sp/reward-points/redeem", { ...buyer, voucher_id: mug.voucher_id });
  const { held_voucher_id, redemption_id } = bought.body.data;
  await world.write("/sp/vouchers/redeem", { ...buyer, location_id, held_voucher_id });
  spentRedemption = redemption_id;

  const { businessId, everywhere } = home;
  const { integrationId } = everywhere;
  const claims = { integrationId, businessId, scopes: allScopes, generation: 1 };
  const [header, payload, signature] = (await signToken(claims)).split(".") as [string, string, string];
  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claimed = JSON.parse(Buffer.from(payload, "base64url").toString());
  disabled = await world.integration(home);
  await world.sql`UPDATE integration SET enabled = false WHERE integration_id = ${disabled.integrationId}`;
  Object.assign(tokens, {
    expired: await signToken(claims, { issuedAt: Date.now() - 2 * 60 * 60 * 1000 }),
    "signed with another key": await signToken(claims, {
      secret: "not the secret of the service, but another",
    }),
    "for another business under the same signature": `${header}.${base64url({ ...claimed, business: world.away.businessId })}.${signature}`,
    unsigned: `${base64url({ alg: "none", typ: "JWT" })}.${payload}.`,
    "without its signature": `${header}.${payload}`,
    revoked: await signToken({ ...claims, generation: 0 }),
    "of no integration": await signToken({ ...claims, integrationId: 9_007_199_254_740_000 }),
    "of an integration of another business": await signToken({
      ...claims,
      businessId: world.away.businessId,
    }),
    "of a disabled integration": await signToken({ ...claims, integrationId: disabled.integrationId }),
  });
});

const provoked = new Map<string, Set<ErrorCode>>();

/** Holds a response to the envelope of an error, and notes that the operation can give it. */
function expectRejection(operation: Operation, reply: Reply, code: ErrorCode, expected?: object): void {
  const { status } = errors[code];
  // The reasons of malformed JSON have tests of their own, with their places.
  const malformed = code === "malformed_json" ? reply.body.error.details : {};
  if (code === "malformed_json") expect(malformed.reason).toMatch(/^[a-z_0-9]+$/);
  const details = expected ?? malformed;
  // What is expected of the details can be a pattern.
  const message = messageOf({ code, details: reply.body.error.details } as Parameters<typeof messageOf>[0]);
  expect(reply.body).toStrictEqual({ success: false, message, error: { code, details } });
  expect(reply.status).toBe(status);
  expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(reply.headers.get("cache-control")).toBe("no-store");
  expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  provoked.set(operation.path, (provoked.get(operation.path) ?? new Set()).add(code));
}

/** Bodies that are not one JSON object, by what is wrong with them. */
const malformed: Record<string, (sound: string) => string> = {
  empty: () => "",
  "white space": () => "  \n",
  "no JSON": () => "first_name=Ana",
  "cut off": (sound) => sound.slice(0, -1),
  "followed by more": (sound) => `${sound}{}`,
  "with a comment": (sound) => `/* hello */${sound}`,
  "with a trailing comma": () => '{"a":1,}',
  "with NaN": () => '{"a":NaN}',
  "with a raw control character": () => '{"a":"\n"}',
  "an array": (sound) => `[${sound}]`,
  "a string": () => '"text"',
  "a number": () => "5",
  null: () => "null",
  "a member twice": () => '{"contact_id":1,"contact_id":2}',
  "a member twice, once escaped": () => '{"contact_id":1,"contact\\u005fid":2}',
  "a member twice, deep inside": () => '{"a":[{"b":{"c":1,"c":1}}]}',
  "a member called __proto__": () => '{"__proto__":{"contact_id":1}}',
  "too deep": () => `{"a":${"[".repeat(16)}${"]".repeat(16)}}`,
  "a depth bomb": () => "[".repeat(60_000),
};

const contentTypes = [
  ...["", "text/plain", "text/json", "application/jsonp", "application/json-patch+json", "application"],
  ...["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json, text/plain"],
  ...["application/json charset=utf-8", "a b", ";", "application/json; charset=iso-8859-1"],
  ...['application/json;charset="utf-16"', "application/json; charset=utf-8; charset=latin1"],
  ...["application/json; charset=utf-", "application/json; charset=utf88", "application/json; charset=utf-7"],
];

const absent = 9_007_199_254_740_000;

interface OwnRejection {
  readonly when: string;
  readonly error: ErrorCode;
  /** The fields that make the difference to a sound request. */
  readonly body: () => Body;
  readonly details?: () => object;
  /** Absent: the integration that may do everything. */
  readonly by?: "limited";
}

const giftCard: OwnRejection = {
  when: "the member is a gift card",
  error: "gift_card_money_only",
  body: () => ({ contact_id: records.gift_contact_id }),
};
const noMember: OwnRejection = {
  when: "nobody has the contact_id",
  error: "member_not_found",
  body: () => ({ contact_id: absent }),
};
const inactiveMember: OwnRejection = {
  when: "the member is inactive",
  error: "member_inactive",
  body: () => ({ contact_id: inactive.contact_id }),
};
const mergedMember: OwnRejection = {
  when: "the member was merged into another one",
  error: "member_inactive",
  body: () => ({ contact_id: merged.contact_id }),
  details: () => ({ merged_into: records.contact_id }),
};
const takenField: OwnRejection = {
  when: "another member has the e-mail address",
  error: "member_already_exists",
  body: () => ({ email: takenEmail.toUpperCase() }),
  details: () => ({ field: "email", fields: ["email"] }),
};
const location = (locationId: () => number, by?: "limited"): OwnRejection => ({
  when: by === undefined ? "the location does not exist" : "the integration may not use the location",
  error: "sp_location_not_allowed",
  body: () => ({ location_id: locationId() }),
  details: () => ({ location_id: locationId() }),
  ...(by === undefined ? {} : { by }),
});
const locations = [location(() => absent), location(() => world.home.locationIds[2], "limited")];
const tooPoor = (unit: "amount" | "points"): OwnRejection => ({
  when: "the balance is too low",
  error: "insufficient_balance",
  body: () => ({ contact_id: poor.contact_id, [unit]: 1, adjustment_type: "debit" }),
  details: () => ({ balance: 0 }),
});
const tooRich = (unit: "amount" | "points"): OwnRejection => ({
  when: "the balance would pass the largest",
  error: "balance_limit_exceeded",
  body: () => ({ contact_id: rich.contact_id, [unit]: 1, adjustment_type: "credit" }),
  details: () => ({ balance: Number.MAX_SAFE_INTEGER }),
});
const noTier: OwnRejection = {
  when: "no tier has the tier_id",
  error: "tier_not_found",
  body: () => ({ tier_id: absent }),
};
const wrongCredentials = (when: string, body: () => Body): OwnRejection => ({
  when,
  error: "invalid_client_credentials",
  body,
});

/** An error of the table of the operations beyond the contract. */
function ownRejection({ body, details, ...rest }: Rejection): OwnRejection {
  const members = () => ({
    poor: poor.contact_id,
    rich: rich.contact_id,
    inactive: inactive.contact_id,
    merged: merged.contact_id,
    rich_sale_id: rich.sale_id,
    rich_redemption_id: rich.redemption_id,
    rich_movement_id: rich.movement_id,
    spent_movement_id: spentMovement,
    inactive_benefit_id: inactiveBenefit,
    archived_voucher_id: world.home.vouchers.archived,
    rich_redeemed_voucher_id: rich.redeemed_voucher_id,
    spent_redemption_id: spentRedemption,
    disabled_endpoint_id: poor.endpoint_id,
  });
  return {
    ...rest,
    body: () => body(members(), records),
    ...(details === undefined ? {} : { details: () => details(records, members()) }),
  };
}

/** By path: the errors that are particular to an operation. */
const ownRejections: Record<string, readonly OwnRejection[]> = {
  "/sp/auth/token": [
    wrongCredentials("the secret is wrong", () => ({ client_secret: "wrong" })),
    wrongCredentials("nobody has the client_id", () => ({ client_id: "nobody" })),
    wrongCredentials("the secret is another integration's", () => ({
      client_secret: world.home.limited.client_secret,
    })),
    wrongCredentials("the integration is disabled", () => ({
      client_id: disabled.client_id,
      client_secret: disabled.client_secret,
    })),
  ],
  "/sp/transactions/list": locations,
  "/sp/members/create": [
    takenField,
    {
      when: "another member has the phone number",
      error: "member_already_exists",
      body: () => ({ phone_number: takenPhoneNumber }),
      details: () => ({ field: "phone_number", fields: ["phone_number"] }),
    },
  ],
  "/sp/members/update": [noMember, mergedMember, takenField],
  "/sp/members/profile/update": [noMember, mergedMember, takenField],
  "/sp/members/password/change": [noMember, mergedMember],
  ...Object.fromEntries(
    Object.entries(engineOperations).map(([path, { rejections = [] }]) => [
      path,
      rejections.map(ownRejection),
    ]),
  ),
  "/sp/wallet/adjust": [
    { ...giftCard, body: () => ({ contact_id: records.gift_contact_id, adjustment_type: "credit" }) },
    ...locations,
    noMember,
    inactiveMember,
    mergedMember,
    tooPoor("amount"),
    tooRich("amount"),
  ],
  "/sp/wallet/topup-benefits/create": locations,
  "/sp/wallet/topup-benefits/update": [
    {
      when: "no benefit has the benefit_id",
      error: "benefit_not_found",
      body: () => ({ benefit_id: absent }),
    },
    {
      when: "the integration may not use the benefit's location",
      error: "sp_location_not_allowed",
      body: () => ({ benefit_id: benefitAtThird }),
      details: () => ({ location_id: world.home.locationIds[2] }),
      by: "limited",
    },
  ],
  "/sp/reward-points/adjust": [
    giftCard,
    noMember,
    inactiveMember,
    mergedMember,
    tooPoor("points"),
    tooRich("points"),
  ],
  "/sp/reward-programs/update": [
    {
      when: "no program has the program_id",
      error: "program_not_found",
      body: () => ({ program_id: absent }),
    },
  ],
  "/sp/member-tiers/update": [noTier],
  "/sp/member-tiers/delete": [noTier],
  "/sp/vouchers/get": [
    {
      when: "no voucher has the voucher_id",
      error: "voucher_not_found",
      body: () => ({ voucher_id: absent }),
    },
    {
      when: "the integration may not use the voucher's location",
      error: "sp_location_not_allowed",
      body: () => ({ voucher_id: world.home.vouchers.third }),
      details: () => ({ location_id: world.home.locationIds[2] }),
      by: "limited",
    },
  ],
};

/** All operations share these checks: the first one of each kind is sent every case, the others one case of each. */
const thoroughly = firstOfEachKind(operationsInRealTime);

describe.each(operationsInRealTime)("$path", (operation) => {
  const cases = <Case>(all: readonly Case[]) => (thoroughly.has(operation) ? all : all.slice(0, 1));
  const writes = isWrite(operation);
  const open = operation.kind === "token";
  const sound = () => validBody(operation, world.home, records);
  const call = async (body: unknown, options: CallOptions = {}, query = "") =>
    world.call(operation.path + query, body, {
      token: open || "authorization" in (options.headers ?? {}) ? undefined : await world.token(),
      ...options,
    });
  const rejected = async (reply: Reply | Promise<Reply>, code: ErrorCode, details?: object) =>
    expectRejection(operation, await reply, code, details);

  it.each(cases(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]))("rejects %s", async (method) => {
    const reply = await call(sound(), { method });
    expect(reply.status).toBe(405);
    expect(reply.headers.get("allow")).toBe("POST");
    if (method !== "HEAD") {
      expect(reply.body.error).toStrictEqual({ code: "method_not_allowed", details: {} });
    }
  });

  it.each(cases(["?page=1", "?a=b&c=d", "?contact_id", "?access_token=a"]))("rejects the query %s", (query) =>
    rejected(call(sound(), {}, query), "query_parameters_not_allowed"),
  );

  it.each(cases(contentTypes))("rejects the content type %j", (contentType) =>
    rejected(call(sound(), { headers: { "content-type": contentType } }), "invalid_content_type", {
      reason:
        contentType === ""
          ? "missing"
          : contentType.startsWith("application/json;")
            ? "charset"
            : "media_type",
    }),
  );

  it.each(cases(["gzip", "br", "identity, gzip"]))("rejects the content encoding %s", (encoding) =>
    rejected(call(sound(), { headers: { "content-encoding": encoding } }), "invalid_content_type", {
      reason: "content_encoding",
    }),
  );

  it.each(cases(["identity", "Identity", ""]))("accepts the content encoding %j", async (encoding) => {
    const reply = await call("not json", { headers: { "content-encoding": encoding } });
    expect(reply.body.error.code).toBe("malformed_json");
  });

  it.each(
    cases([
      ...["application/json; charset=utf-8", "APPLICATION/JSON", "application/json ;charset=UTF-8"],
      ...["application/json; charset=utf8", 'application/json;charset="UTF8"; v=1'],
    ]),
  )("accepts the content type %j", async (contentType) => {
    const reply = await call("not json", { headers: { "content-type": contentType } });
    expect(reply.body.error.code).toBe("malformed_json");
  });

  it("rejects a body of more than 64 KiB, and not one of 64 KiB", async () => {
    const padded = (bytes: number) => "not json".padEnd(bytes);
    await rejected(call(padded(65_537)), "payload_too_large", { limit_bytes: 65_536 });
    await rejected(call(padded(65_536)), "malformed_json");
    await rejected(call("é".repeat(32_769)), "payload_too_large", { limit_bytes: 65_536 });
  });

  it("names every unknown field, and rejects a body that has hundreds", async () => {
    const padded = (fields: number) => ({
      ...sound(),
      ...Object.fromEntries(Array.from({ length: fields }, (_, index) => [`unknown_${index}`, 1])),
    });
    const reply = await call(padded(40));
    const errors = Array.from({ length: 40 }, (_, index) => {
      const field = `unknown_${index}`;
      return { field, code: "unknown_field", message: `${field} is not a field of this operation.` };
    });
    await rejected(reply, "validation_failed", { errors });
    // Past a thousand, the library that checks bodies told of nothing, and the request was done.
    const { maximumFields: most = 64 } = operation;
    for (const fields of cases([most + 1, 1001, 3000])) {
      const error = {
        field: "",
        code: "too_long",
        message: `The request is more than this operation takes: ${most} fields at most.`,
      };
      await rejected(call(padded(fields)), "validation_failed", { errors: [error] });
    }
  });

  it.each(cases(["utf8", "utf16le"] as const))(
    "names a byte order mark at the start of a body: %s",
    (encoding) =>
      rejected(call(Buffer.from(`\ufeff${JSON.stringify(sound())}`, encoding)), "malformed_json", {
        reason: "byte_order_mark",
      }),
  );

  it.each(cases(Object.entries(malformed)))("rejects a body that is malformed: %s", (_what, make) =>
    rejected(call(make(JSON.stringify(sound()))), "malformed_json"),
  );

  it.each(Object.entries(legacyFields).filter(([name]) => !(name in operation.input.properties)))(
    "rejects the legacy field %s, whatever its value",
    async (field, use) => {
      for (const value of cases([1, "text", null])) {
        await rejected(call({ ...sound(), [field]: value }), "legacy_field_not_allowed", { field, use });
      }
    },
  );

  it("rejects a field it doesn't know", () =>
    rejected(call({ ...sound(), nonsense: 1 }), "validation_failed", {
      errors: [
        { field: "nonsense", code: "unknown_field", message: "nonsense is not a field of this operation." },
      ],
    }));

  if (operation.kind !== "token") {
    const { scope } = operation;

    it.each(
      cases([
        ["Basic YTpi", "other_scheme"],
        ["Bearer", "missing"],
        ["Token abc", "other_scheme"],
        ["", "missing"],
      ]),
    )("rejects a request without a token: Authorization: %s", async (authorization, token) => {
      const reply = await call(sound(), { headers: { authorization } });
      await rejected(reply, "unauthorized", { token });
      expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    });

    it.each(cases(["Bearer a b", "Bearer tøken", "Bearer a,b"]))(
      "rejects what is no token: Authorization: %s",
      async (authorization) => {
        const reply = await call(sound(), { headers: { authorization } });
        await rejected(reply, "unauthorized", { token: "malformed" });
        expect(reply.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
      },
    );

    it("rejects a request without Authorization", async () => {
      const reply = await world.call(operation.path, sound());
      await rejected(reply, "unauthorized", { token: "missing" });
      expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    });

    // test/security/intrusion.test.ts sends these to every operation.
    it.each(
      cases([
        ["expired", "invalid_or_expired"],
        ["signed with another key", "invalid_or_expired"],
        ["for another business under the same signature", "invalid_or_expired"],
        ["unsigned", "invalid_or_expired"],
        ["without its signature", "invalid_or_expired"],
        ["revoked", "revoked"],
      ]),
    )("rejects a token that is %s", async (which, why) => {
      const reply = await call(sound(), { token: tokens[which] });
      await rejected(reply, "unauthorized", { token: why });
      expect(reply.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    });

    it.each(
      cases(["of no integration", "of an integration of another business", "of a disabled integration"]),
    )("rejects a token %s", (which) =>
      rejected(call(sound(), { token: tokens[which] }), "sp_integration_not_found"),
    );

    it("rejects an integration that has every scope but the operation's, whatever its token says", async () => {
      const others = allScopes.filter((name) => name !== scope);
      const { integrationId } = await world.integration(world.home, { scopes: others });
      const claims = { integrationId, businessId: world.home.businessId, generation: 1 };
      for (const scopes of [others, allScopes]) {
        const token = await signToken({ ...claims, scopes });
        await rejected(call(sound(), { token }), "sp_scope_not_granted", { scope });
      }
    });

    it("rejects a token that was issued before the scope was granted", async () => {
      const others = allScopes.filter((name) => name !== scope);
      const credentials = await world.integration(world.home, { scopes: others });
      const token = await world.freshToken(credentials);
      await world.sql`
        UPDATE integration SET scopes = ${allScopes} WHERE integration_id = ${credentials.integrationId}`;
      await rejected(call(sound(), { token }), "sp_token_scope_missing", { scope });
    });

    it("is open to the operation's scope alone", async () => {
      const token = await world.freshToken(await world.integration(world.home, { scopes: [scope as Scope] }));
      const reply = await call({ ...sound(), nonsense: 1 }, { token });
      expect(reply.body.error.code).toBe("validation_failed");
    });
  }

  if (writes) {
    it("rejects a write without a key", async () => {
      const { idempotency_key: _, ...withoutKey } = sound();
      await rejected(call(withoutKey), "idempotency_key_required");
      for (const idempotency_key of cases([null, "", " ", "\t\n", "\u00a0"])) {
        await rejected(call({ ...withoutKey, idempotency_key }), "idempotency_key_required");
      }
    });

    it("rejects a key that was used for another write", async () => {
      const idempotency_key = `used-before-${operation.path}`;
      const first = await world.write("/sp/members/create", { ...newPerson(), idempotency_key });
      expect(first.status).toBe(201);
      await rejected(call({ ...sound(), idempotency_key }), "idempotency_key_reused_with_different_payload");
    });

    it("rejects a key that was used when the service had another secret", async () => {
      const idempotency_key = `of-another-secret-${operation.path}`;
      await world.write("/sp/members/create", { ...newPerson(), idempotency_key });
      await storeAsByAnotherSecret(world.sql, idempotency_key);
      await rejected(call({ ...sound(), idempotency_key }), "idempotency_key_of_another_secret");
    });
  } else {
    it("ignores a key, whatever it is", async () => {
      for (const idempotency_key of cases(["key", "", null, 5, "k".repeat(256)])) {
        expect((await call({ ...sound(), idempotency_key })).body).toMatchObject({ success: true });
      }
    });
  }

  it.each(ownRejections[operation.path] ?? [])(
    "rejects: $error, $when",
    async ({ error, body, details, by }) => {
      const token = by === undefined ? undefined : await world.token(world.home[by]);
      const options = token === undefined ? {} : { token };
      await rejected(call({ ...sound(), ...body() }, options), error, details?.());
    },
  );
});

describe("every operation", () => {
  // Rejected when too much is asked for, when something breaks or is old: other tests bring that about.
  const elsewhere: ErrorCode[] = [
    ...(["rate_limited", "internal_error", "service_unavailable"] as const),
    ...(["rewards_disabled", "already_reversed", "events_expired"] as const),
    ...(["too_many_webhook_endpoints", "webhook_endpoint_enabled_recently"] as const),
  ];

  it.each(operationsInRealTime)(
    "was seen to give all the errors it declares, and no others: $path",
    (operation) => {
      const declared = errorsOf(operation).filter((code) => !elsewhere.includes(code));
      expect(
        [...(provoked.get(operation.path) ?? [])].sort(),
        `Add a request of ${operation.path} for each error that is missing to ownRejections in this file, or in ` +
          "test/support/engine-requests.ts. Declare each error that is too many.",
      ).toEqual(declared.sort());
    },
  );
});
