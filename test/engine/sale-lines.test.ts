/** Receipts with lines, over HTTP: what earns, what points and vouchers can pay, refunds by line, and what an erasure leaves. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

let shop: Sandbox;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-10 09:00:00");
  await operatorWrite(world, "/op/programs/update", {
    business_id: shop.businessId,
    program_id: shop.programId,
    maximum_points_per_order: 1000,
    excluded_categories: ["Gift cards"],
    excluded_skus: ["bag"],
    excluded_from_payment: ["prescriptions"],
  });
});

const coffee = { sku: "FLAT-WHITE", category: "coffee", quantity: 3, amount: 1000 };
const gift = { category: "GIFT CARDS", amount: 2000 };
const pills = { sku: "PILLS", category: "Prescriptions ", amount: 500 };
const saleOf = (contact_id: number, lines: Body[], more: Body = {}) => ({
  ...{ contact_id, location_id: shop.locationId, lines },
  amount: lines.reduce((sum, { amount }) => sum + Number(amount), 0),
  ...more,
});
const sell = (contact_id: number, lines: Body[], more: Body = {}) =>
  shop.write("/sp/sales/record", saleOf(contact_id, lines, more));
const refund = (sale_id: number, more: Body) =>
  shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...more });
const errorsOf = async (path: string, body: Body) => {
  const { details } = await shop.rejected(path, body);
  return (details as { errors: { field: string; message: string }[] }).errors.map(
    ({ field, message }) => `${field} ${message}`,
  );
};

describe("a receipt with lines", () => {
  it("earns by the lines that the program does not exclude, and says so", async () => {
    const contact_id = await shop.member();
    const sale = saleOf(contact_id, [coffee, gift, { sku: " BAG ", amount: 10 }]);
    const quoted = await shop.ask("/sp/sales/quote", sale);
    const why = [
      { code: "earned", base: 1000, points: 10 },
      { code: "lines_excluded", amount: 2010 },
    ];
    expect(quoted).toMatchObject({ points_earned: 10, why });
    const { sale_id } = await shop.write("/sp/sales/record", sale);
    const line = { sku: null, category: null, quantity: 1, returned: 0, free: 0, earning_base: 0 };
    expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject({
      ...{ eligible_amount: 1000, points_earned: 10, why },
      lines: [
        { line_no: 1, ...coffee, returned: 0, free: 0, earning_base: 1000, refundable: 1000 },
        { ...line, line_no: 2, ...gift, refundable: 2000 },
        { ...line, line_no: 3, sku: " BAG ", amount: 10, refundable: 10 },
      ],
    });
  });

  it("has lines that points and vouchers can't pay", async () => {
    const contact_id = await shop.member();
    await shop.write("/sp/reward-points/adjust", { contact_id, points: 500, adjustment_type: "credit" });
    const sale = saleOf(contact_id, [coffee, pills]);
    const { usable } = await shop.ask("/sp/sales/quote", sale);
    expect(usable).toMatchObject({ points: 200, wallet: 0 });
    expect(await shop.rejected("/sp/sales/record", { ...sale, use_points: 201 })).toMatchObject({
      code: "redemption_not_allowed",
      details: { maximum_points: 200 },
    });
    const { points_amount, amount_due } = await shop.write("/sp/sales/record", { ...sale, use_points: 200 });
    expect([points_amount, amount_due]).toEqual([1000, 500]);
  });

  it("has lines that vouchers can't pay, either", async () => {
    const contact_id = await shop.member();
    const { businessId: business_id } = shop;
    const definition = { campaign_name: "Big", coupon_code: "BIG", coupon_value: 1500 };
    const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", { business_id, ...definition });
    const { held_voucher_id } = await shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
    const use = { use_vouchers: [held_voucher_id] };
    const sale = saleOf(contact_id, [coffee, pills], use);
    const paid = { voucher_amount: 1000, voucher_unused: 500, amount_due: 500 };
    expect(await shop.ask("/sp/sales/quote", sale)).toMatchObject({
      ...paid,
      usable: { points: 0, wallet: 0 },
    });
    const only = saleOf(contact_id, [pills]);
    expect((await shop.ask("/sp/sales/quote", only)).usable.vouchers).toEqual([]);
    expect(await shop.rejected("/sp/sales/record", { ...only, ...use })).toMatchObject({
      code: "voucher_not_usable",
    });
    expect(await shop.write("/sp/sales/record", sale)).toMatchObject(paid);
  });

  it("is rejected if its lines don't add up, if there are too many, or if the caller says what earns", async () => {
    const contact_id = await shop.member();
    const sale = saleOf(contact_id, [coffee, gift]);
    const rejected = (more: Body) => errorsOf("/sp/sales/record", { ...sale, ...more });
    expect(await rejected({ amount: 2999 })).toEqual([
      "lines lines must add up to amount: they are 3000 together, and amount is 2999.",
    ]);
    expect(await rejected({ eligible_amount: 1000 })).toEqual([
      "eligible_amount eligible_amount must not be sent together with lines.",
    ]);
    expect(await rejected({ lines: [{ ...coffee, amount: -1 }] })).toEqual([
      "lines.0.amount lines.0.amount must be at least 0.",
    ]);
    expect(await rejected({ lines: [{ ...coffee, quantity: 0, price: 5 }] })).toEqual([
      "lines.0.price lines.0.price is not a field of this operation.",
      "lines.0.quantity lines.0.quantity must be at least 1.",
    ]);
    expect(await rejected({ lines: Array(201).fill({ amount: 1 }) })).toEqual([
      "lines lines must have at most 200 items.",
    ]);
    const many = await sell(contact_id, Array(200).fill({ sku: "S".repeat(64), amount: 1 }));
    expect(many.points_earned).toBe(2);
  });
});

describe("a refund of lines", () => {
  it("takes back what the lines earned, and nothing for those that earned nothing", async () => {
    const contact_id = await shop.member();
    const { sale_id } = await sell(contact_id, [coffee, gift]);
    expect(await refund(sale_id, { lines: [{ line_no: 2 }] })).toMatchObject({
      ...{ refunded: 2000, money_back: 2000, points_clawed: 0 },
      lines_back: [{ line_no: 2, quantity_back: 1, amount: 2000 }],
    });
    const one = { lines: [{ line_no: 1, quantity: 1 }] };
    expect(await refund(sale_id, one)).toMatchObject({ refunded: 333, points_clawed: 4 });
    const preview = { business_id: shop.businessId, sale_id, lines: [{ line_no: 1 }] };
    const previewed = (await asOperator(world, "/op/sales/preview-refund", preview)).body.data;
    const rest = await refund(sale_id, { lines: [{ line_no: 1, quantity: 2 }] });
    expect(rest).toMatchObject({ refunded: 667, refundable: 0, points_clawed: 6, balances: { points: 0 } });
    expect(previewed).toMatchObject({ money_back: rest.money_back, points_clawed: rest.points_clawed });
    const { lines, refunds } = await shop.ask("/sp/sales/get", { sale_id });
    expect(lines).toMatchObject([
      { returned: 3, refundable: 0 },
      { returned: 1, refundable: 0 },
    ]);
    expect(refunds.map(({ lines_back }: Body) => lines_back)).toEqual([
      [{ line_no: 2, quantity_back: 1, amount: 2000 }],
      [{ line_no: 1, quantity_back: 1, amount: 333 }],
      [{ line_no: 1, quantity_back: 2, amount: 667 }],
    ]);
  });

  it("comes after one of an amount, which fell on all lines", async () => {
    const contact_id = await shop.member();
    const { sale_id } = await sell(contact_id, [coffee, gift]);
    expect(await refund(sale_id, { amount: 300 })).toMatchObject({ points_clawed: 1, lines_back: [] });
    expect((await shop.ask("/sp/sales/get", { sale_id })).lines).toMatchObject([
      { refundable: 900, returned: 0 },
      { refundable: 1800, returned: 0 },
    ]);
    expect(await refund(sale_id, { lines: [{ line_no: 2 }] })).toMatchObject({
      refunded: 1800,
      points_clawed: 0,
    });
    expect(await refund(sale_id, {})).toMatchObject({ refunded: 900, points_clawed: 9, refundable: 0 });
  });

  it("is rejected with what is left, for a line that is not there, and for a sale without lines", async () => {
    const contact_id = await shop.member();
    const { sale_id } = await sell(contact_id, [coffee, gift]);
    const wanted = (...lines: Body[]) => ({ sale_id, location_id: shop.locationId, lines });
    expect(await shop.rejected("/sp/sales/refund", wanted({ line_no: 1, quantity: 4 }))).toMatchObject({
      code: "refund_exceeds_sale",
      details: { refundable: 1000, quantity: 3, line_no: 1 },
    });
    expect(await shop.rejected("/sp/sales/refund", wanted({ line_no: 1, amount: 1001 }))).toMatchObject({
      details: { refundable: 1000, line_no: 1 },
    });
    const rejected = (body: Body) => errorsOf("/sp/sales/refund", body);
    expect(await rejected(wanted({ line_no: 3 }))).toEqual([
      "lines.0.line_no lines.0.line_no must be the number of a line of the sale, which has lines 1 to 2.",
    ]);
    const free = await sell(contact_id, [
      { quantity: 9, amount: 5 },
      { sku: "cookie", amount: 0 },
    ]);
    for (const lines of [[{ line_no: 2 }], [{ line_no: 1, quantity: 1 }]])
      expect(await rejected({ ...wanted(), sale_id: free.sale_id, lines })).toEqual([
        "lines lines must name more: what they name is worth less than the smallest amount of money. Name a free line together with one that was paid.",
      ]);
    const both = await refund(free.sale_id, { lines: [{ line_no: 2 }, { line_no: 1 }] });
    expect([both.refunded, both.refundable]).toEqual([5, 0]);
    expect(await rejected(wanted({ line_no: 1 }, { line_no: 1, quantity: 1, amount: 1 }))).toHaveLength(1);
    expect(await rejected(wanted({ line_no: 1, quantity: 1, amount: 1 }))).toHaveLength(1);
    expect(await rejected({ ...wanted({ line_no: 1 }), amount: 5 })).toHaveLength(1);
    const plain = await shop.write("/sp/sales/record", {
      ...{ contact_id, location_id: shop.locationId, amount: 500 },
    });
    expect(await rejected({ ...wanted({ line_no: 1 }), sale_id: plain.sale_id })).toEqual([
      "lines lines is not possible, because the sale was recorded without lines.",
    ]);
    expect(await shop.ask("/sp/sales/get", { sale_id: plain.sale_id })).toMatchObject({ lines: [] });
  });

  it("replays under its key", async () => {
    const contact_id = await shop.member();
    const { sale_id } = await sell(contact_id, [coffee, gift]);
    const body = { idempotency_key: "by-line", sale_id, location_id: shop.locationId };
    const lines = [{ line_no: 1, quantity: 1 }];
    const first = await refund(sale_id, { ...body, lines });
    expect(await refund(sale_id, { ...body, lines })).toEqual(first);
    expect(await shop.rejected("/sp/sales/refund", { ...body, lines: [{ line_no: 1 }] })).toMatchObject({
      code: "idempotency_key_reused_with_different_payload",
    });
  });
});

it("an erasure leaves the amounts of lines, for refunds, and not what was bought", async () => {
  const contact_id = await shop.member();
  const { businessId: business_id } = shop;
  const { sale_id } = await sell(contact_id, [coffee, gift]);
  await shop.write("/sp/reward-points/redeem", { contact_id, points: 10 });
  const exported = (await asOperator(world, "/op/members/export", { business_id, contact_id })).body.data;
  expect(exported.records.sale).toMatchObject([{ sale_id, receipt_lines: [{ sku: "FLAT-WHITE" }, {}] }]);
  await operatorWrite(world, "/op/members/erase", { business_id, contact_id });
  const { lines } = await shop.ask("/sp/sales/get", { sale_id });
  expect(lines).toMatchObject([
    { sku: null, category: null, quantity: 3, amount: 1000, refundable: 1000 },
    { sku: null, category: null, quantity: 1, amount: 2000 },
  ]);
  expect(await refund(sale_id, { lines: [{ line_no: 1 }] })).toMatchObject({
    ...{ money_back: 1000, member_erased: true, points_forgiven: 10 },
  });
  // What was excluded stays so, although its category is gone.
  const preview = { business_id, from: "2026-01-01", earn_on: "total" };
  const { data } = (await asOperator(world, "/op/rules/preview", preview)).body;
  expect(data.current.points).toBe(data.recorded_points);
  await expectValidLedger(shop);
});
