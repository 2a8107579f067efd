/** What every operator operation returns when all is well: status, envelope and data, field by field. */

import { beforeAll, describe, expect, it } from "vitest";
import { isAuthorized } from "../../src/contract/operation.ts";
import { noLineRules, noMemberLimits } from "../../src/domain/engine/rules.ts";
import { plainVoucher } from "../../src/domain/engine/vouchers/terms.ts";
import { operatorOperations } from "../../src/operations/operations.ts";
import { newOccasion } from "../../src/operations/promotions/occasions.ts";
import { newPromotion } from "../../src/operations/promotions/promotions.ts";
import { newStampCard } from "../../src/operations/promotions/stamp-cards.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import type { Body } from "../support/engine-requests.ts";
import {
  asOperator,
  makeOperatorRecords,
  type OperatorRecords,
  operatorWrite,
  soundOperatorBody,
} from "../support/operator-requests.ts";
import { isWrite } from "../support/requests.ts";
import { nextKey, type Reply, useWorld } from "../support/world.ts";

const world = useWorld();
/** Nothing changes these. To make records takes most of the time of a test. */
let unchanged: OperatorRecords;
const usedKey = nextKey();
beforeAll(async () => {
  await holdBackgroundWrites(world.sql);
  unchanged = await makeOperatorRecords(world, world.home);
  const first = { idempotency_key: usedKey, name: "First", currency: "EUR" };
  await operatorWrite(world, "/op/businesses/create", first);
});

interface ExpectedResponse {
  readonly status?: 201;
  readonly message: string;
  /** A paginated list returns at least one item, as here. */
  readonly paginated?: true;
  /** Done before the request. */
  readonly before?: (records: OperatorRecords) => Promise<unknown>;
  /** @param sent the request's body */
  readonly data: (sent: Body, records: OperatorRecords) => unknown;
}

/** A voucher that does not lapse and can't be bought. */
const { public_key: _, ...plain } = plainVoucher;
const unlimited = { ...plain, points_price: null, validity: null, validity_period: null };
const id = expect.toSatisfy((value) => Number.isSafeInteger(value) && value > 0, "an identifier");
const count = expect.toSatisfy((value) => Number.isSafeInteger(value) && value >= 0, "a count");
const mean = expect.toSatisfy((value) => typeof value === "number" && value >= 0, "a mean");
const timestamp = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
const clientId = expect.stringMatching(/^loy_[\w-]{16}$/);
const clientSecret = expect.stringMatching(/^loysec_[\w-]{43}$/);

const without = (sent: Body, ...names: string[]) =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name)));
const aBusiness = {
  ...{ business_id: id, name: expect.any(String), time_zone: expect.any(String) },
  ...{ currency: expect.any(String), currency_decimals: count, sandbox: expect.any(Boolean) },
  ...{ country: expect.anything(), color: expect.anything(), logo_path: null },
  events_enabled: expect.any(Boolean),
};
const aPromotion = {
  ...{ ...newPromotion, promotion_id: id, name: expect.stringContaining("Double"), multiply: 200 },
  ...{ minimum_amount: 10 ** 12, status: expect.any(String) },
};
const aStampCard = {
  ...{ ...newStampCard({}), stamp_card_id: id, name: expect.stringContaining("Coffee"), stamps_needed: 9 },
  ...{ counts: "visit", voucher_id: id, minimum_amount: 10 ** 12, status: expect.any(String) },
};
const anOccasion = {
  ...{ ...newOccasion({ kind: "birthday" }), occasion_id: id, name: expect.stringContaining("Birthday") },
  ...{ kind: "birthday", points: 100, status: expect.any(String) },
};
const record = (sent: Body) => without(sent, "idempotency_key", "business_id");

const integration = (changed: Body = {}) => ({
  integration_id: id,
  name: "Test",
  client_id: clientId,
  scopes: expect.arrayContaining(["wa.members.read"]),
  all_locations: true,
  location_ids: [],
  enabled: true,
  created_at: timestamp,
  ...changed,
});
const importJob = (changed: Body = {}) => ({
  import_id: id,
  file_name: "sales.csv",
  state: "uploading",
  kind: null,
  bytes: 26,
  lines_done: 0,
  created_at: timestamp,
  ended_at: null,
  problem: null,
  ...changed,
});
const noTier = { tier: null, next_tier: null, keep_tier: null };
const noTierRules = { qualifying_sales: null, program_id: null };
const standing = (changed: Body) => ({
  member_id: id,
  contact_id: id,
  active: true,
  tier_id: null,
  ...changed,
});
const member = (changed: Body) => ({
  ...standing({}),
  first_name: "Ana",
  last_name: expect.stringMatching(/^López/),
  phone_number: expect.stringMatching(/^\+34/),
  email: null,
  tier_name: null,
  wallet_balance: 0,
  points_balance: 0,
  vouchers_balance: 0,
  sales_balance: 0,
  ...changed,
});
const inFull = {
  date_of_birth: null,
  external_ref: null,
  remarks: null,
  tier_until: null,
  has_password: false,
  merged_into: null,
  joined_at: timestamp,
};
const noVisits = { visits: 0, last_visit_on: null, average_sale: null };
const nothing = { wallet: 0, points: 0, vouchers: 0, sales: 0 };
const adjust = async ({ contact_id, location_id }: OperatorRecords) =>
  world.write("/sp/wallet/adjust", { contact_id, location_id, amount: 70, adjustment_type: "credit" });
const give = async ({ business_id, contact_id, tier_id }: OperatorRecords) =>
  operatorWrite(world, "/op/members/assign-tier", { business_id, contact_id, tier_id });

const responses: Record<string, ExpectedResponse> = {
  "/op/businesses/create": {
    status: 201,
    message: "Business created.",
    data: (sent) => ({
      business_id: id,
      currency_decimals: 2,
      logo_path: null,
      events_enabled: false,
      ...without(record(sent), "clock_at"),
    }),
  },
  "/op/businesses/list": {
    message: "Businesses listed.",
    paginated: true,
    data: () => ({ ...aBusiness, currency_decimals: 2, country: null, color: null }),
  },
  "/op/businesses/update": {
    message: "Business updated.",
    data: (sent) => ({
      ...without(sent, "idempotency_key"),
      ...{ currency_decimals: 0, logo_path: null, sandbox: false },
    }),
  },
  "/op/businesses/logo": {
    message: "Logo set.",
    data: ({ business_id }) => ({
      ...{ ...aBusiness, business_id, country: null },
      logo_path: expect.stringMatching(/^\/card\/\d+\.[\da-f]{32}\/logo\.png$/),
    }),
  },
  "/op/locations/create": {
    status: 201,
    message: "Location created.",
    data: (sent) => ({ location_id: id, closed: false, ...record(sent) }),
  },
  "/op/locations/list": {
    message: "Locations listed.",
    paginated: true,
    data: () => ({ location_id: id, name: expect.any(String), closed: false }),
  },
  "/op/locations/update": { message: "Location updated.", data: record },
  "/op/integrations/create": {
    status: 201,
    message: "Integration created.",
    data: (sent) => integration({ ...record(sent), client_secret: clientSecret }),
  },
  "/op/integrations/list": {
    message: "Integrations listed.",
    paginated: true,
    data: () =>
      integration({
        name: expect.any(String),
        all_locations: expect.any(Boolean),
        location_ids: expect.any(Array),
      }),
  },
  "/op/integrations/get": {
    message: "Integration found.",
    data: () => integration({ secrets: [{ created_at: timestamp, expires_at: null }] }),
  },
  "/op/integrations/update": {
    message: "Integration updated.",
    data: (sent) => integration(record(sent)),
  },
  "/op/integrations/rotate-secret": {
    message: "Secret rotated.",
    data: (_sent, { integration_id }) => ({
      integration_id,
      client_id: clientId,
      client_secret: clientSecret,
      previous_secret_expires_at: timestamp,
    }),
  },
  "/op/integrations/disable": {
    message: "Integration disabled.",
    data: (_sent, { integration_id }) => integration({ integration_id, enabled: false }),
  },
  "/op/integrations/enable": {
    message: "Integration enabled.",
    before: ({ business_id, integration_id }) =>
      operatorWrite(world, "/op/integrations/disable", { business_id, integration_id }),
    data: (_sent, { integration_id }) => integration({ integration_id, enabled: true }),
  },
  "/op/integrations/revoke-tokens": {
    message: "Tokens revoked.",
    data: (_sent, { integration_id }) => integration({ integration_id }),
  },
  "/op/integrations/delete": {
    message: "Integration deleted.",
    data: (_sent, { integration_id }) => ({ integration_id, deleted: true }),
  },
  "/op/members/list": {
    message: "Members listed.",
    paginated: true,
    before: async (records) => {
      await adjust(records);
      await give(records);
    },
    data: (_sent, { contact_id, tier_id }) =>
      member({ contact_id, wallet_balance: 70, tier_id, tier_name: "Bronze" }),
  },
  "/op/members/merge": {
    message: "Members merged.",
    data: (_sent, { buyer_contact_id }) => ({
      contact_id: buyer_contact_id,
      merged: { ...nothing, points_pending: 0, points_owed: 0 },
      balances: { wallet: 4980, points: 980, vouchers: 2000, sales: 15_000 },
      tier: { tier_id: null, name: null, valid_through: null, changed: false },
    }),
  },
  "/op/members/get": {
    message: "Member found.",
    before: adjust,
    data: (_sent, { contact_id }) =>
      member({ ...inFull, ...noTier, ...noVisits, contact_id, wallet_balance: 70 }),
  },
  "/op/members/create": {
    status: 201,
    message: "Member created.",
    data: (sent) => ({ member_id: id, contact_id: id, ...record(sent) }),
  },
  "/op/members/update": {
    message: "Member updated.",
    data: (sent) => ({ member_id: id, ...record(sent) }),
  },
  "/op/members/find": {
    message: "Member found.",
    data: (_sent, { buyer_contact_id, phone_number }) => ({
      ...noTier,
      member_id: id,
      contact_id: buyer_contact_id,
      first_name: "Ana",
      last_name: expect.stringMatching(/^López/),
      phone_number,
      email: null,
      external_ref: null,
      active: true,
    }),
  },
  "/op/members/activate": {
    message: "Member activated.",
    before: ({ contact_id }) => world.deactivate(contact_id),
    data: (_sent, { contact_id }) => standing({ contact_id, active: true }),
  },
  "/op/members/deactivate": {
    message: "Member deactivated.",
    data: (_sent, { contact_id }) => standing({ contact_id, active: false }),
  },
  "/op/members/assign-tier": {
    message: "Tier assigned.",
    data: (_sent, { contact_id, tier_id }) => ({
      ...standing({ contact_id, tier_id }),
      valid_through: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    }),
  },
  "/op/tiers/create": {
    status: 201,
    message: "Tier created.",
    data: (sent) => ({ tier_id: id, ...record(sent), ...noTierRules }),
  },
  "/op/tiers/list": {
    message: "Tiers listed.",
    paginated: true,
    data: () => ({
      tier_id: id,
      name: "Silver",
      expiry: 12,
      expiry_period: "month",
      ...noTierRules,
      members: null,
    }),
  },
  "/op/programs/create": {
    status: 201,
    message: "Reward program created.",
    data: (sent) => ({ program_id: id, ...noLineRules, ...noMemberLimits, ...record(sent) }),
  },
  "/op/programs/list": {
    message: "Reward programs listed.",
    paginated: true,
    data: (_sent, { program_id }) => ({
      program_id,
      membership_name: "Club",
      maximum_points_per_order: 500,
      earn_points: 0,
      earn_amount: 100,
      earn_minimum_amount: 0,
      ...noLineRules,
      ...noMemberLimits,
    }),
  },
  "/op/vouchers/create": {
    status: 201,
    message: "Voucher created.",
    data: (sent) => ({ voucher_id: id, ...unlimited, ...record(sent), archived: false }),
  },
  "/op/vouchers/list": {
    message: "Vouchers listed.",
    paginated: true,
    before: ({ business_id }) =>
      operatorWrite(world, "/op/vouchers/create", {
        business_id,
        campaign_name: "Latest",
        coupon_code: "L",
        coupon_value: 0,
      }),
    data: () => ({
      voucher_id: id,
      campaign_name: "Latest",
      coupon_code: "L",
      coupon_value: 0,
      archived: false,
      location_id: null,
      ...unlimited,
    }),
  },
  "/op/vouchers/update": {
    message: "Voucher updated.",
    data: (sent) => ({ ...unlimited, ...record(sent), archived: false }),
  },
  "/op/vouchers/archive": {
    message: "Voucher archived.",
    data: (_sent, { voucher_id }) =>
      expect.objectContaining({ voucher_id, archived: true, coupon_value: expect.any(Number) }),
  },
  "/op/promotions/create": {
    status: 201,
    message: "Promotion created.",
    data: (sent) => ({ promotion_id: id, ...record(sent) }),
  },
  "/op/promotions/update": {
    message: "Promotion updated.",
    data: (sent) => ({ status: "draft", ...record(sent) }),
  },
  "/op/promotions/list": {
    message: "Promotions listed.",
    paginated: true,
    data: () => ({ ...aPromotion, warning: null }),
  },
  "/op/promotions/get": {
    message: "Promotion found.",
    data: (_sent, { promotion_id }) => ({ ...aPromotion, promotion_id, status: "draft", warning: null }),
  },
  "/op/promotions/pause": {
    message: "Promotion paused.",
    data: (_sent, { promotion_id }) => ({ ...aPromotion, promotion_id, status: "paused" }),
  },
  "/op/promotions/resume": {
    message: "Promotion resumed.",
    data: (_sent, { promotion_id }) => ({ ...aPromotion, promotion_id, status: "active" }),
  },
  "/op/promotions/end": {
    message: "Promotion ended.",
    data: (_sent, { promotion_id }) => ({ ...aPromotion, promotion_id, status: "ended" }),
  },
  "/op/occasions/create": {
    status: 201,
    message: "Occasion created.",
    data: (sent) => ({ occasion_id: id, ...record(sent) }),
  },
  "/op/occasions/update": {
    message: "Occasion updated.",
    data: (sent) => ({ status: "paused", kind: "birthday", ...record(sent) }),
  },
  "/op/occasions/list": {
    message: "Occasions listed.",
    paginated: true,
    data: () => ({ ...anOccasion, warning: null }),
  },
  "/op/referrals/list": {
    message: "Referrals listed.",
    paginated: true,
    data: () => ({
      contact_id: id,
      referrer_contact_id: id,
      status: "open",
      created_at: timestamp,
      sale_id: null,
      ends_on: null,
    }),
  },
  "/op/occasions/get": {
    message: "Occasion found.",
    data: (_sent, { occasion_id }) => ({ ...anOccasion, occasion_id, warning: null }),
  },
  "/op/occasions/pause": {
    message: "Occasion paused.",
    data: (_sent, { occasion_id }) => ({ ...anOccasion, occasion_id, status: "paused" }),
  },
  "/op/occasions/resume": {
    message: "Occasion resumed.",
    data: (_sent, { occasion_id }) => ({ ...anOccasion, occasion_id, status: "active" }),
  },
  "/op/occasions/end": {
    message: "Occasion ended.",
    data: (_sent, { occasion_id }) => ({ ...anOccasion, occasion_id, status: "ended" }),
  },
  "/op/stamp-cards/create": {
    status: 201,
    message: "Stamp card created.",
    data: (sent) => ({ stamp_card_id: id, ...record(sent) }),
  },
  "/op/stamp-cards/update": {
    message: "Stamp card updated.",
    data: (sent) => ({ status: "paused", ...record(sent) }),
  },
  "/op/stamp-cards/list": {
    message: "Stamp cards listed.",
    paginated: true,
    data: () => ({ ...aStampCard, warning: null }),
  },
  "/op/stamp-cards/get": {
    message: "Stamp card found.",
    data: (_sent, { stamp_card_id }) => ({ ...aStampCard, stamp_card_id, warning: null }),
  },
  "/op/stamp-cards/pause": {
    message: "Stamp card paused.",
    data: (_sent, { stamp_card_id }) => ({ ...aStampCard, stamp_card_id, status: "paused" }),
  },
  "/op/stamp-cards/resume": {
    message: "Stamp card resumed.",
    data: (_sent, { stamp_card_id }) => ({ ...aStampCard, stamp_card_id, status: "active" }),
  },
  "/op/stamp-cards/report": {
    message: "Stamp card reported.",
    data: (_sent, { stamp_card_id }) => ({
      ...{ stamp_card_id, name: expect.stringContaining("Coffee"), status: expect.any(String) },
      ...{ members_with_stamps: count, stamps_on_cards: count, times_full: count, days: expect.any(Array) },
    }),
  },
  "/op/stamp-cards/end": {
    message: "Stamp card ended.",
    data: (_sent, { stamp_card_id }) => ({ ...aStampCard, stamp_card_id, status: "ended" }),
  },
  "/op/topup-benefits/list": {
    message: "Top-up benefits listed.",
    paginated: true,
    data: (_sent, { benefit_id, location_id }) => ({
      benefit_id,
      title: "Top up 50, get 5",
      amount: 5000,
      promo_amount: 500,
      status: "active",
      location_id,
    }),
  },
  "/op/reward-settings/get": {
    message: "Reward settings found.",
    data: () => ({
      enable_rp: true,
      rp_name: "Points",
      rp_sales_calculation_period: 12,
      rp_sales_calculation_period_type: "month",
      default_program: null,
      earn_on: "paid",
      value_points: 10,
      value_amount: 50,
      redeem_minimum_points: 10,
      pending_days: 0,
      points_validity: null,
      points_validity_period: null,
      points_expiry_rounding: "month_end",
    }),
  },
  "/op/transactions/list": {
    message: "Transactions listed.",
    paginated: true,
    before: adjust,
    data: (_sent, { contact_id }) => ({
      entry_no: id,
      event_type: "wallet_adjustment",
      contact_id,
      reference_id: expect.stringMatching(/^WA-\d+$/),
      amount: 70,
      balance_after: 70,
      created_at: timestamp,
      location_id: id,
      reason: null,
      sale_id: null,
      sold_on: null,
      reversal: null,
      reversal_obstacle: null,
    }),
  },
  "/op/imports/upload": {
    message: "Part of the file received.",
    data: () => ({ import_id: id, state: "uploaded" }),
  },
  "/op/imports/preview": {
    message: "The file is being checked.",
    data: (_sent, { uploaded_import_id }) => ({ import_id: uploaded_import_id, state: "checking" }),
  },
  "/op/imports/start": {
    message: "The import has started.",
    data: (_sent, { checked_import_id }) => ({ import_id: checked_import_id, state: "importing" }),
  },
  "/op/imports/get": {
    message: "Import found.",
    data: (_sent, { checked_import_id }) => ({
      ...importJob({ import_id: checked_import_id, state: "checked", kind: "sales" }),
      form: expect.objectContaining({ header: ["contact_id", "sold_at", "amount"] }),
      result: null,
      options: {},
    }),
  },
  "/op/imports/list": { message: "Imports listed.", paginated: true, data: () => importJob() },
  "/op/imports/rejected": {
    message: "Rejected lines found.",
    data: () => ({ header: null, lines: [], next_after_line: null }),
  },
  "/op/imports/cancel": {
    message: "The import is cancelled.",
    data: (_sent, { spare_import_id }) => ({ import_id: spare_import_id, state: "cancelled" }),
  },
  "/op/imports/members": {
    message: "Members imported.",
    data: () => ({ imported: 1, skipped: 0, rejected: [] }),
  },
  "/op/imports/sales": {
    message: "Sales imported.",
    data: () => ({ imported: 1, skipped: 0, rejected: [] }),
  },
  "/op/exports/members": {
    message: "Members exported.",
    data: (_sent, { contact_id }) => ({
      members: expect.arrayContaining([member({ ...inFull, contact_id })]),
      next_after_member_id: null,
    }),
  },
  "/op/exports/transactions": {
    message: "Transactions exported.",
    before: adjust,
    data: (_sent, { contact_id, location_id }) => ({
      transactions: expect.arrayContaining([
        {
          entry_no: id,
          created_at: timestamp,
          account: "wallet",
          event_type: "wallet_adjustment",
          contact_id,
          reference_id: expect.stringMatching(/^WA-\d+$/),
          amount: 70,
          balance_after: 70,
          sale_id: null,
          sold_on: null,
          location_id,
          integration_id: world.home.everywhere.integrationId,
          reason: null,
        },
      ]),
      next_after_entry_no: null,
    }),
  },
  "/op/ledger/verify": {
    message: "Ledger verified.",
    before: adjust,
    data: () => ({
      checked: { members: id, accounts: id, entries: id, blocks: 0 },
      mismatch_count: 0,
      mismatches: [],
      // The requests of all operations make a thousand members, which is a slice.
      next: expect.toBeOneOf([null, id]),
    }),
  },
  "/op/audit/list": {
    message: "Audit log listed.",
    paginated: true,
    before: ({ business_id, contact_id }) =>
      operatorWrite(world, "/op/members/update", { business_id, contact_id, last_name: "Latest" }),
    data: (_sent, { business_id, contact_id }) => ({
      audit_id: id,
      business_id,
      recorded_at: timestamp,
      actor_kind: "root",
      actor_id: null,
      actor_name: "root",
      note: null,
      address: "127.0.0.1",
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: "member.updated",
      contact_id,
      before: { contact_id },
      after: { contact_id, changed: ["last_name"] },
    }),
  },
  "/op/status/get": {
    message: "Status found.",
    data: () => ({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      schema_version: id,
      uptime_seconds: count,
      database: {
        kind: "embedded",
        version: expect.stringMatching(/^\d+/),
        size_bytes: id,
        shared_buffers_bytes: id,
      },
      businesses: id,
      members: id,
      entries: count,
      ledger_lead_seconds: count,
      last_backup_at: null,
      last_verified_at: null,
      last_mismatch_at: null,
      requests: { minutes: 5, total: id, rejected: count, failed: 0, mean_milliseconds: mean },
      postings: {
        waiting: 0,
        recorded: count,
        batches: count,
        mean_batch_size: mean,
        mean_batch_milliseconds: mean,
      },
      webhooks: {
        enabled: count,
        failing: 0,
        disabled: 0,
        disabled_by_request: count,
        backlog_seconds: count,
        stopped: [],
      },
    }),
  },
};

function expectResponse({ status, body }: Reply, response: ExpectedResponse, expected: unknown): void {
  expect(body.message).toBe(response.message);
  expect(status).toBe(response.status ?? 200);
  if (!response.paginated) {
    expect(body.data).toStrictEqual(expected);
    expect(body.meta).toStrictEqual({});
    return;
  }
  expect(body.data[0]).toStrictEqual(expected);
  const { total, from, to } = body.meta.pagination;
  expect(body.meta.next === null).toBe(total === to);
  expect({ from, to }).toEqual({ from: 1, to: body.data.length });
  expect(total).toBeGreaterThanOrEqual(to);
}

// Sign-ins have tests of their own.
describe.each(operatorOperations.filter(isAuthorized))("$path", (operation) => {
  const { path } = operation;

  it("returns its data in the envelope, and again under the same key", async () => {
    const response = responses[path];
    const isOfOne = operation.kind === "read" && response?.before === undefined;
    const records = isOfOne ? unchanged : await makeOperatorRecords(world, world.home);
    await response?.before?.(records);
    const sent = soundOperatorBody(operation, records);
    const reply = await asOperator(world, path, sent);
    const message = sent.dry_run === true ? "Dry run: nothing was changed." : operation.message;
    expect(reply.body).toMatchObject({ success: true, message });
    if (response !== undefined) expectResponse(reply, response, response.data(sent, records));
    if (!isWrite(operation)) return;
    const replay = await asOperator(world, path, sent);
    expect(replay.text).toBe(reply.text);
    expect(replay.status).toBe(reply.status);
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
  });

  if (isWrite(operation)) {
    it("keeps a key to the body that came with it", async () => {
      const body = soundOperatorBody(operation, unchanged);
      const reply = await asOperator(world, path, { ...body, idempotency_key: usedKey });
      expect(reply.status).toBe(422);
      expect(reply.body.error.code).toBe("idempotency_key_reused_with_different_payload");
    });
  }
});
