import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excluded, lineSteps, linesOf, parts, refundOf, small } from "../../../test/support/point-lives.ts";
import { runs } from "../../../test/support/random-cases.ts";
import type { Sale, SaleLine } from "../records.ts";
import { Rejection } from "../rejection.ts";
import {
  coveredLines,
  divide,
  divideBase,
  earningAmount,
  type LineRefund,
  leftOfLine,
  lineFinder,
  measureLines,
  newLines,
  payableLinesOf,
  reconsidered,
  refundLines,
  sumOf,
  withoutRefunds,
} from "./lines.ts";
import { noLineRules } from "./rules.ts";

type Sold = Pick<Sale, "amount" | "earning_base" | "refunded" | "receipt_lines"> & {
  receipt_lines: readonly SaleLine[];
};

/** A sale of which a part of what could earn did. */
function sold(amount: number, receipt: Parameters<typeof linesOf>[1], earned = 100): Sold {
  const lines = newLines(linesOf(amount, receipt), excluded);
  return {
    amount,
    receipt_lines: lines,
    refunded: 0,
    earning_base: Math.floor((earningAmount(lines) * earned) / 100),
  };
}

function refund(sale: Sold, wanted: readonly LineRefund[]): Sold | undefined {
  const decided = refundLines(sale, wanted);
  if (decided instanceof Rejection) return undefined;
  expect(decided.lines_back.reduce((sum, { amount }) => sum + amount, 0)).toBe(decided.amount);
  return { ...sale, refunded: sale.refunded + decided.amount, receipt_lines: decided.receipt_lines };
}

/** The part of the base that refunds have left. */
const baseLeft = (sale: Sold) => measureLines(sale).baseOf(null);

/** What can be refunded of each line. */
const leftIn = (sale: Sold) => coveredLines(sale, sale.receipt_lines).map(leftOfLine);

const accepted = (sale: Sold, wanted: readonly LineRefund[]) => {
  const after = refund(sale, wanted);
  if (after === undefined) throw new Error("rejected");
  return after;
};
const amounts = fc.integer({ min: 1, max: 5000 });
const all = { numRuns: runs(500) };

describe("lines", () => {
  it("divide the base of their sale without a rest", () => {
    fc.assert(
      fc.property(amounts, parts, small(100), (amount, receipt, earned) => {
        const { receipt_lines: lines, earning_base } = sold(amount, receipt, earned);
        const bases = divideBase(earning_base, lines);
        expect(bases.reduce((sum, base) => sum + base, 0)).toBe(earning_base);
        for (const [index, { earns, amount }] of lines.entries()) {
          expect(bases[index]).toBeLessThanOrEqual(earns ? amount : 0);
          expect(bases[index]).toBeGreaterThanOrEqual(0);
        }
      }),
      all,
    );
  });

  it("earn the same in any order, and not less with another line or a larger amount", () => {
    fc.assert(
      fc.property(amounts, parts, small(10), amounts, (amount, receipt, at, more) => {
        const lines = newLines(linesOf(amount, receipt), excluded);
        expect(earningAmount(lines.toReversed())).toBe(earningAmount(lines));
        const which = at % lines.length;
        const raised = lines.map((line, index) =>
          index === which ? { ...line, amount: line.amount + more } : line,
        );
        expect(earningAmount(raised)).toBeGreaterThanOrEqual(earningAmount(lines));
        expect(earningAmount([...lines, ...raised])).toBeGreaterThanOrEqual(earningAmount(lines));
      }),
      all,
    );
  });

  it("are excluded by category or article, whatever the case and the outer blanks", () => {
    const words = [
      { category: " TOBACCO ", amount: 1 },
      { category: "Tobaccos", amount: 10 },
      { sku: "bag-1", amount: 100 },
      { sku: "Bag-10", category: "bags", amount: 1000 },
      { amount: 10_000 },
    ];
    const program = { ...noLineRules, excluded_categories: ["Tobacco"], excluded_skus: ["BAG-1"] };
    expect(earningAmount(newLines(words, program))).toBe(11_010);
    expect(earningAmount(newLines(words, noLineRules))).toBe(11_111);
    const payable = payableLinesOf(words, { ...program, excluded_from_payment: ["tobacco", "BAGS"] });
    expect(sumOf(payable)).toBe(10_110);
  });
});

describe("the words of lines", () => {
  const lines = [
    { sku: "A", category: "Coffee" },
    { sku: "b" },
    { category: " coffee " },
    { sku: "a" },
    { sku: "", category: "ﾃｨｰ" },
    {},
  ].map((words) => ({ amount: 100, ...words }));

  it("find lines in their order, each once, by either word", () => {
    const find = lineFinder(lines);
    const of = (skus: string[], categories: string[]) => find({ skus, categories });
    expect(of(["b", "A "], [])).toEqual([0, 1, 3]);
    expect(of([], ["COFFEE"])).toEqual([0, 2]);
    expect(of(["a"], ["coffee"])).toEqual([0, 2, 3]);
    expect(of(["c"], ["ティー"])).toEqual([4]);
    expect(of(["c"], ["tea"])).toEqual([]);
    const many = Array.from({ length: 12 }, (_, index) => ({ sku: index === 2 ? "x" : "y", amount: 1 }));
    expect(lineFinder(many)({ skus: ["y", "x"], categories: [] })).toEqual([...many.keys()]);
  });

  const rated = { earn_points: 5, earn_amount: 100 };
  const rates = [
    { skus: ["a"], ...rated },
    { categories: ["coffee"], earn_points: 3, earn_per: "unit" as const },
    { skus: ["A", "b"], earn_points: 9, earn_amount: 10 },
  ];
  const ratesOf = (made: readonly Pick<SaleLine, "rate">[]) => made.map(({ rate }) => rate?.earn_points);

  it("say which lines earn, and by the first rate that matches", () => {
    const program = { ...noLineRules, excluded_skus: ["B"], rates };
    const made = newLines(lines, program);
    expect(made.map(({ earns }) => earns)).toEqual([true, false, true, true, true, true]);
    expect(ratesOf(made)).toEqual([5, 9, 3, 5, undefined, undefined]);
    expect(made[0]).toEqual({
      ...{ sku: "A", category: "Coffee", quantity: 1, amount: 100, earns: true, rate: rated },
      ...{ covered: 0, returned: 0, free: 0 },
    });
    expect(made[2]?.rate).toEqual({ earn_points: 3, earn_amount: null });
    expect(made[5]).toMatchObject({ sku: null, category: null });
    expect(ratesOf(newLines(lines, { ...noLineRules, rates: rates.slice(0, 1) }))).toEqual([
      5,
      ...[undefined, undefined, 5, undefined, undefined],
    ]);
  });

  it("are considered again by other rules, if a line still has any", () => {
    const made = newLines(lines, { ...noLineRules, excluded_skus: ["b"], rates });
    const again = reconsidered(made, { ...noLineRules, excluded_categories: ["coffee"] });
    expect(again.map(({ earns }) => earns)).toEqual([false, true, false, true, true, true]);
    expect(ratesOf(again)).toEqual(lines.map(() => undefined));
    const erased = made.map((line) => ({ ...line, sku: null, category: null }));
    expect(reconsidered(erased, { ...noLineRules, excluded_categories: ["coffee"] })).toEqual(erased);
    const other = reconsidered(made, { ...noLineRules, rates: [{ skus: ["b"], ...rated }] });
    expect(ratesOf(other)).toEqual([undefined, 5, ...[undefined, undefined, undefined, undefined]]);
    expect(other[1]).toEqual({ ...made[1], earns: true, rate: rated });
  });

  it("exclude lines from payment", () => {
    expect(payableLinesOf(lines, { ...noLineRules, excluded_from_payment: ["coffee"] })).toEqual([
      ...[0, 100, 0, 100, 100, 100],
    ]);
    expect(payableLinesOf(lines, noLineRules)).toEqual(lines.map(() => 100));
  });
});

describe("what is left", () => {
  const line = (amount: number, quantity: number, more: Partial<SaleLine> = {}): SaleLine => ({
    ...{ sku: null, category: null, quantity, amount, earns: true, covered: 0, returned: 0, free: 0 },
    ...more,
  });

  it("of a sale without lines is one line, without units", () => {
    const { whole, leftOf, unitsOf, baseOf } = measureLines({
      ...{ amount: 1000, refunded: 400, receipt_lines: null, earning_base: 660 },
    });
    expect([whole, leftOf(null), unitsOf(null), baseOf(null)]).toEqual([1000, 600, 0, 396]);
    const one = measureLines({ amount: 5, refunded: 0, receipt_lines: null, earning_base: 5 });
    expect([one.leftOf(null), one.unitsOf(null)]).toEqual([5, 0]);
  });

  it("of some lines is the sum of those that earn", () => {
    const receipt_lines = [
      line(600, 3, { covered: 200, returned: 1 }),
      line(300, 5, { earns: false }),
      line(100, 2),
      line(0, 7),
    ];
    const { whole, leftOf, unitsOf, baseOf } = measureLines({
      ...{ amount: 1000, refunded: 200, earning_base: 350, receipt_lines },
    });
    const [first, both] = [[1], [1, 3]];
    expect(whole).toBe(700);
    expect([first, both, [2], [], null].map(leftOf)).toEqual([400, 500, 0, 0, 500]);
    expect([first, both, [2], [], null].map(unitsOf)).toEqual([2, 4, 0, 0, 4]);
    expect([first, both, [2], [], null].map(baseOf)).toEqual([200, 250, 0, 0, 250]);
    // Asked again, it is the same.
    expect([leftOf(both), unitsOf(both), baseOf(both)]).toEqual([500, 4, 250]);
  });

  it("is nothing of refunds for a sale as it was recorded", () => {
    const lines = [line(600, 3, { covered: 200, returned: 1 }), line(100, 2)];
    expect(withoutRefunds(lines)).toEqual([line(600, 3), line(100, 2)]);
    expect(withoutRefunds(null)).toBeNull();
  });

  it("gives the units that rounding leaves to the line with the most for each, of equals the first", () => {
    expect(divide([1, 1], 1)).toEqual([1, 0]);
    expect(divide([5, 5, 5], 4)).toEqual([2, 1, 1]);
    // 10 × 7/12 = 5 and 10 × 5/12 = 4. One is left: 7/6 is more than 5/5.
    expect(divide([7, 5], 10)).toEqual([6, 4]);
    expect(divide([3, 0, 2], 5)).toEqual([3, 0, 2]);
    expect(divide([3, 2], 0)).toEqual([0, 0]);
  });

  it("is divided exactly when products are more than a number can hold", () => {
    const large = fc.array(fc.integer({ min: 10 ** 11, max: 10 ** 12 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(large, fc.integer({ min: 1, max: 10 ** 11 }), (left, amount) => {
        const shares = divide(left, amount);
        expect(shares.reduce((sum, one) => sum + one)).toBe(amount);
        // No line would have more for each unit than another one has now.
        for (const [one, share] of shares.entries())
          for (const [other, more] of shares.entries())
            expect(BigInt(left[one] ?? 0) * BigInt(more)).toBeLessThanOrEqual(
              BigInt(left[other] ?? 0) * BigInt(share + 1),
            );
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("refunds of lines", () => {
  it("name units unless they name an amount, and free units as well", () => {
    const line = { sku: null, category: null, earns: true, covered: 0, returned: 0, free: 0 };
    const receipt_lines = [
      { ...line, quantity: 4, amount: 800 },
      { ...line, quantity: 2, amount: 0 },
      { ...line, quantity: 1, amount: 1 },
    ];
    const sale: Sold = { amount: 801, earning_base: 801, refunded: 0, receipt_lines };
    const back = (of: Sold, ...wanted: LineRefund[]) => {
      const decided = refundLines(of, wanted);
      return decided instanceof Rejection ? decided.details : decided.lines_back;
    };
    expect(back(sale, { line_no: 1, quantity: 1 }, { line_no: 2 }, { line_no: 3, amount: 1 })).toEqual([
      { line_no: 1, quantity_back: 1, amount: 200 },
      { line_no: 2, quantity_back: 2, amount: 0 },
      { line_no: 3, quantity_back: null, amount: 1 },
    ]);
    const one = accepted(sale, [{ line_no: 1, quantity: 1 }]);
    expect(back(one, { line_no: 1 })).toEqual([{ line_no: 1, quantity_back: 3, amount: 600 }]);
    const free = accepted(sale, [{ line_no: 2, quantity: 1 }]);
    expect(back(free, { line_no: 2 })).toEqual([{ line_no: 2, quantity_back: 1, amount: 0 }]);
    expect(back(accepted(free, [{ line_no: 2 }]), { line_no: 2 })).toEqual({ refundable: 0, line_no: 2 });
    const cent = accepted(sale, [{ line_no: 3, amount: 1 }]);
    expect(back(cent, { line_no: 3 })).toEqual({ refundable: 0, line_no: 3 });
  });

  it("come to the same in any order and however they are cut", () => {
    const cut = fc.record({ which: small(3), part: fc.integer({ min: 1, max: 400 }) });
    fc.assert(
      fc.property(
        amounts,
        parts,
        small(100),
        fc.array(cut, { maxLength: 6 }),
        (amount, receipt, earned, cuts) => {
          const sale = sold(amount, receipt, earned);
          const wanted = cuts.map(({ which, part }) => {
            return { line_no: (which % sale.receipt_lines.length) + 1, amount: part };
          });
          const inTurn = (order: readonly LineRefund[]) => {
            let now = sale;
            for (const one of order) {
              const after = refund(now, [one]);
              if (after === undefined) return undefined;
              now = after;
            }
            return now;
          };
          const [one, other] = [inTurn(wanted), inTurn(wanted.toReversed())];
          expect(other).toEqual(one);
          if (one === undefined) return;
          const sums = new Map<number, number>();
          for (const { line_no, amount } of wanted) sums.set(line_no, (sums.get(line_no) ?? 0) + amount);
          const atOnce = [...sums].map(([line_no, amount]) => ({ line_no, amount }));
          expect(accepted(sale, atOnce)).toEqual(one);
          expect(baseLeft(accepted(sale, atOnce))).toBe(baseLeft(one));
        },
      ),
      all,
    );
  });

  it("together with refunds of amounts never add to the base, and end with nothing", () => {
    const step = fc.record({
      part: fc.constantFrom(0.01, 0.3, 0.5, 1),
      line: fc.option(lineSteps, { nil: undefined }),
    });
    fc.assert(
      fc.property(
        amounts,
        parts,
        small(100),
        fc.array(step, { maxLength: 12 }),
        (amount, receipt, earned, steps) => {
          let sale = sold(amount, receipt, earned);
          for (const { part, line } of steps) {
            const { amount: some = sale.amount - sale.refunded, lines } = refundOf(sale as Sale, part, line);
            if (some > sale.amount - sale.refunded) continue;
            const after =
              lines === undefined ? { ...sale, refunded: sale.refunded + some } : refund(sale, lines);
            if (after === undefined) continue;
            expect(after.refunded).toBeGreaterThanOrEqual(sale.refunded);
            expect(after.refunded).toBeLessThanOrEqual(sale.amount);
            expect(baseLeft(after)).toBeLessThanOrEqual(baseLeft(sale));
            sale = after;
          }
          // What can still come back of the lines is the rest of the sale.
          const left = leftIn(sale);
          expect(left.reduce((sum, one) => sum + one, 0)).toBe(sale.amount - sale.refunded);
          for (const [index, one] of left.entries())
            if (one > 0) sale = accepted(sale, [{ line_no: index + 1 }]);
          expect([sale.refunded, baseLeft(sale)]).toEqual([sale.amount, 0]);
        },
      ),
      all,
    );
  });

  it("take nothing of the base for a line that does not earn, also after a refund of an amount", () => {
    const receipt = linesOf(1000, [
      { weight: 6, earns: true, quantity: 1 },
      { weight: 4, earns: false, quantity: 1 },
    ]);
    const sale: Sold = {
      amount: 1000,
      refunded: 0,
      earning_base: 600,
      receipt_lines: newLines(receipt, excluded),
    };
    expect(baseLeft(accepted(sale, [{ line_no: 2 }]))).toBe(600);
    expect(baseLeft(accepted(sale, [{ line_no: 1 }]))).toBe(0);
    expect(baseLeft(accepted(sale, [{ line_no: 1, amount: 200 }]))).toBe(400);
    // A discount of 10 % after the sale falls on both lines.
    const discounted = { ...sale, refunded: 100 };
    expect(baseLeft(discounted)).toBe(540);
    expect(leftIn(discounted)).toEqual([540, 360]);
    const byAmount = accepted(discounted, [{ line_no: 1, amount: 540 }]);
    expect([baseLeft(byAmount), leftIn(byAmount)]).toEqual([0, [0, 360]]);
    const returned = accepted(discounted, [{ line_no: 2 }]);
    expect([returned.refunded, baseLeft(returned)]).toEqual([460, 540]);
  });

  it("come to the same in any order also after a refund of an amount, and lower what is left", () => {
    const whole = fc.integer({ min: 1, max: 99 });
    fc.assert(
      fc.property(
        amounts,
        parts,
        whole,
        fc.array(lineSteps, { maxLength: 4 }),
        (amount, receipt, percent, steps) => {
          const before = sold(amount, receipt);
          const sale = { ...before, refunded: Math.floor((amount * percent) / 100) };
          const less = { ...before, refunded: Math.max(0, sale.refunded - 1) };
          expect(leftIn(sale).every((left, index) => left <= (leftIn(less)[index] ?? 0))).toBe(true);
          const wanted = new Map(steps.map((step) => [step.which % sale.receipt_lines.length, step]));
          const each = [...wanted.values()].map((step) => refundOf(sale as Sale, 0.3, step).lines ?? []);
          const finish = (order: LineRefund[][]) => order.reduce((now, one) => refund(now, one) ?? now, sale);
          expect(finish(each.toReversed())).toEqual(finish(each));
          expect(leftIn(finish(each)).every((left) => left >= 0)).toBe(true);
        },
      ),
      all,
    );
  });

  it("give the price of one unit twice for two units", () => {
    fc.assert(
      fc.property(
        amounts,
        fc.integer({ min: 2, max: 9 }),
        fc.integer({ min: 2, max: 9 }),
        (amount, quantity, units) => {
          fc.pre(units <= quantity);
          const sale = sold(amount, [{ weight: 1, earns: true, quantity }]);
          let one = sale;
          for (let unit = 0; unit < units; unit += 1) one = refund(one, [{ line_no: 1, quantity: 1 }]) ?? one;
          expect(one).toEqual(accepted(sale, [{ line_no: 1, quantity: units }]));
          if (units === quantity) expect(one.refunded).toBe(amount);
        },
      ),
      all,
    );
  });

  it("say what is left of a line when more should come back", () => {
    const sale = sold(900, [
      { weight: 2, earns: true, quantity: 2 },
      { weight: 1, earns: true, quantity: 1 },
    ]);
    const rejection = (of: Sold, wanted: LineRefund) => {
      const decided = refundLines(of, [wanted]);
      return decided instanceof Rejection ? decided.details : decided;
    };
    expect(rejection(sale, { line_no: 1, amount: 601 })).toEqual({ refundable: 600, line_no: 1 });
    expect(rejection(sale, { line_no: 1, quantity: 3 })).toEqual({
      refundable: 600,
      quantity: 2,
      line_no: 1,
    });
    const one = accepted(sale, [{ line_no: 1, quantity: 1 }]);
    expect(rejection(one, { line_no: 1, quantity: 2 })).toEqual({ refundable: 300, quantity: 1, line_no: 1 });
    // Its amount has come back as a whole, though no unit has.
    const paid = accepted(sale, [{ line_no: 1, amount: 600 }]);
    expect(rejection(paid, { line_no: 1 })).toEqual({ refundable: 0, line_no: 1 });
    const without = accepted(sale, [{ line_no: 2 }]);
    expect(rejection(without, { line_no: 2 })).toEqual({ refundable: 0, line_no: 2 });
    expect(rejection(sale, { line_no: 3 })).toMatchObject({ errors: [{ field: "lines.0.line_no" }] });
    expect(rejection({ ...sale, receipt_lines: null } as unknown as Sold, { line_no: 1 })).toMatchObject({
      errors: [{ field: "lines" }],
    });
  });
});
