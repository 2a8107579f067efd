import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../test/support/random-cases.ts";
import {
  addDays,
  addPeriod,
  endOfMonth,
  endOfValidity,
  isDay,
  isMoment,
  isTimeZoneName,
  weekdayOf,
} from "./dates.ts";

describe("isDay", () => {
  const iso = (at: Date) => at.toISOString().slice(0, 10);

  it("knows every day of the calendar from year 1 to 9999", () => {
    const days = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(days.map(iso), (day) => {
        expect(isDay(day)).toBe(true);
      }),
    );
  });

  it("takes year, month and day for a day exactly when the calendar has it", () => {
    const two = (n: number) => String(n).padStart(2, "0");
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.nat({ max: 13 }),
        fc.nat({ max: 32 }),
        (year, month, day) => {
          const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
          const at = new Date(0);
          at.setUTCFullYear(year, month - 1, day);
          expect(isDay(text)).toBe(iso(at) === text);
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it.each([
    ["2024-02-29", true],
    ["2026-02-29", false],
    ["1900-02-29", false],
    ["2000-02-29", true],
    ["2026-04-31", false],
    ["0000-01-01", false],
    ["2026-4-1", false],
    ["2026-04-17 ", false],
    ["2026-04-17T00:00:00Z", false],
    ["２０２６-04-17", false],
    ["", false],
  ])("%j: %s", (text, expected) => {
    expect(isDay(text)).toBe(expected);
  });
});

it("tells names of time zones from offsets and abbreviations", () => {
  for (const name of [
    "UTC",
    "gmt",
    "Europe/Madrid",
    "europe/madrid",
    "Asia/Kolkata",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+5",
  ])
    expect([name, isTimeZoneName(name)]).toEqual([name, true]);
  for (const name of ["", "Madrid", "+05:30", "-03:00", "IST", "CET", "EST5EDT", "/", "Europe/"])
    expect([name, isTimeZoneName(name)]).toEqual([name, false]);
});

describe("a moment", () => {
  const clock = ["2026-04-17", "2026-04-17 09:30", "2026-04-17T09:30:15", "2026-04-17 23:59:59.123456"];
  const offset = ["2026-04-17T09:30Z", "2026-04-17 09:30:00+02:00", "2026-04-17T09:30:00.5-14:00"];

  it.each([...clock, ...offset])("may be written %s", (moment) => {
    expect(isMoment(moment)).toBe(true);
  });

  it.each([
    ...["", "2026-04", "2026-02-30", "2026-02-30 10:00", "20260417", "17.04.2026", "2026-04-17Z", "now"],
    ...["2026-04-17 24:00", "2026-04-17 09:60", "2026-04-17 9:30", "2026-04-17 09:30:60", "2026-04-17 09"],
    ...["2026-04-17 09:30 ", "2026-04-17  09:30", "2026-04-17 09:30+0200", "2026-04-17 09:30+15:00"],
    ...["2026-04-17 09:30:00.1234567", "2026-04-17 09:30:00 UTC", "2026-04-17t09:30z", "infinity"],
  ])("may not be written %j", (text) => {
    expect(isMoment(text)).toBe(false);
  });
});

describe("days by the calendar", () => {
  const days = fc
    .date({ min: new Date("1950-01-01"), max: new Date("2400-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const instant = (day: string) => Date.parse(`${day}T00:00:00Z`);

  it("add days as instants do", () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -800, max: 800 }), (day, count) => {
        expect(instant(addDays(day, count))).toBe(instant(day) + count * 86_400_000);
      }),
    );
  });

  it("know their day of the week", () => {
    fc.assert(
      fc.property(days, (day) => {
        expect(weekdayOf(day)).toBe(new Date(instant(day)).getUTCDay() || 7);
      }),
    );
    expect(["0001-01-01", "0099-12-31", "9999-12-31"].map(weekdayOf)).toEqual([1, 4, 5]);
  });

  it("add months and years by the calendar, up to the last day of the month", () => {
    expect(addPeriod("2026-01-31", 1, "month")).toBe("2026-02-28");
    expect(addPeriod("2024-02-29", 1, "year")).toBe("2025-02-28");
    expect(addPeriod("2026-11-15", 3, "month")).toBe("2027-02-15");
    expect(addPeriod("2026-11-15", 2, "week")).toBe("2026-11-29");
    fc.assert(
      fc.property(days, fc.integer({ min: 1, max: 1200 }), (day, count) => {
        const later = addPeriod(day, count, "month");
        expect(isDay(later)).toBe(true);
        expect(later > day).toBe(true);
        expect(Number(later.slice(8))).toBeLessThanOrEqual(Number(day.slice(8)));
      }),
    );
  });

  it("end a month on its last day", () => {
    fc.assert(
      fc.property(days, (day) => {
        expect(addDays(endOfMonth(day), 1).slice(8)).toBe("01");
        expect(endOfMonth(day).slice(0, 7)).toBe(day.slice(0, 7));
      }),
    );
  });
});

it("ends a validity on the day after its last one, and never without a length or a unit", () => {
  expect(endOfValidity("2026-01-31", 1, "month")).toBe("2026-03-01");
  expect(endOfValidity("2026-01-31", null, "month")).toBe(null);
  expect(endOfValidity("2026-01-31", 1, null)).toBe(null);
});
