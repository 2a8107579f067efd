/** What promotions would have given on the recorded sales of a member. */
import { expect, it } from "vitest";
import { doubling } from "../../../../test/support/point-lives.ts";
import { coffeeCard } from "../../../../test/support/vouchers.ts";
import type { Promotion } from "../rules.ts";
import type { Buying } from "./acting.ts";
import { PromotionReplay } from "./replay.ts";

type Sold = Parameters<PromotionReplay["add"]>[0];
const sold = (more: Partial<Sold> = {}): Sold => ({
  ...{ earn_points: 1, earn_amount: 100, earn_minimum_amount: 0, maximum_points_per_order: 1e9 },
  ...{ amount: 1000, refunded: 0, earning_base: 1000, receipt_lines: null, grants: null },
  ...more,
});
const line = (quantity: number, covered = 0) => ({
  ...{ sku: null, category: "coffee", quantity, amount: 1000, earns: true, covered, returned: 0, free: 0 },
});
const fixed = (of: Partial<Promotion>) => ({ ...doubling, multiply: null, points: 5, ...of });

/** @param sales with their days of January */
function replayed(
  of: Partial<Promotion>,
  sales: readonly (readonly [number, Sold])[],
  facts: Buying["facts"] = null,
) {
  const replay = new PromotionReplay([fixed(of)], facts, [coffeeCard]);
  const at = { time: "12:00", location_id: 1, tier_id: null };
  for (const [day, sale] of sales)
    replay.add(sale, { ...at, day: `2026-01-${String(day).padStart(2, "0")}` });
  const [{ sales: reached, points, sales_without_lines } = {}] = replay.given;
  return [reached, points, sales_without_lines];
}
const twice = [
  [1, sold()],
  [2, sold()],
] as const;

it("adds up the points of its sales, after refunds, whatever the budget", () => {
  expect(replayed({}, twice)).toEqual([2, 10, 0]);
  expect(replayed({ budget_points: 5 }, twice)).toEqual([2, 10, 0]);
  expect(replayed({ multiply: 200, points: null }, [[1, sold({ refunded: 700 })]])).toEqual([1, 3, 0]);
  expect(replayed({}, [[1, sold({ refunded: 1000 })]])).toEqual([0, 0, 0]);
  // It acted on what was bought, and refunds leave too little of it.
  const least = { minimum_amount: 800 };
  expect(replayed(least, [[1, sold({ refunded: 300 })]])).toEqual([0, 0, 0]);
  const lines = { receipt_lines: [line(2, 300)], refunded: 300 };
  expect(
    replayed({ most_per_member: 1, minimum_amount: 800 }, [
      [1, sold(lines)],
      [2, sold()],
    ]),
  ).toEqual([1, 5, 0]);
});

it("counts sales with vouchers and stamps, and those whose lines nobody knows", () => {
  const [voucher, stamps] = [
    { points: null, voucher_id: 3 },
    { points: null, stamp_card_id: coffeeCard.stamp_card_id, stamps: 2 },
  ];
  for (const gift of [voucher, stamps]) {
    expect(replayed(gift, twice)).toEqual([2, 0, 0]);
    expect(replayed({ ...gift, minimum_amount: 500 }, [[1, sold({ refunded: 600 })]])).toEqual([0, 0, 0]);
  }
  // The card of another location collects nothing here.
  expect(replayed({ ...stamps, stamp_card_id: 99 }, twice)).toEqual([0, 0, 0]);
  const of = [
    { categories: ["coffee"] },
    { skus: ["X"] },
    { minimum_quantity: 2 },
    { skus: ["X"], categories: ["coffee"] },
  ];
  expect(of.map((one) => replayed(one, twice)[2])).toEqual([2, 2, 2, 2]);
  expect(replayed({ skus: ["X"], location_ids: [2] }, twice)[2]).toBe(0);
  expect(replayed({ skus: ["X"], first_day: "2026-01-02" }, twice)[2]).toBe(1);
  expect(
    replayed({ categories: ["coffee"] }, [
      [1, sold({ receipt_lines: [line(1)] })],
      [2, sold()],
    ]),
  ).toEqual([1, 5, 1]);
});

it("obeys the limits of the member and of its days", () => {
  const days = [1, 1, 2, 3, 3].map((day) => [day, sold()] as const);
  expect(replayed({ most_per_member: 3 }, days)[0]).toBe(3);
  expect(replayed({ most_per_member_day: 1 }, days)[0]).toBe(3);
  expect(replayed({ most_per_member_day: 2, most_per_member: 4 }, days)[0]).toBe(4);
  expect(replayed({ most_per_member: 2 }, [[1, sold({ refunded: 1000 })], ...days])[0]).toBe(2);
});

it("follows what the member has bought, without sales that were refunded", () => {
  const facts = { joined_on: "2020-01-01", born_on: null, bought_on: null };
  const first = { member: "first_sale" } as const;
  expect(replayed(first, twice, facts)[0]).toBe(1);
  expect(replayed(first, [[1, sold({ refunded: 1000 })], ...twice], facts)[0]).toBe(1);
  expect(replayed(first, twice)[0]).toBe(0);
  const back = { member: "returning", member_days: 5 } as const;
  const days = [1, 3, 20].map((day) => [day, sold()] as const);
  expect(replayed(back, days, { ...facts, bought_on: "2025-12-01" })[0]).toBe(2);
  const joined = { member: "new", member_days: 10 } as const;
  expect(replayed(joined, days, { ...facts, joined_on: "2026-01-01" })[0]).toBe(2);
});
