/** Files with several lines for one receipt: they are one sale, whatever the borders of the chunks are. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { asOperator } from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, expectValidLedger } = importTools(world);
const { upload, preview, start } = importJobs(world);

const columns = "contact_id,sold_at,amount,reference_id\n";
const options = { join_lines: true };

const sumOf = async (businessId: number) => {
  const [row] = await world.sql<{ sum: number; entries: number }[]>`
    SELECT coalesce(sum(amount), 0)::bigint AS sum, count(*) AS entries FROM ledger_entry
    WHERE business_id = ${businessId} AND account = 'sales'`;
  return row;
};

it("lines of one receipt are one sale, and rejections name them", async () => {
  const { business, contact_id } = await businessWithMember();
  const text =
    `${columns}${contact_id},2026-03-02 09:00,500,R-1\n,,250,R-1\n,,,R-1\n${contact_id},2026-03-02 09:00,-50,R-1\n` +
    `999,2026-03-02,100,R-2\n999,2026-03-02,100,R-2\n${contact_id},2026-03-03,100,R-3\n,,x,R-3\n` +
    `${contact_id},2026-03-04,-300,R-1\n,2026-03-04,70,R-4\n`;
  const id = await upload(business.businessId, text);
  expect(await preview(id, options)).toMatchObject({
    lines_done: 10,
    result: { lines: 10, imported: 2, rejected: 2, left_out: 1, joined: 5, sums: { amount: 700 } },
  });
  expect(await start(id)).toMatchObject({ result: { lines: 10, imported: 2, joined: 5 } });
  expect(await sumOf(business.businessId)).toEqual({ sum: 400, entries: 2 });
  const { lines } = (await asOperator(world, "/op/imports/rejected", id)).body.data;
  expect(lines.map(({ line, reasons }: Body) => [line, (reasons as Body[])[0]?.message])).toEqual([
    [6, "contact_id names no member (lines 6 to 7 are one receipt)."],
    [7, "contact_id names no member (lines 6 to 7 are one receipt)."],
    [8, "amount must be a whole number (lines 8 to 9 are one receipt)."],
    [9, "amount must be a whole number (lines 8 to 9 are one receipt)."],
  ]);
  await preview(id, options);
  expect((await start(id)).result).toMatchObject({ imported: 0, skipped: 2 });
  await expectValidLedger(business);
});

it("lines of one receipt that are apart are no file to import, unless its numbers restart", async () => {
  const { business, contact_id } = await businessWithMember();
  const of = (day: number, amount: number, reference: string) =>
    `${contact_id},2026-03-0${day},${amount},${reference}\n`;
  const apart = await upload(
    business.businessId,
    `${columns}${of(2, 5, "1")}${of(2, 6, "2")}${of(2, 5, "1")}`,
  );
  expect(await preview(apart, options)).toMatchObject({
    state: "failed",
    problem: expect.stringContaining("The lines of 1 are apart, or differ: see lines 2 and 4."),
  });
  const days = await upload(
    business.businessId,
    `${columns}${of(2, 5, "1")}${of(2, 6, "1")}${of(3, 5, "1")}`,
  );
  expect(await preview(days, { ...options, reference_per: ["day"] })).toMatchObject({
    state: "checked",
    result: { imported: 2, sums: { amount: 16 } },
  });
  const members = { ...days, kind: "members", ...options, idempotency_key: "members" };
  const { error } = (await asOperator(world, "/op/imports/preview", members)).body;
  expect(error.details.errors).toMatchObject([{ field: "join_lines", code: "not_allowed_value" }]);
});

it("the sum of the lines is the sum of the ledger, also across the borders of chunks", async () => {
  const receipts = fc.array(
    fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 4 }).map((amounts) => amounts),
    { minLength: 1, maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(receipts, fc.integer({ min: 985, max: 1000 }), async (some, before) => {
      const { business, contact_id } = await businessWithMember();
      const all = [...Array.from({ length: before }, () => [1]), ...some];
      const text = all.flatMap((amounts, nth) =>
        amounts.map((amount) => `${contact_id},2026-03-02,${amount},R-${nth}\n`),
      );
      const id = await upload(business.businessId, `${columns}${text.join("")}`);
      await preview(id, options);
      expect((await start(id)).result).toMatchObject({
        lines: text.length,
        imported: all.length,
        joined: text.length - all.length,
      });
      const sum = all.flat().reduce((one, other) => one + other, 0);
      expect(await sumOf(business.businessId)).toEqual({ sum, entries: all.length });
    }),
    { numRuns: 3 },
  );
});
