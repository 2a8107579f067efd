/** Gift cards, over HTTP: sold with money, used in parts, refunded, lapsed on their day, and claimed; they earn nothing. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Sandbox;
let business: { business_id: number };
let location_id: number;
let year = 2026;
const nextYear = () => {
  year += 1;
  return year;
};

beforeAll(async () => {
  shop = await makeSandbox(world, "2026-03-02 10:00:00");
  business = { business_id: shop.businessId };
  location_id = shop.locationId;
  await shop.rules({ gift_validity: 1, gift_validity_period: "month" });
});

const issue = (amount: number) => shop.write("/sp/cards/issue", { location_id, kind: "gift", amount });
const walletOf = async (contact_id: number) =>
  (await shop.ask("/sp/members/balances", { contact_id })).wallet;
const pay = (contact_id: number, amount: number, use_wallet = amount) =>
  shop.write("/sp/sales/record", { contact_id, location_id, amount, use_wallet });
const refund = (sale_id: number, amount: number) =>
  shop.write("/sp/sales/refund", { sale_id, location_id, amount });
const entriesOf = async (contact_id: number) =>
  (await world.ask("/sp/transactions/list", { contact_id, per_page: 100 }, shop.credentials)).body.data;
const report = (on?: string) =>
  asOperator(world, "/op/reports/liabilities", { ...business, ...(on && { on }) }).then(
    ({ body }) => body.data,
  );
const expectVerified = async () => {
  for (const part of ["accounts", "entries", "points", "reports"]) {
    const { body } = await asOperator(world, "/op/ledger/verify", { ...business, part });
    expect(body.data.mismatches, part).toEqual([]);
  }
};

describe("a gift card", () => {
  it("pays in two parts, and a refund goes back to it", async () => {
    const { contact_id, card_code, valid_through } = await issue(5000);
    expect(valid_through).toBe("2026-04-02");
    await pay(contact_id, 3000);
    const second = await pay(contact_id, 2500, 2000);
    expect(second).toMatchObject({ wallet_used: 2000, amount_due: 500 });
    expect(await shop.ask("/sp/cards/balance", { card_code })).toMatchObject({
      ...{ kind: "gift", balances: { wallet: 0 }, valid_through },
    });
    await refund(second.sale_id, 2500);
    expect(await walletOf(contact_id)).toBe(2000);
  });

  it("is issued by an operator with others at once, all of them or none", async () => {
    const anonymous = async () => {
      const asked = { ...business, anonymous: true, per_page: 100 };
      return (await asOperator(world, "/op/cards/list", asked)).body;
    };
    const before = (await anonymous()).meta.pagination.total;
    const twenty = { ...business, location_id, kind: "gift", amount: 700, card_count: 20 };
    const request = { ...twenty, idempotency_key: "twenty" };
    const [first, again] = [
      await asOperator(world, "/op/cards/issue", request),
      await asOperator(world, "/op/cards/issue", request),
    ];
    expect(again.body.data).toEqual(first.body.data);
    const { data, meta } = await anonymous();
    expect(meta.pagination.total).toBe(before + 20);
    const newest: { card_code: string; wallet: number; contact_id: number }[] = data.slice(0, 20);
    expect(newest.map(({ wallet }) => wallet)).toEqual(newest.map(() => 700));
    expect(new Set(newest.map(({ contact_id }) => contact_id)).size).toBe(20);
    expect(newest.at(-1)?.card_code).toBe(first.body.data.card_code);
    const other = { ...twenty, idempotency_key: "others" };
    const problems: [Body, string][] = [
      [{ card_code: "LC 0004711" }, "validation_failed"],
      [{ card_count: 101 }, "validation_failed"],
      [{ amount: 900_000_001 }, "gift_card_limit_exceeded"],
    ];
    await shop.rules({ gift_maximum_amount: 900_000_000 });
    for (const [body, code] of problems)
      expect((await asOperator(world, "/op/cards/issue", { ...other, ...body })).body.error.code).toBe(code);
    await shop.rules({ gift_maximum_amount: null });
    expect((await anonymous()).meta.pagination.total).toBe(before + 20);
    expect(
      (await shop.rejected("/sp/cards/issue", { location_id, kind: "gift", amount: 1, card_count: 2 })).code,
    ).toBe("validation_failed");
    await expectVerified();
  });

  it("earns no points, stamps or tier, and gets none by hand", async () => {
    const { contact_id } = await issue(9000);
    expect(await pay(contact_id, 9000)).toMatchObject({
      ...{ points_earned: 0, stamp_cards: [], vouchers_granted: [], tier: { tier_id: null } },
    });
    const tries: [string, Body][] = [
      ["/sp/wallet/topup", { contact_id, location_id, amount: 100 }],
      ["/sp/reward-points/adjust", { contact_id, points: 5, adjustment_type: "credit" }],
      ["/sp/wallet/adjust", { contact_id, location_id, amount: 1, adjustment_type: "credit" }],
    ];
    for (const [path, body] of tries)
      expect((await shop.rejected(path, body)).code, path).toBe("gift_card_money_only");
    const tier = { ...business, name: "Silver", qualifying_sales: 1000, expiry: 6, expiry_period: "month" };
    const { tier_id } = await operatorWrite(world, "/op/tiers/create", tier);
    // Nor is it told what is missing for one.
    const ofPerson = await shop.ask("/sp/members/get", { contact_id: await shop.member() });
    expect(ofPerson.next_tier).toMatchObject({ tier_id });
    expect((await shop.ask("/sp/members/get", { contact_id })).next_tier).toBeNull();
    const assigned = { idempotency_key: "gift-tier", ...business, contact_id, tier_id };
    const { body } = await asOperator(world, "/op/members/assign-tier", assigned);
    expect(body.error.code).toBe("gift_card_money_only");
  });

  it("gets no past sales and vouchers of files, by its contact_id or its code", async () => {
    const { contact_id, card_code } = await issue(300);
    const claimed = await issue(400);
    const person = await shop.member();
    await shop.write("/sp/cards/claim", { card_code: claimed.card_code, contact_id: person });
    const sale = { sold_at: "2026-03-01T10:00:00", amount: 500 };
    const lines = [
      { ...sale, contact_id },
      { ...sale, card_code },
      { ...sale, contact_id: claimed.contact_id },
      { ...sale, card_code: claimed.card_code, amount: 600 },
    ].map((one, index) => ({ ...one, line: index + 1 }));
    const sales = await operatorWrite(world, "/op/imports/sales", { ...business, location_id, lines });
    expect(sales.imported).toBe(2);
    expect(sales.rejected).toMatchObject([
      { line: 1, field: "contact_id", code: "gift_card_money_only" },
      { line: 2, field: "card_code", code: "gift_card_money_only" },
    ]);
    const voucher = { ...business, campaign_name: "Hello", coupon_code: "HELLO", coupon_value: 100 };
    const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", voucher);
    const held = { line: 1, card_code, voucher_id, issued_on: "2026-03-01", reference_id: "V1" };
    const vouchers = await operatorWrite(world, "/op/imports/vouchers", { ...business, lines: [held] });
    expect(vouchers.rejected).toMatchObject([{ line: 1, field: "card_code", code: "gift_card_money_only" }]);
  });

  it("has money, and at most as much as the business allows", async () => {
    const without = await shop.rejected("/sp/cards/issue", { location_id, kind: "gift" });
    expect(without).toMatchObject({ code: "validation_failed", details: { errors: [{ field: "amount" }] } });
    await shop.rules({ gift_maximum_amount: 10_000 });
    expect(
      await shop.rejected("/sp/cards/issue", { location_id, kind: "gift", amount: 10_001 }),
    ).toMatchObject({
      ...{ code: "gift_card_limit_exceeded", details: { maximum: 10_000 } },
    });
    expect((await issue(10_000)).balance_after).toBe(10_000);
    await shop.rules({ gift_maximum_amount: null });
    expect((await issue(10_001)).balance_after).toBe(10_001);
  });

  it("that is blocked keeps its money, which another code gets", async () => {
    const { contact_id, card_code } = await issue(700);
    await shop.write("/sp/cards/block", { card_code });
    expect((await shop.rejected("/sp/cards/balance", { card_code })).code).toBe("card_blocked");
    expect(await walletOf(contact_id)).toBe(700);
    const next = await shop.write("/sp/cards/replace", { card_code });
    const { balances, kind } = await shop.ask("/sp/cards/balance", { card_code: next.card_code });
    expect([balances.wallet, kind]).toEqual([700, "gift"]);
  });

  it("becomes a member's by a claim, and its money then does not lapse", async () => {
    const { card_code } = await issue(800);
    const contact_id = await shop.member();
    await shop.write("/sp/cards/claim", { card_code, contact_id });
    await shop.advance(`${year}-06-01 10:00:00`);
    expect(await walletOf(contact_id)).toBe(800);
  });

  it("pays for its member after a claim, and refunds of what it paid go to the member", async () => {
    const { contact_id: from, card_code } = await issue(1000);
    const { sale_id } = await pay(from, 400);
    const contact_id = await shop.member();
    await shop.write("/sp/cards/claim", { card_code, contact_id });
    await refund(sale_id, 400);
    expect(await walletOf(contact_id)).toBe(1000);
    await expectVerified();
  });

  it("is not for a person, who gets cards of the other kinds", async () => {
    const body = { contact_id: await shop.member(), kind: "gift" };
    expect((await shop.rejected("/sp/cards/create", body)).code).toBe("validation_failed");
  });
});

describe("the money of gift cards", () => {
  it("lapses when the last day is over, by one entry and event that say so", async () => {
    await operatorWrite(world, "/op/businesses/update", { ...business, events_enabled: true });
    const { contact_id, card_code } = await issue(1500);
    await pay(contact_id, 500);
    await shop.advance(`${year}-07-01 23:59:00`);
    expect(await walletOf(contact_id)).toBe(1000);
    await shop.advance(`${year}-07-02 10:00:00`);
    expect((await shop.ask("/sp/cards/balance", { card_code })).balances.wallet).toBe(0);
    const [last] = await entriesOf(contact_id);
    expect(last).toMatchObject({ event_type: "wallet_adjustment", amount: -1000, balance_after: 0 });
    const told = await asOperator(world, "/op/transactions/list", { ...business, contact_id });
    expect(told.body.data[0].reason).toBe("The gift card has expired.");
    const { body } = await asOperator(world, "/op/events/list", {
      ...{ ...business, types: ["wallet.lapsed"], limit: 100 },
    });
    const own = body.data.events.filter(({ data }: { data: Body }) => data.contact_id === contact_id);
    expect(own).toMatchObject([
      { data: { amount: 1000, valid_through: `${year}-07-01`, balances: { wallet: 0 } } },
    ]);
    await expectVerified();
  });

  it("that a refund gives back after the last day stays", async () => {
    const { contact_id } = await issue(600);
    const { sale_id } = await pay(contact_id, 600);
    await shop.advance(`${year}-09-01 10:00:00`);
    await refund(sale_id, 600);
    await shop.advance(`${year}-12-01 10:00:00`);
    expect(await walletOf(contact_id)).toBe(600);
    expect((await pay(contact_id, 600)).wallet_used).toBe(600);
  });

  it("can't pay after the last day, also if nothing was settled yet", async () => {
    const { contact_id } = await issue(900);
    await world.sql`
      UPDATE account SET lapses_on = '2026-01-01' WHERE contact_id = ${contact_id} AND account = 'wallet'`;
    expect(await walletOf(contact_id)).toBe(0);
    const body = { contact_id, location_id, amount: 100 };
    expect(await shop.rejected("/sp/wallet/pay", body)).toMatchObject({ code: "insufficient_balance" });
    expect((await entriesOf(contact_id))[0]).toMatchObject({ amount: -900, balance_after: 0 });
    await expectVerified();
  });

  it("that has lapsed is not claimed, also if nothing was settled yet", async () => {
    const { contact_id: from, card_code } = await issue(900);
    await world.sql`
      UPDATE account SET lapses_on = '2026-01-01' WHERE contact_id = ${from} AND account = 'wallet'`;
    const before = await report();
    const contact_id = await shop.member();
    const claimed = await shop.write("/sp/cards/claim", { card_code, contact_id });
    expect([claimed.merged.wallet, claimed.balances.wallet]).toEqual([0, 0]);
    const after = await report();
    expect([before.wallet - after.wallet, before.wallet_gift_cards - after.wallet_gift_cards]).toEqual([
      900, 900,
    ]);
    await expectVerified();
  });

  it("is a line of its own of what the business owes, on each day", async () => {
    await shop.advance(`${nextYear()}-01-10 10:00:00`);
    const before = await report();
    const { contact_id } = await issue(4000);
    await pay(contact_id, 1000);
    const after = await report();
    const added = (name: string) => after[name] - before[name];
    expect([added("wallet"), added("wallet_gift_cards"), added("gift_cards")]).toEqual([3000, 3000, 1]);
    await shop.advance(`${year}-03-01 10:00:00`);
    const [lapsed, then] = [await report(), await report(`${year}-01-10`)];
    expect([then.wallet_gift_cards, then.gift_cards]).toEqual([after.wallet_gift_cards, after.gift_cards]);
    expect(after.wallet_gift_cards - lapsed.wallet_gift_cards).toBeGreaterThanOrEqual(3000);
    await expectVerified();
  });

  it("is reported as sold, used, ended and open, on some days and at their end", async () => {
    await shop.advance(`${nextYear()}-01-10 10:00:00`);
    const of = (from: string, through: string) => ({
      ...business,
      from: `${year}-${from}`,
      through: `${year}-${through}`,
    });
    const reported = async (from: string, through: string) =>
      (await asOperator(world, "/op/reports/gift-cards", of(from, through))).body.data;
    const start = await reported("01-10", "01-10");
    expect(start).toMatchObject({ from: `${year}-01-10`, sold: 0, used_amount: 0, ended_amount: 0 });
    const [used, given, , blank] = [await issue(1000), await issue(700), await issue(50), await issue(20)];
    const { sale_id } = await pay(used.contact_id, 900);
    await refund(sale_id, 300);
    await pay(blank.contact_id, 20);
    const contact_id = await shop.member();
    await shop.write("/sp/cards/claim", { card_code: given.card_code, contact_id });
    await pay(contact_id, 100);
    expect(await reported("01-10", "01-10")).toMatchObject({
      ...{ sold: 4, sold_amount: 1770, used_amount: 620, ended_amount: 700 },
      ...{ open: start.open + 2, open_amount: start.open_amount + 450 },
    });
    await shop.advance(`${year}-03-10 10:00:00`);
    const later = await reported("02-10", "03-10");
    expect(later).toMatchObject({ sold: 0, sold_amount: 0, used_amount: 0 });
    expect(later.ended_amount).toBeGreaterThanOrEqual(450);
    expect(later.open_amount).toBe(start.open_amount + 450 - later.ended_amount);
    const years = { ...of("03-10", "03-10"), from: "2020-01-01" };
    const whole = (await asOperator(world, "/op/reports/gift-cards", years)).body.data;
    expect(whole.open_amount).toBe(later.open_amount);
    expect(whole.sold_amount - whole.used_amount - whole.ended_amount).toBe(whole.open_amount);
    const { body } = await asOperator(world, "/op/reports/gift-cards", of("03-01", "02-01"));
    expect(body.error.details.errors).toMatchObject([{ field: "from", code: "out_of_range" }]);
  });

  it("changes no figure of a past day when it lapsed then and that is recorded later", async () => {
    await shop.advance(`${nextYear()}-03-10 10:00:00`);
    const { contact_id } = await issue(300);
    await shop.advance(`${year}-03-12 10:00:00`);
    await world.sql`
      UPDATE account SET lapses_on = ${`${year}-03-11`}::date WHERE contact_id = ${contact_id} AND account = 'wallet'`;
    const day = `${year}-03-11`;
    const past = async () => [
      (await asOperator(world, "/op/reports/gift-cards", { ...business, from: day, through: day })).body.data,
      await report(day),
    ];
    const before = await past();
    expect(before[0].open_amount).toBeGreaterThanOrEqual(300);
    const body = { contact_id, location_id, amount: 100 };
    expect(await shop.rejected("/sp/wallet/pay", body)).toMatchObject({ code: "insufficient_balance" });
    expect((await entriesOf(contact_id))[0]).toMatchObject({ amount: -300, balance_after: 0 });
    expect(await past()).toEqual(before);
  });

  it("is reported on a day that begins with the first of two midnights", async () => {
    const other = await makeSandbox(world, "2025-11-10 12:00:00", "America/Havana");
    await other.write("/sp/cards/issue", { location_id: other.locationId, kind: "gift", amount: 500 });
    // 00:30 for the first time.
    await world.sql`UPDATE ledger_entry SET created_at = '2025-11-02 04:30+00' WHERE business_id = ${other.businessId}`;
    const sold = async (day: string) => {
      const asked = { business_id: other.businessId, from: day, through: day };
      return (await asOperator(world, "/op/reports/gift-cards", asked)).body.data.sold;
    };
    expect([await sold("2025-11-01"), await sold("2025-11-02")]).toEqual([0, 1]);
  });

  it("is never negative: parts, refunds and what lapses add up in any life", async () => {
    const step = fc.record({
      what: fc.constantFrom("pay", "pay", "refund", "wait"),
      amount: fc.integer({ min: 1, max: 1500 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (life) => {
        await shop.advance(`${nextYear()}-01-10 10:00:00`);
        const card = await issue(2000);
        let left = 2000;
        let days = 0;
        let hasLapsed = false;
        const sales: { sale_id: number; rest: number }[] = [];
        for (const { what, amount } of life) {
          if (what === "wait") {
            days += 12;
            await shop.advance(
              new Date(Date.UTC(year, 0, 10 + days, 10)).toISOString().slice(0, 19).replace("T", " "),
            );
            // Valid through 10 February.
            if (!hasLapsed && days > 31) {
              hasLapsed = true;
              left = 0;
            }
          } else if (what === "pay") {
            const paid = Math.min(amount, left);
            if (paid === 0) continue;
            const { sale_id } = await pay(card.contact_id, paid);
            sales.push({ sale_id, rest: paid });
            left -= paid;
          } else {
            const sale = sales.find(({ rest }) => rest > 0);
            if (sale === undefined) continue;
            const back = Math.min(sale.rest, amount);
            await refund(sale.sale_id, back);
            sale.rest -= back;
            left += back;
          }
          expect(await walletOf(card.contact_id)).toBe(left);
        }
        const rows = await entriesOf(card.contact_id);
        const balances = rows
          .filter(({ event_type }: Body) => String(event_type).startsWith("wallet_"))
          .map((row: Body) => row.balance_after as number);
        expect(Math.min(...balances)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 6 },
    );
    await expectVerified();
  });
});
