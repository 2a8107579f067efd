import { expect, it } from "vitest";
import { figuresOf } from "./figures.ts";

const sums = {
  ...{ sales: 6, sales_amount: 1501, points_given: 60, points_used: 20 },
  ...{ active_members: 9, returning_members: 7, vouchers_used: 5, stamp_cards_full: null },
};

it("averages what does not add up, and keeps the sums", () => {
  expect(figuresOf(sums, 2)).toEqual({
    ...sums,
    ...{ average_sale: 250, redemption_percent: 33, active_members: 5, returning_members: 4 },
  });
});

it("has no average of nothing", () => {
  const nothing = { sales: 0, sales_amount: 0, points_given: 0, points_used: 0 };
  expect(figuresOf({ ...sums, ...nothing }, 1)).toMatchObject({
    average_sale: null,
    redemption_percent: null,
  });
  expect(figuresOf(sums, 0)).toMatchObject({ active_members: null, returning_members: null });
});
