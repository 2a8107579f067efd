import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, program, rates, rules } from "../../../../test/support/rates.ts";
import { missingToEarn, type Rules } from "../rules.ts";
import { countedPoints, earn, explainEarning, mostShownCharacters, shortText } from "./earning.ts";

/** What a sale without lines earns. */
const earnOf = (of: Rules, eligible_amount: number, paidOtherwise = 0) =>
  earn(of, { amount: eligible_amount, eligible_amount, receipt_lines: null, paidOtherwise });

describe("missingToEarn", () => {
  it("is nothing if and only if the largest sale earns points", () => {
    const programs = fc.option(rates.map((rate) => ({ ...program, ...rate })));
    const switches = fc.record({ enable_rp: fc.boolean(), program: programs });
    fc.assert(
      fc.property(switches, (settings) => {
        const { points } = earnOf({ ...rules, ...settings }, 1e12);
        expect(missingToEarn(settings).length === 0).toBe(points > 0);
      }),
    );
  });

  it("is everything at once", () => {
    const idle = { ...program, earn_points: 0, maximum_points_per_order: 0 };
    expect(missingToEarn({ enable_rp: false, program: null })).toEqual(["rewards_off", "no_program"]);
    expect(missingToEarn({ enable_rp: true, program: idle })).toEqual([
      ...["program_without_rate", "maximum_is_zero"],
    ]);
  });
});

describe("explainEarning", () => {
  const whole = (amount: number) => ({
    amount,
    eligible_amount: amount,
    receipt_lines: null,
    grants: null,
    points_limit: null,
  });

  it("says of a recorded sale what was said when it was recorded", () => {
    const programs = fc.option(rates.map((rate) => ({ ...program, ...rate })));
    const versions = fc.record({ enable_rp: fc.boolean(), program: programs });
    fc.assert(
      fc.property(versions, amounts, (settings, amount) => {
        const version = { ...rules, ...settings };
        const { base, rate, why } = earnOf(version, amount);
        expect(explainEarning({ ...rate, ...whole(amount), earning_base: base }, version)).toEqual(why);
      }),
    );
  });

  it("knows that the program of a tier had no rate", () => {
    const { rate } = earnOf({ ...rules, program: { ...program, earn_points: 0 } }, 5000);
    expect(explainEarning({ ...rate, ...whole(5000), earning_base: 5000 }, rules)).toEqual([
      { code: "program_without_rate" },
    ]);
  });
});

describe("earn", () => {
  it("earns on what was paid, or on the total, as the rules say", () => {
    expect(earnOf(rules, 4000, 1000)).toMatchObject({ base: 3000, points: 30 });
    expect(earnOf({ ...rules, earn_on: "total" }, 4000, 1000)).toMatchObject({ base: 4000, points: 40 });
    expect(earnOf(rules, 500, 1000)).toMatchObject({ base: 0, points: 0 });
  });

  it("says why", () => {
    const why = (of: Rules, amount = 4000) => earnOf(of, amount).why.map(({ code }) => code);
    expect(why(rules)).toEqual(["earned"]);
    expect(why(rules, 9000)).toEqual(["earned", "capped"]);
    expect(why({ ...rules, program: { ...program, earn_minimum_amount: 5000 } })).toEqual(["below_minimum"]);
    expect(why({ ...rules, program: { ...program, earn_points: 0 } })).toEqual(["program_without_rate"]);
    expect(why({ ...rules, program: null })).toEqual(["no_program"]);
    expect(why({ ...rules, enable_rp: false })).toEqual(["rewards_off"]);
    expect(earnOf({ ...rules, enable_rp: false }, 4000).points).toBe(0);
  });

  it("says what its program excluded, if it earns at all", () => {
    const line = { sku: null, category: "tea", quantity: 1, amount: 1000, covered: 0, returned: 0 };
    const receipt_lines = [
      { ...line, earns: true },
      { ...line, amount: 300, earns: false },
    ];
    const of = (version: Rules, eligible_amount = 1000) =>
      earn(version, { amount: 1300, eligible_amount, receipt_lines, paidOtherwise: 0 }).why.slice(1);
    expect(of(rules)).toEqual([{ code: "lines_excluded", amount: 300 }]);
    expect(of(rules, 1300)).toEqual([]);
    expect(of({ ...rules, program: { ...program, earn_points: 0 } })).toEqual([]);
  });
});

describe("the points that count for limits", () => {
  const sale = {
    ...{ earn_points: 1, earn_amount: 100, earn_minimum_amount: 0, maximum_points_per_order: 50 },
    ...{ amount: 1000, earning_base: 1000, points_earned: 8, refunded: 0, receipt_lines: null, grants: null },
  };
  const points_limit = { period: "day", maximum: 50 } as const;

  it("are those that refunds leave, never more than were earned, of sales with limits", () => {
    expect(countedPoints({ ...sale, points_limit })).toBe(8);
    expect(countedPoints({ ...sale, points_limit, refunded: 600 })).toBe(4);
    expect([countedPoints({ ...sale, points_limit: null }), countedPoints(undefined)]).toEqual([0, 0]);
  });
});

describe("shortText", () => {
  it("has at most so many characters, without a blank before the dots", () => {
    const of = (length: number) => "x".repeat(length);
    expect(shortText(of(mostShownCharacters))).toBe(of(mostShownCharacters));
    expect(shortText(of(mostShownCharacters + 1))).toBe(`${of(mostShownCharacters - 1)}…`);
    expect(shortText(`${of(mostShownCharacters - 2)} yz`)).toBe(`${of(mostShownCharacters - 2)}…`);
  });
});
