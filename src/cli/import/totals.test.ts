import { expect, it } from "vitest";
import { SalesSum } from "./totals.ts";

const line = (amount: number, sold_at: string) => ({ line: 1, digest: "", amount, sold_at });

it("says what sales come to, in major units", () => {
  const sum = new SalesSum();
  for (const [amount, day] of [
    [5, "2026-04-17T18:30:00Z"],
    [123_456_789, "2025-12-31"],
    [100, "2026-01-01"],
  ] as const) {
    sum.add(line(amount, day));
  }
  expect(sum.text({ currency: "USD", decimals: 2 }, 0)).toBe(
    "Sales of 1,234,568.94 USD in 3 lines, from 2025-12-31 to 2026-04-17, the smallest 0.05, the largest 1,234,567.89.",
  );
  expect(sum.text({ currency: "JPY", decimals: 0 }, 2)).toMatch(
    /^Sales of 123,456,894 JPY in 3 lines \(2 of them imported before\), /,
  );
  expect(sum.record({ currency: "USD", decimals: 2 })).toEqual({
    ...{ lines: 3, currency: "USD", total: 123_456_894, smallest: 5, largest: 123_456_789 },
    ...{ first_day: "2025-12-31", last_day: "2026-04-17" },
  });
});

it("is exact however much it is", () => {
  const sum = new SalesSum();
  for (let time = 0; time < 3; time += 1) sum.add(line(Number.MAX_SAFE_INTEGER, "2026-01-01"));
  expect(sum.text({ currency: "KWD", decimals: 3 }, 0)).toMatch(
    /^Sales of 27,021,597,764,222\.973 KWD in 3 lines, on/,
  );
});
