/**
 * Decisions read only some records of a member: no paid debts, no closed lots. An operation that changes such a record must find it,
 * or write it again.
 */
import { beforeAll, expect, it } from "vitest";
import { kindNames, kinds } from "../../src/database/engine/kinds.ts";
import { addPeriod } from "../../src/domain/dates.ts";
import type { Kind } from "../../src/domain/records.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
let voucher_id: number;
let tier_id: number;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const business_id = shop.businessId;
  const program = { business_id, membership_name: "Cents", maximum_points_per_order: 1_000_000 };
  const { program_id } = await operatorWrite(world, "/op/programs/create", {
    ...program,
    earn_points: 1,
    earn_amount: 1,
  });
  await shop.rules({ default_program_id: program_id, value_amount: 1 });
  const definition = { campaign_name: "Gift", coupon_code: "GIFT", coupon_value: 500, points_price: 10 };
  const validity = { validity: 1, validity_period: "month" };
  ({ voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
    business_id,
    ...definition,
    ...validity,
  }));
  ({ tier_id } = await operatorWrite(world, "/op/tiers/create", {
    business_id,
    name: "Gold",
    expiry: 1,
    expiry_period: "month",
    qualifying_sales: 100_000,
  }));
});

const sell = (contact_id: number, amount: number, more: Body = {}) =>
  shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount, ...more });
const refund = ({ sale_id }: { sale_id: number }, amount?: number) =>
  shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...(amount && { amount }) });
const redeem = (contact_id: number, of: Body) =>
  shop.write("/sp/reward-points/redeem", { contact_id, ...of });
const reverse = ({ redemption_id }: { redemption_id: number }) =>
  shop.write("/sp/reward-points/reverse", { redemption_id });
const issue = (contact_id: number) => shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
let today = "2026-01-10";
const later = async (months: number) => {
  today = addPeriod(today, months, "month");
  await shop.advance(today);
};

/** What the next sale earns while a promotion gives 50 points once to each member. */
async function withPromotion(use: (next: () => Promise<number>) => Promise<void>, contact_id: number) {
  const of = { business_id: shop.businessId };
  const once = { ...of, name: "Once", points: 50, most_per_member: 1 };
  const { promotion_id } = await operatorWrite(world, "/op/promotions/create", once);
  await use(async () => (await sell(contact_id, 700)).points_earned as number);
  await operatorWrite(world, "/op/promotions/end", { ...of, promotion_id });
}

/** Each state in which a record may be left out when its member is read, and an operation that changes it then. */
const states: { readonly [Name in Kind]: Readonly<Record<string, (contactId: number) => Promise<unknown>>> } =
  {
    debt: {
      "paid by a sale": async (contact_id) => {
        const sale = await sell(contact_id, 1000);
        await redeem(contact_id, { points: 1000 });
        expect(await refund(sale, 300)).toMatchObject({ points_owed: 300 });
        expect(await sell(contact_id, 300)).toMatchObject({ points_settled: 300 });
        expect(await refund(sale, 200)).toMatchObject({ points_owed: 200 });
        expect(await sell(contact_id, 200)).toMatchObject({ points_settled: 200 });
        expect(await refund(sale)).toMatchObject({ points_owed: 500 });
      },
      "paid by points that come back": async (contact_id) => {
        const sale = await sell(contact_id, 1000);
        const redeemed = await redeem(contact_id, { points: 600 });
        const other = await redeem(contact_id, { points: 400 });
        expect(await refund(sale, 300)).toMatchObject({ points_owed: 300 });
        await reverse(other);
        await redeem(contact_id, { points: 100 });
        expect(await refund(sale, 200)).toMatchObject({ points_owed: 200 });
        await reverse(redeemed);
        expect(await refund(sale)).toMatchObject({ points_owed: 100 });
      },
      "paid, of a member that was merged": async (contact_id) => {
        const sale = await sell(contact_id, 1000);
        await redeem(contact_id, { points: 1000 });
        await refund(sale, 300);
        await sell(contact_id, 300);
        const other = await shop.member();
        await shop.write("/sp/members/merge", { from_contact_id: contact_id, contact_id: other });
        expect(await refund(sale, 200)).toMatchObject({ points_owed: 200 });
      },
    },
    lot: {
      spent: async (contact_id) => {
        await sell(contact_id, 1000);
        const redeemed = await redeem(contact_id, { points: 1000 });
        expect(await reverse(redeemed)).toMatchObject({ points_back: 1000 });
      },
      "spent, and taken back": async (contact_id) => {
        const sale = await sell(contact_id, 1000);
        await redeem(contact_id, { points: 1000 });
        expect(await refund(sale)).toMatchObject({ points_owed: 1000 });
      },
      "taken back": async (contact_id) => {
        const sale = await sell(contact_id, 1000);
        await refund(sale, 999);
        expect(await refund(sale)).toMatchObject({ points_clawed: 1 });
      },
      expired: async (contact_id) => {
        const sale = await sell(contact_id, 1000);
        const redeemed = await redeem(contact_id, { points: 400 });
        await later(8);
        expect(await reverse(redeemed)).toMatchObject({ balances: { points: 400 } });
        expect(await refund(sale)).toMatchObject({ points_clawed: 400, points_excused: 600 });
      },
    },
    occasion_grant: {},
    sale: { "refunded in part": async (contact_id) => refund(await sell(contact_id, 1000), 1) },
    refund: {},
    redemption: {
      "of points that came back": async (contact_id) => {
        await sell(contact_id, 1000);
        await reverse(await redeem(contact_id, { voucher_id }));
      },
    },
    movement: {
      "of a wallet that is empty": async (contact_id) => {
        const [location_id, amount] = [shop.locationId, 500];
        await shop.write("/sp/wallet/topup", { contact_id, location_id, amount });
        const { movement_id } = await shop.write("/sp/wallet/pay", { contact_id, location_id, amount });
        await shop.write("/sp/wallet/reverse", { movement_id, location_id });
      },
    },
    held_voucher: {
      "redeemed without a sale": async (contact_id) => {
        const { held_voucher_id } = await issue(contact_id);
        await shop.write("/sp/vouchers/redeem", {
          contact_id,
          location_id: shop.locationId,
          held_voucher_id,
        });
        await shop.write("/sp/vouchers/reverse", { held_voucher_id });
      },
      "redeemed by a sale": async (contact_id) => {
        const { held_voucher_id } = await issue(contact_id);
        const sale = await sell(contact_id, 500, { use_vouchers: [held_voucher_id] });
        expect(await refund(sale)).toMatchObject({ vouchers_back: [held_voucher_id] });
      },
      "past its date": async (contact_id) => {
        const { held_voucher_id } = await issue(contact_id);
        const sale = await sell(contact_id, 500, { use_vouchers: [held_voucher_id] });
        await later(2);
        expect(await refund(sale)).toMatchObject({ vouchers_back: [held_voucher_id] });
      },
    },
    sales_day: {
      "of sales that were refunded": async (contact_id) => {
        await refund(await sell(contact_id, 1000));
        expect(await sell(contact_id, 700)).toMatchObject({ balances: { sales: 700 } });
      },
      "of sales that were merged": async (contact_id) => {
        const other = await shop.member();
        await sell(contact_id, 1000);
        await sell(other, 300);
        await shop.write("/sp/members/merge", { from_contact_id: other, contact_id });
        expect(await sell(contact_id, 700)).toMatchObject({ balances: { sales: 2000 } });
      },
    },
    grant_count: {
      "of sales that were refunded": (contact_id) =>
        withPromotion(async (next) => {
          await refund(await sell(contact_id, 1000));
          expect(await next()).toBe(750);
          expect(await next()).toBe(700);
        }, contact_id),
      "of a member that was merged": (contact_id) =>
        withPromotion(async (next) => {
          const other = await shop.member();
          await sell(other, 300);
          await shop.write("/sp/members/merge", { from_contact_id: other, contact_id });
          expect(await next()).toBe(700);
        }, contact_id),
    },
    member_stamp_card: {
      "without stamps": async (contact_id) => {
        const of = { business_id: shop.businessId };
        const card = {
          ...of,
          name: "Visits",
          counts: "visit",
          most_per_day: null,
          counts_free_lines: false,
          stamps_needed: 9,
          voucher_id,
        };
        const { stamp_card_id } = await operatorWrite(world, "/op/stamp-cards/create", card);
        await refund(await sell(contact_id, 700));
        expect((await sell(contact_id, 700)).stamp_cards).toMatchObject([{ stamps: 1 }]);
        await operatorWrite(world, "/op/stamp-cards/end", { ...of, stamp_card_id });
      },
    },
    tier_standing: {
      "without a tier any more": async (contact_id) => {
        await sell(contact_id, 100_000);
        await later(13);
        expect(await shop.ask("/sp/members/get", { contact_id })).toMatchObject({ tier: null });
        expect(await sell(contact_id, 100_000)).toMatchObject({ tier: { tier_id, changed: true } });
      },
    },
  };

const cases = kindNames.flatMap((kind) =>
  Object.entries(states[kind]).map(([state, use]) => ({ kind, state, use })),
);

it.each(cases)("changes a $kind that is $state", async ({ use }) => {
  await use(await shop.member());
  await expectValidLedger({ businessId: shop.businessId, everywhere: shop.credentials } as never);
});

it("has a state of every kind of records that change", () => {
  for (const kind of kindNames) {
    expect(Object.keys(states[kind]).length > 0, kind).toBe(kinds[kind].changing.length > 0);
  }
});
