/**
 * What every operator operation rejects, and how. At the end every error that an operation declares was provoked,
 * and none that it doesn't.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { messageOf } from "../../src/contract/error-message.ts";
import { type ErrorCode, errors } from "../../src/contract/errors.ts";
import type { FieldError } from "../../src/contract/field-errors.ts";
import { bodyOf, errorsOf, isAuthorized, type Operation } from "../../src/contract/operation.ts";
import { legacyFields } from "../../src/contract/validation.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import type { Body } from "../support/engine-requests.ts";
import {
  exampleLogo,
  makeOperatorRecords,
  type OperatorRecords,
  operatorWrite,
  ownRejections,
  soundOperatorBody,
} from "../support/operator-requests.ts";
import { firstOfEachKind, isWrite, storeAsByAnotherSecret } from "../support/requests.ts";
import { type CallOptions, nextKey, type Reply, testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();

let records: OperatorRecords;
let partnerToken: string;

beforeAll(async () => {
  records = await makeOperatorRecords(world, world.home);
  partnerToken = await world.token();
});

const absent = 9_007_199_254_740_000;

const provoked = new Map<string, Set<ErrorCode>>();

/** Holds a response to the envelope of an error, and notes that the operation can give it. */
function expectRejection(operation: Operation, reply: Reply, code: ErrorCode, expected?: object): void {
  const { status } = errors[code];
  // The reasons of malformed JSON have tests of their own, with their places.
  const malformed = code === "malformed_json" ? reply.body.error.details : {};
  if (code === "malformed_json") expect(malformed.reason).toMatch(/^[a-z_0-9]+$/);
  const details = expected ?? malformed;
  const message = messageOf({ code, details } as Parameters<typeof messageOf>[0]);
  expect(reply.body).toStrictEqual({ success: false, message, error: { code, details } });
  expect(reply.status).toBe(status);
  expect(reply.headers.get("cache-control")).toBe("no-store");
  expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  provoked.set(operation.path, (provoked.get(operation.path) ?? new Set()).add(code));
}

interface FieldRejection {
  readonly body: Body;
  /** The field and code of each failure. */
  readonly failures: readonly (readonly [field: string, code: FieldError["code"]])[];
}

const place = (field: string, code: FieldError["code"]) => [field, code] as const;

/** What is particular to the fields of an operation. */
const fieldRejections: Record<string, readonly FieldRejection[]> = {
  "/op/businesses/create": [
    ...["+05:30", "IST", "CET", "US/Nowhere"].map((time_zone) => ({
      body: { time_zone },
      failures: [place("time_zone", "not_allowed_value")],
    })),
    { body: { currency: "XYZ" }, failures: [place("currency", "not_allowed_value")] },
    { body: { time_zone: "Mars/Olympus" }, failures: [place("time_zone", "not_allowed_value")] },
    ...["XZ", "EU", "ZZ"].map((country) => ({
      body: { country },
      failures: [place("country", "not_allowed_value")],
    })),
    { body: { country: "fr" }, failures: [place("country", "invalid_format")] },
    {
      body: { time_zone: "Mars/Olympus", currency: "DEM", country: "ZZ", clock_at: "1900-01-01" },
      failures: [
        place("time_zone", "not_allowed_value"),
        place("currency", "not_allowed_value"),
        place("country", "not_allowed_value"),
      ],
    },
    { body: { currency: "euro" }, failures: [place("currency", "too_long")] },
    { body: { currency: "eur" }, failures: [place("currency", "invalid_format")] },
    { body: { name: " " }, failures: [place("name", "too_short")] },
  ],
  "/op/businesses/logo": [
    { body: { logo: "no Base64" }, failures: [place("logo", "invalid_format")] },
    ...[{ logo: "AAAA" }, { logo: exampleLogo.slice(0, -8) }].map((body) => ({
      body,
      failures: [place("logo", "not_allowed_value")],
    })),
  ],
  "/op/businesses/update": [
    { body: { time_zone: "Madrid" }, failures: [place("time_zone", "not_allowed_value")] },
  ],
  "/op/integrations/create": [
    { body: { scopes: [] }, failures: [place("scopes", "too_short")] },
    { body: { scopes: ["wa.everything"] }, failures: [place("scopes.0", "not_allowed_value")] },
    {
      body: { scopes: ["wa.members.read", "wa.members.read"] },
      failures: [place("scopes", "not_allowed_value")],
    },
    { body: { all_locations: true }, failures: [place("location_ids", "not_allowed_value")] },
    {
      body: { all_locations: undefined, location_ids: undefined },
      failures: [place("location_ids", "required")],
    },
    {
      body: { all_locations: false, location_ids: undefined },
      failures: [place("location_ids", "required")],
    },
    { body: { location_ids: [0] }, failures: [place("location_ids.0", "out_of_range")] },
  ],
  "/op/integrations/update": [
    { body: { all_locations: true }, failures: [place("location_ids", "not_allowed_value")] },
    { body: { location_ids: undefined }, failures: [place("location_ids", "required")] },
    {
      body: { name: undefined, scopes: undefined, all_locations: undefined, location_ids: undefined },
      failures: [place("", "no_fields_to_update")],
    },
  ],
  "/op/integrations/rotate-secret": [
    { body: { overlap_seconds: -1 }, failures: [place("overlap_seconds", "out_of_range")] },
    { body: { overlap_seconds: 30 * 86_400 + 1 }, failures: [place("overlap_seconds", "out_of_range")] },
  ],
  "/op/members/assign-tier": [{ body: { tier_id: 0 }, failures: [place("tier_id", "out_of_range")] }],
  "/op/tiers/create": [
    { body: { expiry: 1201 }, failures: [place("expiry", "out_of_range")] },
    { body: { expiry_period: "decade" }, failures: [place("expiry_period", "not_allowed_value")] },
  ],
  "/op/vouchers/update": [
    {
      body: {
        campaign_name: undefined,
        coupon_code: undefined,
        coupon_value: undefined,
        location_id: undefined,
      },
      failures: [place("", "no_fields_to_update")],
    },
  ],
  "/op/transactions/list": [
    {
      body: { start_date: "2024-02-02", end_date: "2024-02-01" },
      failures: [place("end_date", "out_of_range")],
    },
    { body: { event_types: ["theft"] }, failures: [place("event_types.0", "not_allowed_value")] },
  ],
  "/op/imports/upload": [
    { body: { content: "not base64!" }, failures: [place("content", "invalid_format")] },
    { body: { import_id: 1 }, failures: [place("import_id", "not_allowed_value")] },
  ],
  "/op/imports/preview": [
    { body: { delimiter: "::" }, failures: [place("delimiter", "invalid_format")] },
    { body: { date_format: "DD/DD/YYYY" }, failures: [place("date_format", "invalid_format")] },
    { body: { country: "XX" }, failures: [place("country", "not_allowed_value")] },
    {
      body: { columns: [{ field: "price", column: "x" }] },
      failures: [place("columns", "not_allowed_value")],
    },
    { body: { earn: false }, failures: [place("earn_imported", "not_allowed_value")] },
    {
      body: { kind: "vouchers", columns: [], defaults: [], earn_imported: undefined, from: "square" },
      failures: ["earn", "location_id", "batch", "reference_per", "from"].map((field) =>
        place(field, "not_allowed_value"),
      ),
    },
  ],
  "/op/imports/sales": [
    { body: { lines: [] }, failures: [place("lines", "too_short")] },
    {
      body: { lines: Array(2001).fill({ line: 1 }) },
      failures: [place("lines", "too_long")],
    },
    {
      body: { lines: [{ line: 0 }, {}] },
      failures: [place("lines.0.line", "out_of_range"), place("lines.1.line", "required")],
    },
    {
      body: { lines: [{ line: 1, amount: "5", price: 5 }] },
      failures: [place("lines.0.price", "unknown_field"), place("lines.0.amount", "invalid_type")],
    },
    { body: { earn: false, earn_imported: true }, failures: [place("earn_imported", "not_allowed_value")] },
  ],
  "/op/exports/members": [{ body: { limit: 5001 }, failures: [place("limit", "out_of_range")] }],
  "/op/rules/preview": [
    { body: { from: "2026-02-30" }, failures: [place("from", "invalid_format")] },
    { body: { from: "2026-02-02", through: "2026-02-01" }, failures: [place("through", "out_of_range")] },
    { body: { value_points: 0 }, failures: [place("value_points", "out_of_range")] },
    { body: { pending_days: 1 }, failures: [place("pending_days", "unknown_field")] },
    { body: { programs: [] }, failures: [place("programs", "too_short")] },
    {
      body: {
        programs: [
          { program_id: 1, earn_points: 1001 },
          { earn_amount: 0, rate: 1 },
        ],
      },
      failures: [
        place("programs.1.rate", "unknown_field"),
        place("programs.0.earn_points", "out_of_range"),
        place("programs.1.program_id", "required"),
        place("programs.1.earn_amount", "out_of_range"),
      ],
    },
    {
      body: { new_tiers: [{ name: "Gold", expiry: 1, tier_id: 1 }] },
      failures: [
        place("new_tiers.0.tier_id", "unknown_field"),
        place("new_tiers.0.expiry_period", "required"),
      ],
    },
    {
      body: { default_program_id: null, new_program: { earn_points: 1, maximum_points_per_order: 5 } },
      failures: [place("new_program", "not_allowed_value")],
    },
    {
      body: { programs: [{ program_id: 1 }, { program_id: 1 }] },
      failures: [place("programs.1.program_id", "not_allowed_value")],
    },
  ],
  "/op/ledger/verify": [{ body: { part: "everything" }, failures: [place("part", "not_allowed_value")] }],
};

/** All operations share these checks: the first one of each kind is sent every case, the others one case of each. */
const operations = operatorOperations.filter(isAuthorized);
const thoroughly = firstOfEachKind(operations);

// Sign-ins have no authenticated caller, and tests of their own.
describe.each(operations)("$path", (operation) => {
  const cases = <Case>(all: readonly Case[]) => (thoroughly.has(operation) ? all : all.slice(0, 1));
  const sound = () => soundOperatorBody(operation, records);
  const call = (body: unknown, options: CallOptions = {}, query = "") =>
    world.call(operation.path + query, body, {
      token: "authorization" in (options.headers ?? {}) ? undefined : testOperatorKey,
      ...options,
    });
  const rejected = async (reply: Reply | Promise<Reply>, code: ErrorCode, details?: object) =>
    expectRejection(operation, await reply, code, details);

  it("takes POST only", async () => {
    const reply = await call(sound(), { method: "GET" });
    expect(reply.body.error.code).toBe("method_not_allowed");
    expect(reply.headers.get("allow")).toBe("POST");
  });

  it("rejects query parameters", () =>
    rejected(call(sound(), {}, "?page=1"), "query_parameters_not_allowed"));

  it("rejects another content type", () =>
    rejected(call(sound(), { headers: { "content-type": "text/plain" } }), "invalid_content_type", {
      reason: "media_type",
    }));

  it("rejects a body that is too large, and none before", async () => {
    const limit_bytes = operation.maximumBodyBytes ?? 65_536;
    await rejected(call("x".repeat(limit_bytes + 1)), "payload_too_large", { limit_bytes });
    await rejected(call("x".repeat(limit_bytes)), "malformed_json");
  });

  it.each(cases(Object.entries(legacyFields).filter(([name]) => !(name in operation.input.properties))))(
    "rejects the legacy field %s",
    (field, use) => rejected(call({ ...sound(), [field]: 1 }), "legacy_field_not_allowed", { field, use }),
  );

  it("rejects a request without a key", async () => {
    const reply = await world.call(operation.path, sound());
    await rejected(reply, "unauthorized", { token: "missing" });
    expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    await rejected(
      call(sound(), { headers: { authorization: `Basic ${testOperatorKey}` } }),
      "unauthorized",
      { token: "other_scheme" },
    );
  });

  it.each(
    cases<[string, () => string]>([
      ["a wrong key", () => `${testOperatorKey}x`],
      ["half of the key", () => testOperatorKey.slice(0, 20)],
      ["a partner's token", () => partnerToken],
    ]),
  )("rejects %s", async (_what, token) => {
    const reply = await call(sound(), { token: token() });
    await rejected(reply, "unauthorized", { token: "invalid_or_expired" });
    expect(reply.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  });

  it("rejects a field it doesn't know", () =>
    rejected(call({ ...sound(), nonsense: 1 }), "validation_failed", {
      errors: [
        { field: "nonsense", code: "unknown_field", message: "nonsense is not a field of this operation." },
      ],
    }));

  it("rejects each required field that is missing, and each of another type, all at once", async () => {
    const { properties, required = [] } = bodyOf(operation) as never as {
      properties: Readonly<Record<string, { readonly type?: string }>>;
      required?: string[];
    };
    const demanded = required.filter((name) => name !== "idempotency_key");
    const missing = await call({ idempotency_key: nextKey(), ...only(isWrite(operation), {}) });
    if (demanded.length > 0) {
      const failures: FieldError[] = missing.body.error.details.errors;
      for (const field of demanded) {
        expect(failures, field).toContainEqual({ field, code: "required", message: `${field} is required.` });
      }
    }
    const typed = Object.keys(properties).filter((name) => name !== "idempotency_key");
    if (typed.length === 0) return;
    const wrongType = (name: string) => (properties[name]?.type === "object" ? ["a"] : { a: 1 });
    const wrong = await call({
      ...sound(),
      ...Object.fromEntries(typed.map((name) => [name, wrongType(name)])),
    });
    const codes = wrong.body.error.details.errors.map(({ field, code }: FieldError) => `${field} ${code}`);
    expect(codes).toEqual(expect.arrayContaining(typed.map((name) => `${name} invalid_type`)));
  });

  if (isWrite(operation)) {
    it("rejects a write without a key", async () => {
      const { idempotency_key: _, ...withoutKey } = sound();
      await rejected(call(withoutKey), "idempotency_key_required");
    });

    it("rejects a key that was used for another write", async () => {
      const idempotency_key = nextKey();
      await operatorWrite(world, "/op/businesses/create", { idempotency_key, name: "A", currency: "EUR" });
      const reused = call({ ...sound(), idempotency_key });
      await rejected(reused, "idempotency_key_reused_with_different_payload");
      await storeAsByAnotherSecret(world.sql, idempotency_key);
      await rejected(call({ ...sound(), idempotency_key }), "idempotency_key_of_another_secret");
    });
  } else {
    it("ignores a key", async () => {
      const reply = await call({ ...sound(), idempotency_key: "key" });
      expect(reply.body).toMatchObject({ success: true });
    });
  }

  if ("business_id" in operation.input.properties) {
    it("rejects a business that does not exist", () =>
      rejected(call({ ...sound(), business_id: absent }), "business_not_found"));
  }

  it.each(ownRejections[operation.path] ?? [])("rejects: $error", async ({ error, body, details }) => {
    await rejected(call({ ...soundOperatorBody(operation, records), ...body }), error, details);
  });

  it.each(fieldRejections[operation.path] ?? [])("rejects fields: $failures", async ({ body, failures }) => {
    const reply = await call({ ...sound(), ...body });
    expect(reply.body.error?.code).toBe("validation_failed");
    const found = reply.body.error.details.errors.map(({ field, code }: FieldError) => [field, code]);
    expect(found).toEqual(failures);
  });
});

/** The fields of a body that has a place for them. */
function only(wanted: boolean, fields: Body): Body {
  return wanted ? fields : { idempotency_key: undefined };
}

describe("every operation", () => {
  // Rejected when too much is asked for, when something breaks or is old: other tests bring that about.
  const elsewhere: ErrorCode[] = [
    ...(["rate_limited", "internal_error", "service_unavailable", "not_a_sandbox"] as const),
    ...(["member_inactive", "member_already_exists", "balance_limit_exceeded", "events_expired"] as const),
    ...(["role_not_allowed", "reauthentication_required", "limit_exceeded", "last_owner"] as const),
    ...(["operator_already_exists", "sandbox_too_large", "clock_step_too_large"] as const),
    ...(["card_blocked", "already_merged", "members_are_the_same", "too_many_webhook_endpoints"] as const),
    ...(["webhook_endpoint_disabled", "webhook_endpoint_enabled_recently", "import_not_ready"] as const),
    ...(["promotion_ended", "stamp_card_ended", "occasion_ended", "voucher_archived"] as const),
    ...(["bulk_grant_not_ready"] as const),
    ...(["card_already_exists", "card_already_claimed", "member_anonymous", "benefit_inactive"] as const),
    ...(["gift_card_money_only", "gift_card_limit_exceeded"] as const),
  ];

  /** What a decision rejects that a partner's operation shares is tested there. */
  const ofSharedDecision = ({ kind, path }: Operation): readonly ErrorCode[] =>
    kind === "posting"
      ? (partnerOperations.find((partner) => partner.path === path.replace("/op/", "/sp/"))?.errors ?? [])
      : [];

  it.each(operations)("was seen to give all the errors it declares, and no others: $path", (operation) => {
    const declared = errorsOf(operation).filter((code) => !elsewhere.includes(code));
    const seen = provoked.get(operation.path) ?? new Set();
    const shared = ofSharedDecision(operation).filter((code) => !seen.has(code));
    expect(
      [...seen].sort(),
      `Add a request of ${operation.path} for each error that is missing to ownRejections in ` +
        "test/support/operator-requests.ts. Declare each error that is too many.",
    ).toEqual(declared.filter((code) => !shared.includes(code)).sort());
  });
});

describe("the operator key", () => {
  it.each(partnerOperations.filter(({ kind }) => kind !== "token"))(
    "opens nothing of partners: $path",
    async ({ path }) => {
      const reply = await world.call(path, {}, { token: testOperatorKey });
      expect(reply.status).toBe(401);
      expect(reply.body.error).toEqual({ code: "unauthorized", details: { token: "invalid_or_expired" } });
    },
  );
});
