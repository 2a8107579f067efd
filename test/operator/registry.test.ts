/** The operator operations as declared: where they lie, what they take and answer, which errors are their own. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bodyOf, errorsOf } from "../../src/contract/body.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { operatorOperations } from "../../src/operations/operator.ts";
import { isWrite } from "../support/requests.ts";

interface Row {
  /** Optional fields end in a question mark; idempotency_key, page and per_page come with the kind. */
  readonly request: string;
  readonly answer: string;
  readonly errors?: string;
  readonly status?: 201;
}

const business = "business_id name time_zone currency";
const integration = "integration_id name client_id scopes all_locations location_ids enabled created_at";
const ofIntegration = "business_id integration_id";
const standing = "member_id contact_id active tier_id";
const names = "member_id contact_id first_name last_name phone_number email";
const balances = "active tier_id tier_name wallet_balance points_balance vouchers_balance sales_balance";
const tier = "tier_id name expiry expiry_period";
const program = "program_id membership_name maximum_points_per_order";
const voucher = "voucher_id campaign_name coupon_code coupon_value archived location_id";
const settings = "enable_rp rp_name rp_sales_calculation_period rp_sales_calculation_period_type";
const imported = { request: "business_id lines dry_run?", answer: "imported skipped rejected" };

const rows: Record<string, Row> = {
  "/op/businesses/create": { request: "name time_zone? currency", answer: business, status: 201 },
  "/op/businesses/list": { request: "", answer: business },
  "/op/businesses/update": { request: "business_id name? time_zone? currency?", answer: business },
  "/op/locations/create": { request: "business_id name", answer: "location_id name", status: 201 },
  "/op/locations/list": { request: "business_id", answer: "location_id name" },
  "/op/locations/update": {
    request: "business_id location_id name",
    answer: "location_id name",
    errors: "location_not_found",
  },
  "/op/integrations/create": {
    request: "business_id name scopes all_locations? location_ids?",
    answer: `${integration} client_secret`,
    errors: "location_not_found",
    status: 201,
  },
  "/op/integrations/list": { request: "business_id", answer: integration },
  "/op/integrations/get": {
    request: ofIntegration,
    answer: `${integration} secrets`,
    errors: "integration_not_found",
  },
  "/op/integrations/update": {
    request: `${ofIntegration} name? scopes? all_locations? location_ids?`,
    answer: integration,
    errors: "integration_not_found location_not_found",
  },
  "/op/integrations/rotate-secret": {
    request: `${ofIntegration} overlap_seconds?`,
    answer: "integration_id client_id client_secret previous_secret_expires_at",
    errors: "integration_not_found",
  },
  "/op/integrations/disable": {
    request: ofIntegration,
    answer: integration,
    errors: "integration_not_found",
  },
  "/op/integrations/enable": { request: ofIntegration, answer: integration, errors: "integration_not_found" },
  "/op/integrations/revoke-tokens": {
    request: ofIntegration,
    answer: integration,
    errors: "integration_not_found",
  },
  "/op/integrations/delete": {
    request: ofIntegration,
    answer: "integration_id deleted",
    errors: "integration_not_found",
  },
  "/op/members/list": { request: "business_id search? include_inactive?", answer: `${names} ${balances}` },
  "/op/members/get": {
    request: "business_id contact_id",
    answer: `${names} date_of_birth external_ref ${balances} has_password joined_at`,
    errors: "member_not_found",
  },
  "/op/members/activate": {
    request: "business_id contact_id",
    answer: standing,
    errors: "member_not_found",
  },
  "/op/members/deactivate": {
    request: "business_id contact_id",
    answer: standing,
    errors: "member_not_found",
  },
  "/op/members/assign-tier": {
    request: "business_id contact_id tier_id",
    answer: standing,
    errors: "member_not_found tier_not_found",
  },
  "/op/tiers/create": { request: "business_id name expiry expiry_period", answer: tier, status: 201 },
  "/op/tiers/list": { request: "business_id", answer: tier },
  "/op/programs/create": {
    request: "business_id membership_name maximum_points_per_order",
    answer: program,
    status: 201,
  },
  "/op/programs/list": { request: "business_id", answer: program },
  "/op/vouchers/create": {
    request: "business_id campaign_name coupon_code coupon_value location_id?",
    answer: voucher,
    errors: "location_not_found",
    status: 201,
  },
  "/op/vouchers/list": { request: "business_id include_archived?", answer: voucher },
  "/op/vouchers/update": {
    request: "business_id voucher_id campaign_name? coupon_code? coupon_value? location_id?",
    answer: voucher,
    errors: "voucher_not_found location_not_found",
  },
  "/op/vouchers/archive": {
    request: "business_id voucher_id archived?",
    answer: voucher,
    errors: "voucher_not_found",
  },
  "/op/topup-benefits/list": {
    request: "business_id",
    answer: "benefit_id title amount promo_amount status location_id",
  },
  "/op/reward-settings/get": { request: "business_id", answer: settings },
  "/op/transactions/list": {
    request: "business_id location_id? contact_id? event_types? start_date? end_date?",
    answer: "event_type contact_id reference_id amount balance_after created_at",
  },
  "/op/imports/members": imported,
  "/op/imports/sales": imported,
  "/op/exports/members": {
    request: "business_id after_member_id? limit?",
    answer: "members next_after_member_id",
  },
  "/op/exports/transactions": {
    request: "business_id after_entry_no? limit?",
    answer: "transactions next_after_entry_no",
  },
  "/op/ledger/verify": {
    request: "business_id part after? limit?",
    answer: "checked mismatch_count mismatches next",
  },
  "/op/audit/list": {
    request: "business_id? event?",
    answer: "audit_id business_id recorded_at actor address request_id event before after",
  },
  "/op/status/get": {
    request: "",
    answer:
      "version schema_version uptime_seconds database businesses members entries ledger_lead_seconds requests postings",
  },
};

const words = (text: string) => text.split(" ").filter((word) => word !== "");
const kindFields: Record<string, string> = { write: "idempotency_key", list: "per_page? page?", read: "" };

const shared = [
  ...["query_parameters_not_allowed", "invalid_content_type", "payload_too_large", "malformed_json"],
  ...["legacy_field_not_allowed", "validation_failed", "rate_limited", "internal_error"],
  ...["service_unavailable", "unauthorized"],
];
const ofWrites = ["idempotency_key_required", "idempotency_key_reused_with_different_payload"];

/** Every schema in a schema, with where it lies. */
function* schemasIn(schema: object, place: string): Generator<[string, Record<string, unknown>]> {
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object };
  for (const [name, field] of Object.entries(properties)) {
    yield [`${place}.${name}`, field as Record<string, unknown>];
    yield* schemasIn(field, `${place}.${name}`);
  }
  if (items !== undefined) yield* schemasIn(items, `${place}[]`);
}

describe("the registry", () => {
  it("holds every file of src/operations/operator once, and the file's path is the operation's", async () => {
    const folder = join(import.meta.dirname, "../../src/operations/operator");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    );
    const inFiles = await Promise.all(
      files.map(async (file) => {
        const exported = Object.values(await import(join(folder, file))) as Operation[];
        expect(exported, file).toHaveLength(1);
        expect(exported[0]!.path).toBe(`/op/${file.replaceAll("\\", "/").replace(/\.ts$/, "")}`);
        return exported[0];
      }),
    );
    expect(new Set(operatorOperations)).toEqual(new Set(inFiles));
    expect(operatorOperations).toHaveLength(files.length);
  });

  it("holds the operations of the table and no others", () => {
    expect(operatorOperations.map(({ path }) => path).sort()).toEqual(Object.keys(rows).sort());
  });
});

describe.each(operatorOperations)("$path", (operation) => {
  const row = rows[operation.path]!;

  it("is the operator's, and answers with its status", () => {
    expect(operation).toMatchObject({ scope: "operator" });
    if (operation.kind === "write") expect(operation.status).toBe(row.status ?? 200);
  });

  it("takes its fields", () => {
    const { properties, required = [] } = bodyOf(operation) as never as {
      properties: object;
      required?: string[];
    };
    const fields = words(`${row.request} ${kindFields[operation.kind]}`);
    expect(Object.keys(properties).sort()).toEqual(fields.map((name) => name.replace("?", "")).sort());
    expect([...required].sort()).toEqual(fields.filter((name) => !name.endsWith("?")).sort());
  });

  it("answers its fields", () => {
    const { properties } = operation.output as never as { properties: object };
    expect(Object.keys(properties).sort()).toEqual(words(row.answer).sort());
  });

  it("has its errors", () => {
    const { properties } = operation.input;
    expect([...errorsOf(operation)].sort()).toEqual(
      [
        ...shared,
        ...words(row.errors ?? ""),
        ...("business_id" in properties ? ["business_not_found"] : []),
        ...(isWrite(operation) ? ofWrites : []),
      ].sort(),
    );
  });

  it("says what it is, and what each field is, with an example", () => {
    for (const text of [operation.summary, operation.description, operation.message]) {
      expect(text.trim()).toBe(text);
      expect(text).not.toBe("");
    }
    for (const [place, schema] of [
      ...schemasIn(bodyOf(operation), "request"),
      ...schemasIn(operation.output, "answer"),
    ]) {
      if ("properties" in schema) continue;
      expect(schema.description, place).toMatch(/\.$/);
      const [first] = (schema.anyOf ?? [schema]) as [{ examples?: unknown }];
      if (!("items" in schema)) expect(schema.examples ?? first.examples, place).toHaveLength(1);
    }
  });
});
