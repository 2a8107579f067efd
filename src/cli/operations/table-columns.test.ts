import { describe, expect, it } from "vitest";
import { operatorOperations } from "../../operations/operator.ts";
import { allColumnsOf, moneyFields, shownColumnsOf, withMoney } from "./table-columns.ts";

const lists = operatorOperations.filter(({ kind }) => kind === "list");

describe.each(lists.map((list) => [list.path, list] as const))("the table of %s", (_path, list) => {
  it("has at most seven columns, which the list has", () => {
    const columns = shownColumnsOf(list);
    expect(columns.length).toBeLessThanOrEqual(7);
    expect(allColumnsOf(list)).toEqual(expect.arrayContaining([...columns]));
  });

  it("knows the amounts of money among them", () => {
    const { properties } = list.output as unknown as {
      properties: Record<string, { type?: string; description?: string }>;
    };
    for (const [name, { type, description = "" }] of Object.entries(properties)) {
      if (type === "integer" && /minor unit|entry moved|balance of/.test(description))
        expect(moneyFields).toContain(name);
    }
  });
});

it("writes amounts in the currency, and points as points", () => {
  const rows = [
    { event_type: "wallet_payment", amount: -2500, balance_after: 125_000 },
    { event_type: "reward_points_earned", amount: 12, balance_after: 12 },
  ];
  expect(withMoney(rows, "EUR")).toEqual([
    { event_type: "wallet_payment", amount: "-25.00 EUR", balance_after: "1,250.00 EUR" },
    { event_type: "reward_points_earned", amount: "12 points", balance_after: "12 points" },
  ]);
  expect(withMoney([{ coupon_value: 5, voucher_id: 3 }], "JPY")).toEqual([
    { coupon_value: "5 JPY", voucher_id: 3 },
  ]);
});
