import { expect, it } from "vitest";
import { figuresOf } from "./figures.ts";

const period = {
  sales: 4,
  sales_amount: 1001,
  points_given: 30,
  points_used: 10,
  active_members: 3,
  returning_members: 2,
};

it("adds periods up, but averages what does not add up", () => {
  const other = { ...period, sales: 2, sales_amount: 500, active_members: 6, returning_members: 5 };
  expect(figuresOf([period, other], [period, other])).toMatchObject({
    ...{ sales_amount: 1501, points_given: 60, points_used: 20 },
    ...{ visits: 6, average_sale: 250, active_members: 5, returning_members: 4, redemption_percent: 33 },
  });
});

it("has no average of nothing", () => {
  expect(figuresOf([], [])).toMatchObject({ visits: null, average_sale: null, redemption_percent: null });
});

it("leaves out what no location has", () => {
  const period = {
    sales: 2,
    sales_amount: 300,
    points_used: 0,
    points_given: 0,
    active_members: 1,
    stamp_cards_full: null,
  };
  expect(figuresOf([period], [period])).toMatchObject({ visits: 2, stamp_cards_full: null });
});
