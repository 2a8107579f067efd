/** Files with the articles of receipts: they make sales with lines, which say what earns and can be refunded. */
import { beforeAll, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { importLines, expectValidLedger } = importTools(world);
const { upload, preview, start } = importJobs(world);

let shop: Sandbox;
let contact_id = 0;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-03-10 09:00:00");
  const { businessId: business_id, programId: program_id } = shop;
  const program = {
    maximum_points_per_order: 1000,
    excluded_categories: ["Gift cards"],
    excluded_skus: ["BAG"],
  };
  await operatorWrite(world, "/op/programs/update", { business_id, program_id, ...program });
  contact_id = await shop.member();
  const one = { first_name: "Ana", last_name: "Vo", phone_number: "+34600000001" };
  const ana = { ...one, email: "ana@example.com", external_ref: "CUST1" };
  await importLines("members", { businessId: business_id } as never, [{ line: 1, ...ana }]);
});

/** Imports a file of sales that earn, and returns the sale of a reference. */
async function imported(text: string, reference_id: string, options: Body = {}) {
  const earning = { earn: true, location_id: shop.locationId, locations: [], amount_unit: undefined };
  const id = await upload(shop.businessId, text);
  const checked = await preview(id, { ...earning, ...options });
  expect(checked).toMatchObject({ state: "checked", problem: null });
  const { form, result } = await start(id);
  const [found] = await shop.ask("/sp/sales/list", { reference_id });
  const sale = await shop.ask("/sp/sales/get", { sale_id: found.sale_id });
  return { form, result, checked, sale, lines: sale.lines.map(linesOf) } as {
    [name in "form" | "result" | "checked" | "sale"]: Body;
  } & { lines: unknown[] };
}
const linesOf = ({ sku, category, quantity, amount, earning_base }: Body) => [
  sku,
  category,
  quantity,
  amount,
  earning_base,
];

const columns = "contact_id,sold_at,amount,reference_id,sku,category,qty\n";

it("lines are found by their columns, earn by the program, and can be refunded", async () => {
  const row = (text: string) => `${contact_id},2026-03-02 09:00,${text}\n`;
  const text =
    columns +
    row("10.00,L-1,LATTE,coffee,2") +
    row("50.00,L-1,,gift cards,1") +
    row("0.10,L-1, bag ,,1") +
    row("-4.00,L-2,TEA,,1") +
    row("8.00,L-2,TEA,,1.5") +
    row("2.00,L-3,TEA,,1") +
    row("-2.00,L-3,TEA,,1");
  const { result, checked, sale, lines } = await imported(text, "L-1");
  expect((checked.form as Body).notes).toContain("Lines of one receipt that follow each other are one sale.");
  expect(result).toMatchObject({ lines: 7, imported: 2, joined: 4, rejected: 0, left_out: 1 });
  expect((result.notes as string[]).slice(1)).toEqual([
    "Left out: 1 line with an amount of 0.",
    "Lines that were added to the receipt of the line before: 4.",
    "Sales with lines of their receipts: 2.",
    "In 1 of them, the lines are more than the amount, and are lowered in proportion.",
  ]);
  expect(lines).toEqual([
    ["LATTE", "coffee", 2, 1000, 1000],
    [null, "gift cards", 1, 5000, 0],
    ["bag", null, 1, 10, 0],
  ]);
  expect(sale).toMatchObject({ amount: 6010, eligible_amount: 1000, points_earned: 10 });
  const [{ sale_id }] = await shop.ask("/sp/sales/list", { reference_id: "L-1" });
  const refund = { sale_id, location_id: shop.locationId, lines: [{ line_no: 2 }] };
  expect(await shop.write("/sp/sales/refund", refund)).toMatchObject({ refunded: 5000, points_clawed: 0 });
  expect((await imported(text, "L-2")).lines).toEqual([["TEA", null, 1, 400, 400]]);
  await expectValidLedger(shop);
});

it("what lines lack of the amount is a line of its own, and what they have too much is taken from all", async () => {
  const head = "contact_id,sold_at,total,reference_id,sku,quantity,price,line total\n";
  const mapped = {
    columns: Object.entries({ amount: "total", line_price: "price", line_amount: "line total" }).map(
      ([field, column]) => ({ field, column }),
    ),
  };
  const row = (text: string) => `${contact_id},2026-03-03,${text}\n`;
  const text =
    head +
    row("100.00,P-1,A,3,20.00,") +
    row(",P-1,BAG,1,,10.00") +
    row("7.00,P-2,A,1,5.00,") +
    row(",P-2,BAG,1,5.00,") +
    row(",P-2,B,1,0.50,") +
    row("9.00,P-3,A,x,5.00,") +
    row(`9.00,P-4,${"A".repeat(65)},1,9.00,`);
  const { result, sale, lines } = await imported(text, "P-1", mapped);
  expect(lines).toEqual([
    ["A", null, 3, 6000, 6000],
    ["BAG", null, 1, 1000, 0],
    [null, null, 1, 3000, 3000],
  ]);
  expect(sale).toMatchObject({ amount: 10_000, points_earned: 90 });
  expect(result).toMatchObject({
    ...{ imported: 2, rejected: 2 },
    reasons: [
      { reason: "line_quantity must be a number.", first_lines: [7] },
      { reason: "line_sku must have at most 64 characters.", first_lines: [8] },
    ],
    notes: expect.arrayContaining([
      "In 1 of them, the lines lack a part of the amount, which becomes a line of its own.",
    ]),
  });
  const { lines: lowered } = await imported(text, "P-2", mapped);
  expect(lowered).toEqual([
    ["A", null, 1, 334, 334],
    ["BAG", null, 1, 333, 0],
    ["B", null, 1, 33, 33],
  ]);
});

it("lines beyond the limit are one line, and lines don't change which sale it is", async () => {
  const row = (nth: number) => `${contact_id},2026-03-04,0.10,M-1,S${nth},,1\n`;
  const text = columns + Array.from({ length: 250 }, (_, nth) => row(nth)).join("");
  const { lines } = await imported(text, "M-1");
  expect(lines).toHaveLength(200);
  expect(lines[199]).toEqual([null, null, 1, 510, 510]);
  const without = {
    columns: ["line_sku", "line_category", "line_quantity"].map((field) => ({ field, column: "" })),
  };
  const again = await imported(text, "M-1", { ...without, join_lines: true });
  expect(again.result).toMatchObject({ imported: 0, skipped: 1 });
  // Without a receipt, two articles at one time are two sales, with or without their columns.
  const loose = `contact_id,sold_at,amount,sku\n${contact_id},2026-03-05,5.00,A\n${contact_id},2026-03-05,5.00,B\n`;
  const id = await upload(shop.businessId, loose);
  const unearned = await preview(id, { amount_unit: undefined });
  expect(unearned.result).toMatchObject({
    imported: 2,
    notes: expect.arrayContaining([
      "The sales would earn no points, and the lines of their receipts would not be kept. To let them earn, add earn.",
    ]),
  });
  expect((await start(id)).result).toMatchObject({ imported: 2 });
  const later = await upload(shop.businessId, loose);
  const earning = { earn: true, earn_imported: true, location_id: shop.locationId, amount_unit: undefined };
  await preview(later, earning);
  expect((await start(later)).result).toMatchObject({ imported: 0, points_added: 2 });
  const listed: Body[] = await shop.ask("/sp/sales/list", { contact_id });
  const sales = await Promise.all(
    listed
      .filter(({ sold_on }) => sold_on === "2026-03-05")
      .map(({ sale_id }) => shop.ask("/sp/sales/get", { sale_id })),
  );
  expect(sales.flatMap(({ lines }) => lines.map(linesOf)).sort()).toEqual([
    ["A", null, 1, 500, 500],
    ["B", null, 1, 500, 500],
  ]);
});

it("exports of Square, Shopify and Loyverse have lines", async () => {
  const square =
    "Date,Time,Time Zone,Category,Item,Qty,SKU,Gross Sales,Discounts,Net Sales,Tax,Transaction ID,Event Type,Customer ID\n" +
    "2026-02-13,10:02:11,Madrid,Gift cards,Card,1.0,,20.00,0.00,20.00,0.00,SQ1,Payment,CUST1\n" +
    "2026-02-13,10:02:11,Madrid,Coffee,Latte,2.0,LATTE,8.00,-1.00,7.00,0.70,SQ1,Payment,CUST1\n";
  const { lines, sale } = await imported(square, "SQ1");
  expect(lines).toEqual([
    [null, "Gift cards", 1, 2000, 0],
    ["LATTE", "Coffee", 2, 700, 700],
  ]);
  expect(sale).toMatchObject({ amount: 2700, points_earned: 7 });
  const shopify =
    "Name,Email,Financial Status,Subtotal,Shipping,Total,Discount Amount,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Refunded Amount\n" +
    "#1001,ana@example.com,paid,45.00,5.00,50.00,5.00,2026-02-14 10:00:00 +0100,1,Mug,20.00,MUG-1,0.00\n" +
    "#1001,ana@example.com,,,,,,2026-02-14 10:00:00 +0100,3,Bag,10.00,BAG,\n";
  expect((await imported(shopify, "#1001")).lines).toEqual([
    ["MUG-1", null, 1, 1800, 1800],
    ["BAG", null, 3, 2700, 0],
  ]);
  const loyverse =
    "Date,Receipt number,Receipt type,Category,SKU,Item,Quantity,Gross sales,Discounts,Net sales,Store,Customer contacts,Status\n" +
    "2/28/26 1:33 PM,4-1,Sale,Food,1,Ham,0.350,6.00,0.00,6.00,,+34600000001,Closed\n" +
    "2/28/26 1:33 PM,4-1,Sale,Food,2,Tea,2.000,3.00,0.00,3.00,,+34600000001,Closed\n";
  expect((await imported(loyverse, "4-1")).lines).toEqual([
    ["1", "Food", 1, 600, 600],
    ["2", "Food", 2, 300, 300],
  ]);
});

it("programs send lines as tills do; lines that don't add up reject the line, and not the request", async () => {
  const { businessId: business_id, locationId: location_id } = shop;
  const line = { contact_id, sold_at: "2026-03-06", amount: 1000, location_id };
  const coffee = { sku: "LATTE", quantity: 2, amount: 600 };
  const lines = [
    { line: 1, ...line, reference_id: "API-1", lines: [coffee, { category: "GIFT cards", amount: 400 }] },
    { line: 2, ...line, reference_id: "API-2", lines: [coffee] },
    {
      line: 3,
      ...line,
      reference_id: "API-3",
      lines: [
        { ...coffee, quantity: 0 },
        { sku: "x".repeat(65), amount: 400 },
      ],
    },
    { line: 4, ...line, amount: -600, reference_id: "API-1", lines: [coffee] },
  ];
  const request = { business_id, lines, earn: true };
  const { imported, rejected } = await operatorWrite(world, "/op/imports/sales", request);
  expect(imported).toBe(1);
  expect(rejected.map(({ line, field, message }: Body) => [line, field, message])).toEqual([
    [2, "lines", "lines must add up to amount: they are 600 together, and amount is 1000."],
    [3, "lines.0.quantity", expect.any(String)],
    [3, "lines.1.sku", "lines.1.sku must have at most 64 characters."],
    [4, "lines", "lines must add up to amount: they are 600 together, and amount is -600."],
  ]);
  const [{ sale_id }] = await shop.ask("/sp/sales/list", { reference_id: "API-1" });
  expect(await shop.ask("/sp/sales/get", { sale_id })).toMatchObject({
    eligible_amount: 600,
    points_earned: 6,
  });
  const wrong = {
    ...request,
    lines: [{ line: 1, ...line, lines: [{ price: 5 }] }],
    idempotency_key: "wrong",
  };
  expect((await asOperator(world, "/op/imports/sales", wrong)).body.error.code).toBe("validation_failed");
});
