/** No setting is dead: under two values of each, the same sales and days end differently. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { programs } from "../../src/database/catalog.ts";
import type { Connection } from "../../src/database/connection.ts";
import { updateSettings } from "../../src/database/engine/rules.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, makeOperatorRecords, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { transactionsOf, expectValidLedger } = importTools(world);
const operator = (path: string, body: Body) => operatorWrite(world, path, body);

/** What happens to a member. @param id of what was defined with the value, if the setting is a part of a definition */
type Story = (shop: Sandbox, contact_id: number, id: number) => Promise<unknown>;
/** Two values of a setting, or functions that make them. Undefined: as it is. */
type Case = readonly [one: unknown, other: unknown, story: Story];

const sell = (shop: Sandbox, contact_id: number, amount: number, more: Body = {}) =>
  shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount, ...more });
const credit = (shop: Sandbox, contact_id: number, points: number) =>
  shop.write("/sp/reward-points/adjust", { contact_id, points, adjustment_type: "credit" });
const balances = (shop: Sandbox, contact_id: number) => shop.ask("/sp/members/balances", { contact_id });
/** The field of the response to a write, or the code of its error. */
const tried = async (shop: Sandbox, path: string, body: Body, field = "balance_after") => {
  const { body: reply } = await world.write(path, body, shop.credentials);
  return reply.success ? reply.data[field] : reply.error.code;
};

const earned: Story = async (shop, contact_id) => (await sell(shop, contact_id, 9000)).points_earned;
const earnedByCard: Story = async (shop) => {
  const { contact_id } = await shop.write("/sp/cards/issue", { location_id: shop.locationId, kind: "app" });
  return (await sell(shop, contact_id, 9000)).points_earned;
};
const gift = (shop: Sandbox) => ({ location_id: shop.locationId, kind: "gift", amount: 5000 });
const giftThrough: Story = (shop) => tried(shop, "/sp/cards/issue", gift(shop), "valid_through");
const giftIssued: Story = (shop) => tried(shop, "/sp/cards/issue", gift(shop));
const earnedBesidePoints: Story = async (shop, contact_id) => {
  await credit(shop, contact_id, 100);
  return (await sell(shop, contact_id, 4000, { use_points: 100 })).points_earned;
};
const lines = [
  { sku: "mug", amount: 3000 },
  { category: "Gift Cards ", amount: 2000 },
];
const earnedByLines: Story = async (shop, contact_id) =>
  (await sell(shop, contact_id, 5000, { lines })).points_earned;
const payableByPoints: Story = async (shop, contact_id) => {
  await credit(shop, contact_id, 5000);
  const sale = { contact_id, location_id: shop.locationId, amount: 5000, lines };
  return (await shop.ask("/sp/sales/quote", sale)).usable.points;
};
const paidByPoints: Story = async (shop, contact_id) => {
  await credit(shop, contact_id, 100);
  const use = { contact_id, location_id: shop.locationId, amount: 5000, use_points: 10 };
  return tried(shop, "/sp/sales/record", use, "points_amount");
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
const programInQuote: Story = async (shop, contact_id) => {
  const sale = { contact_id, location_id: shop.locationId, amount: 100 };
  return (await shop.ask("/sp/sales/quote", sale)).program.membership_name;
};

const announced: Story = async (shop, contact_id) => {
  await operator("/op/businesses/update", { business_id: shop.businessId, events_enabled: true });
  await sell(shop, contact_id, 5000);
  await shop.advance("2026-09-01");
  const { events } = await shop.ask("/sp/events/list", { types: ["reward_points.expiring"] });
  return events.map(({ timestamp }: { timestamp: string }) => timestamp);
};

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
const tierReached =
  (field: "name" | "valid_through"): Story =>
  async (shop, contact_id) =>
    (await sell(shop, contact_id, 10_000)).tier[field];
/** The next sale after the one that reaches the tier. */
const earnedWithTier: Story = async (shop, contact_id) => {
  await sell(shop, contact_id, 10_000);
  return (await sell(shop, contact_id, 4000)).points_earned;
};

const issued = (shop: Sandbox, contact_id: number, voucher_id: number): Promise<Body> =>
  shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
const valueIssued: Story = async (shop, contact_id, id) => (await issued(shop, contact_id, id)).balance_after;
const voucherLapses: Story = async (shop, contact_id, id) =>
  (await issued(shop, contact_id, id)).valid_through;
const campaignShown: Story = async (shop, contact_id, id) => {
  await issued(shop, contact_id, id);
  return (await shop.ask("/sp/vouchers/list", { contact_id }))[0].campaign_name;
};
const redeemedByCode: Story = async (shop, contact_id, id) => {
  await issued(shop, contact_id, id);
  const till = { contact_id, location_id: shop.locationId, coupon_code: "SPRING" };
  return tried(shop, "/sp/vouchers/redeem", till);
};
const issuedLater: Story = (shop, contact_id, voucher_id) =>
  tried(shop, "/sp/vouchers/issue", { contact_id, voucher_id });
const boughtForPoints: Story = async (shop, contact_id, voucher_id) => {
  await credit(shop, contact_id, 1000);
  return tried(shop, "/sp/reward-points/redeem", { contact_id, voucher_id }, "points");
};
/** What a setting of a voucher needs besides it. */
function besideOf(change: Body): Body {
  const [field = ""] = Object.keys(change);
  if (field === "percent" || change.kind === "percent")
    return { kind: "percent", percent: 20, coupon_value: 0 };
  if (field === "most_amount") return { kind: "percent", percent: 20, coupon_value: 0 };
  if (field === "skus" || field === "categories") return { kind: "item", coupon_value: 0 };
  return ["most_per_member", "most_uses", "first_day", "last_day"].includes(field)
    ? { public_code: "SPRING 20" }
    : {};
}
const usedInSale: Story = async (shop, contact_id, id) => {
  const { held_voucher_id } = await issued(shop, contact_id, id);
  const sale = { contact_id, location_id: shop.locationId, amount: 5000, lines };
  return tried(shop, "/sp/sales/record", { ...sale, use_vouchers: [held_voucher_id] }, "voucher_amount");
};
const usedByCode: Story = (shop, contact_id) => {
  const sale = { contact_id, location_id: shop.locationId, amount: 5000, use_codes: ["spring20"] };
  return tried(shop, "/sp/sales/record", sale, "voucher_amount");
};
const usedTwice: Story = async (shop, contact_id, id) => {
  await usedByCode(shop, contact_id, id);
  return usedByCode(shop, contact_id, id);
};
const usedLater: Story = async (shop, contact_id, id) => {
  await shop.advance("2026-01-12");
  return usedByCode(shop, contact_id, id);
};
/** The till is at the first location of the business. */
const elsewhere = async ({ businessId: business_id }: Sandbox) =>
  (await operator("/op/locations/create", { business_id, name: "Elsewhere" })).location_id;

const toppedUp: Story = (shop, contact_id, benefit_id) =>
  tried(shop, "/sp/wallet/topup", { contact_id, location_id: shop.locationId, benefit_id });
const reasonOfTopup: Story = async (shop, contact_id, id) => {
  await toppedUp(shop, contact_id, id);
  const wanted = { business_id: shop.businessId, contact_id };
  return (await asOperator(world, "/op/transactions/list", wanted)).body.data[0].reason;
};

/** The member brings others. */
const bring = async (shop: Sandbox, contact_id: number) => {
  const { businessId: business_id } = shop;
  const occasion = { name: `Referred ${nextKey()}`, kind: "referred", points: 10 };
  await operator("/op/occasions/create", { business_id, ...occasion });
  const { referral_code } = await shop.write("/sp/referrals/code", { contact_id });
  return async () => {
    const friend = await shop.member();
    const status = await tried(shop, "/sp/referrals/create", { contact_id: friend, referral_code }, "status");
    return { friend, status };
  };
};
const broughtAndSold =
  (field: string): Story =>
  async (shop, contact_id) => {
    const { friend } = await (await bring(shop, contact_id))();
    await sell(shop, friend, 5000);
    return (await shop.ask("/sp/referrals/list", { contact_id: friend }))[0][field];
  };
const broughtTwo: Story = async (shop, contact_id) => {
  const bringOne = await bring(shop, contact_id);
  await bringOne();
  return (await bringOne()).status;
};

interface Group {
  /** The paths of the operations whose fields are settings. */
  readonly paths: RegExp;
  /** The number of the definition, which is no setting. */
  readonly id?: string;
  /** Gives a setting a value. @returns the id of what has it */
  readonly set: (shop: Sandbox, change: Body) => Promise<unknown>;
  readonly cases: Readonly<Record<string, Case>>;
}

/** Changes settings, if there is a change. */
const changed =
  (update: (shop: Sandbox, change: Body) => Promise<unknown>) => (shop: Sandbox, change: Body) =>
    Object.keys(change).length > 0 ? update(shop, change) : Promise.resolve();

/** Makes a definition that has the value from the start. */
const defined =
  (path: string, id: string, usual: (shop: Sandbox) => Body) =>
  async (shop: Sandbox, { archived, ...change }: Body) => {
    const business = { business_id: shop.businessId };
    const made = await operator(path, { ...business, ...usual(shop), ...change });
    const voucher = { ...business, voucher_id: made[id], archived };
    if (archived !== undefined) await operator("/op/vouchers/archive", voucher);
    return made[id];
  };

const groups: Readonly<Record<string, Group>> = {
  "the reward settings": {
    paths: /^\/(?:sp|op)\/reward-settings\/update$/,
    set: changed((shop, change) => shop.write("/sp/reward-settings/update", change)),
    cases: {
      enable_rp: [true, false, earned],
      rp_name: ["Stars", "Hearts", name],
      rp_sales_calculation_period: [12, 1, tierOfWindow],
      rp_sales_calculation_period_type: ["month", "day", tierOfWindow],
    },
  },
  "the rules": {
    paths: /^\/(?:sp|op)\/reward-settings\/rules\/update$/,
    set: changed((shop, change) =>
      shop.rules({
        ...("gift_validity" in change && { gift_validity_period: "month" }),
        ...("gift_validity_period" in change && { gift_validity: 2 }),
        ...change,
      }),
    ),
    cases: {
      default_program_id: [undefined, null, earned],
      earn_on: ["paid", "total", earnedBesidePoints],
      value_points: [1, 2, paidByPoints],
      value_amount: [5, 7, paidByPoints],
      redeem_minimum_points: [10, 11, paidByPoints],
      points_validity: [6, 7, goodThrough],
      points_validity_period: ["month", "year", goodThrough],
      points_expiry_rounding: [undefined, "day", goodThrough],
      pending_days: [0, 1, pending],
      clawback_shortfall: [undefined, "forgive", owed],
      restored_points_valid_days: [undefined, 10, restored],
      tier_downgrade: [undefined, "one_step", tierLater],
      tier_grace_days: [undefined, 10, tierLater],
      tier_after_refund: [undefined, "keep", tierAfterRefund],
      expiring_notice_days: [undefined, 5, announced],
      anonymous_cards_earn: [true, false, earnedByCard],
      referral_minimum_amount: [0, 9000, broughtAndSold("status")],
      referral_hold_days: [14, 3, broughtAndSold("ends_on")],
      referral_most_per_year: [10, 1, broughtTwo],
      gift_validity: [1, 2, giftThrough],
      gift_validity_period: ["month", "year", giftThrough],
      gift_maximum_amount: [null, 4999, giftIssued],
    },
  },
  "a program": {
    paths: /^\/(?:sp|op)\/(?:reward-)?programs\/(?:create|update)$/,
    id: "program_id",
    set: changed(({ businessId: business_id, programId: program_id }, change) =>
      operator("/op/programs/update", { business_id, program_id, ...change }),
    ),
    cases: {
      membership_name: ["Club", "Circle", programInQuote],
      earn_points: [1, 0, earned],
      earn_amount: [100, 500, earned],
      earn_minimum_amount: [9000, 9001, earned],
      maximum_points_per_order: [undefined, 49, earned],
      maximum_points_per_day: [null, 49, earned],
      maximum_points_per_month: [50, 48, earned],
      excluded_categories: [["gift cards"], [], earnedByLines],
      excluded_skus: [["MUG"], ["MUGS"], earnedByLines],
      excluded_from_payment: [["gift cards"], [], payableByPoints],
      rates: [[{ skus: ["mug"], earn_points: 1, earn_amount: 1000 }], [], earnedByLines],
    },
  },
  "a tier": {
    paths: /^\/(?:sp|op)\/(?:member-)?tiers\/(?:create|update)$/,
    id: "tier_id",
    set: defined("/op/tiers/create", "tier_id", () => ({
      name: "Silver",
      qualifying_sales: 10_000,
      expiry: 1,
      expiry_period: "month",
    })),
    cases: {
      name: ["Silver", "Bronze", tierReached("name")],
      expiry: [1, 2, tierReached("valid_through")],
      expiry_period: ["month", "year", tierReached("valid_through")],
      qualifying_sales: [10_000, 10_001, tierReached("name")],
      program_id: [null, makeProgram, earnedWithTier],
    },
  },
  "a voucher": {
    paths: /^\/(?:sp|op)\/vouchers\/(?:create|update|archive)$/,
    id: "voucher_id",
    set: (shop, change) =>
      defined("/op/vouchers/create", "voucher_id", () => ({
        campaign_name: "Spring",
        coupon_code: "SPRING",
        coupon_value: 500,
        points_price: 100,
        validity: 3,
        validity_period: "month",
        ...besideOf(change),
      }))(shop, change),
    cases: {
      campaign_name: ["Spring", "Summer", campaignShown],
      coupon_code: ["SPRING", "SUMMER", redeemedByCode],
      coupon_value: [500, 600, valueIssued],
      archived: [false, true, issuedLater],
      location_id: [null, elsewhere, redeemedByCode],
      points_price: [100, 200, boughtForPoints],
      validity: [3, 4, voucherLapses],
      validity_period: ["month", "week", voucherLapses],
      kind: ["value", "percent", usedInSale],
      percent: [20, 30, usedInSale],
      most_amount: [100, 200, usedInSale],
      skus: [["mug"], ["cup"], usedInSale],
      categories: [["gift cards"], ["tea"], usedInSale],
      minimum_amount: [0, 9000, usedInSale],
      public_code: ["SPRING 20", "AUTUMN 20", usedByCode],
      most_per_member: [1, 2, usedTwice],
      most_uses: [1, 2, usedTwice],
      first_day: [null, "2026-02-01", usedByCode],
      last_day: ["2026-01-11", "2026-01-12", usedLater],
    },
  },
  "a top-up benefit": {
    paths: /^\/(?:sp|op)\/(?:wallet\/)?topup-benefits\/(?:create|update)$/,
    id: "benefit_id",
    set: defined("/op/topup-benefits/create", "benefit_id", ({ locationId }) => ({
      title: "Top up 50, get 5",
      amount: 5000,
      promo_amount: 500,
      location_id: locationId,
    })),
    cases: {
      title: ["Top up 50, get 5", "Another title", reasonOfTopup],
      amount: [5000, 6000, toppedUp],
      promo_amount: [500, 0, toppedUp],
      status: ["active", "inactive", toppedUp],
      location_id: [undefined, elsewhere, toppedUp],
    },
  },
};

async function makeProgram({ businessId: business_id }: Sandbox): Promise<number> {
  const rate = { earn_points: 2, earn_amount: 100, maximum_points_per_order: 1000 };
  return (await operator("/op/programs/create", { business_id, membership_name: "Silver", ...rate }))
    .program_id;
}

/** The settings of a group, as operations declare them. */
function declaredSettings({ paths, id }: Group): string[] {
  const operations = [...partnerOperations, ...operatorOperations].filter(({ path }) => paths.test(path));
  expect(operations.length).toBeGreaterThan(0);
  const fields = operations.flatMap(({ input }) => Object.keys(input.properties));
  return [...new Set(fields)].filter((field) => field !== "business_id" && field !== id);
}

describe.each(Object.entries(groups))("of %s", (_, group) => {
  it("every setting is tried", () => {
    expect(Object.keys(group.cases).sort()).toEqual(declaredSettings(group).sort());
  });

  it.each(Object.entries(group.cases))("%s acts", async (field, [one, other, story]) => {
    const endWith = async (value: unknown) => {
      const shop = await makeSandbox(world, "2026-01-10");
      const given = typeof value === "function" ? await value(shop) : value;
      const id = await group.set(shop, given === undefined ? {} : { [field]: given });
      return story(shop, await shop.member(), id as number);
    };
    expect(await endWith(one)).not.toEqual(await endWith(other));
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
