/** For every operator operation a request that nothing is wrong with, and the records that it names. */
import { randomBytes } from "node:crypto";
import type { ErrorCode } from "../../src/contract/errors.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { newCardCode } from "../../src/credentials/card-codes.ts";
import { hashSecret } from "../../src/credentials/keys.ts";
import { ownActor } from "../../src/database/access/audit.ts";
import { insertBusiness } from "../../src/database/access/businesses.ts";
import { findOperatorBySession } from "../../src/database/access/operator-sessions.ts";
import { programs, promotions, stampCards, vouchers } from "../../src/database/catalog.ts";
import { insertBulkGrant } from "../../src/database/jobs/bulk-grants.ts";
import { segments } from "../../src/database/members/segments.ts";
import { occasions } from "../../src/database/occasions.ts";
import { noLineRules, noMemberLimits } from "../../src/domain/engine/rules.ts";
import { plainVoucher } from "../../src/domain/engine/vouchers/terms.ts";
import { picture } from "../../src/http/wallet/picture.ts";
import type { ImportForm } from "../../src/operations/imports/import-jobs.ts";
import { newOccasion } from "../../src/operations/promotions/occasions.ts";
import { newPromotion } from "../../src/operations/promotions/promotions.ts";
import { newStampCard } from "../../src/operations/promotions/stamp-cards.ts";
import { type Body, engineOperations, type Records } from "./engine-requests.ts";
import { googleSetUp } from "./google-wallet.ts";
import { makeKey, makeOperator, testPassword } from "./operators.ts";
import { walletSetUp } from "./pass-certificates.ts";
import { daysFromToday, isWrite, makeRecords } from "./requests.ts";
import { type Business, newPerson, nextKey, type Reply, testOperatorKey, type World } from "./world.ts";

/** Records of one business that an operator can name; the integration is for this test alone. */
export interface OperatorRecords extends Records {
  readonly business_id: number;
  readonly integration_id: number;
  readonly sandbox_business_id: number;
  /** Of a member with five points, who may be erased. */
  readonly erasable_contact_id: number;
  /** A program that a test may delete. */
  readonly spare_program_id: number;
  /** A promotion that is a draft. */
  readonly promotion_id: number;
  /** A stamp card that is paused, and its voucher. */
  readonly stamp_card_id: number;
  /** An occasion that is paused. */
  readonly occasion_id: number;
  readonly card_voucher_id: number;
  /** Bulk grants that another process runs, and that was cancelled. */
  readonly running_grant_id: number;
  readonly cancelled_grant_id: number;
  /** A segment that a test may delete. */
  readonly segment_id: number;
  /** An account, a key and a session that a test may end. */
  readonly operator_id: number;
  readonly key_id: number;
  readonly session_id: number;
  /** Files of sales that were uploaded, checked, and can be cancelled. */
  readonly uploaded_import_id: number;
  readonly checked_import_id: number;
  readonly spare_import_id: number;
}

export async function makeOperatorRecords(world: World, business: Business): Promise<OperatorRecords> {
  const { integrationId } = await world.integration(business);
  const program = { membership_name: "Club", maximum_points_per_order: 500 };
  const rate = {
    earn_points: 0,
    earn_amount: 100,
    earn_minimum_amount: 0,
    ...noLineRules,
    ...noMemberLimits,
  };
  const made = await programs.insert(world.sql, business.businessId, { ...program, ...rate });
  const voucher = {
    ...plainVoucher,
    campaign_name: "Spring",
    coupon_code: "SPRING",
    coupon_value: 500,
    archived: false,
  };
  const unlimited = { location_id: null, points_price: null, validity: null, validity_period: null };
  const definition = await vouchers.insert(world.sql, business.businessId, { ...voucher, ...unlimited });
  const promotion = await promotions.insert(world.sql, business.businessId, {
    ...{ ...newPromotion, name: `Double ${nextKey()}`, multiply: 200, status: "draft" },
    // No sale is as large, so it changes nothing for other tests.
    minimum_amount: 10 ** 12,
  });
  const ofCard = { ...voucher, ...unlimited, campaign_name: "Free coffee", coupon_code: "COFFEE" };
  const { voucher_id: card_voucher_id } = await vouchers.insert(world.sql, business.businessId, ofCard);
  // There can be 50 that have not ended.
  await world.sql`UPDATE stamp_card SET status = 'ended' WHERE business_id = ${business.businessId}`;
  const card = await stampCards.insert(world.sql, business.businessId, {
    ...{
      ...newStampCard({}),
      name: `Coffee ${nextKey()}`,
      status: "paused",
      counts: "visit",
      stamps_needed: 9,
    },
    ...{ voucher_id: card_voucher_id, minimum_amount: 10 ** 12 },
  });
  // There can be 20 that have not ended.
  await world.sql`
    UPDATE occasion SET status = 'ended' WHERE business_id = ${business.businessId} AND kind <> 'referred'`;
  const erasable = { ...newPerson(), date_of_birth: "1990-02-17" };
  const erasable_contact_id = await world.member(erasable, business.everywhere);
  const points = { contact_id: erasable_contact_id, points: 5, adjustment_type: "credit" };
  await world.write("/sp/reward-points/adjust", points, business.everywhere);
  const records = await makeRecords(world, business);
  const running_grant_id = await makeBulkGrant(world, business.businessId, "running");
  const cancelled_grant_id = await makeBulkGrant(world, business.businessId, "cancelled");
  // There can be 100.
  await world.sql`DELETE FROM member_segment WHERE business_id = ${business.businessId}`;
  const segment = { name: `Mail ${nextKey()}`, filters: { has_email: true } };
  const { segment_id } = await segments.insert(world.sql, business.businessId, segment);
  const occasion = await occasions.insert(world.sql, business.businessId, {
    ...newOccasion({ kind: "birthday" }),
    ...{ kind: "birthday", name: `Birthday ${nextKey()}`, status: "paused", points: 100 },
  });
  const sandbox = { name: "Sandbox", time_zone: "UTC", currency: "EUR" };
  const { operator_id, session } = await makeOperator(world, { business_ids: [business.businessId] });
  const { key_id } = await makeKey(world, { business_ids: [business.businessId] });
  const [uploaded_import_id, checked_import_id, spare_import_id] = await makeImports(
    world,
    business.businessId,
  );
  const operator = await findOperatorBySession({ lookUps: world.sql, sql: world.sql }, hashSecret(session));
  return {
    operator_id,
    key_id,
    session_id: operator?.session?.session_id ?? 0,
    erasable_contact_id,
    uploaded_import_id,
    checked_import_id,
    spare_import_id,
    sandbox_business_id: await insertBusiness(world.sql, sandbox, { clock_at: null }),
    ...records,
    voucher_id: definition.voucher_id,
    business_id: business.businessId,
    integration_id: integrationId,
    spare_program_id: made.program_id,
    promotion_id: promotion.promotion_id,
    stamp_card_id: card.stamp_card_id,
    occasion_id: occasion.occasion_id,
    card_voucher_id,
    running_grant_id,
    cancelled_grant_id,
    segment_id,
  };
}

/** Makes a bulk grant that found no members. A process that has ended has its lease. @returns its occasion_id */
export async function makeBulkGrant(
  world: Pick<World, "sql">,
  businessId: number,
  state: "running" | "cancelled",
) {
  const given = { kind: "bulk", name: `Sorry ${nextKey()}`, status: "ended", points: 100 } as const;
  const { occasion_id } = await occasions.insert(world.sql, businessId, { ...newOccasion({}), ...given });
  const grant = {
    ...{ business_id: businessId, occasion_id, filters: { has_email: true }, members_found: 0 },
    ...{ counted: null, actor: ownActor("root", "test") },
  };
  await insertBulkGrant(world.sql, grant, "{}");
  await world.sql`
    UPDATE bulk_grant SET state = ${state}, leased_by = gen_random_uuid(), leased_until = 'infinity'
    WHERE business_id = ${businessId} AND occasion_id = ${occasion_id}`;
  return occasion_id;
}

/** Makes files that are uploaded, checked, and uploaded in part. @returns their import_ids */
async function makeImports(world: World, business_id: number): Promise<[number, number, number]> {
  const content = Buffer.from("contact_id,sold_at,amount\n").toString("base64");
  const upload = async (last: boolean) => {
    const body = { business_id, file_name: "sales.csv", part: 0, content, last };
    return (await operatorWrite(world, "/op/imports/upload", body)).import_id as number;
  };
  const ids: [number, number, number] = [await upload(true), await upload(true), await upload(false)];
  const header = ["contact_id", "sold_at", "amount"];
  const form: ImportForm = {
    ...{
      from: null,
      encoding: "utf-8",
      delimiter: ",",
      header,
      unused: [],
      decimal: null,
      points_decimal: null,
      amount_unit: null,
      date_formats: [],
      locations: [],
    },
    columns: header.map((field) => ({ field, column: field })),
    ...{ notes: [], lines: 0, sample: [], header_line: null, header_at: null, places: [], country: null },
    indexes: Object.fromEntries(header.map((field, index) => [field, index])),
  };
  await world.sql`
    UPDATE import_job SET state = 'checked', kind = 'sales', options = '{"request": {}}', form = ${form}
    WHERE business_id = ${business_id} AND import_id = ${ids[1]}`;
  return ids;
}

/** Calls as the operator. */
export function asOperator(
  world: World,
  path: string,
  body: Body,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return world.call(path, body, { token: testOperatorKey, headers });
}

/** Like asOperator, with a key of its own; fails the test when the response is an error. */
export async function operatorWrite(world: World, path: string, body: Body): Promise<Reply["body"]["data"]> {
  const reply = await asOperator(world, path, { idempotency_key: nextKey(), ...body });
  if (reply.body.success !== true) throw new Error(`${path}: ${reply.text}`);
  return reply.body.data;
}

/** A square of 64 pixels. */
export const exampleLogo = picture(64, [11, 114, 133]).toString("base64");

const sound: Record<string, (records: OperatorRecords) => Body> = {
  "/op/businesses/create": () => ({
    name: "Café Aurora",
    time_zone: "America/Bogota",
    currency: "COP",
    country: "CO",
    color: "#0b7285",
    sandbox: true,
    clock_at: "2026-01-01 09:00:00",
  }),
  "/op/businesses/list": () => ({ per_page: 10, page: 1 }),
  "/op/businesses/find": ({
    business_id,
    contact_id,
    integration_id,
    location_id,
    tier_id,
    program_id,
    voucher_id,
    benefit_id,
    promotion_id,
    stamp_card_id,
  }) => ({
    business_id,
    contact_id,
    integration_id,
    location_id,
    tier_id,
    program_id,
    voucher_id,
    benefit_id,
    promotion_id,
    stamp_card_id,
  }),
  "/op/businesses/logo": ({ business_id }) => ({ business_id, logo: exampleLogo }),
  "/op/businesses/update": ({ business_id }) => ({
    business_id,
    name: "Home, sweet home",
    time_zone: "Europe/Madrid",
    currency: "JPY",
    country: null,
    color: "#A61E4D",
    events_enabled: false,
  }),
  "/op/locations/create": ({ business_id }) => ({ business_id, name: "Main Street" }),
  "/op/locations/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/locations/update": ({ business_id, location_id }) => ({
    business_id,
    location_id,
    name: "High Street",
    closed: false,
  }),
  "/op/integrations/create": ({ business_id, location_id }) => ({
    business_id,
    name: "Till",
    scopes: ["wa.members.read", "wa.wallet.write"],
    all_locations: false,
    location_ids: [location_id],
  }),
  "/op/integrations/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/integrations/get": ({ business_id, integration_id }) => ({ business_id, integration_id }),
  "/op/integrations/update": ({ business_id, integration_id, location_id }) => ({
    business_id,
    integration_id,
    name: "Kiosk",
    scopes: ["wa.members.read"],
    all_locations: false,
    location_ids: [location_id],
  }),
  "/op/integrations/rotate-secret": ({ business_id, integration_id }) => ({
    business_id,
    integration_id,
    overlap_seconds: 3600,
  }),
  "/op/integrations/disable": ({ business_id, integration_id }) => ({ business_id, integration_id }),
  "/op/integrations/enable": ({ business_id, integration_id }) => ({ business_id, integration_id }),
  "/op/integrations/revoke-tokens": ({ business_id, integration_id }) => ({ business_id, integration_id }),
  "/op/integrations/delete": ({ business_id, integration_id }) => ({ business_id, integration_id }),
  "/op/members/list": ({ business_id }) => ({
    business_id,
    search: "ana",
    include_inactive: true,
    per_page: 10,
    page: 1,
  }),
  "/op/members/create": ({ business_id }) => {
    const person = newPerson();
    return {
      business_id,
      ...person,
      email: `${person.phone_number.slice(1)}@example.com`,
      date_of_birth: "1990-04-17",
      external_ref: `Card ${person.phone_number}`,
    };
  },
  "/op/members/page-link": ({ business_id, contact_id }) => ({ business_id, contact_id }),
  "/op/cards/create": ({ business_id, contact_id }) => ({
    business_id,
    contact_id,
    kind: "app",
    card_code: newCardCode(),
  }),
  "/op/cards/replace": ({ business_id, card_code }) => ({
    business_id,
    card_code,
    new_card_code: newCardCode(),
  }),
  "/op/cards/block": ({ business_id, card_code }) => ({ business_id, card_code }),
  "/op/cards/of-member": ({ business_id, contact_id }) => ({
    business_id,
    contact_id,
    per_page: 10,
    page: 1,
  }),
  "/op/cards/list": ({ business_id }) => ({
    ...{ business_id, card_code: undefined, kind: "plastic", status: "active", anonymous: true },
    ...{ start_date: "2026-01-01", per_page: 10, page: 1 },
  }),
  "/op/cards/issue": ({ business_id, location_id, benefit_id }) => ({
    ...{ business_id, location_id, kind: "plastic", card_code: newCardCode(), card_count: 1, benefit_id },
    ...{ reference_id: `R-${nextKey()}`, reason: "A prize" },
  }),
  "/op/cards/claim": ({ business_id, other_anonymous_card_code, contact_id }) => ({
    ...{ business_id, card_code: other_anonymous_card_code, contact_id },
  }),
  "/op/members/update": ({ business_id, contact_id }) => ({
    business_id,
    contact_id,
    first_name: "Berta",
    last_name: "Gómez",
    phone_number: newPerson().phone_number,
    email: `op-${contact_id}@example.com`,
    date_of_birth: "1990-04-17",
    external_ref: `Card ${contact_id}`,
    remarks: "Calls on Fridays.\nAllergic to nuts.",
  }),
  "/op/members/find": ({ business_id, phone_number }) => ({ business_id, phone_number }),
  "/op/members/balances": ({ business_id, contact_id }) => ({ business_id, contact_id }),
  "/op/members/get": ({ business_id, contact_id }) => ({ business_id, contact_id }),
  "/op/members/names": ({ business_id, contact_id }) => ({ business_id, contact_ids: [contact_id] }),
  "/op/members/activate": ({ business_id, contact_id }) => ({ business_id, contact_id }),
  "/op/members/deactivate": ({ business_id, contact_id }) => ({ business_id, contact_id }),
  "/op/members/export": ({ business_id, contact_id }) => ({ business_id, contact_id, after_entry_no: 0 }),
  "/op/members/merge": ({ business_id, spare_contact_id, buyer_contact_id }) => ({
    business_id,
    from_contact_id: spare_contact_id,
    contact_id: buyer_contact_id,
    dry_run: false,
  }),
  "/op/members/erase": ({ business_id, erasable_contact_id }) => ({
    business_id,
    contact_id: erasable_contact_id,
    reason: "Asked for erasure",
  }),
  "/op/members/adjust-wallet": ({ business_id, contact_id }) => ({
    business_id,
    contact_id,
    amount: 1250,
    adjustment_type: "credit",
    reason: "A top-up that the till lost",
  }),
  "/op/members/adjust-points": ({ business_id, contact_id }) => ({
    business_id,
    contact_id,
    points: 120,
    adjustment_type: "credit",
    reason: "Points of a lost receipt",
  }),
  "/op/members/assign-tier": ({ business_id, contact_id, tier_id }) => ({ business_id, contact_id, tier_id }),
  "/op/tiers/create": ({ business_id }) => ({ business_id, name: "Gold", expiry: 2, expiry_period: "year" }),
  "/op/tiers/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/programs/create": ({ business_id }) => ({
    business_id,
    membership_name: "Gold Club",
    maximum_points_per_order: 750,
    earn_points: 1,
    earn_amount: 100,
    earn_minimum_amount: 500,
  }),
  "/op/programs/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/vouchers/create": ({ business_id, location_id }) => ({
    business_id,
    campaign_name: "Summer 2026",
    coupon_code: "SUMMER10",
    coupon_value: 1000,
    location_id,
  }),
  "/op/vouchers/list": ({ business_id }) => ({ business_id, include_archived: true, per_page: 10, page: 1 }),
  "/op/vouchers/update": ({ business_id, voucher_id, location_id }) => ({
    business_id,
    voucher_id,
    campaign_name: "Winter 2026",
    coupon_code: "WINTER10",
    coupon_value: 1500,
    location_id,
  }),
  "/op/vouchers/create-codes": ({ business_id, voucher_id }) => ({ business_id, voucher_id, count: 3 }),
  "/op/vouchers/archive": ({ business_id, voucher_id }) => ({ business_id, voucher_id, archived: true }),
  "/op/promotions/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/promotions/get": ({ business_id, promotion_id }) => ({ business_id, promotion_id }),
  "/op/promotions/create": ({ business_id, location_id, tier_id }) => ({
    ...{ business_id, name: `Tuesdays ${nextKey()}`, status: "active" },
    ...{
      first_day: "2026-01-01",
      last_day: "2199-12-31",
      weekdays: [2],
      from_time: "14:00",
      until_time: "17:00",
    },
    ...{ location_ids: [location_id], tier_ids: [tier_id], skus: ["LATTE-L"], categories: ["coffee"] },
    ...{
      minimum_amount: 500,
      minimum_quantity: 2,
      multiply: null,
      points: 5,
      voucher_id: null,
      stamp_card_id: null,
      stamps: null,
      per: "unit",
      exclusive: true,
      ...{
        member: "new",
        member_days: 30,
        most_per_member: 9,
        most_per_member_day: 1,
        budget_points: 100_000,
      },
    },
  }),
  "/op/promotions/update": ({ business_id, promotion_id, location_id, tier_id }) => ({
    ...{ business_id, promotion_id, name: `Mornings ${nextKey()}` },
    ...{ first_day: null, last_day: null, weekdays: [1, 2], from_time: "08:00", until_time: "10:00" },
    ...{ location_ids: [location_id], tier_ids: [tier_id], skus: [], categories: ["tea"] },
    ...{
      minimum_amount: 0,
      minimum_quantity: 0,
      multiply: 300,
      points: null,
      voucher_id: null,
      stamp_card_id: null,
      stamps: null,
      per: "sale",
      exclusive: false,
      ...{
        member: "any",
        member_days: null,
        most_per_member: null,
        most_per_member_day: null,
        budget_points: null,
      },
    },
  }),
  "/op/promotions/pause": ({ business_id, promotion_id }) => ({ business_id, promotion_id }),
  "/op/promotions/resume": ({ business_id, promotion_id }) => ({ business_id, promotion_id }),
  "/op/promotions/end": ({ business_id, promotion_id }) => ({ business_id, promotion_id }),
  "/op/promotions/report": ({ business_id, promotion_id }) => ({ business_id, promotion_id }),
  "/op/occasions/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/occasions/get": ({ business_id, occasion_id }) => ({ business_id, occasion_id }),
  "/op/occasions/create": ({ business_id }) => ({
    ...{ business_id, name: `Away ${nextKey()}`, status: "draft", kind: "inactive", inactive_days: 90 },
    ...{ days_before: 0, minimum_membership_days: 1, first_day: "2026-01-01", last_day: null },
    ...{ points: 50, validity: 3, validity_period: "month", voucher_id: null },
  }),
  "/op/occasions/update": ({ business_id, occasion_id, card_voucher_id }) => ({
    ...{ business_id, occasion_id, name: `Birthday ${nextKey()}`, days_before: 7, inactive_days: null },
    ...{ minimum_membership_days: 30, first_day: null, last_day: "2099-12-31" },
    ...{ points: null, validity: null, validity_period: null, voucher_id: card_voucher_id },
  }),
  "/op/occasions/pause": ({ business_id, occasion_id }) => ({ business_id, occasion_id }),
  "/op/occasions/resume": ({ business_id, occasion_id }) => ({ business_id, occasion_id }),
  "/op/occasions/end": ({ business_id, occasion_id }) => ({ business_id, occasion_id }),
  "/op/bulk-grants/preview": ({ business_id, card_voucher_id }) => ({
    business_id,
    voucher_id: card_voucher_id,
    has_email: true,
  }),
  "/op/bulk-grants/start": ({ business_id, card_voucher_id }) => ({
    ...{ business_id, name: `Sorry ${nextKey()}`, voucher_id: card_voucher_id },
    // Somebody must get it: the member whose birthday it is, and nobody else.
    birthday_month: 2,
  }),
  "/op/apple-wallet/set-up": ({ business_id }) => ({
    ...{ business_id, ...walletSetUp(), certificate_password: "not needed" },
  }),
  "/op/apple-wallet/get": ({ business_id }) => ({ business_id }),
  "/op/apple-wallet/delete": ({ business_id }) => ({ business_id }),
  "/op/google-wallet/set-up": ({ business_id }) => ({ business_id, ...googleSetUp() }),
  "/op/google-wallet/get": ({ business_id }) => ({ business_id }),
  "/op/google-wallet/delete": ({ business_id }) => ({ business_id }),
  "/op/segments/create": ({ business_id, tier_id }) => ({
    ...{
      business_id,
      name: `Regulars ${nextKey()}`,
      tier_id,
      joined_from: "2020-01-01",
      joined_through: "2026-01-01",
    },
    ...{
      last_sale_from: "2026-01-01",
      last_sale_through: "2026-12-31",
      sales_from: "2026-01-01",
      sales_through: "2026-12-31",
    },
    ...{
      least_visits: 3,
      most_visits: 10,
      least_sales: 100,
      most_sales: 100_000,
      points_expire_by: "2027-01-01",
    },
    ...{ birthday_month: 4, has_email: true },
  }),
  "/op/segments/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/segments/update": ({ business_id, segment_id }) => ({ business_id, segment_id, has_email: false }),
  "/op/segments/delete": ({ business_id, segment_id }) => ({ business_id, segment_id }),
  "/op/bulk-grants/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/bulk-grants/cancel": ({ business_id, running_grant_id }) => ({
    business_id,
    occasion_id: running_grant_id,
  }),
  "/op/bulk-grants/resume": ({ business_id, cancelled_grant_id }) => ({
    business_id,
    occasion_id: cancelled_grant_id,
  }),
  "/op/referrals/list": ({ business_id }) => ({ business_id, status: "open", per_page: 10, page: 1 }),
  "/op/stamp-cards/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/stamp-cards/get": ({ business_id, stamp_card_id }) => ({ business_id, stamp_card_id }),
  "/op/stamp-cards/create": ({ business_id, location_id, card_voucher_id }) => ({
    ...{ business_id, name: `Buy nine ${nextKey()}`, status: "draft", stamps_needed: 9, counts: "visit" },
    ...{ voucher_id: card_voucher_id, most_per_day: 2, minimum_amount: 500, location_ids: [location_id] },
    ...{ skus: ["LATTE-L"], categories: ["coffee"], counts_free_lines: true, validity: 12 },
    validity_period: "month",
  }),
  "/op/stamp-cards/update": ({ business_id, stamp_card_id, location_id, card_voucher_id }) => ({
    ...{ business_id, stamp_card_id, name: `Buy ten ${nextKey()}`, stamps_needed: 10, counts: "unit" },
    ...{ voucher_id: card_voucher_id, most_per_day: null, minimum_amount: 0, location_ids: [location_id] },
    counts_free_lines: true,
    ...{ skus: [], categories: ["tea"], validity: null, validity_period: null },
  }),
  "/op/stamp-cards/pause": ({ business_id, stamp_card_id }) => ({ business_id, stamp_card_id }),
  "/op/stamp-cards/resume": ({ business_id, stamp_card_id }) => ({ business_id, stamp_card_id }),
  "/op/stamp-cards/report": ({ business_id, stamp_card_id }) => ({ business_id, stamp_card_id }),
  "/op/stamp-cards/stamp": ({ business_id, contact_id, stamp_card_id }) => ({
    ...{ business_id, contact_id, stamp_card_id, stamps: 1, reason: "The till was off" },
  }),
  "/op/stamp-cards/of-member": ({ business_id, contact_id }) => ({
    business_id,
    contact_id,
    per_page: 10,
    page: 1,
  }),
  "/op/stamp-cards/end": ({ business_id, stamp_card_id }) => ({ business_id, stamp_card_id }),
  "/op/topup-benefits/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/topup-benefits/create": ({ business_id, location_id }) => ({
    business_id,
    title: "Top up 50, get 5",
    amount: 5000,
    promo_amount: 500,
    location_id,
    status: "active",
  }),
  "/op/topup-benefits/update": ({ business_id, benefit_id }) => ({
    business_id,
    benefit_id,
    title: "Top up 50, get 6",
    promo_amount: 600,
    status: "inactive",
  }),
  "/op/tiers/update": ({ business_id, tier_id }) => ({
    business_id,
    tier_id,
    name: "Silver",
    expiry: 3,
    expiry_period: "month",
  }),
  "/op/tiers/delete": ({ business_id, tier_id }) => ({ business_id, tier_id }),
  "/op/programs/delete": ({ business_id, spare_program_id }) => ({
    business_id,
    program_id: spare_program_id,
  }),
  "/op/reward-settings/update": ({ business_id }) => ({
    business_id,
    enable_rp: true,
    rp_name: `Stars ${randomBytes(4).toString("hex")}`,
    rp_sales_calculation_period: 6,
    rp_sales_calculation_period_type: "month",
  }),
  "/op/reward-settings/get": ({ business_id }) => ({ business_id }),
  "/op/transactions/list": ({ business_id, location_id, contact_id }) => ({
    business_id,
    location_id,
    contact_id,
    event_types: ["wallet_adjustment", "sale"],
    start_date: daysFromToday(-30),
    end_date: daysFromToday(1),
    per_page: 10,
    page: 1,
  }),
  "/op/imports/upload": ({ business_id }) => ({
    business_id,
    file_name: "sales.csv",
    part: 0,
    content: "Y29udGFjdF9pZCxzb2xkX2F0LGFtb3VudAo=",
    last: true,
  }),
  "/op/imports/preview": ({ business_id, uploaded_import_id, location_id }) => ({
    business_id,
    import_id: uploaded_import_id,
    kind: "sales",
    delimiter: ";",
    encoding: "Windows-1252",
    column_names: ["contact_id", "sold_at", "amount"],
    columns: [{ field: "amount", column: "amount" }],
    defaults: [{ field: "reference_id", value: "R-1" }],
    date_format: "DD/MM/YYYY",
    amount_unit: "major",
    decimal: ",",
    country: "ES",
    earn: true,
    earn_imported: true,
    location_id,
    batch: "till-2",
    reference_per: ["day"],
    save_as: "Till export",
  }),
  "/op/imports/start": ({ business_id, checked_import_id }) => ({
    business_id,
    import_id: checked_import_id,
  }),
  "/op/imports/get": ({ business_id, checked_import_id }) => ({ business_id, import_id: checked_import_id }),
  "/op/imports/list": ({ business_id }) => ({ business_id, per_page: 10, page: 1 }),
  "/op/imports/rejected": ({ business_id, checked_import_id }) => ({
    business_id,
    import_id: checked_import_id,
    after_line: 0,
    limit: 100,
  }),
  "/op/imports/cancel": ({ business_id, spare_import_id }) => ({ business_id, import_id: spare_import_id }),
  "/op/imports/members": ({ business_id }) => ({ business_id, lines: [validMemberLine(2)], dry_run: false }),
  "/op/imports/sales": ({ business_id, contact_id }) => ({
    business_id,
    lines: [validSaleLine(2, { contact_id })],
    dry_run: false,
  }),
  "/op/imports/vouchers": ({ business_id, contact_id, voucher_id }) => ({
    business_id,
    lines: [validVoucherLine(2, { contact_id, voucher_id })],
    dry_run: false,
  }),
  "/op/exports/vouchers": ({ business_id }) => ({ business_id, after_held_voucher_id: 0, limit: 1000 }),
  "/op/exports/codes": ({ business_id }) => ({ business_id, after_code_id: 0, limit: 1000 }),
  "/op/exports/members": ({ business_id }) => ({ business_id, after_member_id: 0, limit: 1000 }),
  "/op/exports/sales": ({ business_id }) => ({ business_id, after_sale_id: 0, limit: 1000 }),
  "/op/exports/transactions": ({ business_id }) => ({ business_id, after_entry_no: 0, limit: 5000 }),
  "/op/ledger/verify": ({ business_id }) => ({ business_id, part: "accounts", after: 0, limit: 1000 }),
  "/op/audit/list": ({ business_id, contact_id }) => ({
    business_id,
    contact_id,
    event: "member.updated",
    per_page: 10,
    page: 1,
  }),
  "/op/requests/list": ({ business_id, integration_id }) => ({
    business_id,
    integration_id,
    operation: "/sp/sales/record",
    since: "2026-01-01",
    until: "2099-12-31 23:59:59",
    status: 422,
    error_code: "validation_failed",
    per_page: 10,
    page: 1,
  }),
  "/op/requests/counts": ({ business_id, integration_id }) => ({
    business_id,
    integration_id,
    operation: "/sp/sales/record",
    since: "2026-01-01",
    until: "2099-12-31 23:59:59",
    per_page: 10,
    page: 1,
  }),
  "/op/sandbox/clock/get": ({ sandbox_business_id }) => ({ business_id: sandbox_business_id }),
  "/op/sandbox/clock/advance": ({ sandbox_business_id }) => ({
    business_id: sandbox_business_id,
    to: daysFromToday(30),
  }),
  "/op/status/get": () => ({}),
  "/op/session/create": () => ({ name: "nobody", password: testPassword }),
  "/op/session/get": () => ({}),
  "/op/session/set-language": () => ({ language: "de" }),
  "/op/session/change-password": () => ({
    name: "nobody",
    password: testPassword,
    new_password: `${testPassword} 2`,
  }),
  "/op/session/delete": () => ({}),
  "/op/consoles/list": () => ({ per_page: 10, page: 1 }),
  "/op/sessions/list": ({ operator_id }) => ({ operator_id, per_page: 10, page: 1 }),
  "/op/sessions/revoke": ({ session_id }) => ({ session_id }),
  "/op/operators/create": ({ business_id }) => ({
    name: `anna ${nextKey()}`,
    role: "support",
    business_ids: [business_id],
    limit_amount: 2000,
    limit_points: 500,
  }),
  "/op/operators/list": () => ({ per_page: 10, page: 1 }),
  "/op/operators/update": ({ operator_id, business_id }) => ({
    operator_id,
    name: `berta ${nextKey()}`,
    role: "manager",
    business_ids: [business_id],
    limit_amount: null,
    limit_points: null,
  }),
  "/op/operators/disable": ({ operator_id }) => ({ operator_id }),
  "/op/operators/enable": ({ operator_id }) => ({ operator_id }),
  "/op/operators/reset": ({ operator_id }) => ({ operator_id }),
  "/op/operators/get-invitation": () => ({ token: "loyinv_none" }),
  "/op/operators/accept": () => ({ token: "loyinv_none", password: testPassword }),
  "/op/operator-keys/create": ({ business_id }) => ({
    name: "nightly report",
    role: "viewer",
    business_ids: [business_id],
    limit_amount: 0,
    limit_points: 0,
    expires_in_days: 365,
  }),
  "/op/operator-keys/list": () => ({ per_page: 10, page: 1 }),
  "/op/operator-keys/revoke": ({ key_id }) => ({ key_id }),
  "/op/businesses/delete": ({ sandbox_business_id }) => ({ sandbox_business_id }),
  "/op/members/settle": ({ business_id, contact_id }) => ({ business_id, contact_id }),
  "/op/programs/update": ({ business_id, program_id }) => ({
    business_id,
    program_id,
    membership_name: "Gold Club",
    maximum_points_per_order: 750,
    earn_points: 1,
    earn_amount: 100,
    earn_minimum_amount: 500,
  }),
  "/op/reward-settings/rules/get": ({ business_id }) => ({ business_id }),
  "/op/reward-settings/check": ({ business_id }) => ({ business_id }),
  "/op/reward-settings/rules/update": ({ business_id, program_id }) => ({
    business_id,
    default_program_id: program_id,
    earn_on: "total",
    value_points: 10,
    value_amount: 50,
    redeem_minimum_points: 10,
    points_validity: 6,
    points_validity_period: "month",
    points_expiry_rounding: "day",
    pending_days: 1,
    clawback_shortfall: "forgive",
    restored_points_valid_days: 10,
  }),
  "/op/reward-points/extend": ({ business_id }) => ({
    business_id,
    due_before: daysFromToday(1),
    valid_through: daysFromToday(400),
    dry_run: false,
  }),
  "/op/events/list": ({ business_id, contact_id }) => ({
    business_id,
    after: 0,
    types: ["sale.*"],
    contact_id,
    limit: 10,
  }),
  "/op/reward-points/list": ({ business_id, buyer_contact_id }) => ({
    business_id,
    contact_id: buyer_contact_id,
    include_closed: true,
    per_page: 10,
    page: 1,
  }),
  "/op/sales/list": ({ business_id, buyer_contact_id, location_id }) => ({
    business_id,
    contact_id: buyer_contact_id,
    location_id,
    reference_id: "receipt-000812",
    start_date: "2026-01-01",
    end_date: "2026-12-31",
    per_page: 10,
    page: 1,
  }),
  "/op/sales/get": ({ business_id, sale_id }) => ({ business_id, sale_id }),
  "/op/sales/preview-refund": ({ business_id, sale_id }) => ({ business_id, sale_id, amount: 100 }),
  "/op/sales/refund": ({ business_id, sale_id }) => ({
    business_id,
    sale_id,
    amount: 1,
    reference_id: "refund-7",
    reason: "Too small",
  }),
  "/op/vouchers/issue": ({ business_id, contact_id, voucher_id, location_id }) => ({
    business_id,
    contact_id,
    voucher_id,
    location_id,
    reference_id: "sorry-7",
    reason: "Sorry for the wait",
  }),
  "/op/vouchers/redeem": ({ business_id, buyer_contact_id, location_id, held_voucher_id }) => ({
    business_id,
    contact_id: buyer_contact_id,
    location_id,
    held_voucher_id,
    reference_id: "coffee-7",
    reason: "The till was offline",
  }),
  "/op/vouchers/reverse": ({ business_id, redeemed_voucher_id }) => ({
    business_id,
    held_voucher_id: redeemed_voucher_id,
    reason: "Out of coffee",
  }),
  "/op/vouchers/held": ({ business_id, buyer_contact_id }) => ({
    business_id,
    contact_id: buyer_contact_id,
    status: "held",
    per_page: 10,
    page: 1,
  }),
  "/op/wallet/topup": ({ business_id, contact_id, location_id }) => ({
    business_id,
    contact_id,
    location_id,
    amount: 500,
    reference_id: "topup-7",
    reason: "Paid by transfer",
  }),
  "/op/wallet/pay": ({ business_id, buyer_contact_id, location_id }) => ({
    business_id,
    contact_id: buyer_contact_id,
    location_id,
    amount: 10,
    reference_id: "locker-7",
    reason: "Locker",
  }),
  "/op/wallet/reverse": ({ business_id, movement_id }) => ({
    business_id,
    movement_id,
    reason: "Wrong member",
  }),
  "/op/reward-points/redeem": ({ business_id, buyer_contact_id, location_id }) => ({
    business_id,
    contact_id: buyer_contact_id,
    location_id,
    points: 10,
    reference_id: "mug-7",
    reason: "A mug",
  }),
  "/op/reward-points/reverse": ({ business_id, redemption_id }) => ({
    business_id,
    redemption_id,
    reason: "Out of mugs",
  }),
  "/op/engine/status": ({ business_id }) => ({ business_id }),
  "/op/rules/preview": ({ business_id, program_id, tier_id }) => ({
    business_id,
    from: "2020-01-01",
    through: "2099-12-31",
    enable_rp: true,
    default_program_id: program_id,
    earn_on: "total",
    value_points: 10,
    value_amount: 50,
    programs: [
      {
        program_id,
        earn_points: 2,
        earn_amount: 100,
        earn_minimum_amount: 500,
        maximum_points_per_order: 100,
      },
    ],
    rp_sales_calculation_period: 6,
    rp_sales_calculation_period_type: "month",
    tier_downgrade: "one_step",
    tier_grace_days: 7,
    tiers: [{ tier_id, qualifying_sales: 12_345, program_id: null, expiry: 2, expiry_period: "year" }],
    new_tiers: [{ name: "New", qualifying_sales: 54_321, program_id, expiry: 1, expiry_period: "year" }],
    after: 0,
    limit: 1000,
  }),
  ...Object.fromEntries(
    Object.entries(engineOperations)
      .filter(([path]) => path.startsWith("/sp/webhook-"))
      .map(([path, { body }]) => [
        path.replace("/sp/", "/op/"),
        (records: OperatorRecords) => ({ business_id: records.business_id, ...body(records) }),
      ]),
  ),
  "/op/reports/figures": ({ business_id, location_id }) => ({
    ...{ business_id, location_id, by: "week" },
    ...{ from: daysFromToday(-40), through: daysFromToday(0) },
  }),
  "/op/reports/gift-cards": ({ business_id }) => ({ business_id, through: daysFromToday(-1) }),
  "/op/reports/liabilities": ({ business_id }) => ({ business_id, on: daysFromToday(-1) }),
  "/op/reports/tiers": ({ business_id }) => ({
    business_id,
    from: daysFromToday(-40),
    through: daysFromToday(0),
    per_page: 10,
    page: 1,
  }),
  "/op/reports/locations": ({ business_id }) => ({
    business_id,
    from: daysFromToday(-40),
    through: daysFromToday(0),
    per_page: 10,
    page: 1,
  }),
  "/op/reports/activity": ({ business_id, location_id }) => ({
    business_id,
    location_id,
    from: daysFromToday(-40),
    through: daysFromToday(0),
    by: "week",
    per_page: 10,
    page: 1,
  }),
};

const absent = 9_007_199_254_740_000;

export interface OwnRejection {
  readonly error: ErrorCode;
  readonly body: Body;
  readonly details?: object;
}

const noMember: OwnRejection = { error: "member_not_found", body: { contact_id: absent } };
const noSale: OwnRejection = { error: "sale_not_found", body: { sale_id: absent } };
const noEndpoint: OwnRejection = { error: "webhook_endpoint_not_found", body: { endpoint_id: absent } };
const noEvent: OwnRejection = { error: "event_not_found", body: { event_no: absent } };
const noIntegration: OwnRejection = { error: "integration_not_found", body: { integration_id: absent } };
const noProgram: OwnRejection = { error: "program_not_found", body: { program_id: absent } };
const noTiers: OwnRejection = {
  error: "tier_not_found",
  body: { tier_ids: [absent] },
  details: { tier_ids: [absent] },
};
const noPrograms = { error: "program_not_found", details: { program_ids: [absent] } } as const;
const noPromotion: OwnRejection = { error: "promotion_not_found", body: { promotion_id: absent } };
const noCard: OwnRejection = { error: "stamp_card_not_found", body: { stamp_card_id: absent } };
const noCardOfMember: OwnRejection = {
  error: "card_not_found",
  body: { card_code: "NO-SUCH-CARD" },
  details: { reason: "unknown" },
};
const noOccasion: OwnRejection = { error: "occasion_not_found", body: { occasion_id: absent } };
const noSegment: OwnRejection = { error: "segment_not_found", body: { segment_id: absent } };
/** Without the filters of the valid request. */
const onlySegment: OwnRejection = {
  error: "segment_not_found",
  body: { segment_id: absent, has_email: undefined, joined_from: undefined, birthday_month: undefined },
};
const noTier: OwnRejection = { error: "tier_not_found", body: { tier_id: absent } };
const noVoucher: OwnRejection = { error: "voucher_not_found", body: { voucher_id: absent } };
const notHeld: OwnRejection = { error: "voucher_not_held", body: { held_voucher_id: absent } };
const noLocations: OwnRejection = {
  error: "location_not_found",
  body: { location_ids: [absent] },
  details: { location_ids: [absent] },
};
const noLocation: OwnRejection = {
  error: "location_not_found",
  body: { location_id: absent },
  details: { location_ids: [absent] },
};

const noImport: OwnRejection = { error: "import_not_found", body: { import_id: absent } };
const noOperator: OwnRejection = { error: "operator_not_found", body: { operator_id: absent } };
const noBusiness: OwnRejection = { error: "business_not_found", body: { business_ids: [absent] } };

/** By path: the errors that are particular to an operation. */
export const ownRejections: Record<string, readonly OwnRejection[]> = {
  "/op/sessions/revoke": [{ error: "session_not_found", body: { session_id: absent } }],
  "/op/operators/create": [noBusiness],
  "/op/operators/update": [noOperator, noBusiness],
  "/op/operators/disable": [noOperator],
  "/op/operators/enable": [noOperator],
  "/op/operators/reset": [noOperator],
  "/op/operator-keys/create": [noBusiness],
  "/op/operator-keys/revoke": [{ error: "key_not_found", body: { key_id: absent } }],
  ...Object.fromEntries(
    ["get", "update", "disable", "enable", "rotate-secret", "test", "delete"].map((verb) => [
      `/op/webhook-endpoints/${verb}`,
      [noEndpoint],
    ]),
  ),
  "/op/webhook-deliveries/list": [noEndpoint],
  "/op/webhook-deliveries/get": [noEndpoint, noEvent],
  "/op/webhook-deliveries/retry": [noEndpoint, noEvent],
  "/op/webhook-deliveries/replay": [noEndpoint],
  "/op/locations/update": [noLocation],
  "/op/integrations/create": [noLocations],
  "/op/integrations/get": [noIntegration],
  "/op/integrations/update": [noIntegration, noLocations],
  "/op/integrations/rotate-secret": [noIntegration],
  "/op/integrations/disable": [noIntegration],
  "/op/integrations/enable": [noIntegration],
  "/op/integrations/revoke-tokens": [noIntegration],
  "/op/integrations/delete": [noIntegration],
  "/op/members/get": [noMember],
  "/op/members/find": [
    { error: "member_not_found", body: { phone_number: "+34999999999" } },
    { ...noCardOfMember, body: { ...noCardOfMember.body, phone_number: undefined } },
  ],
  "/op/members/page-link": [noMember],
  "/op/cards/create": [noMember],
  "/op/cards/replace": [noCardOfMember],
  "/op/cards/block": [noCardOfMember],
  "/op/cards/of-member": [noMember],
  "/op/referrals/list": [noMember],
  "/op/cards/issue": [noLocation, { error: "benefit_not_found", body: { benefit_id: absent } }],
  "/op/cards/claim": [noMember, noCardOfMember],
  "/op/members/balances": [noMember],
  "/op/members/update": [noMember],
  "/op/reward-points/list": [noMember],
  "/op/sales/get": [noSale],
  "/op/sales/preview-refund": [
    noSale,
    { error: "refund_exceeds_sale", body: { amount: 10_001 }, details: { refundable: 10_000 } },
  ],
  "/op/sales/refund": [
    noSale,
    { error: "refund_exceeds_sale", body: { amount: 10_001 }, details: { refundable: 10_000 } },
  ],
  "/op/vouchers/held": [noMember],
  "/op/vouchers/issue": [noMember, noVoucher, noLocation],
  "/op/vouchers/redeem": [noMember, notHeld, noLocation],
  "/op/vouchers/reverse": [notHeld],
  "/op/wallet/topup": [
    ...[noMember, noLocation],
    { error: "benefit_not_found", body: { benefit_id: absent, amount: undefined } },
  ],
  "/op/wallet/pay": [
    ...[noMember, noLocation],
    {
      error: "insufficient_balance",
      body: { amount: 1_000_000 },
      details: { account: "wallet", balance: 4980 },
    },
  ],
  "/op/wallet/reverse": [{ error: "movement_not_found", body: { movement_id: absent } }],
  "/op/reward-points/redeem": [
    ...[noMember, noLocation, { ...noVoucher, body: { voucher_id: absent, points: undefined } }],
  ],
  "/op/reward-points/reverse": [{ error: "redemption_not_found", body: { redemption_id: absent } }],
  "/op/members/adjust-wallet": [
    noMember,
    {
      error: "insufficient_balance",
      body: { adjustment_type: "debit" },
      details: { balance: 0 },
    },
  ],
  "/op/members/adjust-points": [
    noMember,
    {
      error: "insufficient_balance",
      body: { adjustment_type: "debit" },
      details: { balance: 0 },
    },
  ],
  "/op/members/activate": [noMember],
  "/op/members/deactivate": [noMember],
  "/op/members/merge": [noMember],
  "/op/members/erase": [
    noMember,
    {
      error: "balances_not_zero",
      body: { reason: undefined },
      details: { wallet: 0, points: 5, vouchers: 0 },
    },
  ],
  "/op/members/export": [noMember],
  "/op/imports/sales": [noLocation],
  "/op/imports/upload": [{ error: "import_not_found", body: { file_name: undefined, import_id: absent } }],
  "/op/imports/preview": [noImport, noLocation],
  "/op/imports/start": [noImport],
  "/op/imports/get": [noImport],
  "/op/imports/rejected": [noImport],
  "/op/imports/cancel": [noImport],
  "/op/reports/activity": [noLocation],
  "/op/reports/figures": [noLocation],
  "/op/members/assign-tier": [noMember, noTier],
  "/op/vouchers/create": [noLocation],
  "/op/tiers/create": [noProgram],
  "/op/tiers/update": [noTier, noProgram],
  "/op/tiers/delete": [noTier],
  "/op/programs/delete": [noProgram],
  "/op/promotions/get": [noPromotion],
  "/op/promotions/create": [noLocations, noTiers, noVoucher, noCard],
  "/op/promotions/update": [noPromotion, noLocations, noTiers, noVoucher, noCard],
  "/op/occasions/get": [noOccasion],
  "/op/occasions/create": [noVoucher],
  "/op/occasions/update": [noOccasion, noVoucher],
  "/op/occasions/pause": [noOccasion],
  "/op/occasions/resume": [noOccasion],
  "/op/occasions/end": [noOccasion],
  "/op/bulk-grants/preview": [noVoucher, noTier, onlySegment],
  "/op/bulk-grants/start": [noVoucher, noTier, onlySegment],
  "/op/members/list": [noTier, onlySegment],
  "/op/exports/members": [noTier, onlySegment],
  "/op/segments/create": [noTier],
  "/op/segments/update": [noSegment, noTier],
  "/op/segments/delete": [noSegment],
  "/op/bulk-grants/cancel": [noOccasion],
  "/op/bulk-grants/resume": [noOccasion],
  "/op/stamp-cards/get": [noCard],
  "/op/stamp-cards/create": [noLocations, noVoucher],
  "/op/stamp-cards/update": [noCard, noLocations, noVoucher],
  "/op/stamp-cards/pause": [noCard],
  "/op/stamp-cards/resume": [noCard],
  "/op/stamp-cards/end": [noCard],
  "/op/stamp-cards/report": [noCard],
  "/op/stamp-cards/stamp": [noMember, noCard],
  "/op/stamp-cards/of-member": [noMember],
  "/op/promotions/pause": [noPromotion],
  "/op/promotions/resume": [noPromotion],
  "/op/promotions/end": [noPromotion],
  "/op/promotions/report": [noPromotion],
  "/op/topup-benefits/create": [noLocation],
  "/op/topup-benefits/update": [{ error: "benefit_not_found", body: { benefit_id: absent } }],
  "/op/vouchers/update": [noVoucher, noLocation],
  "/op/vouchers/create-codes": [noVoucher],
  "/op/vouchers/archive": [noVoucher],
  "/op/businesses/delete": [{ error: "business_not_found", body: { sandbox_business_id: absent } }],
  "/op/businesses/create": [
    {
      error: "validation_failed",
      body: { sandbox: true, clock_at: "1900-01-01" },
      details: {
        errors: [
          {
            field: "clock_at",
            code: "out_of_range",
            message: "clock_at must be within fifty years of today.",
          },
        ],
      },
    },
  ],
  "/op/members/settle": [noMember],
  "/op/programs/update": [noProgram],
  "/op/reward-settings/rules/update": [{ error: "program_not_found", body: { default_program_id: absent } }],
  "/op/rules/preview": [
    { ...noPrograms, body: { default_program_id: absent } },
    { ...noPrograms, body: { programs: [{ program_id: absent, earn_points: 2 }] } },
    { ...noTiers, body: { tiers: [{ tier_id: absent }] } },
    {
      ...noPrograms,
      body: { new_tiers: [{ name: "New", program_id: absent, expiry: 1, expiry_period: "year" }] },
    },
  ],
};

/** A line of a file of members with every field, and of somebody new. */
export function validMemberLine(line: number, fields: Body = {}): Body {
  const person = newPerson();
  return {
    line,
    ...person,
    email: `${person.phone_number.slice(1)}@example.com`,
    date_of_birth: "1990-04-17",
    external_ref: `CRM ${person.phone_number}`,
    joined_at: "2024-04-17 09:30:00",
    wallet_balance: 1250,
    points_balance: 120,
    ...fields,
  };
}

let saleLines = 0;

/** A line of a file of sales. It is not the same sale as another such line with the same values. */
export function validSaleLine(line: number, fields: Body): Body {
  saleLines += 1;
  return { line, equal_before: saleLines, sold_at: "2024-04-17 09:30:00", amount: 700, ...fields };
}

/** A line of a file of vouchers, of another voucher than those before. */
function validVoucherLine(line: number, fields: Body): Body {
  saleLines += 1;
  return { line, equal_before: saleLines, issued_on: "2024-04-17", valid_through: "2099-12-30", ...fields };
}

export const pathsWithOperatorRequests = () => Object.keys(sound);

/** A body with every field that the operation takes, each as it should be, under a key of its own. */
export function soundOperatorBody(operation: Operation, records: OperatorRecords): Body {
  const body = sound[operation.path]!(records);
  return isWrite(operation) ? { idempotency_key: nextKey(), ...body } : body;
}
