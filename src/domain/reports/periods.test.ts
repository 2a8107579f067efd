import fc from "fast-check";
import { expect, it } from "vitest";
import { addDays } from "../dates.ts";
import { countPeriods, periodsFrom, reportUnits, wholePeriods } from "./periods.ts";

it("counts days, weeks from Monday on, and months", () => {
  // 2024-02-29 is a Thursday.
  expect(countPeriods("2024-02-29", "2024-03-04", "day")).toBe(5);
  expect(countPeriods("2024-02-29", "2024-03-04", "week")).toBe(2);
  expect(countPeriods("2024-02-29", "2024-03-04", "month")).toBe(2);
  expect(periodsFrom("2024-02-29", "week", 1, 1)).toEqual([
    { starts_on: "2024-03-04", ends_on: "2024-03-10" },
  ]);
  expect(periodsFrom("2024-02-29", "month", 0, 2)).toEqual([
    { starts_on: "2024-02-01", ends_on: "2024-02-29" },
    { starts_on: "2024-03-01", ends_on: "2024-03-31" },
  ]);
});

it("covers all days between the first and the last without a gap", () => {
  const day = fc.integer({ min: 0, max: 40_000 }).map((days) => addDays("1970-01-01", days));
  const cases = fc.tuple(day, fc.integer({ min: 0, max: 500 }), fc.constantFrom(...reportUnits));
  fc.assert(
    fc.property(cases, ([from, days, unit]) => {
      const through = addDays(from, days);
      const count = countPeriods(from, through, unit);
      const periods = periodsFrom(from, unit, 0, count);
      const [first, last] = [periods[0], periods.at(-1)];
      expect((first?.starts_on ?? "") <= from && (first?.ends_on ?? "") >= from).toBe(true);
      expect((last?.starts_on ?? "") <= through && (last?.ends_on ?? "") >= through).toBe(true);
      periods.slice(1).forEach(({ starts_on }, index) => {
        expect(starts_on).toBe(addDays(periods[index]?.ends_on ?? "", 1));
      });
      const skipped = Math.floor(count / 2);
      expect(periodsFrom(from, unit, skipped, count - skipped)).toEqual(periods.slice(skipped));
      const inside = periods.filter(({ starts_on, ends_on }) => starts_on >= from && ends_on <= through);
      const whole = wholePeriods({ from, through }, unit);
      expect(whole.count).toBe(inside.length);
      const [starts_on, ends_on] = [inside[0]?.starts_on, inside.at(-1)?.ends_on];
      if (whole.count > 0) expect(whole).toMatchObject({ starts_on, ends_on });
      else expect(whole.starts_on > whole.ends_on).toBe(true);
    }),
  );
});
