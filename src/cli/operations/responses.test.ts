import { describe, expect, it } from "vitest";
import { operatorOperations } from "../../operations/operations.ts";
import { adjustRewardPoints } from "../../operations/partner/reward-points/adjust.ts";
import { listTransactionsOperation } from "../../operations/partner/transactions/list.ts";
import { adjustWallet } from "../../operations/partner/wallet/adjust.ts";
import { allColumnsOf, hasUnits, shownColumnsOf, withUnits } from "./responses.ts";

const yen = { currency: "JPY", currency_decimals: 0 };
const euros = { currency: "EUR", currency_decimals: 2 };

it("writes amounts in the currency, at any depth, and points as points", () => {
  const entry = listTransactionsOperation.output;
  expect(
    withUnits({ event_type: "wallet_payment", amount: -2500, balance_after: 125_000 }, entry, euros),
  ).toEqual({ event_type: "wallet_payment", amount: "-25.00 EUR", balance_after: "1,250.00 EUR" });
  expect(
    withUnits({ event_type: "reward_points_earned", amount: 12, balance_after: 12 }, entry, euros),
  ).toEqual({ event_type: "reward_points_earned", amount: "12 points", balance_after: "12 points" });
  expect(withUnits({ points: 5, balance_after: 12 }, adjustRewardPoints.output, euros)).toEqual({
    points: 5,
    balance_after: "12 points",
  });
  expect(withUnits({ amount: 5, balance_after: 12 }, adjustWallet.output, yen)).toEqual({
    amount: "5 JPY",
    balance_after: "12 JPY",
  });
  const coupons = {
    type: "array",
    items: { properties: { coupon_value: { unit: "minor_units" } } },
  } as const;
  const nested = { properties: { coupons: { anyOf: [coupons, { type: "null" }] } } };
  expect(withUnits({ voucher_id: 3, coupons: [{ coupon_value: 5 }] }, nested, yen)).toEqual({
    voucher_id: 3,
    coupons: [{ coupon_value: "5 JPY" }],
  });
  expect([hasUnits(nested), hasUnits({ properties: { voucher_id: {} } })]).toEqual([true, false]);
});

const lists = operatorOperations.filter(({ kind }) => kind === "list");

describe.each(lists.map((list) => [list.path, list] as const))("the table of %s", (_path, list) => {
  it("has at most seven columns, which the list has", () => {
    const columns = shownColumnsOf(list);
    expect(columns.length).toBeLessThanOrEqual(7);
    expect(allColumnsOf(list)).toEqual(expect.arrayContaining([...columns]));
  });
});
