/** How many stamps a sale gives on a card, and how many its refunds leave. */
import { describe, expect, it } from "vitest";
import type { Sale, SaleGrant, SaleLine, SaleStamps } from "../../records.ts";
import { lineFinder } from "../lines.ts";
import * as counting from "./counting.ts";

const { linesThatCount, stampCounter } = counting;
type Of = Parameters<typeof stampCounter>[0] & Pick<Sale, "grants">;
const countStamps = (of: Of, id: number, own: SaleStamps["own"]) =>
  counting.countStamps(of, id, own, stampCounter(of));
const stampsKept = (of: Of & Pick<Sale, "stamps">) => counting.stampsKept(of, stampCounter(of));
const hasVisit = (of: Of, own: SaleStamps["own"]) => counting.hasVisit(stampCounter(of), own);

const line = (quantity: number, amount: number, more: Partial<SaleLine> = {}): SaleLine => ({
  ...{ sku: null, category: "coffee", quantity, amount, earns: false, covered: 0, returned: 0, free: 0 },
  ...more,
});
const sale = (lines: SaleLine[] | null, more: Partial<Sale> = {}) => {
  const amount = lines?.reduce((sum, one) => sum + one.amount, 0) ?? 1000;
  const of = { amount, refunded: 0, receipt_lines: lines, voucher_amount: 0, grants: null, stamps: null };
  return { ...of, ...more };
};
const units = (lines: number[] | null, minimum_amount = 0) =>
  ({ counts: "unit", lines, minimum_amount }) as const;
const visit = (lines: number[] | null, minimum_amount = 0) =>
  ({ counts: "visit", lines, minimum_amount }) as const;
const ofUnits = { counts: "unit", skus: [], categories: [], counts_free_lines: false } as const;
const grant = (stamps: number, keeps_stamps = true) =>
  ({ stamp_card_id: 1, stamps, keeps_stamps }) as SaleGrant;

describe("the lines that count", () => {
  const lines = [line(1, 300), line(2, 0), line(1, 500, { category: "cake", sku: "C-1" })];
  const of = (more: object, given: SaleLine[] | null = lines) =>
    linesThatCount({ ...ofUnits, ...more }, given, lineFinder(given ?? []));

  it("have one of the articles or categories, and an amount", () => {
    expect(of({ categories: ["COFFEE"] })).toEqual([1]);
    expect(of({ categories: ["coffee"], skus: ["c-1 "] })).toEqual([1, 3]);
    expect(of({ categories: ["tea"] })).toBeUndefined();
    const tea = line(1, 1, { category: "tea" });
    expect(of({ categories: ["coffee"], skus: ["c-1"] }, [...lines, tea])).toEqual([1, 3]);
    expect(of({})).toEqual([1, 3]);
    expect(of({}, [line(2, 0)])).toBeUndefined();
    expect(of({}, [line(2, 1)])).toEqual([1]);
  });

  it("may have no amount if the card says so", () => {
    expect(of({ categories: ["coffee"], counts_free_lines: true })).toEqual([1, 2]);
    expect(of({ counts_free_lines: true }, [line(2, 0)])).toEqual([1]);
  });

  it("are needed for units, and for visits only if the card names some", () => {
    expect(of({}, null)).toBeUndefined();
    expect(of({ counts: "visit" }, null)).toBeNull();
    expect(of({ counts: "visit" })).toBeNull();
    expect(of({ counts: "visit", categories: ["cake"] })).toEqual([3]);
    expect(of({ counts: "visit", categories: ["cake"] }, null)).toBeUndefined();
  });
});

describe("the stamps of a sale", () => {
  it.each([
    ["units", units([1, 2]), {}, 3],
    ["units of a line", units([2]), {}, 1],
    ["units that reach the minimum", units([2], 400), {}, 1],
    ["units that don't", units([2], 401), {}, 0],
    ["a visit", visit(null), {}, 1],
    ["a visit that reaches the minimum", visit(null, 1000), {}, 1],
    ["a visit that doesn't", visit(null, 1001), {}, 0],
    ["a visit that doesn't, because of a voucher", visit(null, 1000), { voucher_amount: 1 }, 0],
    ["units beside a voucher", units([1]), { voucher_amount: 999 }, 2],
    ["units that a voucher paid", units([1]), { voucher_amount: 1000 }, 0],
    ["nothing", null, {}, 0],
    ["those of promotions", units([2]), { grants: [grant(4), grant(9, false)] }, 5],
    ["no more than a hundred", units([1]), { grants: [grant(99)] }, 100],
  ])("are %s", (_, own, more, expected) => {
    expect(countStamps(sale([line(2, 600), line(1, 400)], more), 1, own)).toBe(expected);
  });

  it.each([
    ["of all lines", 1, 1, 1],
    ["of a line", 1, 0, 2],
    ["all of a line", 2, 0, 1],
  ])("are none for units that vouchers for an article paid, %s", (_, first, second, expected) => {
    const lines = [line(2, 600, { free: first }), line(1, 400, { free: second })];
    expect(countStamps(sale(lines), 1, units([1, 2]))).toBe(expected);
  });

  it.each([
    ["units", units([2]), {}, 3],
    ["units beside others", units([1, 2]), {}, 5],
    ["those that did not come back", units([2]), { returned: 2 }, 1],
    ["nothing below a minimum", units([2], 1), {}, 0],
    ["a visit", visit([2]), {}, 1],
    ["a visit as long as one is left", visit([2]), { returned: 2 }, 1],
    ["no visit when all came back", visit([2]), { returned: 3 }, 0],
  ])("of free lines are %s", (_, own, more, expected) => {
    expect(countStamps(sale([line(2, 600), line(3, 0, more)]), 1, own)).toBe(expected);
  });

  it("of free lines are none when vouchers paid all, or all was refunded", () => {
    const lines = [line(1, 600), line(3, 0)];
    expect(countStamps(sale(lines, { voucher_amount: 600 }), 1, units([2]))).toBe(0);
    expect(countStamps(sale(lines, { refunded: 600 }), 1, units([2]))).toBe(0);
  });

  it("are those of promotions for this card alone", () => {
    expect(countStamps(sale(null, { grants: [grant(4)] }), 2, null)).toBe(0);
  });

  it("are left as long as their units, their minimum and their promotions are", () => {
    const stamps: SaleStamps[] = [
      {
        stamp_card_id: 1,
        own: units([1]),
        added: 4,
        on_card: 4,
        held_voucher_ids: [],
        left: 4,
        lapses_on: null,
      },
    ];
    const sold = sale([line(3, 900, { covered: 300 }), line(1, 100)], { refunded: 300, stamps });
    const left = (more: Partial<Sale>) => stampsKept({ ...sold, ...more })?.map((one) => one.left);
    expect(left({})).toEqual([2]);
    expect(left({ grants: [grant(1)] })).toEqual([3]);
    expect(left({ grants: [grant(9)] })).toEqual([4]);
    expect(left({ stamps: null })).toBeUndefined();
    // An amount falls on all lines, and a unit of which more than half came back is none.
    expect(left({ refunded: 301 })).toEqual([2]);
    expect(left({ refunded: 300 + 180 })).toEqual([1]);
  });

  it("have a visit until too little is left", () => {
    const sold = sale(null, { refunded: 400 });
    expect([hasVisit(sold, visit(null, 600)), hasVisit(sold, visit(null, 601))]).toEqual([true, false]);
    expect([hasVisit(sold, null), hasVisit(sale([line(1, 900)]), units([1]))]).toEqual([false, false]);
  });
});
