import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addDays,
  addPeriod,
  dayOf,
  endOfMonth,
  hasOffset,
  isDay,
  isMoment,
  isTimeZone,
  wallClockAt,
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
      { numRuns: 1000 },
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

describe("wallClock", () => {
  it.each([
    ["UTC", "2026-07-01T10:00:00Z", "2026-07-01 10:00:00"],
    ["Europe/Madrid", "2026-07-01T10:00:00Z", "2026-07-01 12:00:00"],
    ["Asia/Kolkata", "2026-07-01T20:00:00Z", "2026-07-02 01:30:00"],
    ["Asia/Kathmandu", "2026-07-01T18:15:00Z", "2026-07-02 00:00:00"],
    ["America/St_Johns", "2026-01-01T03:29:59Z", "2025-12-31 23:59:59"],
    ["Pacific/Kiritimati", "2026-01-01T10:00:00Z", "2026-01-02 00:00:00"],
    // The hour that comes twice when summer time ends, and the one that never comes when it begins.
    ["Europe/Madrid", "2026-10-25T00:30:00Z", "2026-10-25 02:30:00"],
    ["Europe/Madrid", "2026-10-25T01:30:00Z", "2026-10-25 02:30:00"],
    ["Europe/Madrid", "2026-03-29T01:00:00Z", "2026-03-29 03:00:00"],
  ])("%s at %s: %s", (timeZone, instant, expected) => {
    expect(wallClockAt(Date.parse(instant), timeZone)).toBe(expected);
  });

  it("is ISO 8601 in UTC, to the second, and its day is the beginning of it", () => {
    const instants = fc.date({
      min: new Date("1970-01-01"),
      max: new Date("2200-01-01"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (at) => {
        const expected = at.toISOString().slice(0, 19).replace("T", " ");
        expect(wallClockAt(at.getTime(), "UTC")).toBe(expected);
        expect(dayOf(at.getTime(), "UTC")).toBe(expected.slice(0, 10));
      }),
    );
  });
});

it("knows the names of time zones", () => {
  for (const name of [
    "UTC",
    "gmt",
    "Europe/Madrid",
    "europe/madrid",
    "Asia/Kolkata",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+5",
  ])
    expect([name, isTimeZone(name)]).toEqual([name, true]);
  for (const name of [
    "",
    "Madrid",
    "Europe/Nowhere",
    "+05:30",
    "-03:00",
    "IST",
    "CET",
    "EST5EDT",
    "/",
    "Europe/",
  ])
    expect([name, isTimeZone(name)]).toEqual([name, false]);
});

describe("a moment", () => {
  const clock = ["2026-04-17", "2026-04-17 09:30", "2026-04-17T09:30:15", "2026-04-17 23:59:59.123456"];
  const offset = ["2026-04-17T09:30Z", "2026-04-17 09:30:00+02:00", "2026-04-17T09:30:00.5-14:00"];

  it.each([...clock, ...offset])("may be written %s", (moment) => {
    expect(isMoment(moment)).toBe(true);
    expect(hasOffset(moment)).toBe(offset.includes(moment));
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
