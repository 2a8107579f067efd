import { describe, expect, it } from "vitest";
import { nameOfRange, rangeBefore, ranges, usualUnit } from "./ranges.ts";

describe("the ranges of a day", () => {
  it.each([
    ["month", "2026-11-28", "2026-11-01", "2026-11-28"],
    ["lastMonth", "2026-03-31", "2026-02-01", "2026-02-28"],
    ["lastMonth", "2026-01-05", "2025-12-01", "2025-12-31"],
    ["quarter", "2026-03-31", "2026-01-01", "2026-03-31"],
    ["year", "2026-11-28", "2026-01-01", "2026-11-28"],
  ] as const)("%s of %s is %s to %s", (name, today, from, through) => {
    expect(ranges[name](today)).toEqual({ from, through });
    expect(nameOfRange({ from, through }, today)).toBe(name);
  });

  it("have no name for another one", () => {
    expect(nameOfRange({ from: "2026-11-02", through: "2026-11-28" }, "2026-11-28")).toBeUndefined();
    expect(nameOfRange({ from: "2026-11-01", through: "2026-11-27" }, "2026-11-28")).toBeUndefined();
  });
});

describe("the range before", () => {
  it.each([
    // A month up to a day, and a whole month.
    ["2026-11-01", "2026-11-28", "2026-10-01", "2026-10-28"],
    ["2026-03-01", "2026-03-30", "2026-02-01", "2026-02-28"],
    ["2026-02-01", "2026-02-28", "2026-01-01", "2026-01-31"],
    ["2026-04-01", "2026-06-30", "2026-01-01", "2026-03-31"],
    // A year up to a day, and a whole year.
    ["2026-01-01", "2026-11-28", "2025-01-01", "2025-11-28"],
    ["2024-01-01", "2024-02-29", "2023-01-01", "2023-02-28"],
    ["2025-01-01", "2025-12-31", "2024-01-01", "2024-12-31"],
    // Other days.
    ["2026-11-10", "2026-11-10", "2026-11-09", "2026-11-09"],
    ["2026-03-02", "2026-03-08", "2026-02-23", "2026-03-01"],
  ])("of %s to %s is %s to %s", (from, through, before, end) => {
    expect(rangeBefore({ from, through })).toEqual({ from: before, through: end });
  });
});

it.each([
  ["2026-11-01", "2026-11-30", "day"],
  ["2026-09-01", "2026-11-28", "week"],
  ["2026-01-01", "2026-12-31", "month"],
])("the periods of a chart from %s to %s are a %s", (from, through, unit) => {
  expect(usualUnit({ from, through })).toBe(unit);
});
