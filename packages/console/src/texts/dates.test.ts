import { describe, expect, it } from "vitest";
import { dayText, inZone, momentText } from "./dates.ts";

describe("a time in UTC", () => {
  it.each([
    ["2026-07-17T07:30:00Z", "Europe/Paris", "2026-07-17 09:30:00"],
    ["2026-01-17T07:30:00.123Z", "Europe/Paris", "2026-01-17 08:30:00"],
    ["2026-01-17 23:30:00", "Asia/Tokyo", "2026-01-18 08:30:00"],
    ["2026-03-29 01:30:00", "Europe/Paris", "2026-03-29 03:30:00"],
    ["2026-01-01 00:00:00", "America/New_York", "2025-12-31 19:00:00"],
    ["2026-01-01 00:00:00", "UTC", "2026-01-01 00:00:00"],
  ])("%s is in %s %s", (utc, zone, local) => {
    expect(inZone(utc, zone)).toBe(local);
  });

  it("is written as others are", () => {
    expect(momentText(inZone("2026-07-17T07:30:00Z", "Europe/Paris"))).toBe("17 Jul 2026, 09:30");
  });
});

it("leaves a text that is no day as it is", () => {
  expect(["2026-04-17", "2026-13-45", "yesterday"].map(dayText)).toEqual([
    "17 Apr 2026",
    "2026-13-45",
    "yesterday",
  ]);
});
