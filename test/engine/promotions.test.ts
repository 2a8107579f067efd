/** Promotions over HTTP: what they give, what a refund leaves of it, what a till is told, and what makes one impossible. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
/** Tuesday, 13 January 2026, 15:30. */
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  await operatorWrite(world, "/op/programs/update", {
    business_id: shop.businessId,
    program_id: shop.programId,
    maximum_points_per_order: 1000,
    excluded_categories: ["gift cards"],
  });
});

const create = async (body: Body) => {
  const made = await operatorWrite(world, "/op/promotions/create", { business_id: shop.businessId, ...body });
  return made.promotion_id as number;
};
const step = (what: string, promotion_id: number, more: Body = {}) =>
  operatorWrite(world, `/op/promotions/${what}`, { business_id: shop.businessId, promotion_id, ...more });
const coffee = (quantity: number) => ({ category: "Coffee", quantity, amount: quantity * 500 });
const cake = { category: "cake", amount: 700 };
const saleOf = (contact_id: number, lines: readonly Body[], more: Body = {}) => ({
  ...{ contact_id, location_id: shop.locationId, lines },
  amount: lines.reduce((sum, { amount }) => sum + Number(amount), 0),
  ...more,
});
const pointsOf = async (body: Body) => (await shop.ask("/sp/sales/quote", body)).points_earned as number;
const problemsOf = async (body: Body, path = "create") => {
  const sent = { business_id: shop.businessId, idempotency_key: `k${Math.random()}`, ...body };
  const { body: reply } = await asOperator(world, `/op/promotions/${path}`, sent);
  const { errors = [] } = reply.error.details as { errors?: { message: string }[] };
  return [reply.error.code, ...errors.map(({ message }) => message)];
};

describe("a promotion", () => {
  it("gives what its quote said, explains it, and leaves what a refund leaves of its lines", async () => {
    const contact_id = await shop.member();
    const tuesdays = await create({
      ...{ name: "Double points on Tuesdays", weekdays: [2], from_time: "14:00", until_time: "17:00" },
      ...{ categories: ["COFFEE "], multiply: 200 },
    });
    const sale = saleOf(contact_id, [coffee(3), cake, { category: "gift cards", amount: 900 }]);
    const quoted = await shop.ask("/sp/sales/quote", sale);
    const promotion = {
      ...{ code: "promotion", promotion_id: tuesdays, name: "Double points on Tuesdays", points: 15 },
      text: "15 more points: Double points on Tuesda…",
    };
    const why = [
      { code: "earned", base: 2200, points: 22, text: "22 points for 22.00 EUR" },
      promotion,
      { code: "lines_excluded", amount: 900, text: "No points for 9.00 EUR" },
    ];
    expect(quoted).toMatchObject({ points_earned: 37, why });
    const { sale_id, points_earned } = await shop.write("/sp/sales/record", sale);
    expect(points_earned).toBe(37);
    await step("end", tuesdays);
    expect(await pointsOf(sale)).toBe(22);
    expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject({ points_earned: 37, why });
    const refund = (more: Body) =>
      shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...more });
    // A cake earned 7, a coffee 10, and the gift card nothing.
    expect(await refund({ lines: [{ line_no: 2 }] })).toMatchObject({ points_clawed: 7 });
    expect(await refund({ lines: [{ line_no: 1, quantity: 1 }] })).toMatchObject({ points_clawed: 10 });
    expect(await refund({ lines: [{ line_no: 3 }] })).toMatchObject({ points_clawed: 0 });
    expect(await refund({})).toMatchObject({ points_clawed: 20, balances: { points: 0 } });
    await expectValidLedger({ businessId: shop.businessId } as never);
  });

  it("acts by the time that the till says of a late sale, and by the rules of its day", async () => {
    const contact_id = await shop.member();
    await shop.advance("2026-01-14 09:00:00");
    const id = await create({ name: "Happy hour", from_time: "22:00", until_time: "02:00", points: 50 });
    const sale = saleOf(contact_id, [cake]);
    const late = { ...sale, sold_on: "2026-01-14" };
    expect(await pointsOf(sale)).toBe(7);
    expect(await shop.rejected("/sp/sales/quote", { ...late, sold_at: "09:06" })).toMatchObject({
      code: "validation_failed",
      details: { errors: [{ field: "sold_at", code: "out_of_range" }] },
    });
    expect(await pointsOf({ ...late, sold_at: "09:05" })).toBe(7);
    await shop.advance("2026-01-15 09:00:00");
    expect(await pointsOf({ ...late, sold_at: "22:00" })).toBe(57);
    expect(await pointsOf({ ...late, sold_at: "01:30" })).toBe(57);
    expect(await pointsOf({ ...late, sold_at: "02:00" })).toBe(7);
    // Without a time, nobody knows whether it was in these hours.
    expect(await pointsOf(late)).toBe(7);
    expect(await pointsOf({ ...sale, sold_on: "2026-01-13", sold_at: "22:30" })).toBe(7);
    await step("end", id);
  });

  it("is for the members of a tier, at some locations, and says what a sale lacks", async () => {
    const contact_id = await shop.member();
    const { businessId: business_id } = shop;
    const tier = { business_id, name: "Gold", expiry: 1, expiry_period: "year" };
    const { tier_id } = await operatorWrite(world, "/op/tiers/create", tier);
    const elsewhere = await operatorWrite(world, "/op/locations/create", { business_id, name: "Elsewhere" });
    const forGold = await create({ name: "Gold", tier_ids: [tier_id], points: 5, minimum_amount: 1000 });
    const away = await create({ name: "Away", location_ids: [elsewhere.location_id], points: 9 });
    expect(await pointsOf(saleOf(contact_id, [coffee(2)]))).toBe(10);
    await operatorWrite(world, "/op/members/assign-tier", {
      business_id,
      contact_id,
      tier_id,
    });
    expect(await pointsOf(saleOf(contact_id, [coffee(2)]))).toBe(15);
    const { why } = await shop.ask("/sp/sales/quote", saleOf(contact_id, [cake]));
    expect(why).toContainEqual({
      ...{
        code: "promotion_missed",
        promotion_id: forGold,
        name: "Gold",
        reason: "minimum_amount",
        needed: 1000,
      },
      text: "3.00 EUR more: Gold",
    });
    const idsOf = async (body: Body) =>
      ((await shop.ask("/sp/promotions/list", body)) as unknown as { promotion_id: number }[]).map(
        ({ promotion_id }) => promotion_id,
      );
    const stranger = await shop.member();
    expect(await idsOf({ location_id: shop.locationId })).toEqual([forGold]);
    expect(await idsOf({ location_id: shop.locationId, contact_id: stranger })).toEqual([]);
    expect(await idsOf({ contact_id })).toEqual([forGold, away]);
    // An integration that is limited to a location sees no other.
    const both = await create({
      name: "Both",
      points: 1,
      location_ids: [shop.locationId, elsewhere.location_id],
    });
    const till = await operatorWrite(world, "/op/integrations/create", {
      ...{ business_id, name: "Till", scopes: ["wa.rewards.read"], all_locations: false },
      location_ids: [shop.locationId],
    });
    const { body } = await world.ask("/sp/promotions/list", {}, till as never);
    const seen = body.data as { name: string; location_ids: number[]; in_words: string }[];
    expect(seen.map(({ name }) => name)).not.toContain("Away");
    expect(seen.find(({ name }) => name === "Both")).toMatchObject({
      ...{ location_ids: [shop.locationId], in_words: "1 more point, at some locations" },
    });
    expect(seen.find(({ name }) => name === "Gold")).toMatchObject({
      ...{ tier_ids: [tier_id], in_words: "5 more points, in tier Gold" },
    });
    for (const id of [forGold, away, both]) await step("end", id);
  });

  it("is paused, resumed, changed for later sales, and ended for good", async () => {
    const contact_id = await shop.member();
    const draft = await create({ name: "Autumn", points: 5, status: "draft" });
    const sale = saleOf(contact_id, [cake]);
    const worth: number[] = [await pointsOf(sale)];
    for (const [what, more] of [
      ["resume", {}],
      ["pause", {}],
      ["resume", {}],
      ["update", { points: null, multiply: 300 }],
      ["end", {}],
    ] as const) {
      await step(what, draft, more);
      worth.push(await pointsOf(sale));
    }
    expect(worth).toEqual([7, 12, 7, 12, 21, 7]);
    for (const what of ["pause", "resume", "end"])
      expect(await problemsOf({ promotion_id: draft }, what)).toEqual(["promotion_ended"]);
    expect(await problemsOf({ promotion_id: draft, points: 1 }, "update")).toEqual(["promotion_ended"]);
    // Its name is free again.
    await step("end", await create({ name: "autumn", points: 5 }));
  });

  it("can't be one that could never act, gives nothing or two things, or has the name of another", async () => {
    const taken = await create({ name: "Winter sale", points: 5 });
    const day = "2026-02-02";
    for (const [body, message] of [
      [{}, "multiply or points, voucher_id or stamp_card_id is required: what the promotion gives."],
      [
        { multiply: 200, points: 5 },
        "points must not be given together with multiply: leave one of them out, or null.",
      ],
      [
        { multiply: 200, per: "unit" },
        "per must be sale, because only fixed points are given for each unit.",
      ],
      [
        { points: 5, first_day: day, last_day: "2026-02-01" },
        `last_day must not be before first_day, ${day}.`,
      ],
      [{ points: 5, last_day: "2026-01-14" }, "last_day must not be before today, 2026-01-15."],
      [
        { points: 5, first_day: day, last_day: "2026-02-03", weekdays: [3, 4] },
        `weekdays must have one of 1, 2: only these are between ${day} and 2026-02-03.`,
      ],
      [
        // Of these days, only the Tuesday before today is one.
        { points: 5, first_day: "2026-01-12", last_day: "2026-01-16", weekdays: [2] },
        "weekdays must have one of 4, 5: only these are between 2026-01-15 and 2026-01-16.",
      ],
      [
        { points: 5, last_day: "2026-01-15", weekdays: [5] },
        "weekdays must be 4: only these are between 2026-01-15 and 2026-01-15.",
      ],
      [
        { points: 5, last_day: "2026-01-15", from_time: "08:00", until_time: "09:00" },
        "until_time must be after 09:00, the time now, because last_day is today.",
      ],
      [
        { points: 5, last_day: "2026-01-16", weekdays: [4], from_time: "08:00", until_time: "09:00" },
        "weekdays must be 5: only these are between 2026-01-16 and 2026-01-16.",
      ],
      [{ points: 5, from_time: "10:00" }, "until_time must be sent together with from_time."],
      [{ points: 5, until_time: "10:00" }, "from_time must be sent together with until_time."],
      [
        { points: 5, from_time: "10:00", until_time: "10:00" },
        "until_time must differ from from_time: the promotion would have no minutes.",
      ],
      [{ points: 5, name: " WINTER  sale" }, `name must differ from that of promotion ${taken}.`],
    ] as const)
      expect(await problemsOf({ name: "New", ...body })).toEqual(["validation_failed", message]);
    expect(await problemsOf({ promotion_id: taken, multiply: 200 }, "update")).toHaveLength(2);
    await step("pause", taken, {});
    await step("update", taken, { last_day: "2026-01-15" });
    await shop.advance("2026-01-16 09:00:00");
    expect(await problemsOf({ promotion_id: taken }, "resume")).toEqual([
      ...["validation_failed", "last_day must not be before today, 2026-01-16."],
    ]);
    await step("end", taken);
  });

  it("is rejected beside 200 others, and with too many articles together", async () => {
    const words = Array.from({ length: 100 }, (_, index) => `A-${index}`);
    await world.sql`
      INSERT INTO promotion (business_id, name, status, points, skus)
      SELECT ${shop.businessId}, 'Draft ' || n, 'draft', 1, CASE WHEN n <= 20 THEN ${words}::text[] ELSE '{}' END
      FROM generate_series(1, 199) AS n`;
    expect(await problemsOf({ name: "Another", points: 5, skus: ["A"] })).toEqual([
      "validation_failed",
      "categories must be fewer: promotions that have not ended can have 2000 categories and skus together.",
    ]);
    await create({ name: "The last", points: 5, status: "draft" });
    expect(await problemsOf({ name: "Another", points: 5 })).toEqual([
      "validation_failed",
      "name can't be added: 200 promotions have not ended, and there can't be more. End one first.",
    ]);
    await world.sql`UPDATE promotion SET status = 'ended' WHERE business_id = ${shop.businessId}`;
  });

  it("does not act on imported sales, and survives the erasure of its member", async () => {
    const { businessId: business_id } = shop;
    const contact_id = await shop.member();
    const id = await create({ name: "For all", points: 5 });
    const { sale_id } = await shop.write("/sp/sales/record", saleOf(contact_id, [cake]));
    await operatorWrite(world, "/op/members/erase", { business_id, contact_id, reason: "Asked for it" });
    const sale = await shop.ask("/sp/sales/get", { sale_id });
    expect(sale).toMatchObject({ points_earned: 12, why: [{ points: 7 }, { promotion_id: id, points: 5 }] });
    await step("end", id);
    await expectValidLedger({ businessId: business_id });
  });
});

describe("a promotion for some members", () => {
  const gives = (points: number, contact_id: number) =>
    expect(pointsOf(saleOf(contact_id, [cake]))).resolves.toBe(7 + points);
  const bornOn = (date_of_birth: string) => world.member({ ...newPerson(), date_of_birth }, shop.credentials);
  const buy = (contact_id: number) => shop.write("/sp/sales/record", saleOf(contact_id, [cake]));

  it("acts on the first sale of a member that is not wholly refunded", async () => {
    const id = await create({ name: "Welcome", member: "first_sale", points: 30 });
    const contact_id = await shop.member();
    await gives(30, contact_id);
    const { sale_id } = await buy(contact_id);
    await gives(0, contact_id);
    const back = { sale_id, location_id: shop.locationId };
    await shop.write("/sp/sales/refund", { ...back, amount: 100 });
    await gives(0, contact_id);
    await shop.write("/sp/sales/refund", back);
    await gives(30, contact_id);
    await step("end", id);
  });

  it("acts for those that joined lately, that come back, and that have their birthday", async () => {
    const today = "2026-03-01";
    await shop.advance(`${today} 09:00:00`);
    const ids = [
      await create({ name: "New", member: "new", member_days: 10, points: 1 }),
      await create({ name: "Back", member: "returning", member_days: 20, points: 10 }),
      await create({ name: "Birthday", member: "birthday", member_days: 2, points: 100 }),
    ];
    const [leap, newYear, unborn] = [
      await bornOn("2000-02-29"),
      await bornOn("2000-01-01"),
      await shop.member(),
    ];
    await gives(101, leap);
    await gives(1, newYear);
    await buy(unborn);
    await shop.advance("2026-03-11 09:00:00");
    await gives(1, unborn);
    await shop.advance("2026-03-12 09:00:00");
    await gives(0, unborn);
    await shop.advance("2026-03-21 09:00:00");
    await gives(0, unborn);
    await shop.advance("2026-03-22 09:00:00");
    await gives(10, unborn);
    await gives(0, leap);
    await shop.advance("2026-12-30 09:00:00");
    await gives(100, newYear);
    const on = await shop.ask("/sp/promotions/list", { contact_id: newYear });
    expect(on.map(({ name }: Body) => name)).toEqual(["Birthday"]);
    for (const id of ids) await step("end", id);
  });
});

describe("the limits of a promotion", () => {
  const buy = async (contact_id: number, more: Body = {}) => {
    const { sale_id, points_earned, why } = await shop.write(
      "/sp/sales/record",
      saleOf(contact_id, [cake], more),
    );
    const said = (why as readonly Body[]).map(
      ({ code, reason, text }) => reason ?? (code === "promotion" ? text : code),
    );
    return { sale_id, points: (points_earned as number) - 7, said };
  };
  const giveBack = (sale_id: unknown) =>
    shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId });
  const report = async (promotion_id: number) => {
    const asked = { business_id: shop.businessId, promotion_id, from: "2026-01-01", through: "2026-12-31" };
    return (await asOperator(world, "/op/promotions/report", asked)).body.data;
  };

  it("count its sales by member and day, and refunds give them back", async () => {
    const id = await create({
      ...{ name: "Twice", points: 5, most_per_member: 3, most_per_member_day: 2 },
    });
    const contact_id = await shop.member();
    expect((await buy(contact_id)).points).toBe(5);
    const second = await buy(contact_id);
    const third = await buy(contact_id);
    expect([second.points, third.points, third.said]).toEqual([5, 0, ["earned", "most_per_member_day"]]);
    await giveBack(second.sale_id);
    expect((await buy(contact_id)).points).toBe(5);
    await shop.advance("2026-12-31 09:00:00");
    const earlier = { sold_on: "2026-12-30", sold_at: "10:00" };
    expect((await buy(contact_id, earlier)).said).toEqual(["earned", "most_per_member_day"]);
    expect((await buy(contact_id)).points).toBe(5);
    expect(await buy(contact_id)).toMatchObject({ points: 0, said: ["earned", "most_per_member"] });
    const other = await shop.member();
    expect((await buy(other)).points).toBe(5);
    expect(await shop.ask("/sp/promotions/list", { contact_id })).toEqual([]);
    // The merged member has used it four times, with the other.
    await shop.write("/sp/members/merge", { from_contact_id: other, contact_id });
    expect((await buy(contact_id)).points).toBe(0);
    expect(await report(id)).toMatchObject({
      ...{
        members_reached: 1,
        sales_reached: 4,
        points_kept: 20,
        points_amount: 100,
        budget_points: null,
        budget_left: null,
      },
      days: [
        { day: "2026-12-30", sales: 3, sales_taken: 1, points: 15, points_taken: 5, sales_amount: 1400 },
        { day: "2026-12-31", sales: 2, sales_taken: 0, points: 10, points_taken: 0, sales_amount: 1400 },
      ],
    });
    await step("end", id);
    await expectValidLedger({ businessId: shop.businessId } as never);
  });

  it("are reported with what the sales brought, less their refunds", async () => {
    const id = await create({ name: "Fixed", points: 5 });
    const contact_id = await shop.member();
    const { sale_id } = await buy(contact_id);
    const broughtBy = async () => {
      const { days } = await report(id);
      return (days as { sales_amount: number }[]).map(({ sales_amount }) => sales_amount);
    };
    expect(await broughtBy()).toEqual([700]);
    await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, amount: 300 });
    expect(await broughtBy()).toEqual([400]);
    await giveBack(sale_id);
    expect(await broughtBy()).toEqual([0]);
    expect(await report(id)).toMatchObject({ sales_reached: 0, points_kept: 0 });
    await step("end", id);
  });

  it("never let it give more than its budget, also to many tills at once", async () => {
    const id = await create({ name: "Budget", points: 5, budget_points: 23 });
    const members = await Promise.all(Array.from({ length: 6 }, () => shop.member()));
    const bought = await Promise.all([...members, ...members].map((one) => buy(one)));
    expect(bought.map(({ points }) => points).filter((points) => points === 5)).toHaveLength(4);
    const late = bought.find(({ points }) => points === 0);
    expect(late?.said).toEqual(["earned", "budget_points"]);
    expect(await report(id)).toMatchObject({ points_kept: 20, budget_left: 3 });
    await giveBack(bought.find(({ points }) => points === 5)?.sale_id);
    expect(await report(id)).toMatchObject({ points_kept: 15, budget_left: 8 });
    expect((await buy(members[0] as number)).points).toBe(5);
    expect((await buy(members[0] as number)).points).toBe(0);
    await step("end", id);
    await expectValidLedger({ businessId: shop.businessId } as never);
  });

  it("are checked, and so are the days of members", async () => {
    const invalid = (body: Body) => problemsOf({ name: "Impossible", points: 5, ...body });
    expect(await invalid({ budget_points: 4 })).toEqual([
      "validation_failed",
      "budget_points must be at least 5, the points that the promotion gives at once.",
    ]);
    expect(await invalid({ points: 10, per: "unit", minimum_quantity: 10, budget_points: 99 })).toContain(
      "budget_points must be at least 100, the points that the promotion gives at once.",
    );
    expect(await invalid({ member: "new" })).toContain("member_days is required with member new.");
    expect(await invalid({ member: "returning", member_days: 0 })).toContain(
      "member_days must be at least 1 with member returning.",
    );
    expect(await invalid({ member_days: 7 })).toContain(
      "member_days must be null with member any, which has no days.",
    );
    expect(await invalid({ member: "birthday", member_days: 61 })).toContain(
      "member_days must be at most 60 with member birthday.",
    );
  });
});

it("acts on lines that some program counts, and has points for its smallest sale", async () => {
  const invalid = (body: Body) => problemsOf({ name: "Impossible", multiply: 200, ...body });
  const excluded =
    "categories must contain one that earns points by the programs of these members: none of these does.";
  expect(await invalid({ categories: [" GIFT cards"] })).toEqual(["validation_failed", excluded]);
  expect(await invalid({ minimum_amount: 1000, budget_points: 9 })).toEqual([
    "validation_failed",
    "budget_points must be at least 10, the points that the promotion gives on the smallest sale.",
  ]);
  const possible = await create({ name: "Possible", multiply: 200, minimum_amount: 1000, budget_points: 10 });
  expect(await problemsOf({ promotion_id: possible, categories: ["gift cards"] }, "update")).toEqual([
    "validation_failed",
    excluded,
  ]);
  await step("update", possible, { categories: ["gift cards", "coffee"] });
  expect(await pointsOf(saleOf(await shop.member(), [coffee(2)]))).toBe(20);
  // A tier's program can count what the others exclude, and earn less.
  const { businessId: business_id } = shop;
  const { program_id } = await operatorWrite(world, "/op/programs/create", {
    ...{ business_id, membership_name: "Collectors", maximum_points_per_order: 1000 },
    ...{ earn_points: 1, earn_amount: 500 },
  });
  const { tier_id } = await operatorWrite(world, "/op/tiers/create", {
    ...{ business_id, name: "Collector", expiry: 1, expiry_period: "year", program_id },
  });
  await step("update", possible, { categories: ["gift cards"], budget_points: 2 });
  const others = await operatorWrite(world, "/op/tiers/create", {
    ...{ business_id, name: "Others", expiry: 1, expiry_period: "year" },
  });
  expect(await problemsOf({ promotion_id: possible, tier_ids: [others.tier_id] }, "update")).toContain(
    excluded,
  );
  await step("update", possible, { tier_ids: [tier_id] });
  // The lines that count can be a small part of a sale, which the maximum of an order can cut.
  const change = (more: Body) =>
    operatorWrite(world, "/op/programs/update", { business_id, program_id, ...more });
  await change({ earn_amount: 100, earn_minimum_amount: 1000 });
  const small = { tier_ids: [tier_id], multiply: 200, budget_points: 4, status: "draft" };
  expect(await invalid(small)).toContain(
    "budget_points must be at least 10, the points that the promotion gives on the smallest sale.",
  );
  await step("end", await create({ name: "Small", ...small, categories: ["coffee"] }));
  await change({ maximum_points_per_order: 13 });
  await step("end", await create({ name: "Cut", ...small }));
  // A factor has nothing to multiply without a rate. A fixed number of points needs none.
  await change({ earn_points: 0, rates: [{ categories: ["fuel"], earn_points: 1, earn_per: "unit" }] });
  const coffees = { tier_ids: [tier_id], categories: ["coffee"] };
  expect(await invalid(coffees)).toEqual(["validation_failed", excluded]);
  await step("end", await create({ name: "Fixed", points: 3, ...coffees }));
  // A program that changes afterwards is a warning, and does not keep the promotion from other changes.
  const get = async () =>
    (await asOperator(world, "/op/promotions/get", { business_id, promotion_id: possible })).body.data
      .warning;
  expect(await get()).toContain("must contain one that earns points");
  await change({ earn_points: 1, earn_amount: 500, rates: [], maximum_points_per_order: 1000 });
  expect(await get()).toBeNull();
  await change({ excluded_categories: ["gift cards"] });
  expect(await get()).toContain("must contain one that earns points");
  await step("update", possible, { name: "Renamed" });
  await step("end", possible);
  for (const id of [tier_id, others.tier_id])
    await operatorWrite(world, "/op/tiers/delete", { business_id, tier_id: id });
});

it("can't have a budget of which too little is left", async () => {
  const promotion_id = await create({ name: "Spent", points: 5, budget_points: 50 });
  await shop.write("/sp/sales/record", saleOf(await shop.member(), [cake]));
  expect(await problemsOf({ promotion_id, budget_points: 5 }, "update")).toEqual([
    "validation_failed",
    "budget_points must be at least 10: the promotion has given 5 already, and gives 5 at once.",
  ]);
  await step("update", promotion_id, { budget_points: 10 });
  await step("end", promotion_id);
});

it("acts somewhere: where its voucher can be used, and where a location is open", async () => {
  const { businessId: business_id, locationId } = shop;
  const away = await operatorWrite(world, "/op/locations/create", { business_id, name: "Away for good" });
  const { location_id } = away;
  const made = { campaign_name: "Away", coupon_code: "AWAY", coupon_value: 300, location_id };
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", { business_id, ...made });
  const onlyThere = [
    "validation_failed",
    `location_ids must contain location ${location_id}: the voucher of the promotion can be used only there.`,
  ];
  const gift = { name: "Away", voucher_id };
  expect(await problemsOf({ ...gift, location_ids: [locationId] })).toEqual(onlyThere);
  const promotion_id = await create({ ...gift, location_ids: [locationId, location_id] });
  expect(await problemsOf({ promotion_id, location_ids: [locationId] }, "update")).toEqual(onlyThere);
  await step("update", promotion_id, { location_ids: [location_id] });
  await step("pause", promotion_id);
  await operatorWrite(world, "/op/locations/update", { business_id, location_id, closed: true });
  const closed = ["validation_failed", "location_ids must contain a location that is not closed."];
  expect(await problemsOf({ promotion_id }, "resume")).toEqual(closed);
  expect(await problemsOf({ name: "Closed", points: 5, location_ids: [location_id] })).toEqual(closed);
  await step("end", promotion_id);
  const nothing = { campaign_name: "Nothing", coupon_code: "NOTHING", coupon_value: 0 };
  const zero = await operatorWrite(world, "/op/vouchers/create", { business_id, ...nothing });
  expect(await problemsOf({ name: "Nothing", voucher_id: zero.voucher_id })).toEqual([
    "validation_failed",
    "voucher_id must be a voucher that pays something: its kind is value, and its coupon_value is 0.",
  ]);
});

it("is reported for days that are in order", async () => {
  const promotion_id = await create({ name: "Reported", points: 5, status: "draft" });
  const days = { promotion_id, from: "2026-01-03", through: "2026-01-02" };
  expect(await problemsOf(days, "report")).toEqual([
    "validation_failed",
    "from must not be after through, which is today by default.",
  ]);
});

it("is not resumed while its tier is deleted", async () => {
  const { businessId: business_id } = shop;
  const tier = { business_id, name: "Silver", expiry: 1, expiry_period: "year" };
  const { tier_id } = await operatorWrite(world, "/op/tiers/create", tier);
  const id = await create({ name: "Silver", tier_ids: [tier_id], points: 5, status: "draft" });
  await operatorWrite(world, "/op/tiers/delete", { business_id, tier_id });
  expect(await problemsOf({ promotion_id: id }, "resume")).toEqual([
    "validation_failed",
    "tier_ids must not name one that is deleted, archived or ended: choose another.",
  ]);
  await step("end", id);
});

describe("a promotion that gives a voucher", () => {
  const businessOf = () => ({ business_id: shop.businessId });
  const giveBack = (sale_id: unknown, more: Body = {}) =>
    shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...more });
  const vouchersOf = async (contact_id: number) =>
    (await shop.ask("/sp/vouchers/list", { contact_id })).map(({ status }: Body) => status);
  let voucher_id: number;
  let id: number;

  beforeAll(async () => {
    const made = { campaign_name: "Free coffee", coupon_code: "FREE-COFFEE", coupon_value: 300 };
    ({ voucher_id } = await operatorWrite(world, "/op/vouchers/create", { ...businessOf(), ...made }));
    id = await create({ name: "Cake and coffee", categories: ["cake"], minimum_amount: 1000, voucher_id });
  });

  it("issues it with the sale, says so, and takes it back when the minimum is no longer met", async () => {
    const contact_id = await shop.member();
    const sale = saleOf(contact_id, [cake, cake]);
    const voucher = { voucher_id, coupon_code: "FREE-COFFEE", coupon_value: 300, valid_through: null };
    const quoted = await shop.ask("/sp/sales/quote", sale);
    const said = { code: "promotion", promotion_id: id, name: "Cake and coffee", points: 0 };
    const text = "Voucher Free coffee: Cake and coffee";
    expect(quoted).toMatchObject({
      vouchers_granted: [{ ...voucher, held_voucher_id: null }],
      why: [
        { code: "earned", points: 14 },
        { ...said, text },
      ],
    });
    const { sale_id, vouchers_granted, balances } = await shop.write("/sp/sales/record", sale);
    expect(vouchers_granted).toEqual([{ ...voucher, held_voucher_id: expect.any(Number) }]);
    expect(balances.vouchers).toBe(300);
    const asked = { ...businessOf(), promotion_id: id, from: "2026-01-01", through: "2026-12-31" };
    const report = async () => (await asOperator(world, "/op/promotions/report", asked)).body.data;
    expect(await report()).toMatchObject({ vouchers_kept: 1, vouchers_amount: 300, points_amount: 0 });
    const [{ held_voucher_id }] = vouchers_granted;
    expect(await giveBack(sale_id, { amount: 100 })).toMatchObject({
      vouchers_taken: [],
      vouchers_excused: [],
    });
    const lines = [{ line_no: 2 }];
    const preview = { ...businessOf(), sale_id, lines };
    const previewed = await asOperator(world, "/op/sales/preview-refund", preview);
    expect(previewed.body.data.vouchers_taken).toEqual([held_voucher_id]);
    const back = await giveBack(sale_id, { lines });
    expect(back).toMatchObject({ vouchers_taken: [held_voucher_id], balances: { vouchers: 0 } });
    expect(await vouchersOf(contact_id)).toEqual(["returned"]);
    expect((await giveBack(sale_id)).vouchers_taken).toEqual([]);
    expect(await report()).toMatchObject({
      ...{ sales_reached: 0, vouchers_kept: 0, points_kept: 0, days: [{ sales: 1, sales_taken: 1 }] },
    });
    const { refunds } = await shop.ask("/sp/sales/get", { sale_id });
    expect(refunds.map((one: Body) => one.vouchers_taken)).toEqual([[], [held_voucher_id], []]);
  });

  it("charges nothing for a voucher that was used", async () => {
    const contact_id = await shop.member();
    const first = await shop.write("/sp/sales/record", saleOf(contact_id, [cake, cake]));
    const [{ held_voucher_id }] = first.vouchers_granted;
    const use = saleOf(contact_id, [coffee(1)], { use_vouchers: [held_voucher_id] });
    const second = await shop.write("/sp/sales/record", use);
    expect(await giveBack(first.sale_id)).toMatchObject({
      ...{ vouchers_taken: [], vouchers_excused: [held_voucher_id], balances: { vouchers: 0 } },
    });
    // It is spent: neither the limit nor the voucher comes back.
    await step("update", id, { most_per_member: 1 });
    const third = await shop.write("/sp/sales/record", saleOf(contact_id, [cake, cake]));
    const [{ held_voucher_id: other }] = third.vouchers_granted;
    await shop.write("/sp/sales/record", saleOf(contact_id, [coffee(1)], { use_vouchers: [other] }));
    await giveBack(third.sale_id);
    expect((await shop.ask("/sp/sales/quote", saleOf(contact_id, [cake, cake]))).vouchers_granted).toEqual(
      [],
    );
    await step("update", id, { most_per_member: null });
    expect(await giveBack(second.sale_id)).toMatchObject({ vouchers_back: [], balances: { vouchers: 0 } });
    expect((await vouchersOf(contact_id)).sort()).toEqual(["redeemed", "returned"]);
    expect((await shop.ask("/sp/sales/get", { sale_id: first.sale_id })).why).toContainEqual(
      expect.objectContaining({ code: "promotion", promotion_id: id }),
    );
    await expectValidLedger({ businessId: shop.businessId } as never);
  });

  it("issues what its definition says now, and none when it is archived", async () => {
    const contact_id = await shop.member();
    const sale = saleOf(contact_id, [cake, cake]);
    const granted = async () => (await shop.ask("/sp/sales/quote", sale)).vouchers_granted;
    await operatorWrite(world, "/op/vouchers/update", { ...businessOf(), voucher_id, coupon_value: 350 });
    expect(await granted()).toMatchObject([{ coupon_value: 350 }]);
    await operatorWrite(world, "/op/vouchers/archive", { ...businessOf(), voucher_id, archived: true });
    expect(await granted()).toEqual([]);
    const listed = await shop.ask("/sp/promotions/list", { contact_id });
    expect(listed.map(({ promotion_id }: Body) => promotion_id)).not.toContain(id);
    expect(await problemsOf({ name: "Archived", voucher_id })).toEqual([
      "validation_failed",
      "voucher_id must be a voucher that is not archived.",
    ]);
    expect(await problemsOf({ name: "No such", voucher_id: 10 ** 9 })).toEqual(["voucher_not_found"]);
    await operatorWrite(world, "/op/vouchers/archive", { ...businessOf(), voucher_id, archived: false });
    expect(await problemsOf({ name: "Both", voucher_id, points: 5 })).toContain(
      "voucher_id must not be given together with points: leave one of them out, or null.",
    );
    expect(await problemsOf({ name: "Alone", voucher_id, exclusive: true })).toContain(
      "exclusive must be false with voucher_id, because it compares points.",
    );
    expect(await granted()).toHaveLength(1);
    expect(await problemsOf({ promotion_id: id, voucher_id: null, points: 5 }, "update")).toEqual([
      "validation_failed",
      "points can't change what the promotion gives, because it has given something: end it and create another one.",
    ]);
    // A voucher of one location is given only there.
    const place = { ...businessOf(), name: "Kiosk" };
    const { location_id } = await operatorWrite(world, "/op/locations/create", place);
    await operatorWrite(world, "/op/vouchers/update", { ...businessOf(), voucher_id, location_id });
    expect(await granted()).toEqual([]);
    const there = { ...sale, location_id };
    expect((await shop.ask("/sp/sales/quote", there)).vouchers_granted).toHaveLength(1);
  });
});
