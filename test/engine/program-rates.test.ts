/** Programs with rates for some lines, over HTTP: quotes, sales, refunds, exports, previews and erasures. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite, validSaleLine } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger, importLines } = importTools(world);

const rates = [
  { categories: ["Cosmetics"], earn_points: 5, earn_amount: 100 },
  { skus: ["diesel"], categories: ["fuel"], earn_points: 2, earn_per: "unit" },
];
let shop: Sandbox;
const operator = (path: string, body: Body) =>
  asOperator(world, path, { business_id: shop.businessId, ...body });
const update = (body: Body) =>
  operatorWrite(world, "/op/programs/update", {
    business_id: shop.businessId,
    program_id: shop.programId,
    ...body,
  });
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
  await update({ maximum_points_per_order: 1000, rates });
});

const cream = { sku: "CREAM", category: " COSMETICS", quantity: 2, amount: 1150 };
const diesel = { sku: "Diesel", quantity: 40, amount: 6000 };
const bread = { category: "bread", amount: 250 };
const saleOf = (contact_id: number, lines: Body[], more: Body = {}) => ({
  ...{ contact_id, location_id: shop.locationId, lines },
  amount: lines.reduce((sum, { amount }) => sum + Number(amount), 0),
  ...more,
});
const why = [
  { code: "earned", base: 250, points: 2 },
  { code: "earned_by_rate", earn_points: 2, earn_amount: null, base: 6000, units: 40, points: 80 },
  { code: "earned_by_rate", earn_points: 5, earn_amount: 100, base: 1150, units: 2, points: 57 },
];

describe("a program with rates", () => {
  it("says them, and how a sale earned by them", async () => {
    const { data } = (await operator("/op/programs/list", {})).body;
    expect(data).toMatchObject([{ program_id: shop.programId, rates }]);
    const contact_id = await shop.member();
    const sale = saleOf(contact_id, [cream, bread, diesel]);
    expect(await shop.ask("/sp/sales/quote", sale)).toMatchObject({ points_earned: 139, why });
    const { sale_id, ...recorded } = await shop.write("/sp/sales/record", sale);
    expect(recorded).toMatchObject({ points_earned: 139, why });
    const lines = [
      { line_no: 1, rate: { earn_points: 5, earn_amount: 100 } },
      { line_no: 2, rate: null },
      { line_no: 3, rate: { earn_points: 2, earn_amount: null } },
    ];
    expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject({ why, lines });
    const { sales } = (await operator("/op/exports/sales", { after_sale_id: sale_id - 1 })).body.data;
    expect(sales).toMatchObject([{ sale_id, lines }]);
    // Without lines, the program's own rate counts.
    const plain = { contact_id, location_id: shop.locationId, amount: 7400 };
    expect((await shop.write("/sp/sales/record", plain)).points_earned).toBe(74);
  });

  it("keeps them for refunds, in any order, also after they changed and the member was erased", async () => {
    const refund = (sale_id: number, ...lines: Body[]) =>
      shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, lines });
    const clawed: unknown[] = [];
    const contact_id = await shop.member();
    const sold = [1, 2].map(() => shop.write("/sp/sales/record", saleOf(contact_id, [cream, bread, diesel])));
    const [one, other] = (await Promise.all(sold)) as [Body, Body];
    await update({ rates: [] });
    for (const [sale_id, wanted] of [
      [
        one.sale_id,
        [
          { line_no: 1, quantity: 1 },
          { line_no: 3, quantity: 10 },
        ],
      ],
      [
        other.sale_id,
        [
          { line_no: 3, quantity: 10 },
          { line_no: 1, quantity: 1 },
        ],
      ],
    ] as const) {
      for (const line of wanted) clawed.push((await refund(Number(sale_id), line)).points_clawed);
    }
    expect(clawed).toEqual([29, 20, 20, 29]);
    await shop.write("/sp/reward-points/redeem", { contact_id, points: 180 });
    await operatorWrite(world, "/op/members/erase", { business_id: shop.businessId, contact_id });
    const sale_id = Number(one.sale_id);
    expect((await shop.ask("/sp/sales/get", { sale_id })).lines).toMatchObject([
      { sku: null, category: null, rate: { earn_points: 5 } },
      { rate: null },
      { sku: null, rate: { earn_points: 2 } },
    ]);
    expect(await refund(sale_id, { line_no: 3 })).toMatchObject({ points_forgiven: 60, points_clawed: 0 });
    await update({ rates });
  });

  it("is previewed with other rates, which give what was recorded if they are the same", async () => {
    const preview = async (body: Body) =>
      (await operator("/op/rules/preview", { from: "2026-01-01", ...body })).body.data;
    const same = await preview({ programs: [{ program_id: shop.programId, rates }] });
    expect(same.proposed.points).toBe(same.recorded_points);
    expect(same.gains.concat(same.losses)).toEqual([]);
    const changed = [{ skus: ["cream"], earn_points: 10, earn_amount: 100 }];
    const other = await preview({ programs: [{ program_id: shop.programId, rates: changed }] });
    expect(other.current.points).toBe(same.current.points);
    // The first member: 115 for the cream and 62 for the rest, 74 for the sale without lines. The erased one has no words any more.
    expect(other.proposed.points - other.current.points).toBe(115 + 62 - 139);
    const { program_id: _, ...added } = {
      program_id: 0,
      earn_points: 1,
      maximum_points_per_order: 1000,
      rates,
    };
    expect((await preview({ new_program: added })).proposed.points).toBe(same.recorded_points);
  });

  it("is rejected if a rate names no lines, or both an amount and a unit, or neither", async () => {
    const errorsOf = async (path: string, body: Body) => {
      const { error } = (await operator(path, body)).body;
      return (error.details.errors as { message: string }[]).map(({ message }) => message);
    };
    const wrong = [
      { earn_points: 5, earn_amount: 100 },
      { skus: ["a"], earn_points: 5 },
      { skus: ["a"], earn_points: 5, earn_amount: 100, earn_per: "unit" },
    ];
    const expected = (path: string) => [
      `${path}rates.0.categories or skus must say which lines earn by this rate.`,
      `${path}rates.1.earn_amount or earn_per must be sent.`,
      `${path}rates.2.earn_per must not be sent together with earn_amount.`,
    ];
    const change = { idempotency_key: "wrong-rates", program_id: shop.programId, rates: wrong };
    expect(await errorsOf("/op/programs/update", change)).toEqual(expected(""));
    const preview = { from: "2026-01-01", programs: [{ program_id: shop.programId, rates: wrong }] };
    expect(await errorsOf("/op/rules/preview", preview)).toEqual(expected("programs.0."));
    const many = Array.from({ length: 21 }, (_, index) => ({
      skus: [`s${index}`],
      earn_points: 1,
      earn_amount: 1,
    }));
    expect(await errorsOf("/op/programs/update", { ...change, rates: many })).toHaveLength(1);
    await update({ rates: many.slice(1) });
    await update({ rates });
  });

  it("earns by them on an imported receipt", async () => {
    const contact_id = await shop.member();
    const receipt = validSaleLine(2, { contact_id, sold_at: "2026-01-10", amount: 1400 });
    const earning = { earn: true, location_id: shop.locationId };
    const lines = [{ ...receipt, lines: [cream, bread] }];
    expect(await importLines("sales", shop as never, lines, earning)).toMatchObject({ imported: 1 });
    expect((await shop.ask("/sp/members/balances", { contact_id })).points).toBe(57 + 2);
  });

  it("leaves a valid ledger", () => expectValidLedger(shop));
});
