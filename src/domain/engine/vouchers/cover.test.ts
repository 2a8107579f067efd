import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HeldVoucher } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import type { LineInput } from "../lines.ts";
import { coverage, coveredAmount, type PayableSale, unusedValue } from "./cover.ts";
import type { VoucherTerms } from "./terms.ts";

let numbers = 0;
const held = (coupon_value: number, terms: Partial<VoucherTerms> | null = null): HeldVoucher => {
  numbers += 1;
  const plain = {
    kind: "value",
    percent: null,
    most_amount: null,
    skus: [],
    categories: [],
    minimum_amount: 0,
  } as const;
  return {
    ...{
      held_voucher_id: numbers,
      contact_id: 1,
      voucher_id: 1,
      coupon_code: "A",
      coupon_key: "a",
      coupon_value,
    },
    ...{
      location_id: null,
      reference_id: "R",
      issued_on: "2026-01-10",
      valid_from: "2026-01-10",
      lapses_on: null,
    },
    ...{
      status: "held",
      redeemed_at: null,
      excused: false,
      sale_id: null,
      covered: null,
      redemption_id: null,
      code_id: null,
    },
    terms: terms && { ...plain, ...terms },
  } as HeldVoucher;
};
const value = (amount: number, minimum_amount = 0) =>
  held(amount, minimum_amount > 0 ? { minimum_amount } : null);
const percent = (share: number, more: Partial<VoucherTerms> = {}) =>
  held(0, { kind: "percent", percent: share, ...more });
const item = (categories: string[], more: Partial<VoucherTerms> = {}) =>
  held(0, { kind: "item", categories, ...more });

const line = (category: string, amount: number, quantity = 1): LineInput => ({ category, amount, quantity });
const saleOf = (...lines: LineInput[]): PayableSale => {
  const payableLines = lines.map(({ amount }) => amount);
  const amount = payableLines.reduce((sum, each) => sum + each, 0);
  return { amount, payable: amount, lines, payableLines };
};
const without = (amount: number): PayableSale => ({ amount, payable: amount, lines: null, payableLines: [] });

const covered = (sale: PayableSale, ...vouchers: HeldVoucher[]) => {
  const result = coverage(sale)(vouchers);
  if (result instanceof Rejection) return result.details.reason;
  return result.map((one) => one.covered);
};

describe("a voucher for an article", () => {
  it("pays one unit of the dearest line that it counts for", () => {
    const sale = saleOf(line("coffee", 900, 3), line("Coffee ", 450), line("cake", 800));
    expect(covered(sale, item(["coffee"]))).toEqual([450]);
    expect(covered(sale, item(["coffee"]), item(["coffee"]))).toEqual([450, 300]);
    expect(covered(sale, item(["coffee"], { most_amount: 200 }))).toEqual([200]);
    // What a unit leaves of its price pays no other voucher for an article.
    const [first, second] = [item(["cake"], { most_amount: 100 }), item(["cake"])];
    expect(covered(sale, first, second)).toBe("no_item");
    expect(covered(saleOf(line("cake", 2, 3)), item(["cake"]))).toBe("no_item");
    expect(covered(saleOf(line("cake", 0, 3)), item(["cake"]))).toBe("no_item");
    expect(covered(without(900), item(["coffee"]))).toBe("no_item");
  });

  it("leaves a line to one that counts for fewer lines, whichever is named first", () => {
    const sale = saleOf(line("coffee", 500), line("tea", 400));
    const [drink, coffee] = [item(["coffee", "tea"]), item(["coffee"])];
    expect(covered(sale, drink, coffee)).toEqual([400, 500]);
    expect(covered(sale, coffee, drink)).toEqual([500, 400]);
  });

  it("takes another line if it leaves its own to one that has no other", () => {
    const sale = saleOf(line("a", 1000), line("b", 500), line("c", 700));
    const vouchers = [item(["a", "b"]), item(["b", "c"]), item(["a", "c"])];
    const paid = covered(sale, ...vouchers) as number[];
    expect([...paid].sort()).toEqual([1000, 500, 700]);
    expect(covered(saleOf(line("a", 1000), line("b", 500)), ...vouchers)).toBe("no_item");
  });

  it("leaves what it pays to no other voucher, and says which line it was", () => {
    const sale = saleOf(line("cake", 500), line("coffee", 450));
    const coffee = item(["coffee"]);
    const result = coverage(sale)([coffee, value(900)]);
    expect(result).toMatchObject([
      { covered: 450, line_no: 2 },
      { covered: 500, line_no: undefined },
    ]);
    if (result instanceof Rejection) throw new Error("rejected");
    expect(unusedValue(result)).toBe(400);
    expect(covered(sale, item(["coffee"], { most_amount: 900 }))).toEqual([450]);
    // A sku and a category are two words, and not none.
    expect(
      covered(saleOf(line("cake", 500), line("coffee", 450)), item(["coffee"], { skus: ["X"] })),
    ).toEqual([450]);
    expect(covered(sale, item([]))).toEqual([500]);
    // One cent is a price.
    expect(covered(saleOf(line("coffee", 1)), item(["coffee"]))).toEqual([1]);
  });

  it("pays a line without a quantity once, as a whole", () => {
    const sale = saleOf({ category: "coffee", amount: 450 });
    expect(covered(sale, item(["coffee"]))).toEqual([450]);
    expect(covered(sale, item(["coffee"]), item(["coffee"]))).toBe("no_item");
  });

  it("pays the dearest line before others that count for more lines, pay less, or have a higher number", () => {
    const sale = saleOf(line("a", 1000), line("b", 800), line("c", 500));
    const [many, few] = [item(["a", "b", "c"]), item(["a", "b"])];
    expect(covered(sale, many, few)).toEqual([800, 1000]);
    const [first, second] = [item(["a", "b"], { most_amount: 100 }), item(["a", "b"])];
    expect(covered(sale, first, second)).toEqual([100, 1000]);
    expect(covered(sale, second, first)).toEqual([1000, 100]);
  });

  it("takes another line if one of several that pay its own has a further line", () => {
    const sale = saleOf(line("a", 2000, 2), line("b", 500), line("c", 400));
    const vouchers = [item(["a", "b"]), item(["a", "c"]), item(["a", "b"]), item(["a", "b"])];
    const paid = covered(sale, ...vouchers) as number[];
    expect(paid.toSorted()).toEqual([1000, 1000, 400, 500]);
  });

  it("pays the first of equal lines", () => {
    const result = coverage(saleOf(line("coffee", 450), line("coffee", 450)))([item(["coffee"])]);
    expect(result).toMatchObject([{ line_no: 1 }]);
  });

  it("pays no line that vouchers can't pay", () => {
    const sale = {
      ...saleOf(line("coffee", 500), line("coffee", 400)),
      payable: 400,
      payableLines: [0, 400],
    };
    expect(covered(sale, item(["coffee"]))).toEqual([400]);
  });
});

describe("a voucher for a share", () => {
  it("pays its share of what is open of its lines, or of a sale without lines", () => {
    const sale = saleOf(line("shoes", 9999), line("bags", 5000));
    expect(covered(sale, percent(20))).toEqual([2999]);
    expect(covered(sale, percent(20, { categories: ["SHOES"] }))).toEqual([1999]);
    expect(covered(sale, percent(20, { most_amount: 1000 }))).toEqual([1000]);
    expect(covered(without(9999), percent(100))).toEqual([9999]);
    expect(covered(without(9999), percent(20, { categories: ["shoes"] }))).toBe("no_item");
    expect(covered(sale, percent(20, { categories: ["hats"] }))).toBe("no_item");
    expect(covered(without(0), percent(20))).toBe("not_needed");
    // What vouchers can't pay has no share, with or without words.
    const closed = { ...saleOf(line("shoes", 1000)), payable: 0, payableLines: [0] };
    expect(covered(closed, percent(20))).toBe("not_needed");
    expect(covered({ ...closed, payable: 1000 }, percent(20))).toBe("not_needed");
    expect(covered(sale, percent(20, { categories: ["shoes"], skus: ["X"] }))).toEqual([1999]);
  });

  it("follows articles and precedes values, and there is only one", () => {
    const sale = saleOf(line("coffee", 500), line("cake", 500));
    const vouchers = [value(300), percent(50), item(["coffee"])];
    expect(covered(sale, ...vouchers)).toEqual([250, 250, 500]);
    expect(covered(sale, percent(50), percent(10))).toBe("second_percent");
    expect(covered(saleOf(line("coffee", 500)), item(["coffee"]), percent(10))).toBe("not_needed");
    expect(covered(sale, item(["coffee"]), percent(10, { categories: ["coffee"] }))).toBe("not_needed");
    for (const amount of [1, 3]) expect(covered(without(amount), percent(20))).toBe("worth_nothing");
    expect(covered(without(1000), percent(20, { most_amount: 500 }))).toEqual([200]);
    expect(covered(without(1000), percent(20, { skus: ["X"], categories: ["shoes"] }))).toBe("no_item");
  });
});

describe("a value", () => {
  it("is rejected if it is not needed, the last that can be left out", () => {
    const spare = (amount: number, ...values: number[]) => {
      const vouchers = values.map((each) => value(each));
      const result = coverage(without(amount))(vouchers);
      if (!(result instanceof Rejection)) return undefined;
      return vouchers.findIndex(({ held_voucher_id }) => held_voucher_id === result.details.held_voucher_id);
    };
    expect(spare(300, 500, 500, 500)).toBe(2);
    expect(spare(700, 500, 100, 500)).toBe(1);
    // The second makes up for the first to the cent.
    expect(spare(500, 500, 500)).toBe(1);
    expect(spare(501, 500, 0, 500)).toBeUndefined();
    expect(spare(300, 500)).toBeUndefined();
    expect(spare(500, 500, 0)).toBeUndefined();
    expect(spare(500, 500, 1)).toBe(1);
    expect(covered(without(700), value(500), value(500))).toEqual([500, 200]);
  });

  it("pays only a sale that reaches its minimum", () => {
    const result = coverage(without(1999))([value(500, 2000)]);
    expect(result).toMatchObject({ details: { reason: "minimum_amount", minimum_amount: 2000 } });
    expect(covered(without(2000), value(500, 2000))).toEqual([500]);
    const both = coverage(without(999))([value(1), value(1, 3000), value(1, 1000)]);
    expect(both).toMatchObject({ details: { minimum_amount: 3000 } });
  });
});

describe("several vouchers", () => {
  const category = fc.constantFrom("coffee", "cake", "tea");
  const lines = fc.array(
    fc.record({ category, amount: fc.nat(2000), quantity: fc.integer({ min: 1, max: 4 }) }),
    { minLength: 1, maxLength: 5 },
  );
  const most = fc.option(fc.integer({ min: 1, max: 900 }));
  const some = fc.uniqueArray(category, { minLength: 1, maxLength: 2 });
  const vouchers = fc.array(
    fc.oneof(
      fc.tuple(some, most).map(([categories, most_amount]) => item(categories, { most_amount })),
      fc.integer({ min: 1, max: 900 }).map((amount) => value(amount)),
      fc
        .tuple(fc.integer({ min: 1, max: 100 }), most)
        .map(([share, most_amount]) => percent(share, { most_amount })),
    ),
    { maxLength: 4 },
  );

  it("pay at most what is payable, the same in any order", () => {
    fc.assert(
      fc.property(lines, vouchers, fc.nat(), (bought, used, turn) => {
        const sale = saleOf(...bought);
        const result = coverage(sale)(used);
        const shift = turn % (used.length + 1);
        const again = coverage(sale)([...used.slice(shift), ...used.slice(0, shift)]);
        expect(again instanceof Rejection).toBe(result instanceof Rejection);
        if (result instanceof Rejection || again instanceof Rejection) return;
        expect(coveredAmount(result)).toBeLessThanOrEqual(sale.payable);
        expect(coveredAmount(again)).toBe(coveredAmount(result));
        const values = used.reduce((sum, { coupon_value }) => sum + coupon_value, 0);
        const ofValues = result.filter(({ voucher }) => voucher.coupon_value > 0);
        expect(unusedValue(result)).toBe(values - coveredAmount(ofValues));
        for (const { voucher, covered: part } of result)
          expect(part).toBeLessThanOrEqual(voucher.terms?.most_amount ?? sale.amount);
      }),
    );
  });

  it("pay no less of a sale with a larger line", () => {
    fc.assert(
      fc.property(lines, vouchers, fc.integer({ min: 1, max: 500 }), (bought, used, more) => {
        const result = coverage(saleOf(...bought))(used);
        if (result instanceof Rejection) return;
        const [first, ...others] = bought as [LineInput, ...LineInput[]];
        const larger = coverage(saleOf({ ...first, amount: first.amount + more }, ...others))(used);
        if (!(larger instanceof Rejection))
          expect(coveredAmount(larger)).toBeGreaterThanOrEqual(coveredAmount(result));
      }),
    );
  });
});
