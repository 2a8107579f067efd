import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { doubling } from "../../../../test/support/point-lives.ts";
import { amounts, program, rates, rules } from "../../../../test/support/rates.ts";
import { euros, freeCoffee } from "../../../../test/support/vouchers.ts";
import { amountLimit } from "../../ledger.ts";
import type { SaleGrant } from "../../records.ts";
import { missingToEarn, type Promotion, type Rules } from "../rules.ts";
import { countedPoints, earn, explainEarning, grantsKept, type SaleAtTill } from "./earning.ts";

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

  it("knows that the program of a tier had no rate, or that there was none", () => {
    const none = earnOf({ ...rules, program: null }, 5000).rate;
    expect(explainEarning({ ...none, ...whole(5000), earning_base: 5000 }, rules)).toEqual([
      { code: "no_program" },
    ]);
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
    const line = { sku: null, category: "tea", quantity: 1, amount: 1000, covered: 0, returned: 0, free: 0 };
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

describe("what promotions, rates and limits add", () => {
  const made: SaleAtTill = {
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
  const fixed = { ...doubling, promotion_id: 2, name: "Tuesday", multiply: null, points: 5 };
  const sold = { amount: 1000, eligible_amount: 1000, receipt_lines: null, paidOtherwise: 0 };
  const promoting = (...promotions: Promotion[]): Rules => ({ ...rules, promotions });

  it("is told promotion by promotion, and what was missed", () => {
    const larger = { ...doubling, promotion_id: 3, name: "Large", multiply: 300, minimum_amount: 2000 };
    const one = earn(promoting(doubling, fixed, larger), sold, made);
    expect(one.points).toBe(25);
    expect(one.grants).toMatchObject([
      { promotion_id: 1, points: 10 },
      { promotion_id: 2, points: 5 },
    ]);
    expect(one.why).toEqual([
      { code: "earned", base: 1000, points: 10 },
      { code: "promotion", promotion_id: 1, name: "Double", points: 10, text: "10 more points: Double" },
      { code: "promotion", promotion_id: 2, name: "Tuesday", points: 5, text: "5 more points: Tuesday" },
      {
        ...{ code: "promotion_missed", promotion_id: 3, name: "Large", text: "10.00 EUR more: Large" },
        ...{ reason: "minimum_amount", needed: 2000 },
      },
    ]);
    expect(earn(promoting(fixed), sold, made).points).toBe(15);
    // It is not known when an imported sale was made.
    expect(earn(promoting(fixed), sold)).toMatchObject({ points: 10, grants: null });
    expect(earn(promoting(larger), sold, made)).toMatchObject({ points: 10, grants: null });
    expect(earn(rules, sold, made).grants).toBeNull();
  });

  it("says how many pieces are missing, of one and of several", () => {
    const line = { sku: null, category: "coffee", quantity: 2, amount: 1000, earns: true };
    const receipt = { ...sold, receipt_lines: [{ ...line, covered: 0, returned: 0, free: 0 }] };
    const needing = (minimum_quantity: number) => ({
      ...fixed,
      promotion_id: minimum_quantity,
      minimum_quantity,
    });
    const { why } = earn(promoting(needing(3), needing(4)), receipt, made);
    expect(why.slice(1)).toMatchObject([
      { code: "promotion_missed", text: "1 more piece: Tuesday" },
      { code: "promotion_missed", text: "2 more pieces: Tuesday" },
    ]);
  });

  it("is cut by the limit that leaves the fewest, which is told", () => {
    const limited = { ...rules, program: { ...program, maximum_points_per_day: 8 } };
    const points_limit = { period: "day", maximum: 8 };
    expect(earn(limited, sold, made)).toMatchObject({
      ...{ points: 8, points_limit, rate: { maximum_points_per_order: 8 } },
      why: [
        { code: "earned", points: 8 },
        { code: "capped", ...points_limit },
      ],
    });
    expect(earn(rules, { ...sold, amount: 9000, eligible_amount: 9000 }, made)).toMatchObject({
      points_limit: null,
      why: [
        { code: "earned", points: 50 },
        { code: "capped", period: "order", maximum: 50 },
      ],
    });
  });

  it("is told of a recorded sale by what was given, with its lines before refunds", () => {
    const noFactor = { points: 0, per: "sale", minimum_amount: 0, minimum_quantity: 0 } as const;
    const grant = (promotion_id: number, more: Partial<SaleGrant>): SaleGrant => ({
      ...{ promotion_id, lines: [1], points: 0, left: 0, multiply: null, fixed: noFactor, counts: false },
      ...{ held_voucher_id: null, keeps_voucher: false, excuses_voucher: false },
      ...{ stamp_card_id: null, stamps: 0, keeps_stamps: false },
      ...more,
    });
    const rate = { earn_points: 1, earn_amount: 50 };
    const line = {
      sku: null,
      category: null,
      quantity: 2,
      amount: 600,
      earns: true,
      covered: 0,
      returned: 0,
      free: 0,
    };
    const receipt_lines = [
      { ...line, covered: 600, returned: 2 },
      { ...line, amount: 400, quantity: 4, rate },
    ];
    const sale = {
      ...{ amount: 1000, eligible_amount: 1000, earning_base: 1000, points_limit: null, receipt_lines },
      ...{ earn_points: 1, earn_amount: 100, earn_minimum_amount: 1000, maximum_points_per_order: 1e9 },
      grants: [
        grant(1, { points: 1, fixed: { ...noFactor, points: 1 } }),
        grant(2, {}),
        grant(3, { keeps_voucher: true }),
        grant(4, { held_voucher_id: 9 }),
        grant(5, { stamp_card_id: 1, stamps: 1 }),
        grant(6, { points: 2, fixed: { ...noFactor, points: 2 } }),
        grant(7, { stamp_card_id: 1, stamps: 3 }),
      ],
    };
    const promotions = [1, 2, 3, 4, 5, 7].map((promotion_id) => {
      const gives = promotion_id === 3 || promotion_id === 4 ? freeCoffee : null;
      return { ...fixed, promotion_id, name: `P${promotion_id}`, voucher: gives };
    });
    const why = explainEarning(sale, { enable_rp: true, promotions });
    expect(why.slice(0, 2)).toEqual([
      { code: "earned", base: 600, points: 6 },
      { code: "earned_by_rate", ...rate, base: 400, units: 4, points: 8 },
    ]);
    expect(why.slice(2).map((one) => "text" in one && [one.promotion_id, one.name, one.text])).toEqual([
      [1, "P1", "1 more point: P1"],
      [3, "P3", "Voucher Free coffee: P3"],
      [4, "P4", "Voucher Free coffee: P4"],
      [5, "P5", "1 more stamp: P5"],
      [6, "", "2 more points: "],
      [7, "P7", "3 more stamps: P7"],
    ]);
    const withoutRate = { ...sale, grants: null, earn_points: 0 };
    expect(explainEarning(withoutRate, { enable_rp: true, promotions })).toEqual([
      { code: "earned_by_rate", ...rate, base: 400, units: 4, points: 8 },
    ]);
    const below = { ...sale, grants: null, earn_minimum_amount: 1001 };
    expect(explainEarning(below, { enable_rp: true, promotions })).toEqual([
      { code: "below_minimum", minimum: 1001 },
    ]);
    expect(explainEarning(sale, { enable_rp: false, promotions })).toEqual([{ code: "rewards_off" }]);
    const kept = { ...sale, points_earned: 17, refunded: 600 };
    expect(grantsKept({ ...kept, grants: null })).toBeNull();
    expect(grantsKept({ ...kept, grants: sale.grants.slice(0, 1) })).toEqual([
      grant(1, { points: 1, left: 0, fixed: { ...noFactor, points: 1 } }),
    ]);
    expect(
      grantsKept({ ...kept, grants: [grant(1, { ...sale.grants[0], lines: [2], left: 1 })] }),
    ).toMatchObject([{ left: 1 }]);
  });

  it("is nothing that a sale without lines leaves out, and nothing at all without a program", () => {
    expect(earn(rules, { ...sold, eligible_amount: 400 }, made).why).toEqual([
      { code: "earned", base: 400, points: 4 },
    ]);
    const { rate, points_limit, base } = earn({ ...rules, program: null }, sold, made);
    expect([rate, points_limit, base]).toEqual([
      ...[{ earn_points: 0, earn_amount: amountLimit, earn_minimum_amount: 0, maximum_points_per_order: 0 }],
      ...[null, 1000],
    ]);
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
