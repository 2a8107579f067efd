/** Benefits, reward settings and programs, tiers and vouchers: what is changed, what stays, what is gone. */
import { beforeAll, describe, expect, it } from "vitest";
import { makeRecords } from "../support/requests.ts";
import { type Business, useWorld } from "../support/world.ts";

const world = useWorld();

describe("a top-up benefit", () => {
  const path = "/sp/wallet/topup-benefits";
  let location_id: number;
  beforeAll(() => {
    [location_id] = world.home.locationIds;
  });
  const create = async (fields: object = {}) => {
    const body = { title: "Top up 50", amount: 5000, location_id, ...fields };
    return (await world.write(`${path}/create`, body)).body.data;
  };

  it("is active and without a bonus unless it says otherwise", async () => {
    expect(await create()).toEqual({
      benefit_id: expect.any(Number),
      title: "Top up 50",
      amount: 5000,
      promo_amount: 0,
      status: "active",
    });
    expect(await create({ promo_amount: 7, status: "inactive" })).toMatchObject({
      promo_amount: 7,
      status: "inactive",
    });
  });

  it("may be made twice with the same title", async () => {
    const [first, second] = [await create(), await create()];
    expect(second.benefit_id).not.toBe(first.benefit_id);
  });

  it.each([{ title: "Top up more" }, { promo_amount: 0 }, { promo_amount: 9 }, { status: "active" }])(
    "keeps what an update does not mention: %j",
    async (change) => {
      const { benefit_id, amount: _, ...before } = await create({ promo_amount: 5, status: "inactive" });
      const { status, body } = await world.write(`${path}/update`, { benefit_id, ...change });
      expect(status).toBe(200);
      expect(body.data).toEqual({ benefit_id, ...before, ...change });
      const [row] = await world.sql`
        SELECT title, amount, promo_amount, status, location_id FROM topup_benefit
        WHERE benefit_id = ${benefit_id}`;
      expect(row).toEqual({ ...before, ...change, amount: 5000, location_id });
    },
  );

  it("is never changed in its amount or location", async () => {
    const { benefit_id } = await create();
    for (const field of ["amount", "location_id"]) {
      const { body } = await world.write(`${path}/update`, { benefit_id, [field]: 1, title: "New" });
      expect(body.error.details.errors).toMatchObject([{ field, code: "unknown_field" }]);
    }
  });
});

describe("the reward settings", () => {
  const path = "/sp/reward-settings/update";
  let business: Business;
  beforeAll(async () => {
    business = await world.business("With settings", "UTC");
  });

  it("exist before anyone set them, and keep what an update does not mention", async () => {
    const defaults = {
      enable_rp: false,
      rp_name: "Points",
      rp_sales_calculation_period: 12,
      rp_sales_calculation_period_type: "month",
    };
    const changes = [
      { enable_rp: true },
      { rp_name: "Stars" },
      { rp_sales_calculation_period: 1 },
      { rp_sales_calculation_period_type: "year" },
      { enable_rp: false },
    ];
    const settings = { ...defaults };
    for (const change of changes) {
      Object.assign(settings, change);
      const { status, body } = await world.write(path, change, business.everywhere);
      expect(status).toBe(200);
      expect(body.data).toEqual(settings);
    }
  });
});

describe("a reward program", () => {
  it.each([
    { membership_name: "Platinum" },
    { maximum_points_per_order: 0 },
    { maximum_points_per_order: 7 },
  ])("keeps what an update does not mention: %j", async (change) => {
    const { programId, everywhere } = await world.business("With a program", "UTC");
    const body = { program_id: programId, ...change };
    const reply = await world.write("/sp/reward-programs/update", body, everywhere);
    expect(reply.body.data).toEqual({
      program_id: programId,
      membership_name: "Club",
      maximum_points_per_order: 500,
      ...change,
    });
  });
});

describe("a member tier", () => {
  const list = async () => (await world.ask("/sp/member-tiers/list", {})).body.data;
  const newTier = async () => (await makeRecords(world, world.home)).tier_id;

  it.each([{ name: "Diamond" }, { expiry: 1 }, { expiry_period: "day" }])(
    "keeps what an update does not mention: %j",
    async (change) => {
      const tier_id = await newTier();
      const changed = { tier_id, name: "Bronze", expiry: 6, expiry_period: "month", ...change };
      const { body } = await world.write("/sp/member-tiers/update", { tier_id, ...change });
      expect(body.data).toEqual(changed);
      expect(await list()).toContainEqual(changed);
    },
  );

  it("is gone once it was deleted: from the list, for an update and for another deletion", async () => {
    const tier_id = await newTier();
    const others = (await list()).filter((tier: { tier_id: number }) => tier.tier_id !== tier_id);
    const deleted = await world.write("/sp/member-tiers/delete", { tier_id });
    expect(deleted.body.data).toEqual({ tier_id, deleted: true });
    expect(await list()).toEqual(others);
    const again = await world.write("/sp/member-tiers/delete", { tier_id });
    const changed = await world.write("/sp/member-tiers/update", { tier_id, name: "Back" });
    for (const { status, body } of [again, changed]) {
      expect(status).toBe(404);
      expect(body.error).toEqual({ code: "tier_not_found", details: {} });
    }
    expect(await list()).toEqual(others);
  });

  it("is deleted once when many ask at the same time", async () => {
    const tier_id = await newTier();
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => world.write("/sp/member-tiers/delete", { tier_id })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
  });

  it("is listed as long as there are any, and then the list is empty", async () => {
    const business = await world.business("With tiers", "UTC");
    const ask = async () =>
      (await world.ask("/sp/member-tiers/list", {}, business.everywhere)).body.data.map(
        ({ tier_id }: { tier_id: number }) => tier_id,
      );
    for (const [index, tier_id] of business.tierIds.entries()) {
      expect(await ask()).toEqual(business.tierIds.slice(index));
      await world.write("/sp/member-tiers/delete", { tier_id }, business.everywhere);
    }
    expect(await ask()).toEqual([]);
  });
});

describe("a voucher", () => {
  it.each([
    ["everywhere", { campaign_name: "Summer", coupon_code: "SUMMER", coupon_value: 1000, archived: false }],
    ["archived", { campaign_name: "Old", coupon_code: "OLD", coupon_value: 500, archived: true }],
    ["first", { campaign_name: "First", coupon_code: "FIRST", coupon_value: 700, archived: false }],
  ] as const)("is returned whole, archived or tied to a location or neither: %s", async (which, voucher) => {
    const voucher_id = world.home.vouchers[which];
    const { body } = await world.ask("/sp/vouchers/get", { voucher_id });
    expect(body).toStrictEqual({
      success: true,
      message: "Voucher found.",
      data: { voucher_id, ...voucher },
      meta: {},
    });
  });
});
