import { describe, expect, it } from "vitest";
import { euros } from "../../../test/support/vouchers.ts";
import { mostShownCharacters, shortText, withText } from "./till-texts.ts";

const rate = { code: "earned_by_rate", points: 1, base: 6000, units: 2 } as const;

it.each<[string, Parameters<typeof withText>[0]]>([
  ["60 points for 60.00 EUR", { code: "earned", points: 60, base: 6000 }],
  ["1 point for 60.00 EUR", { ...rate, earn_amount: 100 }],
  ["1 point for 2 units", { ...rate, earn_amount: null }],
  ["At most 500 points a sale", { code: "capped", period: "order", maximum: 500 }],
  ["At most 1 point a day", { code: "capped", period: "day", maximum: 1 }],
  ["At most 0 points a month", { code: "capped", period: "month", maximum: 0 }],
  ["No points for 56.00 EUR", { code: "lines_excluded", amount: 5600 }],
  ["No points below 10.00 EUR", { code: "below_minimum", minimum: 1000 }],
  ["Points are off", { code: "rewards_off" }],
  ["No points for this member or card", { code: "no_program" }],
  ["No points: the program has no rate", { code: "program_without_rate" }],
  ["Points can be spent from 2026-04-24", { code: "pending_until", day: "2026-04-24" }],
  ["2.00 EUR of the vouchers is lost", { code: "voucher_lapses", unused: 200 }],
  ["10 points pay what is owed", { code: "owed", points: 10 }],
  ["1 point pays what is owed", { code: "owed", points: 1 }],
  ["Points can't pay here", { code: "points_cannot_pay" }],
  ["Points can pay from 20 points on", { code: "too_few_points", minimum_points: 20 }],
  ["Points can pay from 1.00 EUR on", { code: "sale_too_small", fewest_points_amount: 100 }],
  ["New tier: Gold", { text: "New tier: Gold" }],
])("says %s", (text, reason) => {
  expect(withText(reason, euros)).toEqual({ ...reason, text });
});

it("keeps the largest amounts within a line of a till's screen", () => {
  const most = 999_999_999_999;
  const { text } = withText({ code: "earned", points: most, base: most }, euros);
  expect(text.length).toBeLessThanOrEqual(mostShownCharacters);
});

describe("shortText", () => {
  it("has at most so many characters, without a blank before the dots", () => {
    const of = (length: number) => "x".repeat(length);
    expect(shortText("x".repeat(99))).toHaveLength(40);
    expect(shortText(of(mostShownCharacters))).toBe(of(mostShownCharacters));
    expect(shortText(of(mostShownCharacters + 1))).toBe(`${of(mostShownCharacters - 1)}…`);
    expect(shortText(`${of(mostShownCharacters - 2)} yz`)).toBe(`${of(mostShownCharacters - 2)}…`);
    // An emoji is as long as two letters, and is not cut in two.
    expect(shortText("🍩".repeat(20))).toBe("🍩".repeat(20));
    expect(shortText("🍩".repeat(21))).toBe(`${"🍩".repeat(19)}…`);
  });
});
