import { describe, expect, it } from "vitest";
import { doubling } from "../../../../test/support/point-lives.ts";
import { euros } from "../../../../test/support/vouchers.ts";
import type { Sale } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import { earningAmount, type LineInput, newLines, reconsidered, refundLines } from "../lines.ts";
import { inertRules, noLineRules, noMemberLimits, type Promotion, type Rules } from "../rules.ts";
import { earn, pointsKept } from "./earning.ts";

const program = {
  ...{
    program_id: 1,
    membership_name: "Club",
    ...noLineRules,
    ...noMemberLimits,
    excluded_categories: ["gift cards"],
  },
  ...{ earn_points: 2, earn_amount: 100, earn_minimum_amount: 0, maximum_points_per_order: 1e9 },
  rates: [
    { skus: ["SERUM"], earn_points: 10, earn_amount: 100 },
    { categories: ["cosmetics"], earn_points: 5, earn_amount: 100 },
    { categories: ["fuel", "cosmetics"], earn_points: 3, earn_per: "unit" as const },
  ],
};
const rulesOf = (of: Partial<typeof program> = {}, promotions: readonly Promotion[] = []): Rules => ({
  ...{ ...inertRules, enable_rp: true, promotions, program: { ...program, ...of } },
});
const made = {
  ...{
    day: "2026-01-15",
    time: "12:00",
    location_id: 1,
    tier_id: null,
    buying: undefined,
    given: new Map(),
    currency: euros,
  },
};
const cream = (amount: number) => ({ category: " Cosmetics", amount });
const serum = (amount: number) => ({ sku: "serum ", category: "cosmetics", amount });
const fuel = (quantity: number, amount: number) => ({ category: "Fuel", quantity, amount });
const bread = (amount: number) => ({ category: "bread", amount });

function sell(lines: readonly LineInput[], rules = rulesOf(), paidOtherwise = 0) {
  const receipt_lines = newLines(lines, rules.program ?? noLineRules);
  const amount = lines.reduce((sum, line) => sum + line.amount, 0);
  const eligible_amount = earningAmount(receipt_lines);
  const { rate, base, points, grants, why } = earn(
    rules,
    { amount, eligible_amount, receipt_lines, paidOtherwise },
    made,
  );
  const sale = {
    ...rate,
    amount,
    earning_base: base,
    points_earned: points,
    refunded: 0,
    receipt_lines,
    grants,
  };
  return { sale, points, why };
}
type Sold = Parameters<typeof pointsKept>[0];

function refunded(sale: Sold, wanted: { line_no: number; quantity?: number; amount?: number }): Sold {
  const back = refundLines(sale as Sale, [wanted]);
  if (back instanceof Rejection) throw new Error("rejected");
  return { ...sale, refunded: sale.refunded + back.amount, receipt_lines: back.receipt_lines };
}

const byRate = (earn_points: number, earn_amount: number | null, base: number, units: number) => ({
  ...{ code: "earned_by_rate", earn_points, earn_amount, base, units },
});

const toldOf = (lines: readonly LineInput[], rules: Rules) =>
  sell(lines, rules).why.map((one) => [one.code, "earn_amount" in one ? one.earn_amount : undefined]);

describe("the rates of lines", () => {
  it("are told in one order: the program's own, then by points, units, and amounts", () => {
    const of = (category: string, earn_points: number, earn_amount?: number) =>
      earn_amount === undefined
        ? { categories: [category], earn_points, earn_per: "unit" as const }
        : { categories: [category], earn_points, earn_amount };
    const rates = [of("a", 5, 100), of("b", 5, 10), of("c", 5, 1), of("d", 5), of("e", 1)];
    const lines = ["a", "b", "c", "d", "e", "other"].map((category) => ({ category, amount: 100 }));
    const order = [
      ["earned", undefined],
      ...[null, null, 1, 10, 100].map((amount) => ["earned_by_rate", amount]),
    ];
    expect(toldOf(lines, rulesOf({ rates }))).toEqual(order);
    expect(toldOf(lines.toReversed(), rulesOf({ rates }))).toEqual(order);
    expect(sell(lines, rulesOf({ rates })).why[1]).toMatchObject({ earn_points: 1 });
  });

  it("are none of lines that don't earn, and of a sale without lines", () => {
    const gift = { sku: "serum", category: "gift cards", amount: 500 };
    const excluded = { code: "lines_excluded", amount: 500 };
    expect(sell([gift]).why).toEqual([{ code: "earned", base: 0, points: 0 }, excluded]);
    expect(sell([gift, cream(100)]).why).toEqual([{ ...byRate(5, 100, 100, 1), points: 5 }, excluded]);
    expect(sell([gift], rulesOf({ earn_points: 0 })).why).toEqual([{ code: "program_without_rate" }]);
    const whole = { amount: 1000, eligible_amount: 1000, receipt_lines: null, paidOtherwise: 0 };
    expect(earn(rulesOf({ earn_points: 1 }), whole, made)).toMatchObject({
      ...{ points: 10, why: [{ code: "earned", base: 1000, points: 10 }] },
    });
    expect(earn(rulesOf({}, [doubling]), whole, made).points).toBe(40);
  });

  it("are those of the first that matches, and otherwise that of the program", () => {
    const { points, why } = sell([bread(1000), serum(150), cream(260), fuel(40, 7000), { amount: 70 }]);
    expect(why).toEqual([
      { code: "earned", base: 1070, points: 21 },
      { ...byRate(3, null, 7000, 40), points: 120 },
      { ...byRate(5, 100, 260, 1), points: 13 },
      { ...byRate(10, 100, 150, 1), points: 15 },
    ]);
    expect(points).toBe(169);
    expect(sell([{ ...cream(260), category: "gift cards" }]).points).toBe(0);
  });

  it("act on the lines of one rate together, and are rounded down for each rate", () => {
    expect(sell([cream(30), bread(30), cream(30), bread(30)]).points).toBe(3 + 1);
    // Equal rates are one.
    const rates = ["tea", "coffee"].map((one) => ({ categories: [one], earn_points: 1, earn_amount: 100 }));
    const lines = [
      { category: "tea", amount: 60 },
      { category: "coffee", amount: 60 },
    ];
    expect(sell(lines, rulesOf({ rates })).why).toMatchObject([{ earn_amount: 100, base: 120, points: 1 }]);
  });

  it("act on what vouchers and points left of the lines, in proportion", () => {
    const { why, points } = sell([bread(1000), cream(1000), fuel(10, 2000)], rulesOf(), 2000);
    expect([points, why]).toMatchObject([
      10 + 30 + 25,
      [{ base: 500 }, { base: 1000, units: 10 }, { base: 500 }],
    ]);
    // Units that nothing was paid for earn nothing.
    expect(sell([fuel(10, 2000), fuel(5, 0)], rulesOf(), 1999).points).toBe(30);
    expect(sell([fuel(10, 2000)], rulesOf(), 2000).points).toBe(0);
  });

  it("obey the minimum of the whole sale, and the maximum, which cuts the highest rate first", () => {
    const least = rulesOf({ earn_minimum_amount: 500 });
    expect(sell([bread(300), cream(199)], least)).toMatchObject({
      ...{ points: 0, why: [{ code: "below_minimum", minimum: 500 }] },
    });
    expect(sell([bread(300), cream(200)], least).points).toBe(16);
    const { why } = sell([bread(300), cream(200)], rulesOf({ maximum_points_per_order: 9 }));
    expect(why.map((one) => ("points" in one ? one.points : one.code))).toEqual([6, 3, "capped"]);
  });

  it("are enough for a program without a rate of its own", () => {
    const rules = rulesOf({ earn_points: 0 });
    expect(sell([bread(300), cream(200)], rules).why).toEqual([{ ...byRate(5, 100, 200, 1), points: 10 }]);
    expect(sell([bread(300)], rules).why).toEqual([{ code: "program_without_rate" }]);
    const doubled = rulesOf({ earn_points: 0 }, [doubling]);
    expect(sell([bread(300), cream(200)], doubled).points).toBe(20);
    const missed = rulesOf({ earn_points: 0 }, [{ ...doubling, minimum_amount: 900 }]);
    expect(sell([cream(200)], missed).why.map(({ code }) => code)).toEqual([
      "earned_by_rate",
      "promotion_missed",
    ]);
  });

  it("are multiplied each for its lines, and rounded down for each rate", () => {
    const rules = rulesOf({}, [{ ...doubling, multiply: 150 }]);
    // 2, 13 and 30 by the rates, 1, 6 and 15 more.
    const { why, points } = sell([bread(100), cream(260), fuel(10, 500)], rules);
    expect([points, why.at(-1)]).toMatchObject([45 + 22, { code: "promotion", points: 22 }]);
    const onFuel = [{ ...doubling, categories: ["fuel"], multiply: 300 }];
    expect(sell([bread(100), fuel(10, 500)], rulesOf({}, onFuel)).points).toBe(2 + 30 + 60);
    const paid = sell([bread(100), fuel(10, 500)], rulesOf({}, onFuel), 600);
    expect(paid.points).toBe(0);
    // Of the one cent, no line has a part.
    expect(sell([bread(100), fuel(10, 500)], rulesOf({}, [doubling]), 599).points).toBe(0);
    // Lines of one rate, with two factors: 26 by the rate, 13 and 26 more.
    const creams = ["c1", "c2"].map((sku) => ({ ...cream(260), sku }));
    const factors = [200, 300].map((multiply, nth) => {
      return { ...doubling, promotion_id: nth + 1, multiply, skus: [`c${nth + 1}`] };
    });
    expect(sell(creams, rulesOf({}, factors)).points).toBe(65);
    expect(sell([bread(100), bread(200)], rulesOf({ rates: [] }, [doubling])).points).toBe(12);
  });

  it("stay with the sale for its refunds, whatever comes back first", () => {
    const { sale } = sell([bread(1000), cream(260), fuel(10, 500)]);
    const cream1 = refunded(sale, { line_no: 2 });
    expect(pointsKept(cream1)).toBe(20 + 30);
    const fuel4 = refunded(cream1, { line_no: 3, quantity: 4 });
    expect(pointsKept(fuel4)).toBe(20 + 18);
    const other = refunded(refunded(sale, { line_no: 3, quantity: 4 }), { line_no: 2 });
    expect(pointsKept(other)).toBe(pointsKept(fuel4));
    // A unit is kept until more than half of its part came back.
    const fuelLess = (amount: number) => pointsKept(refunded(sale, { line_no: 3, amount }));
    expect([1, 25, 26].map(fuelLess)).toEqual([20 + 13 + 30, 20 + 13 + 30, 20 + 13 + 27]);
    expect(pointsKept({ ...sale, refunded: sale.amount })).toBe(0);
  });

  it("are looked up again for recorded lines, but not for those without words", () => {
    const lines = [...newLines([cream(100), fuel(1, 50)], program), ...newLines([cream(10)], program)];
    const erased = lines.map((line, index) => (index === 2 ? { ...line, sku: null, category: null } : line));
    const other = { ...noLineRules, rates: [{ categories: ["fuel"], earn_points: 1, earn_amount: 10 }] };
    expect(reconsidered(erased, other).map(({ rate }) => rate)).toEqual([
      undefined,
      { earn_points: 1, earn_amount: 10 },
      { earn_points: 5, earn_amount: 100 },
    ]);
    expect(reconsidered(erased, noLineRules).map(({ rate }) => rate?.earn_points)).toEqual([
      undefined,
      undefined,
      5,
    ]);
  });
});
