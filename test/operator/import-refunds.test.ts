/** Refunds in files of sales: the sum of a file is the sum of the ledger, in any order of its lines. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, importLines, expectValidLedger } = importTools(world);
const { upload, preview, start } = importJobs(world);

const sumOf = async (businessId: number) => {
  const [row] = await world.sql<{ sum: number; entries: number }[]>`
    SELECT coalesce(sum(amount), 0)::bigint AS sum, count(*) AS entries FROM ledger_entry
    WHERE business_id = ${businessId} AND account = 'sales'`;
  return row;
};

const columns = "contact_id,sold_at,amount,reference_id\n";

it("a file with the newest line first is imported with its refunds, once", async () => {
  const { business, contact_id } = await businessWithMember();
  const lines = [
    [`${contact_id},2026-03-05,-300,R-1`, `${contact_id},2026-03-05,-300,R-1`],
    [`${contact_id},2026-03-04,-900,R-9`, `${contact_id},2026-03-04,-200,`],
    [`${contact_id},2026-03-03,700,R-2`, `${contact_id},2026-03-02,1000,R-1`],
  ].flat();
  const id = await upload(business.businessId, `${columns}${lines.join("\n")}\n`);
  const check = await preview(id);
  expect(check.result).toMatchObject({
    lines: 6,
    imported: 4,
    skipped: 0,
    rejected: 2,
    sums: { lines: 2, amount: 1700 },
    reasons: [
      { reason: "amount is a refund, and no sale of the member has its reference_id.", first_lines: [4] },
      { reason: "amount is negative. A refund has the reference_id of its sale.", first_lines: [5] },
    ],
    notes: expect.arrayContaining([
      "Refunds: 2 lines, -6.00 EUR.",
      "Refunds that were left out: 2 lines, -11.00 EUR.",
    ]),
  });
  expect((await start(id)).result).toMatchObject({ imported: 4, skipped: 0, rejected: 2 });
  expect(await sumOf(business.businessId)).toEqual({ sum: 1100, entries: 4 });
  const [refund] = await world.sql`
    SELECT reference_id, (created_at AT TIME ZONE 'Europe/Madrid')::date::text AS day FROM ledger_entry
    WHERE business_id = ${business.businessId} AND event_type = 'sale_refund' LIMIT 1`;
  expect(refund).toEqual({ reference_id: "R-1", day: "2026-03-05" });
  // The same file again, and one with a further refund.
  await preview(id);
  expect((await start(id)).result).toMatchObject({ imported: 0, skipped: 4, rejected: 2 });
  const more = await upload(
    business.businessId,
    `${columns}${contact_id},2026-03-06,-500,R-1\n${contact_id},2026-03-06,-400,R-1\n${contact_id},2026-03-06,-5,R-1\n`,
  );
  expect((await preview(more)).result).toMatchObject({
    imported: 1,
    rejected: 2,
    reasons: [
      { reason: "amount is more than is left of the sale.", first_lines: [2] },
      { reason: "amount is a refund, and the sale is refunded already.", first_lines: [4] },
    ],
  });
  const listed = await asOperator(world, "/op/imports/rejected", more);
  expect(listed.body.data.lines[0].reasons[0].message).toBe("amount is more than is left of the sale, 400.");
  await start(more);
  expect(await sumOf(business.businessId)).toEqual({ sum: 700, entries: 5 });
  await expectValidLedger(business);
});

it("refunds of sales that earned take the points back, by the rules for refunds", async () => {
  const shop = await makeSandbox(world, "2026-01-10");
  const contact_id = await shop.member();
  const line = { contact_id, sold_at: "2026-01-08", reference_id: "R-1" };
  const lines = [
    { line: 1, ...line, amount: -1000, sold_at: "2026-01-09" },
    { line: 2, ...line, amount: 3000 },
  ];
  const options = { earn: true, location_id: shop.locationId };
  const load = (more: Body = {}) =>
    operatorWrite(world, "/op/imports/sales", { business_id: shop.businessId, lines, ...options, ...more });
  expect(await load({ dry_run: true })).toMatchObject({ imported: 2, skipped: 0, rejected: [] });
  expect(await load()).toEqual({ imported: 2, skipped: 0, rejected: [] });
  expect(await load()).toEqual({ imported: 0, skipped: 2, rejected: [] });
  const [sale] = await shop.ask("/sp/sales/list", { reference_id: "R-1" });
  expect(sale).toMatchObject({ amount: 3000, refunded: 1000, points_earned: 30 });
  expect(await shop.ask("/sp/members/balances", { contact_id })).toMatchObject({ points: 20, sales: 2000 });
  await expectValidLedger({ businessId: shop.businessId } as never);
});

it("a line refunds the sale of a till, if the member has one of its reference at its location", async () => {
  const shop = await makeSandbox(world, "2026-01-10 10:00:00");
  const { businessId: business_id, locationId: location_id } = shop;
  const elsewhere = await operatorWrite(world, "/op/locations/create", { business_id, name: "Elsewhere" });
  const [contact_id, other] = [await shop.member(), await shop.member()];
  const sell = (reference_id: string, more: Body = {}) =>
    shop.write("/sp/sales/record", { contact_id, location_id, amount: 3000, reference_id, ...more });
  await sell("T-1");
  const twice = [await sell("T-2"), await sell("T-2")].map(({ sale_id }) => sale_id);
  await sell("T-3");
  await sell("T-3", { location_id: elsewhere.location_id });
  const line = { contact_id, sold_at: "2026-01-10 09:00:00", amount: -1000 };
  const lines = [
    { ...line, line: 1, reference_id: "T-1" },
    { ...line, line: 2, reference_id: "T-2" },
    { ...line, line: 3, reference_id: "T-3", location_id },
    { ...line, line: 4, reference_id: "T-1", contact_id: other, amount: -700 },
    { ...line, line: 5, reference_id: "T-1", amount: -2500 },
  ];
  const load = (more: Body = {}) =>
    operatorWrite(world, "/op/imports/sales", { business_id, lines, ...more });
  const rejected = [
    {
      ...{ line: 2, field: "amount", code: "differs" },
      message: `amount is a refund, and several sales of the member have the reference_id T-2, such as sale_id ${twice.join(" and ")}.`,
    },
    { line: 4, field: "amount", code: "sale_not_found" },
    { line: 5, field: "amount", code: "refund_exceeds_sale" },
  ];
  expect(await load({ dry_run: true })).toMatchObject({ imported: 2, skipped: 0, rejected });
  expect(await load()).toMatchObject({ imported: 2, skipped: 0, rejected });
  expect(await load()).toMatchObject({ imported: 0, skipped: 2, rejected });
  const [sale] = await shop.ask("/sp/sales/list", { reference_id: "T-1" });
  expect(sale).toMatchObject({ amount: 3000, refunded: 1000 });
  const sales = await shop.ask("/sp/sales/list", { reference_id: "T-3" });
  expect(sales.map((one: Body) => [one.location_id, one.refunded])).toEqual([
    [elsewhere.location_id, 0],
    [location_id, 1000],
  ]);
  expect(await shop.ask("/sp/members/balances", { contact_id })).toMatchObject({ sales: 13_000 });
  await expectValidLedger({ businessId: business_id } as never);
});

it("equal refunds of two sales with one receipt number are two refunds, and each is imported once", async () => {
  const shop = await makeSandbox(world, "2026-01-10 10:00:00");
  const { businessId: business_id, locationId: location_id } = shop;
  const elsewhere = await operatorWrite(world, "/op/locations/create", { business_id, name: "Elsewhere" });
  const [one, other] = [await shop.member(), await shop.member()];
  const sell = (contact_id: number, place: unknown) =>
    shop.write("/sp/sales/record", { contact_id, location_id: place, amount: 3000, reference_id: "T-1" });
  for (const contact_id of [one, other]) await sell(contact_id, location_id);
  await sell(other, elsewhere.location_id);
  const imported = { contact_id: one, sold_at: "2026-01-09", amount: 2000, reference_id: "I-1" };
  const line = { sold_at: "2026-01-10", amount: -500, reference_id: "T-1" };
  const lines = [
    { ...imported, line: 1, location_id },
    { ...imported, line: 2, location_id: elsewhere.location_id },
    { ...imported, line: 3, location_id, amount: -100 },
    { ...imported, line: 4, location_id: elsewhere.location_id, amount: -100 },
    { ...line, line: 5, contact_id: one },
    { ...line, line: 6, contact_id: other, location_id },
    { ...line, line: 7, contact_id: other, location_id: elsewhere.location_id },
  ];
  const load = (more: Body = {}) =>
    operatorWrite(world, "/op/imports/sales", {
      ...{ business_id, lines, reference_per: ["location"] },
      ...more,
    });
  expect(await load({ dry_run: true })).toMatchObject({ imported: 7, skipped: 0, rejected: [] });
  expect(await load()).toEqual({ imported: 7, skipped: 0, rejected: [] });
  expect(await load()).toEqual({ imported: 0, skipped: 7, rejected: [] });
  const sales = await shop.ask("/sp/sales/list", { reference_id: "T-1" });
  expect(sales.map(({ refunded }: Body) => refunded)).toEqual([500, 500, 500]);
  await expectValidLedger({ businessId: business_id } as never);
});

it("a refund is of the member's own sale, if another member's imported sale has its reference", async () => {
  const shop = await makeSandbox(world, "2026-01-10 10:00:00");
  const { businessId: business_id, locationId: location_id } = shop;
  const [one, other] = [await shop.member(), await shop.member()];
  await shop.write("/sp/sales/record", { contact_id: other, location_id, amount: 3000, reference_id: "T-1" });
  const line = { sold_at: "2026-01-09", reference_id: "T-1" };
  const lines = [
    { ...line, line: 1, contact_id: one, amount: 1000 },
    { ...line, line: 2, contact_id: other, amount: -500 },
    { ...line, line: 3, contact_id: one, amount: -500 },
  ];
  const load = () => operatorWrite(world, "/op/imports/sales", { business_id, lines });
  expect(await load()).toEqual({ imported: 3, skipped: 0, rejected: [] });
  expect(await load()).toEqual({ imported: 0, skipped: 3, rejected: [] });
  expect(await shop.ask("/sp/members/balances", { contact_id: other })).toMatchObject({ sales: 2500 });
});

it("a refund that is rejected for another reason than its amount says the reason", async () => {
  const shop = await makeSandbox(world, "2026-01-10 10:00:00");
  const { businessId: business_id, locationId: location_id } = shop;
  const contact_id = await shop.member();
  await shop.write("/sp/wallet/topup", { contact_id, location_id, amount: 1000 });
  await shop.write("/sp/sales/record", {
    ...{ contact_id, location_id, amount: 3000, reference_id: "T-1", use_wallet: 1000 },
  });
  await world.sql`
    UPDATE account SET balance = ${Number.MAX_SAFE_INTEGER} WHERE contact_id = ${contact_id} AND account = 'wallet'`;
  const file = `${columns}${contact_id},2026-01-10,-3000,T-1\n`;
  const id = await upload(business_id, file);
  await preview(id);
  expect((await start(id)).result).toMatchObject({ imported: 0, rejected: 1 });
  const listed = await asOperator(world, "/op/imports/rejected", id);
  expect(listed.body.data.lines[0].reasons).toEqual([
    {
      field: "amount",
      message: `amount can't be refunded: The balance would exceed its limit of ${Number.MAX_SAFE_INTEGER}.`,
    },
  ]);
});

it("a sale that was refunded in part earns no points later, and another member's receipt is not refunded", async () => {
  const { business, contact_id } = await businessWithMember();
  const other = await world.member({}, business.everywhere);
  const { location_id } = await operatorWrite(world, "/op/locations/create", {
    business_id: business.businessId,
    name: "Till",
  });
  const sale = { contact_id, sold_at: "2026-03-02", reference_id: "R-1", amount: 1000, location_id };
  const lines = [
    { ...sale, line: 1 },
    { ...sale, line: 2, amount: -1, sold_at: "2026-03-03" },
    { ...sale, line: 3, amount: -1, contact_id: other },
  ];
  expect(await importLines("sales", business, lines)).toMatchObject({
    imported: 2,
    rejected: [{ line: 3, field: "contact_id", code: "differs" }],
  });
  const later = await importLines("sales", business, lines.slice(0, 1), { earn: true, earn_imported: true });
  expect(later).toMatchObject({ imported: 0, skipped: 0, rejected: [{ line: 1, field: "amount" }] });
});

it("the sum of a file is the sum of the ledger, in any order, with any number of refunds", async () => {
  const receipt = fc.record({
    amount: fc.integer({ min: 1, max: 50 }),
    refunds: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(receipt, { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat(1000)),
      async (receipts, random) => {
        const { business, contact_id } = await businessWithMember();
        let sum = 0;
        const lines = receipts.flatMap(({ amount, refunds }, nth) => {
          // Those that exceed their sale depend on the order.
          const fitting = refunds.filter(
            (_, at) => refunds.slice(0, at + 1).reduce((a, b) => a + b) <= amount,
          );
          const taken = fitting.length === refunds.length ? refunds : [];
          sum += amount - taken.reduce((a, b) => a + b, 0);
          return [amount, ...taken.map((one) => -one)].map(
            (one) => `${contact_id},2026-03-02,${one},R-${nth}\n`,
          );
        });
        const shuffled = lines
          .map((line) => ({ line, by: random.next().value as number }))
          .sort((one, two) => one.by - two.by)
          .map(({ line }) => line);
        const id = await upload(business.businessId, `${columns}${shuffled.join("")}`);
        const checked = (await preview(id)).result as Body;
        const done = (await start(id)).result as Body;
        expect([checked.imported, checked.rejected]).toEqual([lines.length, 0]);
        expect([done.imported, done.rejected]).toEqual([lines.length, 0]);
        expect(await sumOf(business.businessId)).toEqual({ sum, entries: lines.length });
        await expectValidLedger(business);
      },
    ),
    { numRuns: 8 },
  );
});
