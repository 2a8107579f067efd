/** Sales, points and their dates, over HTTP, on the clock of a sandbox. */
import type { TObject } from "typebox";
import { beforeAll, describe, expect, it } from "vitest";
import { listPoints } from "../../src/operations/partner/reward-points/list.ts";
import { saleResult } from "../../src/operations/sales/sales.ts";
import { sumDue } from "../support/due.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
});

const sale = (contact_id: number, amount: number, more: Body = {}) =>
  shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount, ...more });
const balances = (contact_id: number) => shop.ask("/sp/members/balances", { contact_id });
const entriesOf = async (contact_id: number) => {
  const entries = await shop.ask("/sp/transactions/list", { contact_id, per_page: 100 });
  return entries
    .reverse()
    .map(({ event_type, amount, balance_after }: Body) => `${event_type} ${amount} ${balance_after}`);
};

describe("a sale", () => {
  it("is paid by points, wallet and till, earns points, and is all in the ledger", async () => {
    const contact_id = await shop.member();
    const { locationId: location_id } = shop;
    await shop.write("/sp/wallet/adjust", {
      contact_id,
      location_id,
      amount: 2000,
      adjustment_type: "credit",
    });
    await shop.write("/sp/reward-points/adjust", { contact_id, points: 100, adjustment_type: "credit" });
    const use = { use_points: 100, use_wallet: 2000 };
    const quoted = await shop.ask("/sp/sales/quote", { contact_id, location_id, amount: 6500, ...use });
    const recorded = await sale(contact_id, 6500, { ...use, reference_id: "receipt-812" });
    const { sale_id, reference_id, ...told } = recorded;
    expect(reference_id).toBe("receipt-812");
    expect(told).toEqual({
      amount: 6500,
      voucher_unused: 0,
      tier: { tier_id: null, name: null, valid_through: null, changed: false },
      voucher_amount: 0,
      points_used: 100,
      points_amount: 500,
      wallet_used: 2000,
      amount_due: 4000,
      points_earned: 50,
      points_pending: 0,
      matures_on: null,
      valid_through: "2026-07-31",
      points_settled: 0,
      vouchers_granted: [],
      stamp_cards: [],
      vouchers_used: [],
      balances: { wallet: 0, points: 50, vouchers: 0, sales: 6000 },
      why: [
        { code: "earned", base: 6000, points: 50, text: "50 points for 60.00 EUR" },
        { code: "capped", period: "order", maximum: 50, text: "At most 50 points a sale" },
      ],
    });
    expect(Object.keys(told)).toEqual(Object.keys(saleResult));
    const { usable, program, ...same } = quoted;
    expect(same).toEqual(told);
    expect(usable).toEqual({ points: 100, no_points: null, wallet: 2000, vouchers: [] });
    expect(program).toEqual({ program_id: shop.programId, membership_name: "Club" });
    expect((await entriesOf(contact_id)).slice(2)).toEqual([
      "reward_points_redeemed -100 0",
      "wallet_payment -2000 0",
      "sale 6000 6000",
      "reward_points_earned 50 50",
    ]);
    expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject({
      sale_id,
      contact_id,
      sold_on: "2026-01-10",
      created_at: "2026-01-10 09:00:00",
      why: told.why,
      refundable: 6500,
      refunds: [],
      full_refund: { money_back: 4000, wallet_back: 2000, points_back: 100, points_clawed: 50 },
    });
  });

  it("is recorded once, however often it is sent", async () => {
    const contact_id = await shop.member();
    const body = {
      idempotency_key: nextKey(),
      contact_id,
      location_id: shop.locationId,
      amount: 1000,
    };
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => world.ask("/sp/sales/record", body, shop.credentials)),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.filter(({ headers }) => headers.has("idempotent-replayed"))).toHaveLength(4);
    expect((await balances(contact_id)).points).toBe(10);
  });

  it("leaves nothing when it is rejected", async () => {
    const contact_id = await shop.member();
    const { locationId: location_id } = shop;
    const rejected = { contact_id, location_id, amount: 500, use_points: 5, use_wallet: 5 };
    expect(await shop.rejected("/sp/sales/record", rejected)).toMatchObject({
      code: "insufficient_balance",
      details: { account: "points", balance: 0 },
    });
    expect(await entriesOf(contact_id)).toEqual([]);
    expect(await shop.ask("/sp/sales/list", { contact_id })).toEqual([]);
  });

  it("of a till that was offline goes by the day of the sale", async () => {
    const till = await makeSandbox(world, "2025-12-01");
    await till.rules({ points_validity: 1, points_validity_period: "week", points_expiry_rounding: "day" });
    await till.advance("2026-01-10");
    const contact_id = await till.member();
    const sold = { contact_id, location_id: till.locationId, amount: 700 };
    const late = await till.write("/sp/sales/record", { ...sold, sold_on: "2026-01-01" });
    expect(late).toMatchObject({ points_earned: 7, valid_through: "2026-01-08", balances: { points: 0 } });
    const entries = await till.ask("/sp/transactions/list", { contact_id });
    expect(entries.map(({ event_type, amount }: Body) => `${event_type} ${amount}`)).toEqual([
      "reward_points_expired -7",
      "reward_points_earned 7",
      "sale 700",
    ]);
    // Rules apply from the day on which they were set.
    await till.rules({ points_validity: 2 });
    expect(await till.write("/sp/sales/record", { ...sold, sold_on: "2026-01-09" })).toMatchObject({
      valid_through: "2026-01-16",
    });
    expect(await till.write("/sp/sales/record", sold)).toMatchObject({ valid_through: "2026-01-24" });
    for (const sold_on of ["2026-01-11", "2025-12-09"]) {
      const { code, details } = await till.rejected("/sp/sales/record", { ...sold, sold_on });
      expect([code, details]).toMatchObject([
        "validation_failed",
        { errors: [{ field: "sold_on", code: "out_of_range" }] },
      ]);
    }
  });

  it("of a day before the rules earns nothing, and says so", async () => {
    const till = await makeSandbox(world, "2026-01-10");
    const sold = { contact_id: await till.member(), location_id: till.locationId, amount: 700 };
    const late = { ...sold, sold_on: "2026-01-09" };
    for (const [path, call] of [
      ["/sp/sales/quote", till.ask],
      ["/sp/sales/record", till.write],
    ] as const) {
      expect(await call(path, late)).toMatchObject({ points_earned: 0, why: [{ code: "rewards_off" }] });
      expect(await call(path, sold)).toMatchObject({ points_earned: 7, why: [{ code: "earned" }] });
    }
  });

  it("is the same with 0 points and 0 of the wallet as without them", async () => {
    const sold = { location_id: shop.locationId, amount: 1000 };
    const none = { use_points: 0, use_wallet: 0, eligible_amount: 0 };
    const [plain, zero] = [await shop.member(), await shop.member()];
    for (const path of ["/sp/sales/quote", "/sp/sales/record"]) {
      const call = path.endsWith("quote") ? shop.ask : shop.write;
      const {
        sale_id: _,
        reference_id: __,
        ...without
      } = await call(path, {
        ...sold,
        contact_id: plain,
        eligible_amount: 0,
      });
      expect(await call(path, { ...sold, contact_id: zero, ...none })).toMatchObject(without);
    }
    expect(await entriesOf(zero)).toEqual(["sale 1000 1000"]);
  });

  it("earns nothing while points are off, and they can't be spent", async () => {
    const contact_id = await shop.member();
    const { locationId: location_id } = shop;
    await shop.write("/sp/reward-points/adjust", { contact_id, points: 100, adjustment_type: "credit" });
    await shop.write("/sp/reward-settings/update", { enable_rp: false });
    const quote = await shop.ask("/sp/sales/quote", { contact_id, location_id, amount: 1000 });
    expect(quote).toMatchObject({
      points_earned: 0,
      why: [{ code: "rewards_off" }],
      usable: { points: 0, no_points: { code: "rewards_off" } },
    });
    for (const [path, body] of [
      ["/sp/sales/record", { location_id, amount: 1000, use_points: 10 }],
      ["/sp/reward-points/redeem", { points: 10 }],
    ] as const) {
      expect((await shop.rejected(path, { contact_id, ...body })).code).toBe("rewards_disabled");
    }
    await shop.write("/sp/reward-settings/update", { enable_rp: true });
  });
});

describe("a refund", () => {
  it("gives back what was paid, takes back what was earned, in any number of parts", async () => {
    const contact_id = await shop.member();
    const { locationId: location_id } = shop;
    await shop.write("/sp/wallet/adjust", {
      contact_id,
      location_id,
      amount: 1000,
      adjustment_type: "credit",
    });
    await shop.write("/sp/reward-points/adjust", { contact_id, points: 60, adjustment_type: "credit" });
    const before = await balances(contact_id);
    const { sale_id } = await sale(contact_id, 3333, { use_points: 60, use_wallet: 1000 });
    const first = await shop.write("/sp/sales/refund", { sale_id, location_id, amount: 1111 });
    expect(first).toMatchObject({ refunded: 1111, refundable: 2222, money_back: 677, wallet_back: 333 });
    const rest = await shop.write("/sp/sales/refund", { sale_id, location_id, reason: "All of it" });
    expect(rest).toMatchObject({ refunded: 2222, refundable: 0, points_owed: 0 });
    expect(first.money_back + rest.money_back).toBe(3333 - 300 - 1000);
    expect(await balances(contact_id)).toEqual(before);
    expect(await shop.rejected("/sp/sales/refund", { sale_id, location_id })).toEqual({
      code: "refund_exceeds_sale",
      details: { refundable: 0 },
    });
    const { refunds, full_refund } = await shop.ask("/sp/sales/get", { sale_id });
    expect(full_refund).toBeNull();
    expect(refunds).toMatchObject([
      { amount: 1111, reason: null },
      { amount: 2222, reason: "All of it" },
    ]);
  });

  it("twice at once refunds once", async () => {
    const contact_id = await shop.member();
    const { sale_id } = await sale(contact_id, 1000);
    const { locationId: location_id } = shop;
    const replies = await Promise.all(
      Array.from({ length: 4 }, () =>
        world.write("/sp/sales/refund", { sale_id, location_id }, shop.credentials),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await balances(contact_id)).toMatchObject({ points: 0, sales: 0, points_owed: 0 });
  });

  it("uses the rate of the sale, not today's", async () => {
    const contact_id = await shop.member();
    const { businessId: business_id, programId: program_id, locationId: location_id } = shop;
    const { sale_id } = await sale(contact_id, 1000);
    await operatorWrite(world, "/op/programs/update", { business_id, program_id, earn_points: 2 });
    const refunded = await shop.write("/sp/sales/refund", { sale_id, location_id });
    expect(refunded).toMatchObject({ points_clawed: 10, points_owed: 0, balances: { points: 0 } });
    await operatorWrite(world, "/op/programs/update", { business_id, program_id, earn_points: 1 });
  });

  it("is owed when the points are spent, and later points pay it", async () => {
    const contact_id = await shop.member();
    const { locationId: location_id } = shop;
    const { sale_id } = await sale(contact_id, 4000, { reference_id: "shoes" });
    const { redemption_id } = await shop.write("/sp/reward-points/redeem", { contact_id, points: 40 });
    const refunded = await shop.write("/sp/sales/refund", { sale_id, location_id });
    expect(refunded).toMatchObject({ points_clawed: 0, points_owed: 40, balances: { points: 0 } });
    expect(await sale(contact_id, 1500)).toMatchObject({ points_earned: 15, points_settled: 15 });
    expect(await balances(contact_id)).toMatchObject({ points: 0, points_owed: 25 });
    const reversed = await shop.write("/sp/reward-points/reverse", { redemption_id });
    expect(reversed).toMatchObject({ points_back: 40, balances: { points: 15 } });
    expect(await shop.rejected("/sp/reward-points/reverse", { redemption_id })).toEqual({
      code: "already_reversed",
      details: {},
    });
    expect(await balances(contact_id)).toMatchObject({ points: 15, points_owed: 0 });
  });

  it("is rejected for a sale of another business", async () => {
    const contact_id = await shop.member();
    const { sale_id } = await sale(contact_id, 1000);
    const location_id = world.home.locationIds[0];
    const reply = await world.write("/sp/sales/refund", { sale_id: sale_id + 1_000_000, location_id });
    expect(reply.body.error.code).toBe("sale_not_found");
    expect((await world.ask("/sp/sales/get", { sale_id: sale_id + 1_000_000 })).status).toBe(404);
  });
});

describe("the dates of points", () => {
  it("are kept by the clock: pending points mature, and points expire, on their days", async () => {
    const year = await makeSandbox(world, "2026-01-10 09:00:00");
    await year.rules({ pending_days: 14 });
    const contact_id = await year.member();
    const { locationId: location_id } = year;
    const sold = await year.write("/sp/sales/record", { contact_id, location_id, amount: 2000 });
    expect(sold).toMatchObject({
      points_earned: 20,
      points_pending: 20,
      matures_on: "2026-01-24",
      valid_through: "2026-07-31",
      balances: { points: 0 },
    });
    const of = () => year.ask("/sp/members/balances", { contact_id });
    expect(await of()).toMatchObject({
      points: 0,
      points_pending: [{ matures_on: "2026-01-24", points: 20 }],
      points_expiring: [],
    });
    expect(await year.advance("2026-01-23")).toBe(0);
    expect((await of()).points).toBe(0);
    expect(await year.advance("2026-02-01 12:00:00")).toBe(1);
    expect(await of()).toMatchObject({
      points: 20,
      points_amount: 100,
      points_pending: [],
      points_expiring: [{ valid_through: "2026-07-31", points: 20 }],
    });
    await year.write("/sp/reward-points/redeem", { contact_id, points: 5 });
    expect(await year.advance("2026-07-31 23:59:59")).toBe(0);
    expect((await of()).points).toBe(15);
    expect(await year.advance("2026-08-02")).toBe(1);
    expect(await of()).toMatchObject({ points: 0, points_expiring: [] });
    const entries = await year.ask("/sp/transactions/list", { contact_id });
    expect(entries.map(({ event_type, created_at }: Body) => `${event_type} ${created_at}`)).toEqual([
      "reward_points_expired 2026-08-01 00:00:00",
      "reward_points_redeemed 2026-02-01 12:00:00",
      "reward_points_earned 2026-01-24 00:00:00",
      "sale 2026-01-10 09:00:00",
    ]);
    expect(await year.ask("/sp/reward-points/list", { contact_id })).toEqual([]);
    const closed = await year.ask("/sp/reward-points/list", { contact_id, include_closed: true });
    expect(closed).toEqual([
      {
        source: "sale",
        sale_id: sold.sale_id,
        occasion_id: null,
        reference_id: sold.reference_id,
        earned_on: "2026-01-10",
        points: 20,
        clawed: 0,
        used: 5,
        expired: 15,
        left: 0,
        status: "closed",
        matures_on: "2026-01-24",
        valid_through: "2026-07-31",
      },
    ]);
    expect(Object.keys(closed[0])).toEqual(Object.keys((listPoints.output as TObject).properties));
    await expectValidLedger({ businessId: year.businessId } as never);
  });

  it("are the same to every reader, although the ledger has not caught up", async () => {
    const contact_id = await shop.member();
    await sale(contact_id, 1000);
    await world.sql`
      UPDATE points_lot SET expires_on = '2026-01-10' WHERE contact_id = ${contact_id}`;
    await sumDue(world.sql, shop.businessId);
    expect(await balances(contact_id)).toMatchObject({ points: 0, points_expiring: [] });
    expect(await shop.rejected("/sp/reward-points/redeem", { contact_id, points: 1 })).toMatchObject({
      code: "insufficient_balance",
    });
    expect(
      await shop.rejected("/sp/reward-points/adjust", { contact_id, points: 1, adjustment_type: "debit" }),
    ).toEqual({ code: "insufficient_balance", details: { balance: 0 } });
    const { businessId: business_id } = shop;
    const status = async () => (await asOperator(world, "/op/engine/status", { business_id })).body.data;
    expect(await status()).toMatchObject({ members_due: 1, oldest_due: "2026-01-10" });
    const settled = await operatorWrite(world, "/op/members/settle", { business_id, contact_id });
    expect(settled).toMatchObject({ entries: 1, balances: { points: 0 } });
    expect(await operatorWrite(world, "/op/members/settle", { business_id, contact_id })).toMatchObject({
      entries: 0,
    });
    expect(await status()).toMatchObject({ members_due: 0, oldest_due: null });
    expect(await entriesOf(contact_id)).toEqual([
      "sale 1000 1000",
      "reward_points_earned 10 10",
      "reward_points_expired -10 0",
    ]);
  });

  it("can be extended by the operator, and are never shortened", async () => {
    const other = await makeSandbox(world, "2026-01-10");
    const contact_id = await other.member();
    await other.write("/sp/sales/record", { contact_id, location_id: other.locationId, amount: 900 });
    const extend = (body: Body) =>
      operatorWrite(world, "/op/reward-points/extend", { business_id: other.businessId, ...body });
    const wanted = { due_before: "2026-12-31", valid_through: "2026-12-31" };
    const counted = { lots: 1, points: 9, remaining: 0 };
    expect(await extend({ ...wanted, dry_run: true })).toEqual(counted);
    expect(await extend(wanted)).toEqual(counted);
    expect(await extend(wanted)).toEqual({ lots: 0, points: 0, remaining: 0 });
    const endless = { business_id: other.businessId, ...wanted, valid_through: "9999-12-31" };
    const { body } = await asOperator(world, "/op/reward-points/extend", {
      ...endless,
      idempotency_key: nextKey(),
    });
    expect(body.error.details.errors).toMatchObject([{ field: "valid_through", code: "out_of_range" }]);
    await other.advance("2026-12-31");
    expect((await other.ask("/sp/members/balances", { contact_id })).points).toBe(9);
    await other.advance("2027-01-01");
    expect((await other.ask("/sp/members/balances", { contact_id })).points).toBe(0);
  });

  it("go by hand-made debits first to points without a date", async () => {
    const contact_id = await shop.member();
    await sale(contact_id, 1000);
    const adjust = (points: number, adjustment_type: string) =>
      shop.write("/sp/reward-points/adjust", { contact_id, points, adjustment_type });
    await adjust(30, "credit");
    await adjust(34, "debit");
    expect(await shop.ask("/sp/reward-points/list", { contact_id })).toMatchObject([{ left: 6, used: 4 }]);
    await adjust(5, "credit");
    expect(await shop.ask("/sp/reward-points/list", { contact_id })).toMatchObject([
      { source: "by_hand", left: 5 },
      { left: 6 },
    ]);
  });
});

describe("a list of sales", () => {
  it("has exact totals and pages, by day, location, member and reference", async () => {
    const store = await makeSandbox(world, "2026-03-01");
    const contacts = [await store.member(), await store.member()];
    const { location_id: second } = await operatorWrite(world, "/op/locations/create", {
      business_id: store.businessId,
      name: "Second",
    });
    const expected: { sale_id: number; sold_on: string }[] = [];
    for (let index = 0; index < 23; index++) {
      const sold_on = `2026-02-${String(10 + ((index * 7) % 9)).padStart(2, "0")}`;
      const { sale_id } = await store.write("/sp/sales/record", {
        contact_id: contacts[index % 2],
        location_id: index % 3 === 0 ? second : store.locationId,
        amount: 100 + index,
        sold_on,
        reference_id: `receipt-${index}`,
      });
      expected.push({ sale_id, sold_on });
    }
    expected.sort((one, other) =>
      one.sold_on === other.sold_on ? other.sale_id - one.sale_id : one.sold_on < other.sold_on ? 1 : -1,
    );
    const list = async (body: Body) => (await world.ask("/sp/sales/list", body, store.credentials)).body;
    const found: number[] = [];
    for (let page = 1; page <= 5; page++) {
      const { data, meta } = await list({ page, per_page: 5 });
      expect(meta.pagination.total).toBe(23);
      found.push(...data.map(({ sale_id }: Body) => sale_id));
    }
    expect(found).toEqual(expected.map(({ sale_id }) => sale_id));
    expect((await list({ page: 6, per_page: 5 })).data).toEqual([]);
    const days = { start_date: "2026-02-12", end_date: "2026-02-14" };
    const within = expected.filter(({ sold_on }) => sold_on >= "2026-02-12" && sold_on <= "2026-02-14");
    const ofDays = await list({ ...days, per_page: 100 });
    expect(ofDays.data.map(({ sale_id }: Body) => sale_id)).toEqual(within.map(({ sale_id }) => sale_id));
    expect((await list({ location_id: second })).meta.pagination.total).toBe(8);
    expect((await list({ contact_id: contacts[0] })).meta.pagination.total).toBe(12);
    expect((await list({ reference_id: "receipt-7" })).data).toMatchObject([{ amount: 107 }]);
    expect((await list({ reference_id: "receipt" })).data).toEqual([]);
  });

  it("say who paid which part, as the sale itself does", async () => {
    const store = await makeSandbox(world, "2026-03-01");
    const contact_id = await store.member();
    const { locationId: location_id } = store;
    const credit = { contact_id, adjustment_type: "credit" };
    await store.write("/sp/wallet/adjust", { ...credit, location_id, amount: 300 });
    await store.write("/sp/reward-points/adjust", { ...credit, points: 20 });
    const parts = { use_points: 20, use_wallet: 300 };
    const { sale_id } = await store.write("/sp/sales/record", {
      contact_id,
      location_id,
      amount: 1000,
      ...parts,
    });
    const [listed] = await store.ask("/sp/sales/list", { contact_id });
    expect(listed).toMatchObject({ points_used: 20, points_amount: 100, wallet_used: 300, amount_due: 600 });
    expect(await store.ask("/sp/sales/get", { sale_id })).toMatchObject(
      Object.fromEntries(Object.entries(listed).filter(([name]) => name !== "refunded")),
    );
  });
});
