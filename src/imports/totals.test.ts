import { expect, it } from "vitest";
import { importKinds } from "../operations/imports/import-kinds.ts";
import type { Line } from "./lines.ts";
import { type StoredResult, Totals } from "./totals.ts";

const line = (amount: number, sold_at: string) => ({ line: 1, amount, sold_at });
const three = [
  line(5, "2026-04-17T18:30:00Z"),
  line(123_456_789, "2025-12-31"),
  line(100, "2026-01-01"),
] as const;

const { members, sales, vouchers } = importKinds;
const dollars = { currency: "USD", decimals: 2 };

const totalsOf = (...lines: Line[]) => {
  const totals = new Totals();
  for (const one of lines) totals.add(one);
  return totals;
};

it("says what sales come to, in major units", () => {
  const { notes, sums } = totalsOf(...three).result(sales, dollars);
  expect(notes).toEqual([
    "Sales of 1,234,568.94 USD in 3 lines, from 2025-12-31 to 2026-04-17, the smallest 0.05, the largest 1,234,567.89.",
  ]);
  expect(totalsOf(...three).result(sales, { currency: "JPY", decimals: 0 }).notes[0]).toMatch(
    /^Sales of 123,456,894 JPY in /,
  );
  expect(sums).toEqual({
    lines: 3,
    amount: 123_456_894,
    smallest: 5,
    largest: 123_456_789,
    points: 0,
    first_day: "2025-12-31",
    last_day: "2026-04-17",
  });
});

it("says what opening balances come to, without members that have none", () => {
  expect(totalsOf().result(members, dollars).notes).toEqual([]);
  const some = [{}, { wallet_balance: 0 }, { points_balance: 7 }, { wallet_balance: 500 }];
  expect(totalsOf(...some.map((one) => ({ line: 1, ...one }))).result(members, dollars).notes).toEqual([
    "Opening balances of 5.00 USD and 7 points in 2 lines, the largest in a wallet 5.00.",
  ]);
});

it("counts the reasons of rejections with their first lines, and what refunds come to", () => {
  const totals = new Totals();
  const refund = { field: "amount", message: "amount is negative: refunds are not imported." };
  totals.reject({ line: 2, ...refund }, line(-350, "2026-01-01"));
  totals.reject({ line: 3, ...refund }, line(-1250, "2026-01-01"));
  for (const at of [4, 5, 6, 7]) {
    const reason = "email is the same as in an earlier line.";
    const message = `email is the same as in line ${at - 1}.`;
    totals.reject({ line: at, field: "email", message, reason }, undefined);
  }
  const { reasons, notes } = totals.result(sales, dollars);
  expect(reasons).toEqual([
    { reason: "email is the same as in an earlier line.", lines: 4, first_lines: [4, 5, 6] },
    { reason: refund.message, lines: 2, first_lines: [2, 3] },
  ]);
  expect(notes).toEqual(["Refunds that were left out: 2 lines, -16.00 USD."]);
  for (let nth = 0; nth < 500; nth += 1)
    totals.reject({ line: nth, field: "", message: `Reason ${nth}.` }, undefined);
  expect(totals.result(sales, dollars).reasons).toHaveLength(200);
});

it("names lines that repeat earlier ones, and no more than ten", () => {
  const totals = new Totals();
  totals.repeat(7, 2);
  expect(totals.result(sales, dollars).notes).toEqual([
    "1 line repeats an earlier line of the file, and would be skipped: 7 (as 2).",
  ]);
  for (let nth = 8; nth < 20; nth += 1) totals.repeat(nth, 2);
  expect(totals.result(sales, dollars).notes[0]).toMatch(
    /^13 lines repeat earlier lines of .*: 7 \(as 2\), .*16 \(as 2\), …\.$/,
  );
});

it("says what becomes of the points", () => {
  expect(totalsOf().result(members, dollars, {}).notes).toEqual([]);
  const totals = totalsOf({ line: 1, points_balance: 5 });
  expect(totals.result(members, dollars, {}).notes).toContain(
    "The points would never expire. To let them expire, add points_valid_through.",
  );
  const fields = { points_valid_through: "2027-12-31" };
  expect(totals.result(members, dollars, fields).notes).toContain(
    "The points could be spent until 2027-12-31.",
  );
  expect(totalsOf().result(sales, dollars, { earn: true }).notes).toEqual([
    "The sales would earn points by the rules of their days.",
  ]);
  expect(totalsOf().result(sales, dollars, {}).notes).toEqual([
    "The sales would earn no points. To let them earn, add earn.",
  ]);
  expect(totalsOf().result(sales, dollars).notes).toEqual([]);
});

it("sums the lines that have an amount", () => {
  const some = totalsOf({ line: 1, coupon_value: 750 }, { line: 2 });
  expect(some.result(vouchers, dollars).notes[0]).toBe(
    "Vouchers of 7.50 USD in 1 line with a coupon_value, the largest 7.50.",
  );
});

it("goes on counting from what was stored, and does not change that", () => {
  const stored = JSON.parse(JSON.stringify(totalsOf(three[0]).result(sales, dollars))) as StoredResult;
  const totals = new Totals(stored);
  totals.add(three[1]);
  totals.add(three[2]);
  expect(totals.result(sales, dollars)).toEqual(totalsOf(...three).result(sales, dollars));
  expect(stored.counts.sums.lines).toBe(1);
});
