/** The tiers of members: reached by sales, kept, renewed, lost and given, over HTTP and on the clock of a sandbox. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite, validSaleLine } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);
const operator = (path: string, body: Body) => operatorWrite(world, path, body);

let shop: Sandbox;
let silver: number;
let gold: number;

/** Silver by 100.00 and Gold by 300.00 in two months, for three months. */
beforeEach(async () => {
  shop = await makeSandbox(world, "2026-01-10");
  await shop.write("/sp/reward-settings/update", { rp_sales_calculation_period: 2 });
  silver = await makeTier({ name: "Silver", qualifying_sales: 10_000 });
  gold = await makeTier({ name: "Gold", qualifying_sales: 30_000 });
});

async function makeTier(tier: Body): Promise<number> {
  const validity = { expiry: 3, expiry_period: "month" };
  const { tier_id } = await operator("/op/tiers/create", {
    business_id: shop.businessId,
    ...validity,
    ...tier,
  });
  return tier_id;
}

const sell = (contact_id: number, amount: number, more: Body = {}) =>
  shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount, ...more });
const refund = (sale_id: number, more: Body = {}) =>
  shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...more });
const get = (contact_id: number) => shop.ask("/sp/members/get", { contact_id });
const tierOf = async (contact_id: number) => (await get(contact_id)).tier;
const assign = (contact_id: number, tier_id: number | null) =>
  operator("/op/members/assign-tier", { business_id: shop.businessId, contact_id, tier_id });

describe("a tier", () => {
  it("is reached by the sale that completes the sum, and every response says so", async () => {
    const contact_id = await shop.member();
    expect(await get(contact_id)).toMatchObject({
      tier: null,
      next_tier: {
        tier_id: silver,
        name: "Silver",
        qualifying_sales: 10_000,
        sales_now: 0,
        sales_missing: 10_000,
        reach_by: null,
      },
      keep_tier: null,
    });
    const first = await sell(contact_id, 6000);
    expect(first.tier).toEqual({ tier_id: null, name: null, valid_through: null, changed: false });
    await shop.advance("2026-02-20");
    expect((await get(contact_id)).next_tier).toMatchObject({
      sales_now: 6000,
      sales_missing: 4000,
      reach_by: "2026-03-09",
    });
    const quote = await shop.ask("/sp/sales/quote", {
      contact_id,
      location_id: shop.locationId,
      amount: 4000,
    });
    const reached = { tier_id: silver, name: "Silver", valid_through: "2026-05-20", changed: true };
    expect(quote.tier).toEqual(reached);
    expect(await tierOf(contact_id)).toBeNull();
    const second = await sell(contact_id, 4000);
    expect(second.tier).toEqual(reached);
    expect(second.why).toContainEqual({ code: "tier_reached", tier_id: silver, text: "New tier: Silver" });
    expect(await get(contact_id)).toMatchObject({
      tier: {
        tier_id: silver,
        name: "Silver",
        since: "2026-02-20",
        valid_through: "2026-05-20",
        by_hand: false,
      },
      next_tier: { tier_id: gold, name: "Gold", sales_now: 10_000, sales_missing: 20_000 },
      // None of these sales counts any more when the tier ends.
      keep_tier: { sales_missing: 10_000, from: "2026-03-22", until: "2026-05-20" },
    });
    const found = await asOperator(world, "/op/members/get", { business_id: shop.businessId, contact_id });
    expect(found.body.data).toMatchObject({
      tier_id: silver,
      tier_name: "Silver",
      tier: { since: "2026-02-20" },
      next_tier: { tier_id: gold },
    });
    await expectValidLedger(shop);
  });

  it("is not reached by sales that no longer count", async () => {
    const contact_id = await shop.member();
    await sell(contact_id, 6000);
    await shop.advance("2026-03-09");
    expect((await get(contact_id)).next_tier.sales_now).toBe(6000);
    await shop.advance("2026-03-10");
    expect((await get(contact_id)).next_tier.sales_now).toBe(0);
    expect((await sell(contact_id, 4000)).tier.tier_id).toBeNull();
    expect((await sell(contact_id, 9000, { sold_on: "2026-02-20" })).tier).toMatchObject({
      tier_id: silver,
      valid_through: "2026-06-10",
    });
  });

  it("is renewed when it ends if the sales suffice, and else is lost", async () => {
    const contact_id = await shop.member();
    await sell(contact_id, 30_000);
    await shop.advance("2026-04-01");
    await sell(contact_id, 30_000);
    expect(await get(contact_id)).toMatchObject({
      tier: { tier_id: gold, since: "2026-01-10", valid_through: "2026-04-10" },
      keep_tier: { sales_missing: 0, until: "2026-04-10" },
    });
    await shop.advance("2026-04-11");
    expect(await tierOf(contact_id)).toMatchObject({ since: "2026-01-10", valid_through: "2026-07-10" });
    await sell(contact_id, 12_000, { sold_on: "2026-04-10" });
    await shop.advance("2026-06-05");
    await sell(contact_id, 11_000);
    await shop.advance("2026-07-11");
    expect(await tierOf(contact_id)).toMatchObject({
      tier_id: silver,
      since: "2026-07-11",
      valid_through: "2026-10-11",
    });
    await shop.advance("2026-12-01");
    expect(await get(contact_id)).toMatchObject({ tier: null, next_tier: { tier_id: silver } });
    await expectValidLedger(shop);
  });

  it("falls by one step if the rules say so", async () => {
    await shop.rules({ tier_downgrade: "one_step" });
    const contact_id = await shop.member();
    await sell(contact_id, 30_000);
    await shop.advance("2026-04-11");
    expect(await tierOf(contact_id)).toMatchObject({ tier_id: silver, since: "2026-04-11" });
    await shop.advance("2026-07-12");
    expect(await tierOf(contact_id)).toBeNull();
  });

  it("is kept for the days of grace, and renewed at once by a sale in these days", async () => {
    await shop.rules({ tier_grace_days: 10 });
    const [late, lost] = [await shop.member(), await shop.member()];
    for (const contact_id of [late, lost]) await sell(contact_id, 10_000);
    await shop.advance("2026-04-15");
    expect(await get(late)).toMatchObject({
      tier: { tier_id: silver, valid_through: "2026-04-20" },
      keep_tier: { sales_missing: 10_000, until: "2026-04-20" },
    });
    expect((await sell(late, 10_000)).tier).toEqual({
      tier_id: silver,
      name: "Silver",
      valid_through: "2026-07-10",
      changed: false,
    });
    await shop.advance("2026-04-21");
    expect(await tierOf(late)).toMatchObject({ since: "2026-01-10", valid_through: "2026-07-10" });
    expect(await tierOf(lost)).toBeNull();
    await expectValidLedger(shop);
  });

  it("goes with the refund of the sale that reached it, and the earlier one comes back", async () => {
    const contact_id = await shop.member();
    await sell(contact_id, 10_000);
    await shop.advance("2026-01-20");
    const { sale_id } = await sell(contact_id, 25_000);
    expect((await tierOf(contact_id)).tier_id).toBe(gold);
    const part = await refund(sale_id, { amount: 4000 });
    expect(part.tier).toMatchObject({ tier_id: gold, changed: false });
    const rest = await refund(sale_id);
    expect(rest.tier).toEqual({
      tier_id: silver,
      name: "Silver",
      valid_through: "2026-04-10",
      changed: true,
    });
    expect(await tierOf(contact_id)).toMatchObject({ since: "2026-01-10", by_hand: false });
    await expectValidLedger(shop);
  });

  it("is what the rest reaches after refunds, in any parts and any order, also long afterwards", async () => {
    await operator("/op/tiers/update", { business_id: shop.businessId, tier_id: silver, expiry: 12 });
    const buy = async () => {
      const contact_id = await shop.member();
      return { contact_id, first: (await sell(contact_id, 18_000)).sale_id as number };
    };
    const members = [await buy(), await buy(), await buy(), await buy()] as const;
    await shop.advance("2026-01-20");
    for (const { contact_id } of members) {
      expect((await sell(contact_id, 14_000)).tier).toMatchObject({ tier_id: gold, changed: true });
    }
    const [whole, parts, late, low] = members;
    const silverFrom = (since: string, valid_through: string) => ({ tier_id: silver, since, valid_through });
    expect((await refund(whole.first)).tier).toEqual({
      tier_id: silver,
      name: "Silver",
      valid_through: "2027-01-20",
      changed: true,
    });
    expect((await refund(parts.first, { amount: 2000 })).tier).toMatchObject({
      tier_id: gold,
      changed: false,
    });
    expect((await refund(parts.first, { amount: 4000 })).tier).toMatchObject({ valid_through: "2027-01-10" });
    expect((await refund(parts.first)).tier).toMatchObject({ tier_id: silver, valid_through: "2027-01-20" });
    for (const { contact_id } of [whole, parts]) {
      expect(await tierOf(contact_id)).toMatchObject(silverFrom("2026-01-20", "2027-01-20"));
    }
    const { sale_id } = await sell(low.contact_id, 1000);
    await refund(low.first);
    await refund(sale_id);
    expect(await tierOf(low.contact_id)).toMatchObject(silverFrom("2026-01-20", "2027-01-20"));
    // Its sales have left the window, and it is Silver again because Gold has ended. Only their days decide.
    await shop.advance("2026-05-20");
    expect(await tierOf(late.contact_id)).toMatchObject(silverFrom("2026-01-10", "2027-01-10"));
    const refunded = await refund(late.first);
    expect(refunded.tier).toMatchObject({ tier_id: silver, valid_through: "2027-01-20", changed: false });
    await expectValidLedger(shop);
  });

  it("that a sale renewed in the days of grace is in these days again after its refund", async () => {
    await shop.rules({ tier_grace_days: 10 });
    const contact_id = await shop.member();
    await sell(contact_id, 10_000);
    await shop.advance("2026-04-15");
    const before = await get(contact_id);
    const { sale_id, tier } = await sell(contact_id, 12_000);
    expect(tier.valid_through).toBe("2026-07-10");
    expect((await refund(sale_id, { amount: 2000 })).tier.valid_through).toBe("2026-07-10");
    expect((await refund(sale_id)).tier).toMatchObject({ valid_through: "2026-04-20", changed: false });
    expect(await get(contact_id)).toEqual(before);
    await shop.advance("2026-04-21");
    expect(await tierOf(contact_id)).toBeNull();
    await expectValidLedger(shop);
  });

  it("that was promised comes back after a renewal and a tier by hand, and is what a refund leaves of it", async () => {
    await operator("/op/tiers/update", { business_id: shop.businessId, tier_id: silver, expiry: 12 });
    const [kept, refunded] = [await shop.member(), await shop.member()];
    const sales: number[] = [];
    for (const contact_id of [kept, refunded]) sales.push((await sell(contact_id, 10_000)).sale_id);
    await shop.advance("2026-01-20");
    for (const contact_id of [kept, refunded]) await sell(contact_id, 30_000);
    await shop.advance("2026-04-10");
    for (const contact_id of [kept, refunded]) await sell(contact_id, 30_000);
    await shop.advance("2026-05-01");
    expect(await tierOf(kept)).toMatchObject({
      tier_id: gold,
      since: "2026-01-20",
      valid_through: "2026-07-20",
    });
    for (const contact_id of [kept, refunded]) await assign(contact_id, gold);
    await refund(sales[1] as number);
    await shop.advance("2026-08-10");
    expect(await tierOf(kept)).toMatchObject({
      tier_id: silver,
      since: "2026-01-10",
      valid_through: "2027-01-10",
    });
    expect(await tierOf(refunded)).toBeNull();
    await expectValidLedger(shop);
  });

  it("stays after a refund if the rules say so, or if it was given by hand", async () => {
    const [bought, given] = [await shop.member(), await shop.member()];
    await assign(given, silver);
    const sales = [await sell(bought, 10_000), await sell(given, 10_000)];
    await shop.rules({ tier_after_refund: "keep" });
    expect((await refund(sales[0].sale_id)).tier.tier_id).toBe(silver);
    await shop.rules({ tier_after_refund: "recalculate" });
    expect((await refund(sales[1].sale_id)).tier.tier_id).toBe(silver);
    expect(await tierOf(given)).toMatchObject({ by_hand: true, valid_through: "2026-04-10" });
  });

  it("that was given by hand can be raised by sales, and ends like any other", async () => {
    const contact_id = await shop.member();
    expect(await assign(contact_id, silver)).toMatchObject({
      tier_id: silver,
      valid_through: "2026-04-10",
    });
    expect((await sell(contact_id, 12_000)).tier).toMatchObject({ tier_id: silver, changed: false });
    const { sale_id, tier } = await sell(contact_id, 20_000);
    expect(tier).toMatchObject({ tier_id: gold, changed: true });
    expect((await refund(sale_id)).tier).toMatchObject({ tier_id: silver, changed: true });
    expect(await tierOf(contact_id)).toMatchObject({ by_hand: true });
    await shop.advance("2026-04-11");
    expect(await tierOf(contact_id)).toBeNull();
    await assign(contact_id, gold);
    expect((await assign(contact_id, null)).valid_through).toBeNull();
    expect(await tierOf(contact_id)).toBeNull();
  });

  it("decides by its program what the next sale earns", async () => {
    const { businessId: business_id } = shop;
    const program = { membership_name: "Gold Club", maximum_points_per_order: 1000, earn_amount: 100 };
    const { program_id } = await operator("/op/programs/create", {
      business_id,
      ...program,
      earn_points: 2,
    });
    await operator("/op/tiers/update", { business_id, tier_id: silver, program_id });
    const contact_id = await shop.member();
    const first = await sell(contact_id, 10_000);
    expect(first).toMatchObject({ points_earned: 50, tier: { tier_id: silver, changed: true } });
    const quote = await shop.ask("/sp/sales/quote", {
      contact_id,
      location_id: shop.locationId,
      amount: 1000,
    });
    expect(quote.program).toEqual({ program_id, membership_name: "Gold Club" });
    expect((await sell(contact_id, 1000)).points_earned).toBe(20);
    await operator("/op/programs/delete", { business_id, program_id });
    expect((await sell(contact_id, 1000)).points_earned).toBe(10);
  });

  it("is listed with the number of its members, by the sales that it needs", async () => {
    const { businessId: business_id } = shop;
    const byHand = { business_id, name: "Staff", expiry: 1, expiry_period: "year" };
    await operator("/op/tiers/create", byHand);
    const last = await operator("/op/tiers/create", { ...byHand, name: "Bronze", qualifying_sales: 1 });
    const listed = async (): Promise<Body[]> =>
      (await asOperator(world, "/op/tiers/list", { business_id, count_members: true })).body.data;
    const before = await listed();
    expect(before.map(({ name }) => name)).toEqual(["Bronze", "Silver", "Gold", "Staff"]);
    await sell(await shop.member(), 30_000);
    const after = before.map((tier) =>
      tier.name === "Gold" ? { ...tier, members: Number(tier.members) + 1 } : tier,
    );
    expect(await listed()).toEqual(after);
    expect(before.find(({ name }) => name === "Staff")?.members).toBe(0);
    await operator("/op/tiers/delete", { business_id, tier_id: last.tier_id });
  });

  it("that is deleted leaves its members with the tier that they qualify for", async () => {
    const contact_id = await shop.member();
    await sell(contact_id, 30_000);
    await shop.advance("2026-02-01");
    await operator("/op/tiers/delete", { business_id: shop.businessId, tier_id: gold });
    await shop.advance("2026-02-10");
    expect(await tierOf(contact_id)).toMatchObject({
      tier_id: silver,
      since: "2026-02-01",
      valid_through: "2026-05-01",
    });
    expect((await sell(contact_id, 100)).tier).toMatchObject({ tier_id: silver, changed: false });
    expect(await tierOf(contact_id)).toMatchObject({ since: "2026-02-01" });
    await expectValidLedger(shop);
  });
});

it("two tiers can't need the same sales, also at the same time", async () => {
  const { businessId: business_id } = shop;
  const tier = { business_id, name: "Other", expiry: 1, expiry_period: "year", qualifying_sales: 10_000 };
  const call = (path: string, body: Body) =>
    asOperator(world, path, { idempotency_key: `same-${Math.random()}`, ...body });
  const rejected = { error: { code: "validation_failed", details: { errors: [expect.anything()] } } };
  expect((await call("/op/tiers/create", tier)).body).toMatchObject(rejected);
  const update = { business_id, tier_id: gold, qualifying_sales: 10_000 };
  expect((await call("/op/tiers/update", update)).body).toMatchObject(rejected);
  expect((await call("/op/tiers/update", { ...update, tier_id: silver })).body.success).toBe(true);
  const responses = await Promise.all(
    ["A", "B", "C"].map((name) => call("/op/tiers/create", { ...tier, name, qualifying_sales: 7 })),
  );
  expect(responses.filter(({ body }) => body.success)).toHaveLength(1);
  const missing = await call("/op/tiers/update", { business_id, tier_id: silver, program_id: 999_999 });
  expect(missing.body.error.code).toBe("program_not_found");
});

it("imported sales count once, and settle what ended before", async () => {
  const [contact_id, other] = [await shop.member(), await shop.member()];
  await sell(other, 10_000);
  await shop.advance("2026-05-01");
  const lines = [
    validSaleLine(1, { contact_id, sold_at: "2026-04-10", amount: 6000, reference_id: "A-1" }),
    validSaleLine(2, { contact_id, sold_at: "2026-04-20", amount: 5000, reference_id: "A-2" }),
    validSaleLine(3, { contact_id, sold_at: "2025-04-20", amount: 50_000, reference_id: "A-3" }),
    validSaleLine(4, { contact_id: other, sold_at: "2026-03-20", amount: 10_000, reference_id: "A-4" }),
  ];
  const importSales = (more: Body = {}) =>
    operator("/op/imports/sales", { business_id: shop.businessId, lines, ...more });
  expect(await importSales()).toMatchObject({ imported: 4 });
  expect(await tierOf(contact_id)).toMatchObject({
    tier_id: silver,
    since: "2026-05-01",
    valid_through: "2026-08-01",
  });
  // Without the import, it lost the tier on 11 April.
  expect(await tierOf(other)).toMatchObject({ tier_id: silver, since: "2026-05-01" });
  const later = { earn: true, earn_imported: true, location_id: shop.locationId };
  expect(await importSales(later)).toMatchObject({ imported: 0, skipped: 4, points_added: 4 });
  expect((await get(contact_id)).next_tier.sales_now).toBe(11_000);
  await expectValidLedger(shop);
});

describe("the job", () => {
  it("gives the same responses as no job: a sandbox in one step, in many, and one that never settles", async () => {
    const members = [await shop.member(), await shop.member(), await shop.member()];
    const [once, often, never] = members as [number, number, number];
    for (const contact_id of members) await sell(contact_id, 30_000);
    await shop.advance("2026-03-20");
    for (const contact_id of members) await sell(contact_id, 12_000);
    const kept = await world.sql`
      SELECT * FROM member_due WHERE business_id = ${shop.businessId} AND contact_id = ${never}`;
    expect(kept).toContainEqual(expect.objectContaining({ event: "tier_ends" }));
    // Without its row, the clock passes the member by, as if the job had not run.
    await world.sql`
      DELETE FROM member_due WHERE business_id = ${shop.businessId} AND contact_id = ${never} AND event = 'tier_ends'`;
    for (const to of ["2026-04-12", "2026-05-30", "2026-09-01"]) {
      await shop.advance(to);
      await operator("/op/members/settle", { business_id: shop.businessId, contact_id: often });
      const responses = await Promise.all(
        members.map(async (contact_id) => {
          const { tier, next_tier, keep_tier } = await get(contact_id);
          return { tier, next_tier, keep_tier };
        }),
      );
      expect(responses[1]).toEqual(responses[0]);
      expect(responses[2]).toEqual(responses[0]);
    }
    expect(await tierOf(once)).toBeNull();
    expect((await sell(never, 30_000)).tier).toEqual((await sell(once, 30_000)).tier);
  });

  it("keeps to the days of tiers over three years", async () => {
    const [loyal, once] = [await shop.member(), await shop.member()];
    await sell(once, 30_000);
    for (let year = 2026; year < 2029; year += 1) {
      for (const month of ["01", "03", "05", "07", "09", "11"]) {
        if (`${year}-${month}-20` > "2026-01-20") await shop.advance(`${year}-${month}-20`);
        await sell(loyal, 10_000);
      }
    }
    await shop.advance("2029-01-10");
    expect(await tierOf(loyal)).toMatchObject({ tier_id: silver, since: "2026-01-10" });
    expect(await tierOf(once)).toBeNull();
    await shop.advance("2030-12-31");
    expect(await tierOf(loyal)).toBeNull();
    await expectValidLedger(shop);
  });
});

it("verification finds sales of days that do not add up to the balance", async () => {
  const contact_id = await shop.member();
  await sell(contact_id, 5000);
  await world.sql`
    UPDATE sales_day SET net = 4999 WHERE business_id = ${shop.businessId} AND contact_id = ${contact_id}`;
  const { body } = await asOperator(world, "/op/ledger/verify", {
    business_id: shop.businessId,
    part: "points",
  });
  expect(body.data.mismatches).toEqual([
    expect.objectContaining({ kind: "sales_by_day", contact_id, expected: "5000", found: "4999" }),
  ]);
});

it("erasure takes the tier away, and a refund afterwards lowers the sales of the day", async () => {
  const contact_id = await shop.member();
  const { sale_id } = await sell(contact_id, 10_000);
  const { businessId: business_id } = shop;
  await operator("/op/members/erase", { business_id, contact_id, reason: "asked for" });
  const { body } = await asOperator(world, "/op/members/export", { business_id, contact_id });
  expect(body.data.records).toMatchObject({
    sales_day: [{ day: "2026-01-10", net: 10_000 }],
    tier_standing: [{ tier_id: null, promised: [], before_refunds: [] }],
  });
  expect((await refund(sale_id)).tier.tier_id).toBeNull();
  await expectValidLedger(shop);
});
