import { describe, expect, it } from "vitest";
import { operatorOperations } from "../../operations/operator.ts";
import { allColumnsOf, moneyFields, shownColumnsOf, withMoney } from "./responses.ts";

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Every integer field of a response, at any depth, with what is said of it. */
function integersOf(schema: Schema): [field: string, description: string][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([field, each]): [string, string][] =>
    each.type === "integer" ? [[field, each.description ?? ""]] : integersOf(each),
  );
  return schema.items === undefined ? own : [...own, ...integersOf(schema.items)];
}

it.each(operatorOperations.map((operation) => [operation.path, operation] as const))(
  "knows the amounts of money in the response of %s",
  (path, operation) => {
    for (const [field, description] of integersOf(operation.output as Schema)) {
      const isMoney = /minor unit|change of the balance|balance of the account/.test(description);
      expect([path, field, moneyFields.has(field)]).toEqual([path, field, isMoney]);
    }
  },
);

it("writes amounts in the currency, at any depth, and points as points", () => {
  expect(withMoney({ event_type: "wallet_payment", amount: -2500, balance_after: 125_000 }, "EUR")).toEqual({
    event_type: "wallet_payment",
    amount: "-25.00 EUR",
    balance_after: "1,250.00 EUR",
  });
  expect(withMoney({ event_type: "reward_points_earned", amount: 12, balance_after: 12 }, "EUR")).toEqual({
    event_type: "reward_points_earned",
    amount: "12 points",
    balance_after: "12 points",
  });
  expect(withMoney({ points: 5, balance_after: 12 }, "EUR")).toEqual({
    points: 5,
    balance_after: "12 points",
  });
  expect(withMoney({ voucher_id: 3, coupons: [{ coupon_value: 5 }] }, "JPY")).toEqual({
    voucher_id: 3,
    coupons: [{ coupon_value: "5 JPY" }],
  });
});

const lists = operatorOperations.filter(({ kind }) => kind === "list");

describe.each(lists.map((list) => [list.path, list] as const))("the table of %s", (_path, list) => {
  it("has at most seven columns, which the list has", () => {
    const columns = shownColumnsOf(list);
    expect(columns.length).toBeLessThanOrEqual(7);
    expect(allColumnsOf(list)).toEqual(expect.arrayContaining([...columns]));
  });
});
