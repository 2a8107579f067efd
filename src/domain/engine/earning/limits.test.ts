import { describe, expect, it } from "vitest";
import { program } from "../../../../test/support/rates.ts";
import { pointsOfSales, tightestLimit } from "./limits.ts";

const count = (day: string, given: number, promotion_id = pointsOfSales) => ({ promotion_id, day, given });
const counts = [
  count("2026-02-27", 30),
  count("2026-03-01", 40),
  count("2026-03-15", 25),
  // In the group.
  count("2026-03-15", -5),
  count("2026-03-15", 9, 4),
];
const limitOn = (day: string, of: object) =>
  tightestLimit(
    { ...program, maximum_points_per_order: 90, ...of },
    { day, buying: { facts: null, counts } },
  );

describe("tightestLimit", () => {
  it("is what the sales of the day and the month leave, and is that of the order if it leaves less", () => {
    expect(limitOn("2026-03-15", {})).toBeUndefined();
    const day = { limit: { period: "day", maximum: 100 }, most: 80 };
    expect(limitOn("2026-03-15", { maximum_points_per_day: 100 })).toEqual(day);
    const month = { limit: { period: "month", maximum: 100 }, most: 40 };
    const both = { maximum_points_per_day: 100, maximum_points_per_month: 100 };
    expect(limitOn("2026-03-15", both)).toEqual(month);
    const order = { limit: { period: "order", maximum: 90 }, most: 90 };
    expect(limitOn("2026-03-16", { maximum_points_per_day: 100 })).toEqual(order);
    expect(limitOn("2026-02-27", both)).toMatchObject({ limit: { period: "day" }, most: 70 });
  });

  it("never leaves less than nothing, after a merge or a lower limit", () => {
    expect(limitOn("2026-03-15", { maximum_points_per_day: 19 })).toMatchObject({ most: 0 });
    expect(limitOn("2026-03-15", { maximum_points_per_month: 60 })).toMatchObject({ most: 0 });
  });
});
