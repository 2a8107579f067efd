import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promotionSets } from "../../../test/support/point-lives.ts";
import { euros } from "../../../test/support/vouchers.ts";
import type { EarningRate } from "../records.ts";
import { earn, pointsKept } from "./earning/earning.ts";
import { addPreviews, MemberPreview, mostAffected, type PreviewedSale, previewOfOthers } from "./preview.ts";
import { inertRules, noLineRules, noMemberLimits, type Promotion, type Rules } from "./rules.ts";

const rates: fc.Arbitrary<EarningRate> = fc.record({
  earn_points: fc.integer({ min: 1, max: 5 }),
  earn_amount: fc.constantFrom(1, 70, 100),
  earn_minimum_amount: fc.constantFrom(0, 500),
  maximum_points_per_order: fc.constantFrom(0, 20, 1e9),
});
const rulesOf = (rate: EarningRate): Rules => ({
  ...inertRules,
  enable_rp: true,
  program: { program_id: 1, membership_name: "Club", ...noLineRules, ...noMemberLimits, ...rate },
});
const rules: fc.Arbitrary<Rules> = fc
  .tuple(rates, fc.constantFrom("paid", "total"), promotionSets)
  .map(([rate, earn_on, promotions]) => ({ ...rulesOf(rate), earn_on, promotions }));

interface Purchase {
  readonly contact_id: number;
  readonly amount: number;
  readonly eligible: number;
  readonly by_voucher: number;
  readonly refunded: number;
}

/** Parts of the amount, in per cent. */
const purchases = fc.array(
  fc.record({
    contact_id: fc.integer({ min: 1, max: 4 }),
    amount: fc.integer({ min: 1, max: 20_000 }),
    eligible: fc.constantFrom(0, 50, 100),
    by_voucher: fc.constantFrom(0, 30, 100),
    refunded: fc.constantFrom(0, 0, 33, 100),
  }),
  { maxLength: 30 },
);

const day = "2026-04-17";

/** The sale as it is recorded under some rules. */
function recorded(purchase: Purchase, rules: Rules): PreviewedSale {
  const { contact_id, amount } = purchase;
  const part = (percent: number) => Math.floor((amount * percent) / 100);
  const eligible_amount = part(purchase.eligible);
  const [paid_otherwise, refunded] = [part(purchase.by_voucher), part(purchase.refunded)];
  const made = {
    day,
    time: "12:00",
    location_id: 1,
    tier_id: null,
    buying: undefined,
    given: new Map(),
    currency: euros,
  };
  const parts = { amount, eligible_amount, receipt_lines: null };
  const { base, points, rate, grants } = earn(rules, { ...parts, paidOtherwise: paid_otherwise }, made);
  const points_kept = pointsKept({
    ...{ amount, earning_base: base, points_earned: points, refunded, receipt_lines: null, grants },
    ...rate,
  });
  const net = amount - paid_otherwise - refunded;
  return {
    ...{
      contact_id,
      location_id: 1,
      sold_on: day,
      time: "12:00",
      amount,
      eligible_amount,
      receipt_lines: null,
      paid_otherwise,
      net,
    },
    ...{ refunded, grants, points_kept },
  };
}

function previewOf(
  sales: readonly PreviewedSale[],
  current: Rules,
  proposed: Rules,
  promotions: readonly Promotion[] = [],
) {
  const members = [...new Set(sales.map(({ contact_id }) => contact_id))].map((contact_id) => {
    const member = new MemberPreview(
      { contact_id, active: true, days: [], byHand: undefined, facts: null },
      { current, proposed, promotions },
    );
    for (const sale of sales) if (sale.contact_id === contact_id) member.add(sale);
    return member.result(day);
  });
  return members.reduce(addPreviews, previewOfOthers(0, { current, proposed, promotions }));
}

describe("a preview", () => {
  it("of the rules by which the sales were recorded gives what they earned, less refunds", () => {
    fc.assert(
      fc.property(purchases, rules, rules, (made, own, other) => {
        const sales = made.map((purchase) => recorded(purchase, own));
        const { recorded_points, current, proposed, gains, losses } = previewOf(sales, own, own);
        expect(current).toEqual(proposed);
        expect(current.points).toBe(recorded_points);
        expect([...gains, ...losses]).toEqual([]);
        const kept = sales.filter(({ refunded }) => refunded === 0);
        const earned = kept.reduce((sum, { points_kept }) => sum + points_kept, 0);
        expect(previewOf(kept, own, own).recorded_points).toBe(earned);
        // Besides promotions, what was recorded has no influence on what rules give.
        const [plain, otherRules] = [
          { ...own, promotions: [] },
          { ...other, promotions: [] },
        ];
        const under = (of: Rules) => made.map((purchase) => recorded(purchase, of));
        const { current: one } = previewOf(under(plain), plain, otherRules);
        expect(previewOf(under(otherRules), plain, otherRules).current).toEqual(one);
      }),
    );
  });

  it("of promotions as if they had been active gives what they would have given", () => {
    fc.assert(
      fc.property(purchases, rules, (made, own) => {
        const plain = { ...own, promotions: [] };
        const added = own.promotions.map((one, index) => ({ ...one, promotion_id: -1 - index }));
        const given = made.map((purchase) => recorded(purchase, own));
        const without = made.map((purchase) => recorded(purchase, plain));
        const { current, proposed, new_promotions } = previewOf(without, plain, plain, added);
        expect(proposed.points).toBe(previewOf(given, plain, plain).recorded_points);
        const cost = new_promotions.reduce((sum, { points }) => sum + points, 0);
        expect(cost).toBe(proposed.points - current.points);
      }),
    );
  });

  it("adds up from any two groups of members", () => {
    fc.assert(
      fc.property(purchases, rules, rules, fc.integer({ min: 0, max: 4 }), (made, one, other, last) => {
        const sales = made
          .map((purchase) => recorded(purchase, one))
          .toSorted((a, b) => a.contact_id - b.contact_id);
        const [first, rest] = [true, false].map((isFirst) =>
          previewOf(
            sales.filter(({ contact_id }) => contact_id <= last === isFirst),
            one,
            other,
          ),
        );
        expect(addPreviews(first as never, rest as never)).toEqual(previewOf(sales, one, other));
      }),
    );
  });

  it("of a doubled rate at least doubles the points below the maximum, and of none gives none", () => {
    fc.assert(
      fc.property(purchases, rates, (made, rate) => {
        const own = rulesOf({ ...rate, maximum_points_per_order: 1e9 });
        const doubled = rulesOf({
          ...rate,
          maximum_points_per_order: 1e9,
          earn_points: 2 * rate.earn_points,
        });
        const sales = made.map((purchase) => recorded(purchase, own));
        const { current, proposed, losses } = previewOf(sales, own, doubled);
        expect(proposed.points - 2 * current.points).toBeGreaterThanOrEqual(0);
        // Each sale is rounded down by less than a point.
        expect(proposed.points - 2 * current.points).toBeLessThanOrEqual(sales.length);
        expect(losses).toEqual([]);
        expect(previewOf(sales, own, { ...own, enable_rp: false }).proposed.points).toBe(0);
      }),
    );
  });

  it("says what a maximum holds back", () => {
    fc.assert(
      fc.property(purchases, rates, (made, rate) => {
        const [capped, free] = [20, 1e9].map((maximum) =>
          rulesOf({ ...rate, maximum_points_per_order: maximum }),
        );
        const sales = made.map((purchase) => recorded(purchase, capped as Rules));
        const { current, proposed } = previewOf(sales, capped as Rules, free as Rules);
        expect(current.points + current.points_over_maximum).toBe(proposed.points);
        expect(proposed).toMatchObject({ capped_sales: 0, points_over_maximum: 0 });
        expect(current.capped_sales > 0).toBe(current.points_over_maximum > 0);
      }),
    );
  });

  it("names the members with the largest differences, and of equal ones those with the smallest numbers", () => {
    const [own, more] = [1, 2].map((earn_points) =>
      rulesOf({ earn_points, earn_amount: 100, earn_minimum_amount: 0, maximum_points_per_order: 1e9 }),
    );
    const sale = { eligible: 100, by_voucher: 0, refunded: 0 };
    const amounts = [...Array.from({ length: mostAffected + 1 }, () => 1000), 5000];
    const sales = amounts.map((amount, index) =>
      recorded({ ...sale, contact_id: index + 1, amount }, own as Rules),
    );
    const { gains, losses } = previewOf(sales, own as Rules, more as Rules);
    expect(gains.map(({ contact_id }) => contact_id)).toEqual([12, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(gains[0]).toEqual({
      contact_id: 12,
      sales: 1,
      current_points: 50,
      proposed_points: 100,
      difference: 50,
    });
    expect(losses).toEqual([]);
    expect(previewOf(sales, more as Rules, own as Rules).losses.map(({ difference }) => difference)).toEqual([
      ...[-50, -10, -10, -10, -10, -10, -10, -10, -10, -10],
    ]);
  });
});
