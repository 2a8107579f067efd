import { expect, it } from "vitest";
import type { Context } from "../command.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ImportKind, importKinds } from "./kinds.ts";
import type { RejectionReport } from "./report.ts";
import { printTotals, Totals } from "./totals.ts";

const line = (amount: number, sold_at: string) => ({ line: 1, amount, sold_at });
const three = [
  line(5, "2026-04-17T18:30:00Z"),
  line(123_456_789, "2025-12-31"),
  line(100, "2026-01-01"),
] as const;

const [members, sales, vouchers] = importKinds as [ImportKind, ImportKind, ImportKind];
const dollars = { currency: "USD", decimals: 2 };

it("says what sales come to, in major units", () => {
  const totals = new Totals();
  for (const sale of three) totals.add(sale);
  expect(totals.sumText(sales, dollars)).toBe(
    "Sales of 1,234,568.94 USD in 3 lines, from 2025-12-31 to 2026-04-17, the smallest 0.05, the largest 1,234,567.89.",
  );
  expect(totals.sumText(sales, { currency: "JPY", decimals: 0 })).toMatch(/^Sales of 123,456,894 JPY in /);
  expect(totals.sumRecord(sales, dollars)).toEqual({
    sales: {
      lines: 3,
      currency: "USD",
      total: 123_456_894,
      smallest: 5,
      largest: 123_456_789,
      first_day: "2025-12-31",
      last_day: "2026-04-17",
    },
  });
});

it("says what opening balances come to, without members that have none", () => {
  const totals = new Totals();
  expect(totals.sumText(members, dollars)).toBe(undefined);
  const none = { lines: 0, currency: "USD", wallet_balance: 0, largest_wallet_balance: 0, points_balance: 0 };
  expect(totals.sumRecord(members, dollars)).toEqual({ opening_balances: none });
  for (const balances of [{}, { wallet_balance: 0 }, { points_balance: 7 }, { wallet_balance: 500 }]) {
    totals.add({ line: 1, ...balances });
  }
  expect(totals.sumText(members, dollars)).toBe(
    "Opening balances of 5.00 USD and 7 points in 2 lines, the largest in a wallet 5.00.",
  );
});

it("counts the reasons of rejections, and what refunds come to", () => {
  const totals = new Totals();
  const refund = { field: "amount", message: "amount is negative: refunds are not imported." };
  totals.addReason({ line: 2, ...refund }, { ...line(-350, "2026-01-01") });
  totals.addReason({ line: 3, ...refund }, { ...line(-1250, "2026-01-01") });
  for (const at of [4, 5, 6]) {
    const reason = "email is the same as in an earlier line.";
    totals.addReason(
      { line: at, field: "email", message: `email is the same as in line ${at - 1}.`, reason },
      undefined,
    );
  }
  expect(totals.reasonTexts()).toEqual([
    "Reasons for rejection, with the number of lines:",
    "  3  email is the same as in an earlier line.",
    "  2  amount is negative: refunds are not imported.",
  ]);
  expect(totals.notes(sales, dollars)).toEqual(["Refunds that were left out: 2 lines, -16.00 USD."]);
  expect(totals.noteRecord()).toMatchObject({ refunds: { lines: 2, total: -1600 } });
  for (let nth = 0; nth < 12; nth += 1)
    totals.addReason({ line: nth, field: "", message: `Reason ${nth}.` }, undefined);
  expect(totals.reasonTexts().at(-1)).toBe("  and 4 other reasons");
});

it("names lines that repeat earlier ones, and no more than ten", () => {
  const totals = new Totals();
  totals.repeated.push([7, 2]);
  expect(totals.notes(sales, dollars)).toEqual([
    "1 line repeats an earlier line of the file, and would be skipped: 7 (as 2).",
  ]);
  for (let nth = 8; nth < 20; nth += 1) totals.repeated.push([nth, 2]);
  expect(totals.notes(sales, dollars)[0]).toMatch(
    /^13 lines repeat earlier lines of .*: 7 \(as 2\), .*16 \(as 2\), …\.$/,
  );
});

it("says what becomes of the points", () => {
  const totals = new Totals();
  expect(totals.pointsTexts(members, {})).toEqual([]);
  totals.add({ line: 1, points_balance: 5 });
  expect(totals.pointsTexts(members, {})).toEqual([
    "The points would never expire. To let them expire, add --points-valid-through DAY.",
  ]);
  const fields = { points_valid_through: "2027-12-31" };
  expect(totals.pointsTexts(members, fields)).toEqual(["The points could be spent until 2027-12-31."]);
  expect(totals.pointsTexts(sales, { earn: true })).toEqual([
    "The sales would earn points by the rules of their days.",
  ]);
  expect(totals.pointsTexts(sales, {})).toEqual(["The sales would earn no points: --earn is missing."]);
});

it("is exact however much it is", () => {
  const totals = new Totals();
  for (let time = 0; time < 3; time += 1) totals.add(line(Number.MAX_SAFE_INTEGER, "2026-01-01"));
  expect(totals.sumText(sales, { currency: "KWD", decimals: 3 })).toMatch(
    /^Sales of 27,021,597,764,222\.973 KWD in 3 lines, on/,
  );
});

it("tells how many of the lines were imported before", () => {
  const totals = Object.assign(new Totals(), { lines: 3, imported: 1, skipped: 2 });
  for (const sale of three) totals.add(sale);
  const printed: string[] = [];
  const style: Terminal["style"] = (_style, text) => text;
  const terminal = { line: (text: string) => void printed.push(text), style } as Terminal;
  const context = { json: false, out: terminal, err: terminal } as Context;
  const report = { lines: 0 } as RejectionReport;
  const outcome = { checked: undefined, interrupted: false, seconds: 2 };
  printTotals({ kind: sales, context, report, money: dollars, options: { fields: {} } }, totals, outcome);
  expect(printed).toEqual([
    "Imported 1, skipped 2 already imported, rejected 0.",
    expect.stringMatching(/^Sales of 1,234,568\.94 USD in 3 lines \(2 of them imported before\), from /),
    "3 lines in 2 s, 2/s.",
  ]);
});

it("does not say how many lines with an amount were imported before, when there are lines without one", () => {
  const totals = Object.assign(new Totals(), { lines: 2, imported: 0, skipped: 2 });
  totals.add({ line: 1, coupon_value: 750 });
  totals.add({ line: 2 });
  expect(totals.sumText(vouchers, dollars)).toBe(
    "Vouchers of 7.50 USD in 1 line with a coupon_value, the largest 7.50.",
  );
});
