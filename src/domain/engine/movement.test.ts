import { expect, it } from "vitest";
import { balanceLimit } from "../ledger.ts";
import type { Movement } from "../records.ts";
import { type Benefit, decidePayment, decideReverseMovement, decideTopup } from "./movement.ts";

const benefit: Benefit = {
  ...{ benefit_id: 3, title: "50 + 5", amount: 5000, promo_amount: 500, status: "active", location_id: 1 },
};
const holder = (wallet: number, more = {}) => ({
  active: true,
  erased: false,
  balances: { wallet },
  ...more,
});
const entriesOf = (decision: unknown) =>
  (decision as { entries: { amount: number }[] }).entries.map(({ amount }) => amount);
const at = { contact_id: 1, location_id: 1 };

it("a top-up by a benefit is its amount and its bonus, and one of an amount has none", () => {
  const bought = decideTopup(holder(0), at, benefit, 7);
  expect(entriesOf(bought)).toEqual([5000, 500]);
  expect(bought).toMatchObject({ reason: "50 + 5", data: { movement_id: 7, balance_after: 5500 } });
  expect(entriesOf(decideTopup(holder(0), { ...at, amount: 5000 }, undefined, 7))).toEqual([5000]);
});

it("a top-up is rejected for an inactive member or benefit, elsewhere, and above the limit", () => {
  const topUp = (of: Partial<Benefit>, member = holder(0)) =>
    decideTopup(member, at, { ...benefit, ...of }, 7);
  expect(topUp({ status: "inactive" })).toMatchObject({ code: "benefit_inactive" });
  expect(topUp({ location_id: 2 })).toMatchObject({
    details: { errors: [{ field: "location_id", code: "not_allowed_value" }] },
  });
  expect(topUp({}, holder(0, { active: false }))).toMatchObject({ code: "member_inactive" });
  expect(topUp({}, holder(balanceLimit - 5500))).toMatchObject({ data: { balance_after: balanceLimit } });
  expect(topUp({}, holder(balanceLimit - 5499))).toMatchObject({ code: "balance_limit_exceeded" });
});

it("a payment takes what is there, to the last cent", () => {
  const pay = (wallet: number) => decidePayment(holder(wallet), { ...at, amount: 300 }, 8);
  expect(pay(300)).toMatchObject({ entries: [{ amount: -300 }], data: { balance_after: 0 } });
  expect(pay(299)).toMatchObject({ code: "insufficient_balance", details: { balance: 299 } });
});

it("is reversed as a whole and once, a top-up only if its money and bonus are there", () => {
  const movement = (kind: Movement["kind"], promo_amount: number): Movement => ({
    ...{ movement_id: 7, contact_id: 1, location_id: 1, reference_id: "TU-7", kind, benefit_id: null },
    ...{ amount: 300, promo_amount, reversed: false },
  });
  const reverse = (of: Movement, wallet: number, more = {}) =>
    decideReverseMovement(holder(wallet, more), of, { location_id: 1 });
  expect(entriesOf(reverse(movement("topup", 30), 330))).toEqual([-300, -30]);
  expect(reverse(movement("topup", 30), 329)).toMatchObject({ code: "insufficient_balance" });
  expect(reverse(movement("payment", 0), 5)).toMatchObject({ data: { balance_after: 305, money_back: 0 } });
  expect(reverse({ ...movement("payment", 0), reversed: true }, 5)).toMatchObject({
    code: "already_reversed",
  });
  // The wallet of an erased member is closed, so the till pays the money.
  const erased = reverse(movement("payment", 0), 0, { erased: true });
  expect(erased).toMatchObject({ entries: [], data: { balance_after: 0, money_back: 300 } });
});
