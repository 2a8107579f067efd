/** No setting is dead: under two values of each, the same sales and days end differently. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { programs } from "../../src/database/catalog.ts";
import type { Connection } from "../../src/database/connection.ts";
import { updateSettings } from "../../src/database/engine/rules.ts";
import { ruleFields } from "../../src/operations/settings.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, makeOperatorRecords, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { transactionsOf, expectValidLedger } = importTools(world);

type Story = (shop: Sandbox, contact_id: number) => Promise<unknown>;

const sell = (shop: Sandbox, contact_id: number, amount: number, more: Body = {}) =>
  shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount, ...more });
const credit = (shop: Sandbox, contact_id: number, points: number) =>
  shop.write("/sp/reward-points/adjust", { contact_id, points, adjustment_type: "credit" });
const balances = (shop: Sandbox, contact_id: number) => shop.ask("/sp/members/balances", { contact_id });

const earned: Story = async (shop, contact_id) => (await sell(shop, contact_id, 9000)).points_earned;
const earnedBesidePoints: Story = async (shop, contact_id) => {
  await credit(shop, contact_id, 100);
  return (await sell(shop, contact_id, 4000, { use_points: 100 })).points_earned;
};
const paidByPoints: Story = async (shop, contact_id) => {
  await credit(shop, contact_id, 100);
  const use = { contact_id, location_id: shop.locationId, amount: 5000, use_points: 10 };
  const reply = await world.write("/sp/sales/record", use, shop.credentials);
  return reply.body.data?.points_amount ?? reply.body.error.details.reason;
};
const goodThrough: Story = async (shop, contact_id) => (await sell(shop, contact_id, 5000)).valid_through;
const pending: Story = async (shop, contact_id) => (await sell(shop, contact_id, 5000)).points_pending;
const owed: Story = async (shop, contact_id) => {
  const { sale_id } = await sell(shop, contact_id, 2000);
  await shop.write("/sp/reward-points/redeem", { contact_id, points: 20 });
  return (await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId })).points_owed;
};
const restored: Story = async (shop, contact_id) => {
  await sell(shop, contact_id, 2000);
  const { sale_id } = await sell(shop, contact_id, 1000, { use_points: 20 });
  await shop.advance("2026-09-01");
  await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId });
  return (await balances(shop, contact_id)).points_expiring;
};
const name: Story = async (shop, contact_id) => (await balances(shop, contact_id)).rp_name;

/** Two tiers, which are valid for a month. Sales of two months count for them. */
async function makeTiers({ businessId: business_id, write }: Sandbox): Promise<void> {
  await write("/sp/reward-settings/update", { rp_sales_calculation_period: 2 });
  for (const [tier, qualifying_sales] of [
    ["Silver", 10_000],
    ["Gold", 30_000],
  ] as const) {
    const validity = { expiry: 1, expiry_period: "month" };
    await operator("/op/tiers/create", { business_id, name: tier, qualifying_sales, ...validity });
  }
}
const tierLater: Story = async (shop, contact_id) => {
  await makeTiers(shop);
  await sell(shop, contact_id, 30_000);
  await shop.advance("2026-03-15");
  return (await sell(shop, contact_id, 1)).tier.name;
};
/** Two sales reach it together, six weeks apart. */
const tierOfWindow: Story = async (shop, contact_id) => {
  const { businessId: business_id } = shop;
  const validity = { expiry: 1, expiry_period: "month" };
  await operator("/op/tiers/create", { business_id, name: "Silver", qualifying_sales: 10_000, ...validity });
  await sell(shop, contact_id, 5000);
  await shop.advance("2026-02-25");
  return (await sell(shop, contact_id, 5000)).tier.name;
};
const tierAfterRefund: Story = async (shop, contact_id) => {
  await makeTiers(shop);
  const { sale_id } = await sell(shop, contact_id, 30_000);
  return (await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId })).tier.name;
};

type Setting = readonly [field: string, one: Body, other: Body, story: Story];

/** Of reward-settings/rules/update. */
const ruleCases: readonly Setting[] = [
  ["default_program_id", {}, { default_program_id: null }, earned],
  ["earn_on", { earn_on: "paid" }, { earn_on: "total" }, earnedBesidePoints],
  ["value_points", { value_points: 1 }, { value_points: 2 }, paidByPoints],
  ["value_amount", { value_amount: 5 }, { value_amount: 7 }, paidByPoints],
  ["redeem_minimum_points", { redeem_minimum_points: 10 }, { redeem_minimum_points: 11 }, paidByPoints],
  ["points_validity", { points_validity: 6 }, { points_validity: 7 }, goodThrough],
  [
    "points_validity_period",
    { points_validity_period: "month" },
    { points_validity_period: "year" },
    goodThrough,
  ],
  ["points_expiry_rounding", {}, { points_expiry_rounding: "day" }, goodThrough],
  ["pending_days", { pending_days: 0 }, { pending_days: 1 }, pending],
  ["clawback_shortfall", {}, { clawback_shortfall: "forgive" }, owed],
  ["restored_points_valid_days", {}, { restored_points_valid_days: 10 }, restored],
  ["tier_downgrade", {}, { tier_downgrade: "one_step" }, tierLater],
  ["tier_grace_days", {}, { tier_grace_days: 10 }, tierLater],
  ["tier_after_refund", {}, { tier_after_refund: "keep" }, tierAfterRefund],
];
const programCases: readonly Setting[] = [
  ["earn_points", { earn_points: 1 }, { earn_points: 0 }, earned],
  ["earn_amount", { earn_amount: 100 }, { earn_amount: 500 }, earned],
  ["earn_minimum_amount", { earn_minimum_amount: 9000 }, { earn_minimum_amount: 9001 }, earned],
  ["maximum_points_per_order", {}, { maximum_points_per_order: 49 }, earned],
];
const contractCases: readonly Setting[] = [
  ["enable_rp", { enable_rp: true }, { enable_rp: false }, earned],
  ["rp_name", { rp_name: "Stars" }, { rp_name: "Hearts" }, name],
  [
    "rp_sales_calculation_period",
    { rp_sales_calculation_period: 12 },
    { rp_sales_calculation_period: 1 },
    tierOfWindow,
  ],
  [
    "rp_sales_calculation_period_type",
    { rp_sales_calculation_period_type: "month" },
    { rp_sales_calculation_period_type: "day" },
    tierOfWindow,
  ],
];

async function endOf(set: (shop: Sandbox) => Promise<unknown>, story: Story): Promise<unknown> {
  const shop = await makeSandbox(world, "2026-01-10");
  await set(shop);
  return story(shop, await shop.member());
}
const operator = (path: string, body: Body) => operatorWrite(world, path, body);

describe("a setting acts:", () => {
  it("every rule is tried", () => {
    expect(ruleCases.map(([field]) => field).sort()).toEqual(Object.keys(ruleFields).sort());
  });

  it.each(ruleCases)("%s", async (_, one, other, story) => {
    const set = (rules: Body) => async (shop: Sandbox) =>
      Object.keys(rules).length > 0 && (await shop.rules(rules));
    expect(await endOf(set(one), story)).not.toEqual(await endOf(set(other), story));
  });

  it.each(programCases)("%s of a program", async (_, one, other, story) => {
    const set = (change: Body) => async (shop: Sandbox) => {
      const { businessId: business_id, programId: program_id } = shop;
      if (Object.keys(change).length > 0)
        await operator("/op/programs/update", { business_id, program_id, ...change });
    };
    expect(await endOf(set(one), story)).not.toEqual(await endOf(set(other), story));
  });

  it.each(contractCases)("%s", async (_, one, other, story) => {
    const set = (change: Body) => (shop: Sandbox) => shop.write("/sp/reward-settings/update", change);
    expect(await endOf(set(one), story)).not.toEqual(await endOf(set(other), story));
  });
});

it("settings as they come earn nothing, and write nothing but what was asked for", async () => {
  const business = await world.business("Inert", "Europe/Madrid");
  const contact_id = await world.member({}, business.everywhere);
  const [location_id] = business.locationIds;
  const write = async (path: string, body: Body, credentials = business.everywhere) =>
    (await world.write(path, { contact_id, ...body }, credentials)).body.data;
  await write("/sp/wallet/adjust", { location_id, amount: 500, adjustment_type: "credit" });
  const credited = { points: 7, adjustment_type: "credit" };
  expect(await write("/sp/reward-points/adjust", credited)).toEqual({
    contact_id,
    ...credited,
    balance_after: 7,
  });
  const { integration_id: integrationId, ...secrets } = await operator("/op/integrations/create", {
    business_id: business.businessId,
    name: "Till",
    scopes: ["wa.sales.write"],
    all_locations: true,
  });
  const till = { integrationId, client_id: secrets.client_id, client_secret: secrets.client_secret };
  expect(await write("/sp/sales/record", { location_id, amount: 900 }, till)).toMatchObject({
    points_earned: 0,
    points_pending: 0,
  });
  const entries = await transactionsOf(business, contact_id);
  expect(entries.map(({ event_type, amount }) => `${event_type} ${amount}`)).toEqual([
    "sale 900",
    "reward_points_adjustment 7",
    "wallet_adjustment 500",
  ]);
  await expectValidLedger(business);
});

it("takes a validity only with its period, and keeps what it had when one is missing", async () => {
  const { businessId: business_id } = await world.business("Validity", "UTC");
  const update = (rules: Body) =>
    asOperator(world, "/op/reward-settings/rules/update", {
      idempotency_key: nextKey(),
      business_id,
      ...rules,
    });
  const rejected = (field: string) => ({
    status: 422,
    body: { error: { details: { errors: [{ field, code: "required" }] } } },
  });
  expect(await update({ points_validity: 6 })).toMatchObject(rejected("points_validity_period"));
  expect(await update({ points_validity_period: "month" })).toMatchObject(rejected("points_validity"));
  const both = { points_validity: 6, points_validity_period: "month" };
  expect(await update(both)).toMatchObject({ status: 200, body: { data: both } });
  expect(await update({ points_validity: null })).toMatchObject(rejected("points_validity"));
  expect(await update({ points_validity: 7 })).toMatchObject({
    status: 200,
    body: { data: { ...both, points_validity: 7 } },
  });
});

describe("a program that is deleted while it becomes the default program", () => {
  /** Runs a request of an operator while another change is not committed yet. */
  const during = async (change: (tx: Connection) => Promise<unknown>, path: string, body: Body) => {
    const { reply } = await world.sql.begin(async (tx) => {
      await change(tx);
      const reply = asOperator(world, path, { idempotency_key: nextKey(), ...body });
      await sleep(300);
      return { reply };
    });
    return reply;
  };
  const makeProgram = async () => {
    const { business_id, spare_program_id: program_id } = await makeOperatorRecords(world, world.home);
    return { business_id, program_id };
  };

  it("is deleted after it, and is no longer the default", async () => {
    const program = await makeProgram();
    const setDefault = (tx: Connection) =>
      updateSettings(tx, program.business_id, { default_program_id: program.program_id });
    expect((await during(setDefault, "/op/programs/delete", program)).status).toBe(200);
    const { body } = await asOperator(world, "/op/reward-settings/rules/get", {
      business_id: program.business_id,
    });
    expect(body.data.default_program_id).toBeNull();
  });

  it("is not found if it was deleted before", async () => {
    const { business_id, program_id } = await makeProgram();
    const remove = (tx: Connection) => programs.remove(tx, business_id, program_id);
    const rules = { business_id, default_program_id: program_id };
    expect(await during(remove, "/op/reward-settings/rules/update", rules)).toMatchObject({
      status: 404,
      body: { error: { code: "program_not_found" } },
    });
  });
});
