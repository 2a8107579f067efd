import fc from "fast-check";
import { expect, it } from "vitest";
import "../../../test/support/random-cases.ts";
import type { SaleGrant, SaleLine } from "../../domain/records.ts";
import { restoredForm, type StoredForm, storedForm } from "./sale-form.ts";

const number: fc.Arbitrary<number> = fc.integer({ min: 0, max: 3 });
const maybe = <Value>(some: fc.Arbitrary<Value>) => fc.option(some, { nil: null });
const line: fc.Arbitrary<SaleLine> = fc.record({
  sku: maybe(fc.string()),
  category: maybe(fc.string()),
  quantity: number,
  amount: number,
  earns: fc.boolean(),
  rate: fc.option(fc.record({ earn_points: number, earn_amount: maybe(number) }), { nil: undefined }),
  covered: number,
  returned: number,
  free: number,
});
const grant: fc.Arbitrary<SaleGrant> = fc.record({
  promotion_id: number,
  lines: maybe(fc.array(number)),
  points: number,
  left: number,
  multiply: maybe(number),
  fixed: maybe(
    fc.record({
      points: number,
      per: fc.constantFrom("sale" as const, "unit" as const),
      minimum_amount: number,
      minimum_quantity: number,
    }),
  ),
  held_voucher_id: maybe(number),
  keeps_voucher: fc.boolean(),
  excuses_voucher: fc.boolean(),
  stamp_card_id: maybe(number),
  stamps: number,
  keeps_stamps: fc.boolean(),
  counts: fc.boolean(),
});
const row = fc.record({
  sale_id: number,
  receipt_lines: maybe(fc.array(line)),
  grants: maybe(fc.array(grant)),
});
type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;

it("gives back what was stored", () => {
  fc.assert(
    fc.property(row, (sale) => {
      const stored = JSON.parse(JSON.stringify(storedForm(sale))) as StoredForm<Row>;
      expect(restoredForm<Row>(stored)).toEqual(sale);
    }),
  );
});

it("leaves out what most lines and grants have", () => {
  const usual = {
    sku: null,
    category: null,
    quantity: 1,
    amount: 600,
    earns: true,
    covered: 0,
    returned: 0,
    free: 0,
  };
  const doubled = {
    ...{
      promotion_id: 4,
      lines: [1],
      points: 12,
      left: 12,
      multiply: 200,
      fixed: null,
      held_voucher_id: null,
    },
    ...{ keeps_voucher: false, excuses_voucher: false, stamp_card_id: null, stamps: 0, keeps_stamps: false },
    counts: false,
  };
  const bonus = {
    ...{ ...doubled, promotion_id: 5, lines: null, points: 0, left: 0, multiply: null, keeps_voucher: true },
    fixed: { points: 0, per: "sale" as const, minimum_amount: 0, minimum_quantity: 2 },
  };
  const stored = JSON.stringify(storedForm({ receipt_lines: [usual], grants: [doubled, bonus] }));
  expect(JSON.parse(stored)).toEqual({
    receipt_lines: [{ amount: 600 }],
    grants: [
      { promotion_id: 4, lines: [1], points: 12, left: 12, multiply: 200 },
      { promotion_id: 5, fixed: { minimum_quantity: 2 }, keeps_voucher: true },
    ],
  });
});
