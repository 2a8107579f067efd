/** The most points of a member on a day and in a month, over HTTP: with refunds, late sales, many tills, merges and previews. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);
let shop: Sandbox;
const update = (body: Body) => {
  const { businessId: business_id, programId: program_id } = shop;
  return operatorWrite(world, "/op/programs/update", { business_id, program_id, ...body });
};
beforeAll(async () => {
  shop = await makeSandbox(world, "2025-12-20 09:00:00");
  await update({ maximum_points_per_order: 80, maximum_points_per_day: 100, maximum_points_per_month: 150 });
  await shop.advance("2026-01-10 09:00:00");
});

const saleOf = (contact_id: number, amount: number, more: Body = {}) => ({
  ...{ contact_id, location_id: shop.locationId, amount: amount * 100, ...more },
});
const sell = (contact_id: number, amount: number, more: Body = {}) =>
  shop.write("/sp/sales/record", saleOf(contact_id, amount, more));
const giveBack = (sale_id: unknown, more: Body = {}) =>
  shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...more });

describe("limits of a member's points", () => {
  it("cut a sale to what others of its day and month left, and say so", async () => {
    const contact_id = await shop.member();
    const made: unknown[] = [];
    for (const [amount, sold_on] of [
      [90, "2026-01-10"],
      [30, "2026-01-10"],
      [5, "2026-01-10"],
      [70, "2026-01-09"],
      [5, "2026-01-08"],
      [70, "2025-12-31"],
    ] as const) {
      const sale = saleOf(contact_id, amount, { sold_on });
      const quoted = await shop.ask("/sp/sales/quote", sale);
      const { sale_id, points_earned, why } = await shop.write("/sp/sales/record", sale);
      expect(quoted).toMatchObject({ points_earned, why });
      const stored = await shop.ask("/sp/sales/get", { sale_id });
      expect(stored.why).toEqual(why.filter(({ code }: Body) => code !== "promotion_missed"));
      const sum = why.reduce((all: number, one: Body) => all + Number(one.points ?? 0), 0);
      made.push([points_earned === sum && points_earned, ...why.slice(1)]);
    }
    const capped = (period: string, maximum: number) => ({
      ...{ code: "capped", period, maximum },
      text: `At most ${maximum} points a ${period === "order" ? "sale" : period}`,
    });
    expect(made).toEqual([
      [80, capped("order", 80)],
      [20, capped("day", 100)],
      [0, capped("day", 100)],
      [50, capped("month", 150)],
      [0, capped("month", 150)],
      [70],
    ]);
  });

  it("make room for what refunds take back, and leave a sale what it was cut to", async () => {
    const contact_id = await shop.member();
    const first = await sell(contact_id, 80);
    const second = await sell(contact_id, 80);
    expect(second.points_earned).toBe(20);
    // It would earn 60 for what is left, so all of the 20 stay.
    expect(await giveBack(second.sale_id, { amount: 2000 })).toMatchObject({ points_clawed: 0 });
    expect(await giveBack(first.sale_id, { amount: 1000 })).toMatchObject({ points_clawed: 10 });
    expect((await sell(contact_id, 80)).points_earned).toBe(10);
    expect(await giveBack(first.sale_id)).toMatchObject({ points_clawed: 70 });
    expect(await giveBack(second.sale_id)).toMatchObject({ points_clawed: 20 });
    expect((await sell(contact_id, 80)).points_earned).toBe(80);
    const { sales } = (
      await asOperator(world, "/op/exports/sales", {
        business_id: shop.businessId,
        after_sale_id: second.sale_id - 1,
      })
    ).body.data;
    expect(sales[0].rate.maximum_points_per_order).toBe(20);
  });

  it("hold with many tills at once", async () => {
    const contact_id = await shop.member();
    const sales = await Promise.all(Array.from({ length: 64 }, () => sell(contact_id, 7)));
    const given = sales.map(({ points_earned }) => Number(points_earned)).filter((points) => points > 0);
    expect(given.toSorted((one, other) => one - other)).toEqual([2, ...Array(14).fill(7)]);
    await Promise.all(sales.map(({ sale_id }) => giveBack(sale_id)));
    const again = await Promise.all([1, 2, 3].map(() => sell(contact_id, 50)));
    expect(again.map(({ points_earned }) => points_earned).sort()).toEqual([0, 50, 50]);
  });

  it("are reached by both members of a merge together", async () => {
    const [from_contact_id, contact_id] = [await shop.member(), await shop.member()];
    await sell(from_contact_id, 60);
    await sell(contact_id, 30);
    const merge = { business_id: shop.businessId, from_contact_id, contact_id };
    await operatorWrite(world, "/op/members/merge", merge);
    expect((await sell(contact_id, 60)).points_earned).toBe(10);
  });

  it("count only sales by programs that have one, and act on no imported sales", async () => {
    const contact_id = await shop.member();
    await update({ maximum_points_per_day: null, maximum_points_per_month: null });
    expect((await sell(contact_id, 80)).points_earned).toBe(80);
    await update({ maximum_points_per_day: 100, maximum_points_per_month: 150 });
    expect((await sell(contact_id, 80)).points_earned).toBe(80);
    expect((await sell(contact_id, 80)).points_earned).toBe(20);
  });

  it("are previewed as they acted, and as others would have", async () => {
    const other = await makeSandbox(world, "2026-01-10 09:00:00");
    const { programId: program_id, businessId: business_id } = other;
    const limits = {
      maximum_points_per_order: 80,
      maximum_points_per_day: 100,
      maximum_points_per_month: 150,
    };
    await operatorWrite(world, "/op/programs/update", { business_id, program_id, ...limits });
    const contact_id = await other.member();
    for (const day of ["2026-01-10", "2026-01-12", "2026-02-01"]) {
      await other.advance(`${day} 12:00:00`);
      const sale = { contact_id, location_id: other.locationId, amount: 6000 };
      for (const one of [sale, sale]) await other.write("/sp/sales/record", one);
    }
    const preview = async (change: Body) => {
      const body = { business_id, from: "2026-01-01", programs: [{ program_id, ...change }] };
      return (await asOperator(world, "/op/rules/preview", body)).body.data;
    };
    const unlimited = { maximum_points_per_day: null, maximum_points_per_month: null };
    expect(await preview(unlimited)).toMatchObject({
      ...{
        recorded_points: 100 + 50 + 100,
        current: { points: 250, capped_sales: 4, points_over_maximum: 110 },
      },
      proposed: { points: 360, capped_sales: 0 },
    });
    const ofDay = await preview({ ...unlimited, maximum_points_per_day: 70 });
    expect(ofDay.proposed.points).toBe(210);
  });

  it("have counts that add up, which the verification compares", async () => {
    await expectValidLedger(shop);
    const { businessId } = shop;
    await world.sql`
      UPDATE grant_count SET given = given + 1
      WHERE (business_id, contact_id, promotion_id, day) IN (
        SELECT business_id, contact_id, promotion_id, day FROM grant_count WHERE business_id = ${businessId} LIMIT 1
      )`;
    const slice = { business_id: businessId, part: "points", limit: 1000 };
    const { mismatches } = (await asOperator(world, "/op/ledger/verify", slice)).body.data;
    expect(mismatches).toMatchObject([{ kind: "grant_count" }]);
  });
});
