/** For every partner operation a request that nothing is wrong with, and the records that it names. */

import type { Operation, PostingOperation } from "../../src/contract/operation.ts";
import { newCardCode } from "../../src/credentials/card-codes.ts";
import { deriveKeys, newWebhookSecret, placeOfEndpoint } from "../../src/credentials/keys.ts";
import { newReferralCode } from "../../src/credentials/referral-codes.ts";
import { newVoucherCode } from "../../src/credentials/voucher-codes.ts";
import { benefits, tiers, vouchers } from "../../src/database/catalog.ts";
import type { Database } from "../../src/database/connection.ts";
import { insertReferral, setReferralCode } from "../../src/database/engine/rewards/referrals.ts";
import { findUniqueCode, insertCodes } from "../../src/database/engine/rewards/voucher-codes.ts";
import { updateSettings } from "../../src/database/engine/rules.ts";
import { insertEvents } from "../../src/database/events.ts";
import { insertAnonymousMember, insertCard } from "../../src/database/members/cards.ts";
import { insertMember } from "../../src/database/members/members.ts";
import { occasions } from "../../src/database/occasions.ts";
import {
  insertEndpoint,
  insertWebhookSecret,
  nextEndpointId,
} from "../../src/database/webhooks/endpoints.ts";
import { anyLocation } from "../../src/domain/access/access.ts";
import { codeKey } from "../../src/domain/engine/vouchers/codes.ts";
import { partnerOperations } from "../../src/operations/operations.ts";
import { adjustRewardPoints } from "../../src/operations/partner/reward-points/adjust.ts";
import { redeemPoints } from "../../src/operations/partner/reward-points/redeem.ts";
import { recordSale } from "../../src/operations/partner/sales/record.ts";
import { claimVoucher } from "../../src/operations/partner/vouchers/claim.ts";
import { issueVoucher } from "../../src/operations/partner/vouchers/issue.ts";
import { redeemVoucher } from "../../src/operations/partner/vouchers/redeem.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { payFromWallet } from "../../src/operations/partner/wallet/pay.ts";
import { newOccasion } from "../../src/operations/promotions/occasions.ts";
import type { PostingCommand } from "../../src/pipeline/postings/group-state.ts";
import { type Body, engineOperations, type Records } from "./engine-requests.ts";
import { newestEventNo } from "./events.ts";
import { dayOf } from "./local-times.ts";
import { commitAgain } from "./postings.ts";
import {
  type Business,
  type Credentials,
  newPerson,
  nextKey,
  nothingElse,
  testSecret,
  type World,
} from "./world.ts";

/** Makes a member, a benefit and a tier that no other test uses, beside what the business has already. */
export async function makeRecords(world: World, business: Business): Promise<Records> {
  const { sql } = world;
  const { businessId, locationIds, programId } = business;
  const spare = await sql.begin((tx) => insertMember(tx, businessId, { ...newPerson(), ...nothingElse }));
  const buyer = await sql.begin((tx) => insertMember(tx, businessId, { ...newPerson(), ...nothingElse }));
  const member = await sql.begin((tx) => insertMember(tx, businessId, { ...newPerson(), ...nothingElse }));
  const benefit = await benefits.insert(sql, businessId, {
    title: "Top up 50, get 5",
    amount: 5000,
    promo_amount: 500,
    status: "active",
    location_id: locationIds[0],
  });
  const bronze = {
    name: "Bronze",
    expiry: 6,
    expiry_period: "month",
    qualifying_sales: null,
    program_id: null,
  } as const;
  const { tier_id } = await sql.begin((tx) => tiers.insert(tx, businessId, bronze));
  return {
    contact_id: member.contact_id,
    location_id: locationIds[0],
    benefit_id: benefit.benefit_id,
    program_id: programId,
    tier_id,
    voucher_id: business.vouchers.everywhere,
    phone_number: buyer.phone_number,
    spare_contact_id: spare.contact_id,
    buyer_contact_id: buyer.contact_id,
    third_location_id: locationIds[2],
    ...(await makeCards(world, business, member.contact_id)),
    ...(await makeSales(world, business, buyer.contact_id)),
    ...(await makeEndpoint(world, business, member.contact_id)),
    // After its sales, which would qualify it.
    ...(await makeReferral(world, business, spare.contact_id, buyer.contact_id)),
  };
}

/** The code of a member who has brought another one, of a business that gives something for it. */
async function makeReferral(
  { sql }: World,
  { businessId, vouchers: { everywhere: voucher_id } }: Business,
  contact_id: number,
  brought: number,
) {
  const referral_code = newReferralCode();
  await sql.begin(async (tx) => {
    const [known] =
      await tx`SELECT FROM occasion WHERE business_id = ${businessId} AND kind = 'referred' AND status = 'active'`;
    const of = {
      ...newOccasion({ kind: "referred" }),
      name: "Referred",
      kind: "referred",
      voucher_id,
    } as const;
    if (known === undefined) await occasions.insert(tx, businessId, of);
    await setReferralCode(tx, businessId, contact_id, referral_code);
    await insertReferral(tx, { businessId, timeZone: "UTC" }, brought, contact_id);
  });
  return { referral_code, newcomer_contact_id: await newcomerOf(sql, businessId) };
}

/**
 * A member whom nobody has brought, and who joins after the owner of the code. That of earlier records is used again: some tests count
 * the members of a business.
 */
async function newcomerOf(sql: Database, businessId: number): Promise<number> {
  const [known] = await sql<{ contact_id: number }[]>`
    UPDATE member m SET joined_at = now() WHERE business_id = ${businessId} AND first_name = 'Newcomer' AND NOT EXISTS (
      SELECT FROM referral r WHERE r.business_id = m.business_id AND r.contact_id = m.contact_id
    ) RETURNING contact_id`;
  const person = { ...newPerson(), ...nothingElse, first_name: "Newcomer" };
  return (known ?? (await sql.begin((tx) => insertMember(tx, businessId, person)))).contact_id;
}

/** A card of a member, one that was replaced, and two anonymous ones. */
async function makeCards(world: World, business: Business, contact_id: number) {
  const [{ sql }, { businessId }] = [world, business];
  const of = { businessId, timeZone: "UTC" };
  const [card_code, replaced_card_code] = [newCardCode(), newCardCode()];
  await sql.begin(async (tx) => {
    for (const code of [card_code, replaced_card_code])
      await insertCard(tx, of, { card_code: code, contact_id, kind: "plastic" });
    await tx`
      UPDATE card SET status = 'replaced' WHERE business_id = ${businessId} AND card_code = ${replaced_card_code}`;
  });
  const [anonymous, other] = await anonymousCards(world, business);
  return {
    ...{ card_code, replaced_card_code },
    anonymous_card_code: anonymous?.card_code as string,
    other_anonymous_card_code: other?.card_code as string,
    other_anonymous_contact_id: other?.contact_id as number,
    gift_contact_id: await giftCard(sql, businessId),
  };
}

/** A gift card, which no test changes. No other one there can have the largest amount. */
async function giftCard(sql: World["sql"], businessId: number): Promise<number> {
  const [known] = await sql<{ contact_id: number }[]>`
    SELECT contact_id FROM member WHERE business_id = ${businessId} AND anonymous = 'gift'`;
  if (known !== undefined) return known.contact_id;
  return sql.begin(async (tx) => {
    await updateSettings(tx, businessId, { gift_maximum_amount: 999_999_999_999 });
    return insertAnonymousMember(tx, businessId, "gift");
  });
}

/** Two anonymous cards that nobody has claimed. Those of earlier records are used again: some tests count the members of a business. */
async function anonymousCards(world: World, business: Business) {
  const { businessId, locationIds } = business;
  const find = () => world.sql<{ card_code: string; contact_id: number }[]>`
    SELECT c.card_code, c.contact_id FROM card c JOIN member m ON m.business_id = c.business_id AND m.contact_id = c.contact_id
    WHERE c.business_id = ${businessId} AND c.status = 'active' AND m.anonymous = 'card' AND m.active
    ORDER BY c.card_id LIMIT 2`;
  const of = { businessId, timeZone: "UTC" };
  for (let missing = 2 - (await find()).length; missing > 0; missing -= 1) {
    const contact_id = await world.sql.begin(async (tx) => {
      const made = await insertAnonymousMember(tx, businessId);
      await insertCard(tx, of, { card_code: newCardCode(), contact_id: made, kind: "plastic" });
      return made;
    });
    const { command, commit } = postingsOf(world, business, contact_id);
    await commit([command(adjustWallet, { location_id: locationIds[0], amount: 5, ...credit })]);
  }
  return find();
}

/** Many tests make records, and an integration has a limited number of endpoints: the first and the last ones are kept. */
const endpointsKept = 8;

/** A webhook endpoint, and an event that it is done with. */
async function makeEndpoint(world: World, business: Business, contact_id: number) {
  const { businessId, locationIds, everywhere, limited } = business;
  return world.sql.begin(async (tx) => {
    await tx`INSERT INTO event_head (business_id) VALUES (${businessId}) ON CONFLICT DO NOTHING`;
    const of = { business_id: businessId, occurred_at: null, location_id: null, entries: [] };
    await insertEvents(tx, [
      { ...of, type: "sale.recorded", contact_ids: [contact_id], data: {}, location_id: locationIds[2] },
      { ...of, type: "member.updated", contact_ids: [contact_id], data: { fields: ["email"] } },
    ]);
    const add = async ({ integrationId }: Credentials) => {
      const endpoint_id = await nextEndpointId(tx);
      await insertEndpoint(tx, { businessId, integrationId }, endpoint_id, {
        url: "https://receiver.invalid/webhooks",
        types: ["*"],
        description: null,
        header_names: [],
        headers: null,
        max_in_flight: 8,
        ordered: false,
      });
      const sealed = deriveKeys(testSecret).seal(newWebhookSecret(), placeOfEndpoint(endpoint_id));
      await insertWebhookSecret(tx, businessId, endpoint_id, sealed);
      return endpoint_id;
    };
    const endpoint_id = await add(everywhere);
    const limited_endpoint_id = await add(limited);
    await tx`
      DELETE FROM webhook_endpoint WHERE business_id = ${businessId} AND endpoint_id IN (
        SELECT endpoint_id FROM (
          SELECT endpoint_id, row_number() OVER (PARTITION BY integration_id ORDER BY endpoint_id) AS first,
            row_number() OVER (PARTITION BY integration_id ORDER BY endpoint_id DESC) AS last
          FROM webhook_endpoint WHERE business_id = ${businessId}
        ) AS numbered WHERE first > ${endpointsKept} AND last > ${endpointsKept}
      )`;
    const event_no = await newestEventNo(tx, businessId);
    return { endpoint_id, event_no, limited_endpoint_id, third_event_no: event_no - 1 };
  });
}

const credit = { adjustment_type: "credit" };

/** Postings of a member that are no requests, which the tests of limits would count. */
function postingsOf(world: World, business: Business, contact_id: number) {
  const command = (operation: Operation, input: Body, record?: unknown): PostingCommand => ({
    operation: operation as PostingOperation,
    businessId: business.businessId,
    contactId: contact_id,
    integrationId: business.everywhere.integrationId,
    locations: anyLocation,
    idempotencyKey: {
      owner: { businessId: business.businessId, integrationId: business.everywhere.integrationId },
      key: nextKey(),
      fingerprint: "00".repeat(32),
    },
    input: { contact_id, ...input },
    record,
  });
  const commit = async (commands: PostingCommand[]) => {
    const outcomes = await commitAgain(world.database.postings, commands);
    return outcomes.map((outcome) => {
      if (outcome === "settled_in_part" || !("body" in outcome)) throw new Error(JSON.stringify(outcome));
      return JSON.parse(outcome.body).data as Record<string, number>;
    });
  };
  return { command, commit };
}

/** A member with money and points, some of which are spent. */
async function makeSales(world: World, business: Business, contact_id: number) {
  const [location_id, , third] = business.locationIds;
  const { command, commit } = postingsOf(world, business, contact_id);
  const issue = async (voucher_id: number) =>
    command(
      issueVoucher,
      { voucher_id },
      // Also when a test has archived it.
      { ...(await vouchers.find(world.sql, business.businessId, voucher_id)), archived: false },
    );
  const data = await commit([
    command(adjustWallet, { location_id, amount: 10_000, ...credit }),
    command(adjustRewardPoints, { points: 1000, ...credit }),
    command(recordSale, { location_id, amount: 10_000, use_wallet: 5000 }),
    command(recordSale, { location_id: third, amount: 5000 }),
    command(redeemPoints, { location_id, points: 10 }),
    command(redeemPoints, { location_id: third, points: 10 }),
    command(payFromWallet, { location_id, amount: 10 }),
    command(payFromWallet, { location_id: third, amount: 10 }),
    await issue(business.vouchers.everywhere),
    await issue(business.vouchers.everywhere),
    await issue(business.vouchers.third),
  ]);
  const codes = Array.from({ length: 2 }, () => newVoucherCode());
  const made = codes.map((code) => ({ code, code_key: codeKey(code) }));
  await insertCodes(world.sql, business.businessId, business.vouchers.everywhere, made);
  const [unclaimed_code = "", claimed_code = ""] = codes;
  const claimed = await findUniqueCode(world.sql, business.businessId, codeKey(claimed_code));
  await commit([command(claimVoucher, { code: claimed_code }, claimed)]);
  const [held, redeemed, atThird] = data.slice(8).map(({ held_voucher_id }) => held_voucher_id as number);
  await commit([
    command(redeemVoucher, { location_id, held_voucher_id: redeemed }),
    command(redeemVoucher, { location_id: third, held_voucher_id: atThird }),
  ]);
  return {
    sale_id: data[2]!.sale_id!,
    third_sale_id: data[3]!.sale_id!,
    redemption_id: data[4]!.redemption_id!,
    third_redemption_id: data[5]!.redemption_id!,
    movement_id: data[6]!.movement_id!,
    third_movement_id: data[7]!.movement_id!,
    unclaimed_code,
    claimed_code,
    held_voucher_id: held!,
    redeemed_voucher_id: redeemed!,
    third_held_voucher_id: atThird!,
  };
}

const sound: Record<string, (business: Business, records: Records) => Body> = {
  "/sp/auth/token": ({ everywhere: { client_id, client_secret } }) => ({ client_id, client_secret }),
  "/sp/transactions/list": (_business, { contact_id, location_id }) => ({
    location_id,
    contact_id,
    event_types: ["wallet_adjustment", "sale"],
    start_date: daysFromToday(-30),
    end_date: daysFromToday(1),
    per_page: 10,
    page: 1,
  }),
  "/sp/members/list": () => ({ search: "bel", include_inactive: true, per_page: 10, page: 1 }),
  "/sp/members/create": () => {
    const person = newPerson();
    return {
      ...person,
      email: `${person.phone_number.slice(1)}@example.com`,
      date_of_birth: "1990-04-17",
      external_ref: `C ${person.phone_number}`,
      password: "correct horse battery staple",
    };
  },
  "/sp/members/update": (_business, { contact_id }) => ({
    contact_id,
    first_name: "Berta",
    last_name: "Gómez",
    email: `${contact_id}@example.com`,
  }),
  "/sp/members/profile/update": (_business, { contact_id }) => ({
    contact_id,
    first_name: "Berta",
    last_name: "Gómez",
    email: `${contact_id}@example.com`,
    phone_number: newPerson().phone_number,
    date_of_birth: "1990-04-17",
    external_ref: `C ${contact_id}`,
  }),
  "/sp/members/password/change": (_business, { contact_id }) => ({
    contact_id,
    new_password: "correct horse battery staple",
  }),
  "/sp/wallet/adjust": (_business, { contact_id, location_id }) => ({
    contact_id,
    location_id,
    amount: 1250,
    adjustment_type: "credit",
    reason: "Goodwill",
  }),
  "/sp/wallet/topup-benefits/create": (_business, { location_id }) => ({
    title: "Top up 100, get 10",
    amount: 10_000,
    promo_amount: 1000,
    location_id,
    status: "active",
  }),
  "/sp/wallet/topup-benefits/update": (_business, { benefit_id }) => ({
    benefit_id,
    title: "Top up 50, get 10",
    promo_amount: 1000,
    status: "inactive",
  }),
  "/sp/reward-points/adjust": (_business, { contact_id }) => ({
    contact_id,
    points: 120,
    adjustment_type: "credit",
    reason: "Goodwill",
    reference_id: "receipt-000812",
  }),
  "/sp/reward-settings/update": () => ({
    enable_rp: true,
    rp_name: "Stars",
    rp_sales_calculation_period: 6,
    rp_sales_calculation_period_type: "week",
  }),
  "/sp/reward-programs/update": (_business, { program_id }) => ({
    program_id,
    membership_name: "Gold Club",
    maximum_points_per_order: 750,
  }),
  "/sp/member-tiers/list": () => ({}),
  "/sp/member-tiers/update": (_business, { tier_id }) => ({
    tier_id,
    name: "Platinum",
    expiry: 3,
    expiry_period: "year",
  }),
  "/sp/member-tiers/delete": (_business, { tier_id }) => ({ tier_id }),
  "/sp/vouchers/get": (_business, { voucher_id }) => ({ voucher_id }),
};

/** The operations that every business has; those of a sandbox are tested in one. */
export const operationsInRealTime = partnerOperations.filter(({ path }) => !path.startsWith("/sp/sandbox/"));

/** Those that end records which others need, and those that delete them. A change of an operator can end its sessions. */
const endings = [
  /\/(?:deactivate|archive|disable|end)$|\/operators\/(?:update|reset)$/,
  /\/(?:delete|erase|merge)$/,
];

/** Orders operations so that those come last which end records that the others need. */
export function endingLast(operations: readonly Operation[]): readonly Operation[] {
  const placeOf = ({ path }: Operation) => endings.findIndex((ending) => ending.test(path));
  return operations.toSorted((one, other) => placeOf(one) - placeOf(other));
}

export const pathsWithPartnerRequests = () => [...Object.keys(sound), ...Object.keys(engineOperations)];

/** A body with every field that the operation takes, each as it should be, under a key of its own. */
export function validBody(operation: Operation, business: Business, records: Records): Body {
  const body = sound[operation.path]?.(business, records) ?? engineOperations[operation.path]!.body(records);
  return isWrite(operation) ? { idempotency_key: nextKey(), ...body } : body;
}

export function isWrite(operation: Operation): boolean {
  return operation.kind === "write" || operation.kind === "posting";
}

/** The first operation of each kind. What all operations of a kind share is tested with many cases on these. */
export function firstOfEachKind(operations: readonly Operation[]): ReadonlySet<Operation> {
  return new Set(new Map(operations.toReversed().map((operation) => [operation.kind, operation])).values());
}

/** A day in UTC, YYYY-MM-DD. */
export function daysFromToday(days: number): string {
  return dayOf(Date.now() + days * 86_400_000, "UTC");
}

/** Makes the stored response of a key that of a service with another secret. */
export async function storeAsByAnotherSecret(sql: Database, key: string): Promise<void> {
  await sql`
    UPDATE idempotency_key SET fingerprint = set_byte(fingerprint, 0, 255 - get_byte(fingerprint, 0))
    WHERE idempotency_key = ${key}`;
}
