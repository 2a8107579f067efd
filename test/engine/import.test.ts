/** Imported history that earns: by the dates and rules of its days, and settled. */
import { describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools, landed } from "../support/imports.ts";
import { asOperator, operatorWrite, validSaleLine } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

const importSales = (
  shop: Sandbox,
  lines: Body[],
  more: Body = { earn: true, location_id: shop.locationId },
) => operatorWrite(world, "/op/imports/sales", { business_id: shop.businessId, lines, ...more });
const pointsOf = (shop: Sandbox, contact_id: number) => shop.ask("/sp/members/balances", { contact_id });
const entriesOf = async (shop: Sandbox, contact_id: number) =>
  (await shop.ask("/sp/transactions/list", { contact_id })).map(
    ({ event_type, amount, created_at }: Body) => `${created_at} ${event_type} ${amount}`,
  );

describe("imported sales that earn", () => {
  it("have the points and dates that they would have had", async () => {
    const shop = await makeSandbox(world, "2026-01-10 09:00:00");
    const contact_id = await shop.member();
    const lines = [
      validSaleLine(1, { contact_id, sold_at: "2025-02-14 10:00:00", amount: 2000 }),
      validSaleLine(2, { contact_id, sold_at: "2025-12-24 18:00:00", amount: 9999, reference_id: "gifts" }),
    ];
    expect(await importSales(shop, lines)).toEqual(landed(2));
    expect(await importSales(shop, lines)).toEqual(landed(0, 2));
    expect(await pointsOf(shop, contact_id)).toMatchObject({
      points: 50,
      sales: 11_999,
      points_expiring: [{ valid_through: "2026-06-30", points: 50 }],
    });
    expect(await shop.ask("/sp/reward-points/list", { contact_id, include_closed: true })).toMatchObject([
      { reference_id: "gifts", earned_on: "2025-12-24", points: 50, left: 50, status: "available" },
      { earned_on: "2025-02-14", points: 20, expired: 20, valid_through: "2025-08-31", status: "closed" },
    ]);
    expect((await entriesOf(shop, contact_id)).sort()).toEqual([
      "2025-02-14 10:00:00 sale 2000",
      "2025-12-24 18:00:00 sale 9999",
      "2026-01-10 09:00:00 reward_points_earned 20",
      "2026-01-10 09:00:00 reward_points_earned 50",
      "2026-01-10 09:00:00 reward_points_expired -20",
    ]);
    await expectValidLedger({ businessId: shop.businessId } as never);
  });

  it("are sales that can be found and refunded", async () => {
    const shop = await makeSandbox(world, "2026-01-10");
    const contact_id = await shop.member();
    await importSales(shop, [
      validSaleLine(1, { contact_id, sold_at: "2026-01-09", amount: 3000, reference_id: "coat" }),
    ]);
    const [{ sale_id }] = await shop.ask("/sp/sales/list", { reference_id: "coat" });
    const refund = { sale_id, location_id: shop.locationId, amount: 1000 };
    expect(await shop.write("/sp/sales/refund", refund)).toMatchObject({
      money_back: 1000,
      points_clawed: 10,
    });
    expect(await pointsOf(shop, contact_id)).toMatchObject({ points: 20, sales: 2000 });
    await expectValidLedger({ businessId: shop.businessId } as never);
  });

  it("earn by the rules of their day", async () => {
    const shop = await makeSandbox(world, "2026-01-10");
    await shop.advance("2026-01-20");
    const { businessId: business_id, programId: program_id } = shop;
    await operatorWrite(world, "/op/programs/update", { business_id, program_id, earn_points: 3 });
    const contact_id = await shop.member();
    const days = ["2026-01-19", "2026-01-20"];
    const lines = days.map((sold_at, at) => validSaleLine(at + 1, { contact_id, sold_at, amount: 1000 }));
    expect(await importSales(shop, lines)).toEqual(landed(2));
    const lots = await shop.ask("/sp/reward-points/list", { contact_id });
    expect(lots.map(({ points }: Body) => points)).toEqual([30, 10]);
  });

  it("need a location, of the line or of the request", async () => {
    const shop = await makeSandbox(world, "2026-01-10");
    const contact_id = await shop.member();
    const lines = [
      validSaleLine(1, { contact_id, sold_at: "2026-01-01" }),
      validSaleLine(2, { contact_id, sold_at: "2026-01-01", location_id: shop.locationId }),
    ];
    expect(await importSales(shop, lines, { earn: true })).toMatchObject({
      imported: 1,
      rejected: [{ line: 1, field: "location_id", code: "required" }],
    });
    const elsewhere = { business_id: shop.businessId, lines, earn: true, location_id: 999_999 };
    const rejected = await asOperator(world, "/op/imports/sales", {
      idempotency_key: nextKey(),
      ...elsewhere,
    });
    expect(rejected.body.error.code).toBe("location_not_found");
  });

  it("write nothing in a dry run, and lie before the clock of the sandbox", async () => {
    const shop = await makeSandbox(world, "2026-01-10");
    const contact_id = await shop.member();
    const lines = [validSaleLine(1, { contact_id, sold_at: "2026-01-09", amount: 700 })];
    const request = { earn: true, location_id: shop.locationId };
    expect(await importSales(shop, lines, { ...request, dry_run: true })).toMatchObject(landed(1));
    expect(await entriesOf(shop, contact_id)).toEqual([]);
    const late = [validSaleLine(1, { contact_id, sold_at: "2026-01-11" })];
    expect(await importSales(shop, late)).toMatchObject({
      rejected: [{ field: "sold_at", code: "out_of_range" }],
    });
  });

  it("pay what a member owes", async () => {
    const shop = await makeSandbox(world, "2026-01-10");
    const contact_id = await shop.member();
    const { locationId: location_id } = shop;
    const { sale_id } = await shop.write("/sp/sales/record", { contact_id, location_id, amount: 2000 });
    await shop.write("/sp/reward-points/redeem", { contact_id, points: 20 });
    await shop.write("/sp/sales/refund", { sale_id, location_id });
    await importSales(shop, [validSaleLine(1, { contact_id, sold_at: "2026-01-09", amount: 3000 })]);
    expect(await pointsOf(shop, contact_id)).toMatchObject({ points: 10, points_owed: 0 });
    await expectValidLedger({ businessId: shop.businessId } as never);
  });
});
