import { expect, it } from "vitest";
import type { Context } from "../command.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ImportKind, importKinds } from "./columns.ts";
import type { RejectionReport } from "./report.ts";
import { printTotals, SalesSum, Totals } from "./totals.ts";

const line = (amount: number, sold_at: string) => ({ line: 1, digest: "", amount, sold_at });
const three = [
  line(5, "2026-04-17T18:30:00Z"),
  line(123_456_789, "2025-12-31"),
  line(100, "2026-01-01"),
] as const;

it("says what sales come to, in major units", () => {
  const sum = new SalesSum();
  for (const sale of three) sum.add(sale);
  expect(sum.text({ currency: "USD", decimals: 2 }, "3 lines")).toBe(
    "Sales of 1,234,568.94 USD in 3 lines, from 2025-12-31 to 2026-04-17, the smallest 0.05, the largest 1,234,567.89.",
  );
  expect(sum.text({ currency: "JPY", decimals: 0 }, "3 lines")).toMatch(/^Sales of 123,456,894 JPY in /);
  expect(sum.record()).toEqual({
    ...{ total: 123_456_894, smallest: 5, largest: 123_456_789 },
    ...{ first_day: "2025-12-31", last_day: "2026-04-17" },
  });
});

it("is exact however much it is", () => {
  const sum = new SalesSum();
  for (let time = 0; time < 3; time += 1) sum.add(line(Number.MAX_SAFE_INTEGER, "2026-01-01"));
  expect(sum.text({ currency: "KWD", decimals: 3 }, "3 lines")).toMatch(
    /^Sales of 27,021,597,764,222\.973 KWD in 3 lines, on/,
  );
});

it("tells how many of the lines were imported before", () => {
  const [, sales] = importKinds as [ImportKind, ImportKind];
  const totals = Object.assign(new Totals(sales), { lines: 3, imported: 1, skipped: 2 });
  for (const sale of three) totals.sum.add(sale);
  const printed: string[] = [];
  const style: Terminal["style"] = (_style, text) => text;
  const terminal = { line: (text: string) => void printed.push(text), style } as Terminal;
  const context = { json: false, out: terminal, err: terminal } as Context;
  const report = { lines: 0 } as RejectionReport;
  const money = { currency: "USD", decimals: 2 };
  const outcome = { kind: sales, checked: undefined, interrupted: false, seconds: 2, report, money };
  printTotals(context, totals, outcome);
  expect(printed).toEqual([
    "Imported 1, skipped 2 imported before, rejected 0.",
    expect.stringMatching(/^Sales of 1,234,568\.94 USD in 3 lines \(2 of them imported before\), from /),
    "3 lines in 2 s, 2/s.",
  ]);
});
