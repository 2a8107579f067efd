/**
 * The partner operations as declared, held against the contract as it was written down: the table below is
 * sections 4 and 7 of the specification, and what the project decided where they leave it open.
 */
import { describe, expect, it } from "vitest";
import { type ErrorCode, errors } from "../../src/contract/errors.ts";
import { bodyOf, errorsOf, type Operation } from "../../src/contract/operation.ts";
import { allScopes } from "../../src/domain/access/access.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import { isWrite } from "../support/requests.ts";

interface Row {
  readonly section: string;
  readonly path: string;
  readonly status: 200 | 201;
  readonly scope: string | undefined;
  /** Optional fields end in a question mark. Every write also takes idempotency_key. */
  readonly request: string;
  readonly response: string;
  /** Those that the specification names for this operation besides the ones that its kind has. */
  readonly errors: string;
  /** Those that the specification leaves room for. */
  readonly ownErrors: string;
}

const row = (section: string, path: string, status: 200 | 201, scope: string | undefined) => ({
  takes: (request: string, response: string, named = "", ownErrors = ""): Row => ({
    section,
    path,
    status,
    scope,
    request,
    response,
    errors: named,
    ownErrors,
  }),
});

// The contract has no cursors; a list by page numbers is as the contract says.
const page = "per_page? page? after?";
const tier = "tier_id name expiry expiry_period";
const settings = "enable_rp rp_name rp_sales_calculation_period rp_sales_calculation_period_type";
const optional = (fields: string) => fields.replaceAll(/\w+/g, "$&?");

// external_ref is beyond the specification: a till attaches a card to a member with it.
const contract: readonly Row[] = [
  row("4.1", "/sp/auth/token", 200, undefined).takes(
    "client_id client_secret",
    "access_token token_type expires_in expires_at scope business_id integration_id",
    "invalid_client_credentials",
  ),
  row("4.2", "/sp/transactions/list", 200, "wa.wallet.read").takes(
    `location_id? contact_id? event_types? start_date? end_date? ${page}`,
    "event_type contact_id reference_id amount balance_after created_at",
    "sp_location_not_allowed",
  ),
  row("4.3", "/sp/members/list", 200, "wa.members.read").takes(
    `search? include_inactive? ${page}`,
    "member_id contact_id first_name last_name phone_number",
    "sp_integration_not_found",
  ),
  row("4.4", "/sp/members/create", 201, "wa.members.write").takes(
    "first_name last_name phone_number email? date_of_birth? password? external_ref?",
    "member_id contact_id first_name last_name phone_number email",
    "",
    "member_already_exists",
  ),
  row("4.5", "/sp/members/update", 200, "wa.members.write").takes(
    "contact_id first_name? last_name? email?",
    "member_id contact_id first_name last_name email",
    "member_not_found",
    "member_inactive member_already_exists",
  ),
  row("4.6", "/sp/members/profile/update", 200, "wa.members.write").takes(
    "contact_id first_name? last_name? email? phone_number? date_of_birth? external_ref?",
    "member_id contact_id first_name last_name email",
    "member_not_found",
    "member_inactive member_already_exists",
  ),
  row("4.7", "/sp/members/password/change", 200, "wa.members.write").takes(
    "contact_id new_password",
    "member_id contact_id password_changed",
    "member_not_found",
    "member_inactive",
  ),
  row("4.8", "/sp/wallet/adjust", 200, "wa.wallet.write").takes(
    "contact_id location_id amount adjustment_type reason?",
    "contact_id amount adjustment_type balance_after",
    "member_not_found sp_location_not_allowed",
    "member_inactive gift_card_money_only insufficient_balance balance_limit_exceeded",
  ),
  row("4.9", "/sp/wallet/topup-benefits/create", 201, "wa.wallet.write").takes(
    "title amount promo_amount? location_id status?",
    "benefit_id title amount promo_amount status",
    "sp_location_not_allowed",
  ),
  // A benefit belongs to a location, so that changing it is as limited as making it.
  row("4.10", "/sp/wallet/topup-benefits/update", 200, "wa.wallet.write").takes(
    "benefit_id title? promo_amount? status?",
    "benefit_id title promo_amount status",
    "",
    "benefit_not_found sp_location_not_allowed",
  ),
  row("4.11", "/sp/reward-points/adjust", 200, "wa.rewards.write").takes(
    "contact_id points adjustment_type reason? reference_id?",
    "contact_id points adjustment_type balance_after",
    "member_not_found",
    "member_inactive gift_card_money_only insufficient_balance balance_limit_exceeded",
  ),
  row("4.12", "/sp/reward-settings/update", 200, "wa.rewards.write").takes(optional(settings), settings),
  row("4.13", "/sp/reward-programs/update", 200, "wa.rewards.write").takes(
    "program_id membership_name? maximum_points_per_order?",
    "program_id membership_name maximum_points_per_order",
    "",
    "program_not_found",
  ),
  row("4.14", "/sp/member-tiers/list", 200, "wa.tiers.read").takes("", tier),
  row("4.15", "/sp/member-tiers/update", 200, "wa.tiers.write").takes(
    "tier_id name? expiry? expiry_period?",
    tier,
    "",
    "tier_not_found",
  ),
  row("4.16", "/sp/member-tiers/delete", 200, "wa.tiers.write").takes(
    "tier_id",
    "tier_id deleted",
    "",
    "tier_not_found",
  ),
  row("4.17", "/sp/vouchers/get", 200, "wa.vouchers.read").takes(
    "voucher_id",
    "voucher_id campaign_name coupon_code coupon_value archived",
    "voucher_not_found sp_location_not_allowed",
  ),
];

/** The JSON type of every field, wherever it stands (spec section 2). */
const types: Record<string, readonly string[]> = {
  integer: [
    ...["member_id", "contact_id", "location_id", "benefit_id", "tier_id", "program_id", "voucher_id"],
    ...["business_id", "integration_id", "expires_in", "amount", "promo_amount", "points", "balance_after"],
    ...["rp_sales_calculation_period", "maximum_points_per_order", "expiry", "coupon_value"],
    ...["per_page", "page"],
  ],
  boolean: ["include_inactive", "password_changed", "enable_rp", "deleted", "archived"],
  array: ["event_types"],
};

/** Errors by who can get them (spec section 7, and the errors of HTTP and JSON that it leaves out). */
const shared: Record<"everyone" | "bearers" | "writers", readonly string[]> = {
  everyone: [
    ...["query_parameters_not_allowed", "invalid_content_type", "payload_too_large", "malformed_json"],
    ...["legacy_field_not_allowed", "validation_failed", "rate_limited"],
    ...["internal_error", "service_unavailable"],
  ],
  bearers: ["unauthorized", "sp_integration_not_found", "sp_scope_not_granted", "sp_token_scope_missing"],
  writers: [
    ...["idempotency_key_required", "idempotency_key_reused_with_different_payload"],
    "idempotency_key_of_another_secret",
  ],
};

const statuses: Record<number, string> = {
  400:
    "malformed_request malformed_json query_parameters_not_allowed legacy_field_not_allowed " +
    "idempotency_key_required",
  401: "invalid_client_credentials unauthorized",
  403: "sp_scope_not_granted sp_token_scope_missing sp_location_not_allowed",
  404:
    "sp_integration_not_found member_not_found voucher_not_found benefit_not_found program_not_found " +
    "tier_not_found operation_not_found",
  405: "method_not_allowed",
  409: "idempotency_key_of_another_secret member_already_exists member_inactive gift_card_money_only insufficient_balance balance_limit_exceeded",
  413: "payload_too_large",
  415: "invalid_content_type",
  422: "validation_failed idempotency_key_reused_with_different_payload",
  429: "rate_limited",
  500: "internal_error",
  503: "service_unavailable",
};

const words = (text: string) => text.split(" ").filter((word) => word !== "");
const declared = (path: string) => partnerOperations.find((operation) => operation.path === path)!;
const typeOf = (field: string) => Object.keys(types).find((type) => types[type]!.includes(field)) ?? "string";

/** The name and JSON type of every property of a schema; an enumeration has the type of its values. */
function shapeOf(schema: object): string[] {
  const object = schema as { properties?: Record<string, SchemaLike>; items?: object };
  if (object.items !== undefined) return shapeOf(object.items);
  return Object.entries(object.properties ?? {}).map(([name, field]) => `${name}: ${typeName(field)}`);
}

interface SchemaLike {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaLike[];
}

function typeName({ type, enum: values, anyOf }: SchemaLike): string {
  if (anyOf !== undefined) return typeName(anyOf[0]!);
  return type ?? typeof values?.[0];
}

function statusOf(operation: Operation): number {
  return operation.kind === "write" ? operation.status : 200;
}

describe("the registry", () => {
  it("uses every scope that can be granted", () => {
    const used = partnerOperations.flatMap((operation) =>
      operation.kind === "token" ? [] : [operation.scope],
    );
    expect(new Set(used)).toEqual(new Set(allScopes));
  });
});

describe.each(contract)("$section $path", (expected) => {
  const operation = declared(expected.path);

  it("returns its status and asks for its scope", () => {
    expect(statusOf(operation)).toBe(expected.status);
    expect(operation.kind === "token" ? undefined : operation.scope).toBe(expected.scope);
  });

  it("takes its fields", () => {
    const {
      properties,
      required = [],
      additionalProperties,
    } = bodyOf(operation) as never as {
      properties: Record<string, SchemaLike>;
      required?: string[];
      additionalProperties: boolean;
    };
    const names = words(isWrite(operation) ? `idempotency_key ${expected.request}` : expected.request);
    expect(Object.keys(properties).sort()).toEqual(names.map((name) => name.replace("?", "")).sort());
    expect([...required].sort()).toEqual(names.filter((name) => !name.endsWith("?")).sort());
    expect(additionalProperties).toBe(false);
    expect(shapeOf({ properties })).toEqual(
      Object.keys(properties).map((name) => `${name}: ${typeOf(name)}`),
    );
  });

  it("returns its fields", () => {
    expect(shapeOf(operation.output)).toEqual(
      words(expected.response).map((name) => `${name}: ${typeOf(name)}`),
    );
  });

  it("has its errors", () => {
    expect([...errorsOf(operation)].sort()).toEqual(
      [
        ...new Set([
          ...words(expected.errors),
          ...words(expected.ownErrors),
          ...shared.everyone,
          ...(operation.kind === "token" ? [] : shared.bearers),
          ...(isWrite(operation) ? shared.writers : []),
        ]),
      ].sort(),
    );
  });
});

describe("the errors", () => {
  const reachable = new Set<string>(
    contract.map(({ path }) => declared(path)).flatMap((operation) => errorsOf(operation)),
  );

  it.each(Object.entries(statuses))("have status %i: %s", (status, codes) => {
    for (const code of words(codes)) expect(errors[code as ErrorCode]?.status, code).toBe(Number(status));
  });

  it("are all in the table, those of the contract's operations", () => {
    const listed = Object.values(statuses).flatMap(words);
    const outsideOperations = ["malformed_request", "operation_not_found", "method_not_allowed"];
    expect(listed.sort()).toEqual([...reachable, ...outsideOperations].sort());
  });

  it("each say in a sentence what is wrong and what to do", () => {
    for (const { message, remedy } of Object.values(errors)) {
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/^\w.*\.$/);
    }
  });
});

/** Names of a kind of value. The object that has them says of what: the name of a tier, the points of a balance or of a sale. */
const generalNames = new Set(
  (
    "amount balance_after categories changed code contact_id created_at day entries event_no events expires_at held_voucher_id integration_id " +
    "kind location_id matures_on name next next_attempt_at points points_amount points_pending promo_amount reason redeemed_at " +
    "reference_id refunded sale_id skus status tier tier_id type valid_through vouchers wallet why"
  ).split(" "),
);

it("a field of responses has one meaning in all operations of partners", () => {
  const found = new Map<string, Set<string>>();
  const collect = (schema: Schema) => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const descriptions = found.get(name) ?? new Set();
      found.set(name, descriptions.add(property.description ?? ""));
      collect(property);
    }
    for (const inner of [...(schema.items === undefined ? [] : [schema.items]), ...(schema.anyOf ?? [])])
      collect(inner);
  };
  for (const { output } of partnerOperations) collect(output as Schema);
  const ambiguous = [...found].filter(
    ([name, descriptions]) => descriptions.size > 1 && !generalNames.has(name),
  );
  expect(ambiguous, "Use one declaration for the field, or another name for another meaning.").toEqual([]);
  expect(found.get("money_back")?.size).toBe(1);
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
