import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  doubling,
  excluded,
  linesOf,
  parts,
  promotionSets,
  rateSets,
  small,
} from "../../../../test/support/point-lives.ts";
import { runs } from "../../../../test/support/random-cases.ts";
import { coffeeCard, euros } from "../../../../test/support/vouchers.ts";
import type { Sale } from "../../records.ts";
import { Rejection } from "../../rejection.ts";
import { type Earning, earn, grantsKept, pointsKept, type SaleAtTill } from "../earning/earning.ts";
import { coveredLines, earningAmount, type LineInput, newLines, refundLines } from "../lines.ts";
import { inertRules, noMemberLimits, type Promotion, type Rules } from "../rules.ts";
import { mostShownCharacters } from "../till-texts.ts";
import { mostPromotions } from "./acting.ts";
import { grantsOf, pointsLeft } from "./grants.ts";

const program = {
  ...{ program_id: 1, membership_name: "Club", ...excluded, ...noMemberLimits },
  ...{ earn_points: 1, earn_amount: 100, earn_minimum_amount: 0, maximum_points_per_order: 1e9 },
};
const rulesOf = (promotions: readonly Promotion[], of: Partial<typeof program> = {}): Rules => ({
  ...{ ...inertRules, enable_rp: true, promotions },
  program: { ...program, ...of },
});
/** A Thursday. */
const made: SaleAtTill = {
  day: "2026-01-15",
  time: "12:00",
  location_id: 1,
  tier_id: null,
  buying: undefined,
  given: new Map(),
  currency: euros,
};

/** What a receipt earns. @param lines without them, the amount of a sale without lines */
function earned(rules: Rules, lines: readonly LineInput[] | number, paidOtherwise = 0, at = made): Earning {
  const receipt_lines = typeof lines === "number" ? null : newLines(lines, rules.program ?? program);
  const amount = typeof lines === "number" ? lines : lines.reduce((sum, line) => sum + line.amount, 0);
  const eligible_amount = receipt_lines === null ? amount : earningAmount(receipt_lines);
  return earn(rules, { amount, eligible_amount, receipt_lines, paidOtherwise }, at);
}

type Kept = Parameters<typeof pointsKept>[0];
/** The sale of a receipt, as it was recorded. */
function recorded(rules: Rules, lines: readonly LineInput[], paidOtherwise = 0): Kept {
  const { base, points, rate, grants } = earned(rules, lines, paidOtherwise);
  const receipt_lines = newLines(lines, rules.program ?? program);
  const amount = lines.reduce((sum, line) => sum + line.amount, 0);
  return { ...rate, amount, earning_base: base, points_earned: points, refunded: 0, receipt_lines, grants };
}

function refunded(sale: Kept, wanted: { line_no: number; quantity?: number; amount?: number }): Kept {
  const decided = refundLines(sale as Sale, [wanted]);
  if (decided instanceof Rejection) return sale;
  return { ...sale, refunded: sale.refunded + decided.amount, receipt_lines: decided.receipt_lines };
}

const amounts = fc.integer({ min: 1, max: 5000 });
const rates = fc.record({
  earn_points: fc.integer({ min: 1, max: 20 }),
  earn_amount: fc.constantFrom(1, 10, 100),
  earn_minimum_amount: fc.constantFrom(0, 0, 300),
  maximum_points_per_order: fc.constantFrom(1e9, 40),
  rates: rateSets,
});
const all = { numRuns: runs(1000) };

describe("promotions", () => {
  it("give points that the reasons explain to the last one", () => {
    fc.assert(
      fc.property(
        amounts,
        parts,
        promotionSets,
        rates,
        small(300),
        (amount, receipt, promotions, rate, paid) => {
          const { points, grants, why } = earned(rulesOf(promotions, rate), linesOf(amount, receipt), paid);
          const explained = why.reduce((sum, one) => sum + ("points" in one ? one.points : 0), 0);
          expect(explained).toBe(points);
          expect(points).toBeLessThanOrEqual(rate.maximum_points_per_order);
          const ids = (grants ?? []).map(({ promotion_id }) => promotion_id);
          expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
          // Each line has at most one factor.
          const multiplied = (grants ?? []).flatMap(({ multiply, lines }) => (multiply && lines) ?? []);
          expect(new Set(multiplied).size).toBe(multiplied.length);
        },
      ),
      all,
    );
  });

  it("give the same whatever the order of lines", () => {
    fc.assert(
      fc.property(amounts, parts, promotionSets, rates, (amount, receipt, promotions, rate) => {
        const [rules, lines] = [rulesOf(promotions, rate), linesOf(amount, receipt)];
        const [one, other] = [earned(rules, lines), earned(rules, lines.toReversed())];
        expect(other.points).toBe(one.points);
        expect(other.grants?.map(({ promotion_id, points }) => [promotion_id, points])).toEqual(
          one.grants?.map(({ promotion_id, points }) => [promotion_id, points]),
        );
      }),
      all,
    );
  });

  it("never give less for another line or a larger amount, if none acts alone", () => {
    fc.assert(
      fc.property(
        ...([amounts, parts, promotionSets, rates, small(300), small(9), amounts] as const),
        (...[amount, receipt, promotions, rate, ...rest]) => {
          const [paid, at, more] = rest;
          const together = promotions.map((one) => ({ ...one, exclusive: false }));
          const rules = rulesOf(together, { ...rate, maximum_points_per_order: 1e9 });
          const lines = linesOf(amount, receipt);
          const raised = lines.map((line, index) =>
            index === at % lines.length ? { ...line, amount: line.amount + more } : line,
          );
          const { points } = earned(rules, lines, paid);
          expect(earned(rules, raised, paid).points).toBeGreaterThanOrEqual(points);
          const longer = [...lines, { category: "tea", quantity: 1, amount: more }];
          expect(earned(rules, longer, paid).points).toBeGreaterThanOrEqual(points);
        },
      ),
      all,
    );
  });

  it("leave what is left of the lines, however they came back, and nothing of a whole refund", () => {
    const steps = fc.array(fc.record({ which: small(3), by: fc.constantFrom("unit", "amount", "rest") }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        amounts,
        parts,
        promotionSets,
        rates,
        steps,
        (amount, receipt, promotions, rate, refunds) => {
          const sale = recorded(rulesOf(promotions, rate), linesOf(amount, receipt));
          const count = receipt.length;
          let after = sale;
          for (const { which, by } of refunds) {
            const line_no = (which % count) + 1;
            const before = after;
            after = refunded(after, {
              line_no,
              ...(by === "unit" ? { quantity: 1 } : by === "amount" ? { amount: 7 } : {}),
            });
            expect(pointsKept(after)).toBeLessThanOrEqual(pointsKept(before));
            after = { ...after, grants: grantsKept(after) };
            for (const [nth, { left }] of (after.grants ?? []).entries())
              expect(left).toBeLessThanOrEqual(before.grants?.[nth]?.left ?? 0);
          }
          // The same by one amount for each line.
          let atOnce = sale;
          for (const [index, line] of coveredLines(after, after.receipt_lines ?? []).entries()) {
            if (line.covered > 0) atOnce = refunded(atOnce, { line_no: index + 1, amount: line.covered });
          }
          expect(pointsKept(atOnce)).toBe(pointsKept(after));
          // Limits and budgets count this.
          expect(grantsKept(atOnce)).toEqual(after === sale ? grantsKept(sale) : after.grants);
          if (pointsKept(after) === 0)
            expect(grantsKept(after)?.every(({ left }) => left === 0) ?? true).toBe(true);
          expect(pointsLeft({ ...sale, refunded: sale.amount }).total).toBe(0);
        },
      ),
      all,
    );
  });

  const coffee = (amount: number, quantity = 1) => ({ category: "Coffee", quantity, amount });
  const cake = (amount: number) => ({ category: "cake", quantity: 1, amount });
  const granted = ({ grants }: Earning) => grants?.map(({ promotion_id, points }) => [promotion_id, points]);
  const promotion = (promotion_id: number, of: Partial<Promotion>) => ({ ...doubling, promotion_id, ...of });
  const fixed = (promotion_id: number, points: number, of: Partial<Promotion> = {}) =>
    promotion(promotion_id, { multiply: null, points, ...of });

  it("multiply the points of the lines that count, each line by the highest factor", () => {
    const onCoffee = promotion(2, { multiply: 300, categories: ["coffee"] });
    const rules = rulesOf([doubling, onCoffee]);
    const { points, ...other } = earned(rules, [coffee(1000), cake(500)]);
    // 15 by the program, 5 more for the cake, 20 more for the coffee.
    expect([points, granted(other as Earning)]).toEqual([
      40,
      [
        [1, 5],
        [2, 20],
      ],
    ]);
    expect(other.grants?.map(({ lines }) => lines)).toEqual([[2], [1]]);
    expect(granted(earned(rulesOf([doubling, promotion(2, {})]), 1000))).toEqual([[1, 10]]);
    // A sale without lines never has an article or a category.
    expect(granted(earned(rules, 1500))).toEqual([[1, 15]]);
    const gift = { category: "gift cards", amount: 900 };
    expect(earned(rulesOf([fixed(1, 5, { categories: ["gift cards"] })]), [gift, cake(50)]).grants).toBe(
      null,
    );
  });

  it("add up what is worth less than a point, and lose nothing to a higher factor", () => {
    const tea = (amount: number) => ({ category: "tea", quantity: 1, amount });
    const apart = rulesOf([promotion(1, { categories: ["coffee"] }), promotion(2, { categories: ["tea"] })]);
    const { points, why } = earned(apart, [coffee(60), tea(60)]);
    expect([points, why.map(({ code }) => code)]).toEqual([2, ["earned", "promotion"]]);
    const higher = rulesOf([
      promotion(1, { categories: ["coffee", "tea"] }),
      promotion(2, { categories: ["tea"], multiply: 210, minimum_amount: 61 }),
    ]);
    expect([60, 61].map((amount) => earned(higher, [coffee(60), tea(amount)]).points)).toEqual([2, 2]);
  });

  it("multiply what is paid with money, and nothing below the program's minimum", () => {
    expect(earned(rulesOf([doubling]), 1000, 400).points).toBe(12);
    expect(earned(rulesOf([doubling], { earn_minimum_amount: 1001 }), 1000).points).toBe(0);
    expect(earned(rulesOf([fixed(1, 5)], { earn_minimum_amount: 1001 }), 1000)).toMatchObject({
      points: 5,
      why: [{ code: "below_minimum" }, { code: "promotion", points: 5 }],
    });
  });

  it("give fixed points once, or for each unit that is paid for, and add up", () => {
    const rules = rulesOf([
      fixed(1, 7),
      fixed(2, 3, { per: "unit", categories: ["coffee"] }),
      promotion(3, {}),
    ]);
    const sale = [coffee(900, 3), coffee(0, 2), cake(100)];
    expect(granted(earned(rules, sale))).toEqual([
      [1, 7],
      [2, 9],
      [3, 10],
    ]);
  });

  it("act alone only if that gives more", () => {
    const alone = fixed(3, 12, { exclusive: true });
    expect(granted(earned(rulesOf([fixed(1, 5), fixed(2, 6), alone]), 1000))).toEqual([[3, 12]]);
    expect(granted(earned(rulesOf([fixed(1, 6), fixed(2, 6), alone]), 1000))).toEqual([
      [1, 6],
      [2, 6],
    ]);
    const better = fixed(4, 13, { exclusive: true });
    expect(granted(earned(rulesOf([alone, better]), 1000))).toEqual([[4, 13]]);
    // The program alone reaches the maximum, so that one gives nothing more, and a voucher stays.
    const voucher = promotion(5, { multiply: null, voucher_id: 7 });
    const { grants } = earned(rulesOf([voucher, alone], { maximum_points_per_order: 10 }), 1000);
    expect(grants?.map(({ promotion_id }) => promotion_id)).toEqual([5]);
  });

  it("give at most the maximum of an order, with that of the program, and say so", () => {
    const rules = rulesOf([fixed(1, 4), fixed(2, 4)], { maximum_points_per_order: 15 });
    const { points, why, grants } = earned(rules, 1000);
    expect([points, grants?.map((grant) => grant.points)]).toEqual([15, [4, 1]]);
    expect(why.at(-1)).toEqual({ code: "capped", period: "order", maximum: 15 });
    expect(earned(rulesOf([fixed(1, 5)], { maximum_points_per_order: 15 }), 1000).why).toHaveLength(2);
    // One of which nothing is left is not told.
    const { why: told } = earned(rulesOf([fixed(1, 4)], { maximum_points_per_order: 10 }), 1000);
    expect(told.map(({ code }) => code)).toEqual(["earned", "capped"]);
  });

  it("take a fixed grant back when its minimum is no longer met by what is kept", () => {
    const rules = rulesOf([
      fixed(1, 5, { minimum_amount: 600 }),
      fixed(2, 2, { per: "unit" }),
      fixed(3, 1, { minimum_quantity: 3 }),
    ]);
    const sale = recorded(rules, [coffee(900, 3)]);
    const kept = (of: Kept) => {
      const { parts, granted } = pointsLeft(of);
      return [...parts.map(({ points }) => points), ...granted];
    };
    expect(kept(sale)).toEqual([9, 5, 6, 1]);
    const one = refunded(sale, { line_no: 1, quantity: 1 });
    expect(kept(one)).toEqual([6, 5, 4, 0]);
    expect(kept(refunded(one, { line_no: 1, amount: 1 }))).toEqual([5, 0, 4, 0]);
    expect(kept(refunded(one, { line_no: 1, amount: 151 }))).toEqual([4, 0, 2, 0]);
    expect(kept(refunded(sale, { line_no: 1, amount: 1 }))).toEqual([8, 5, 6, 1]);
  });

  it("say which one needs a little more, and what a till can show", () => {
    const name = "Double points on every Tuesday afternoon";
    const rules = rulesOf([
      promotion(1, { name }),
      promotion(2, { minimum_amount: 2000, multiply: 300 }),
      promotion(3, { minimum_quantity: 4, multiply: 300, categories: ["coffee"] }),
      promotion(4, { minimum_quantity: 4, minimum_amount: 2000 }),
      promotion(5, { minimum_amount: 10, categories: ["tea"] }),
      // A larger sale would not gain by it.
      promotion(6, { minimum_amount: 2000 }),
    ]);
    const { why } = earned(rules, [coffee(1000, 3)]);
    const [, given, ...missed] = why;
    expect(given).toMatchObject({ code: "promotion", name, points: 10 });
    expect(missed).toEqual([
      {
        ...{ code: "promotion_missed", promotion_id: 2, name: "Double" },
        ...{ reason: "minimum_amount", needed: 2000, text: "10.00 EUR more: Double" },
      },
      {
        ...{ code: "promotion_missed", promotion_id: 3, name: "Double" },
        ...{ reason: "minimum_quantity", needed: 4, text: "1 more piece: Double" },
      },
    ]);
    const texts = why.flatMap((one) => ("text" in one ? one.text : []));
    const yen = { ...made, currency: { currency: "JPY", currency_decimals: 0 } };
    expect(earned(rules, [coffee(1, 3)], 0, yen).why.at(1)).toMatchObject({ text: "1,999 JPY more: Double" });
    expect(texts[0]).toBe("10 more points: Double points on every…");
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(mostShownCharacters);
    expect(earned(rulesOf([fixed(1, 1)]), 100).why.at(-1)).toMatchObject({ text: "1 more point: Double" });
    // A till that sends no lines can't reach a quantity, and nothing is multiplied without a rate.
    expect(earned(rulesOf([fixed(1, 5, { minimum_quantity: 2 })]), 1000).why).toHaveLength(1);
    const unrated = rulesOf([promotion(1, { minimum_amount: 2000 })], { earn_points: 0 });
    expect(earned(unrated, 1000).why).toEqual([{ code: "program_without_rate" }]);
    // Nor would a larger sale without lines gain by the same factor.
    const same = rulesOf([promotion(1, {}), promotion(2, { minimum_amount: 2000 })]);
    expect(earned(same, 1000).why.filter(({ code }) => code === "promotion_missed")).toEqual([]);
    const many = Array.from({ length: 9 }, (_, index) => promotion(index + 1, { minimum_amount: 2000 }));
    expect(earned(rulesOf(many), 1000).why).toHaveLength(6);
  });

  it("give nothing that would exceed their budget, so that others can act", () => {
    const budget = fixed(1, 10, { budget_points: 25, exclusive: true });
    const rules = rulesOf([budget, fixed(2, 3)]);
    const given = (points: number) => ({ ...made, given: new Map([[1, points]]) });
    expect(granted(earned(rules, 1000, 0, given(15)))).toEqual([[1, 10]]);
    const { grants, why } = earned(rules, 1000, 0, given(16));
    expect(grants?.map(({ promotion_id }) => promotion_id)).toEqual([2]);
    // The budget is nothing for customers.
    expect(why.at(-1)).toMatchObject({
      promotion_id: 1,
      reason: "budget_points",
      needed: 0,
      text: "Used up: Double",
    });
    expect(granted(earned(rulesOf([budget]), 1000))).toEqual([[1, 10]]);
    // 20 more points at three times the rate. A factor that acts alone has a budget, too.
    const alone = rulesOf([promotion(1, { multiply: 300, budget_points: 25, exclusive: true }), fixed(2, 3)]);
    expect([5, 6].map((points) => earned(alone, 1000, 0, given(points)).points)).toEqual([30, 13]);
    const both = [{ ...budget, exclusive: false }, fixed(2, 3, { budget_points: 2 })];
    expect(granted(earned(rulesOf(both), 1000))).toEqual([[1, 10]]);
  });

  it("give vouchers and stamps, which stay while their minimum is met, and count if there are limits", () => {
    const onCard = { multiply: null, stamp_card_id: 4, stamps: 2, minimum_quantity: 2 };
    const voucher = { multiply: null, voucher_id: 9, minimum_amount: 500, most_per_member: 5 };
    const rules = { ...rulesOf([promotion(1, onCard), promotion(2, voucher)]), stamp_cards: [] };
    const collecting = { ...rules, stamp_cards: [{ ...coffeeCard, stamp_card_id: 4 }] };
    const sale = recorded(collecting, [coffee(900, 3)]);
    const kinds = (grants: Kept["grants"]) =>
      grants?.map((one) => [one.promotion_id, one.keeps_stamps, one.keeps_voucher, one.counts]);
    expect(kinds(sale.grants)).toEqual([
      [1, true, false, false],
      [2, false, true, true],
    ]);
    expect(sale.grants).toMatchObject([
      { stamp_card_id: 4, stamps: 2 },
      { stamp_card_id: null, stamps: 0 },
    ]);
    const one = refunded(sale, { line_no: 1, quantity: 1 });
    expect(kinds(grantsKept(one))).toEqual(kinds(sale.grants));
    const two = refunded(one, { line_no: 1, quantity: 1 });
    expect(kinds(grantsKept(two))).toEqual([
      [1, false, false, false],
      [2, false, false, true],
    ]);
    expect(kinds(recorded(rules, [coffee(900, 3)]).grants)).toEqual([[2, false, true, true]]);
    const limits = [{ most_per_member_day: 1 }, {}].map(
      (of) => earned(rulesOf([fixed(1, 1, of)]), 1000).grants,
    );
    expect(limits.map((grants) => grants?.[0]?.counts)).toEqual([true, false]);
    const { why } = earned(collecting, [coffee(900, 3)]);
    expect(why.slice(1)).toMatchObject([{ text: "2 more stamps: Double" }, { code: "promotion", points: 0 }]);
  });

  it("act on what is paid for, from the smallest amount on", () => {
    const voucher = promotion(2, { multiply: null, voucher_id: 9 });
    const rules = rulesOf([fixed(1, 5), voucher]);
    expect(granted(earned(rules, 1))).toEqual([
      [1, 5],
      [2, 0],
    ]);
    // Points have paid all of it.
    expect(earned(rules, 1000, 1000)).toMatchObject({ grants: null, why: [{ code: "earned", points: 0 }] });
    expect(earned(rulesOf([doubling], { earn_points: 100 }), 1).points).toBe(2);
    expect(earned(rulesOf([doubling], { earn_minimum_amount: 1000 }), 1000).points).toBe(20);
    // Half a point.
    expect(earned(rulesOf([doubling]), 50).grants).toBe(null);
    const exact = fixed(1, 5, { minimum_amount: 500, minimum_quantity: 2 });
    expect(granted(earned(rulesOf([exact]), [coffee(500, 2)]))).toEqual([[1, 5]]);
    expect(granted(earned(rulesOf([fixed(1, 10, { budget_points: 10 })]), 1000))).toEqual([[1, 10]]);
  });

  it("act when they are on, on lines that earn and have one of their words", () => {
    const weekend = doubling.weekdays.concat(6, 7);
    expect(earned(rulesOf([promotion(1, { weekdays: weekend })]), 1000).grants).toBe(null);
    const gift = { category: "gift cards", amount: 900 };
    const linesOf = (of: Partial<Promotion>) =>
      earned(rulesOf([fixed(1, 5, of)]), [gift, coffee(400), cake(300), { sku: "T-1", amount: 50 }]).grants;
    expect(linesOf({})).toMatchObject([{ lines: [2, 3, 4] }]);
    expect(linesOf({ categories: ["gift cards", "cake"] })).toMatchObject([{ lines: [3] }]);
    expect(linesOf({ categories: ["coffee"], skus: ["t-1"] })).toMatchObject([{ lines: [2, 4] }]);
    expect(linesOf({ categories: ["gift cards"] })).toBe(null);
  });

  it("are recorded with what a refund needs to know of them", () => {
    const conditions = { minimum_amount: 300, minimum_quantity: 2 };
    const of = { multiply: null, points: null, voucher_id: 9, most_per_member: 5, ...conditions };
    const { grants } = earned(rulesOf([promotion(4, {}), promotion(5, of)]), [coffee(900, 3)]);
    const common = { lines: [1], held_voucher_id: null, excuses_voucher: false, keeps_stamps: false };
    const noCard = { stamp_card_id: null, stamps: 0 };
    expect(grants).toEqual([
      {
        ...{ ...common, ...noCard, promotion_id: 4, points: 9, left: 9, multiply: 200, fixed: null },
        ...{ keeps_voucher: false, counts: false },
      },
      {
        ...{ ...common, ...noCard, promotion_id: 5, points: 0, left: 0, multiply: null },
        ...{ fixed: { points: 0, per: "sale", ...conditions }, keeps_voucher: true, counts: true },
      },
    ]);
  });

  it("give the line to the first of equal factors, and each line to its highest", () => {
    const [all, tea] = [{ categories: ["coffee", "tea"] }, { categories: ["tea"] }];
    const receipt = [coffee(1000), { category: "tea", amount: 500 }];
    const linesOf = (...promotions: Promotion[]) =>
      earned(rulesOf(promotions), receipt).grants?.map((one) => [one.promotion_id, one.lines]);
    expect(linesOf(promotion(1, all), promotion(2, tea))).toEqual([[1, [1, 2]]]);
    expect(linesOf(promotion(1, tea), promotion(2, all))).toEqual([
      [1, [2]],
      [2, [1]],
    ]);
    expect(linesOf(promotion(1, all), promotion(2, { ...tea, multiply: 210 }))).toEqual([
      [1, [1]],
      [2, [2]],
    ]);
    expect(linesOf(promotion(1, { multiply: 150 }), promotion(2, {}), promotion(3, tea))).toEqual([
      [2, [1, 2]],
    ]);
  });

  it("are missed for one reason, if they would have given more", () => {
    const missedOf = (promotions: Promotion[], lines: readonly LineInput[] | number, paid = 0, at = made) =>
      earned(rulesOf(promotions), lines, paid, at).why.flatMap((one) =>
        one.code === "promotion_missed" ? [[one.promotion_id, one.reason, one.needed]] : [],
      );
    const more = { multiply: 300, minimum_amount: 2000 };
    expect(missedOf([doubling, promotion(2, more)], 1000)).toEqual([[2, "minimum_amount", 2000]]);
    expect(missedOf([doubling, promotion(2, { minimum_amount: 2000 })], 1000)).toEqual([]);
    expect(missedOf([promotion(1, { ...more, minimum_quantity: 4 })], [coffee(1000, 3)])).toEqual([]);
    // It would double the cake.
    const onCoffee = promotion(1, { multiply: 300, categories: ["coffee"] });
    const larger = promotion(2, { minimum_amount: 2000 });
    expect(missedOf([onCoffee, larger], [coffee(1000), cake(500)])).toEqual([[2, "minimum_amount", 2000]]);
    expect(missedOf([larger], 1000, 1000)).toEqual([]);
    expect(missedOf([larger], 1000, 999)).toEqual([[2, "minimum_amount", 2000]]);
    const daily = promotion(1, { most_per_member_day: 2 });
    const counts = [{ promotion_id: 1, day: made.day, given: 2 }];
    const at = { ...made, buying: { facts: null, counts } };
    expect(missedOf([daily], 1000, 0, at)).toEqual([[1, "most_per_member_day", 2]]);
    // It is used up, and the sale has nothing that it is for.
    expect(missedOf([{ ...daily, categories: ["tea"] }], [coffee(1000)], 0, at)).toEqual([]);
    expect(earned(rulesOf([daily]), 1000, 0, at).points).toBe(10);
  });

  it("leave their budgets alone if others give more, and exceed them one after the other", () => {
    const almost = { ...made, given: new Map([[1, 9]]) };
    const { why, grants } = earned(
      rulesOf([promotion(1, { multiply: 110, budget_points: 10 }), promotion(2, {})]),
      1000,
      0,
      almost,
    );
    expect(grants).toMatchObject([{ promotion_id: 2 }]);
    expect(why.map(({ code }) => code)).toEqual(["earned", "promotion"]);
    // 2.5 for the coffee and 1.5 for the tea are 2 and 2 points. Without the first, the second gives 1.
    const budget = { multiply: 150, budget_points: 1 };
    const both = rulesOf([
      promotion(1, { ...budget, categories: ["coffee"] }),
      promotion(2, { ...budget, categories: ["tea"] }),
    ]);
    const one = earned(both, [coffee(500), { category: "tea", amount: 300 }]);
    expect(granted(one)).toEqual([[2, 1]]);
    expect(one.why.at(-1)).toMatchObject({ promotion_id: 1, reason: "budget_points" });
  });

  it("act beside what others gave on a recorded sale", () => {
    const rules = rulesOf([promotion(1, { categories: ["coffee"], multiply: 300 })]);
    const { points_earned: _, grants: given, ...sale } = recorded(rules, [coffee(1000), cake(500)]);
    const { grants } = grantsOf([promotion(2, {})], sale, made, given ?? []);
    expect(grants.map((one) => [one.promotion_id, one.lines, one.points])).toEqual([
      [1, [1], 20],
      [2, [2], 5],
    ]);
  });

  it("give nothing of a sale whose lines don't earn any more", () => {
    const sale = recorded(rulesOf([doubling, fixed(2, 5)]), [coffee(1000)]);
    const receipt_lines = sale.receipt_lines?.map((line) => ({ ...line, earns: false })) ?? null;
    expect(pointsLeft({ ...sale, receipt_lines })).toMatchObject({ granted: [0, 0], total: 0 });
  });

  it("need a program, and to know when the sale was", () => {
    expect(earned({ ...rulesOf([fixed(1, 5)]), program: null }, 1000).grants).toBe(null);
    expect(earned({ ...rulesOf([fixed(1, 5)]), enable_rp: false }, 1000).grants).toBe(null);
    const sale = { amount: 1000, eligible_amount: 1000, receipt_lines: null, paidOtherwise: 0 };
    expect(earn(rulesOf([fixed(1, 5)]), sale).grants).toBe(null);
  });

  it("are computed for the most promotions and lines at once", () => {
    const many = Array.from({ length: mostPromotions }, (_, index) =>
      promotion(index + 1, { multiply: 110 + index, categories: [`c${index}`] }),
    );
    const lines = many.map((_, index) => ({ category: `C${index} `, amount: 10_000 }));
    expect(earned(rulesOf(many), lines).grants).toHaveLength(mostPromotions);
  });
});

it("leaves of a grant what its own lines still give, when rounding moves a point from another grant to it", () => {
  const one = (promotion_id: number, sku: string) => ({ ...doubling, promotion_id, skus: [sku] });
  const rules = rulesOf([one(1, "A"), one(2, "B")]);
  const sale = recorded(rules, [
    { sku: "A", amount: 140 },
    { sku: "B", amount: 60 },
  ]);
  expect(sale.grants?.map(({ points }) => points)).toEqual([1, 1]);
  const leftsOf = (amounts: readonly number[]) => {
    let after = sale;
    for (const amount of amounts) {
      after = refunded(after, { line_no: 1, amount });
      after = { ...after, grants: grantsKept(after) };
    }
    return after.grants?.map(({ left }) => left);
  };
  expect(leftsOf([20, 30])).toEqual(leftsOf([50]));
  // 0.90 + 0.60: one point is kept, and each grant may have given it.
  expect(leftsOf([50])).toEqual([1, 1]);
  // 0.60: none is kept.
  expect(leftsOf([140])).toEqual([0, 0]);
});
