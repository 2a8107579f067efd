/** What refunds and reversals do with points that were spent, have expired, or belong to an erased member. */

import { expect, it } from "vitest";
import { euros } from "../../../test/support/vouchers.ts";
import { anyLocation } from "../access/access.ts";
import type { Customer, Points, Undone } from "../decision.ts";
import { balanceLimit } from "../ledger.ts";
import type { Redemption, Sale } from "../records.ts";
import { Rejection } from "../rejection.ts";
import { decideRedeem, decideReverse } from "./redemption.ts";
import { decideRefund } from "./refund.ts";
import { inertRules, noLineRules, noMemberLimits, type Rules } from "./rules.ts";
import { decideSale } from "./sale.ts";
import { owedOf, settle } from "./settle.ts";

const rules: Rules = {
  ...inertRules,
  enable_rp: true,
  program: {
    program_id: 1,
    membership_name: "Club",
    ...noLineRules,
    ...noMemberLimits,
    earn_points: 1,
    earn_amount: 1,
    earn_minimum_amount: 0,
    maximum_points_per_order: 1e9,
  },
  value_amount: 1,
  points_validity: 5,
  points_validity_period: "day",
  points_expiry_rounding: "day",
  restored_points_valid_days: 0,
};
const start = "2026-01-15";
const later = "2026-02-15";
const at = (entryNo: number) => ({
  ...{ today: start, now: start, localTime: `${start} 12:00:00` },
  ...{
    entryNo,
    voucherNo: 1,
    locations: anyLocation,
    given: new Map(),
    codeUses: new Map(),
    currency: euros,
  },
});
const none: Points = { balance: 0, lotted: 0, pending: 0, lots: [], debts: [] };

function memberWith(points: Points, more: Partial<Undone<Customer>> = {}): Undone<Customer> {
  const balances = { wallet: 0, points: points.balance, vouchers: 0, sales: 0 };
  const tier = { standing: undefined, sales: [], past: [], rules: inertRules };
  return {
    active: true,
    erased: false,
    balances,
    points,
    vouchers: [],
    cards: [],
    tier,
    buying: { facts: null, counts: [] },
    ...more,
  };
}

function accepted<Decision>(decision: Decision): Exclude<Decision, { readonly retryAfterSeconds: unknown }> {
  if (decision instanceof Rejection) throw new Error(decision.code);
  return decision as Exclude<Decision, { readonly retryAfterSeconds: unknown }>;
}

function sell(points: Points, amount: number, saleId: number, use_points = 0, by = rules) {
  const input = { contact_id: 1, location_id: 1, amount, use_points };
  const { points: after, changes } = accepted(decideSale(memberWith(points), input, by, at(saleId)));
  return { points: after, sale: changes.sale[0] as Sale };
}

function refund(points: Points, sale: Sale, today: string, by = rules, more: Partial<Undone<Customer>> = {}) {
  return accepted(decideRefund(memberWith(points, more), sale, { location_id: 1 }, by, today));
}

it("gifts pay no debt: points that come back pay it before they expire", () => {
  const sold = sell(none, 100, 1);
  const redeemed = accepted(
    decideRedeem(memberWith(sold.points), { contact_id: 1, points: 100 }, undefined, rules, at(2)),
  );
  const refunded = refund(redeemed.points, sold.sale, start);
  expect(owedOf(refunded.points)).toBe(100);
  const gift = { ...refunded.points, balance: 50 };
  const due = settle(gift, later).points;
  const redemption = redeemed.changes.redemption[0] as Redemption;
  const reversed = accepted(
    decideReverse(memberWith(due), redemption, {}, rules, { ...at(3), today: later }),
  );
  expect([reversed.points.balance, owedOf(reversed.points)]).toEqual([50, 0]);
});

it("two refunds after the points have expired leave no debt, in either order", () => {
  const noPoints = { ...rules, program: null };
  const first = sell(none, 76, 1);
  const second = sell(first.points, 10, 2, 5, noPoints);
  const expired = settle(second.points, later).points;
  const one = refund(refund(expired, first.sale, later).points, second.sale, later).points;
  const other = refund(refund(expired, second.sale, later).points, first.sale, later).points;
  expect([one, other].map((points) => [points.balance, owedOf(points)])).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

it("a refund reports what was taken, and the rest apart", () => {
  const spent = (by: Rules, today: string) => {
    const sold = sell(none, 100, 1, 0, by);
    const { points } = accepted(
      decideRedeem(memberWith(sold.points), { contact_id: 1, points: 80 }, undefined, by, at(2)),
    );
    const { refund: made, entries } = refund(settle(points, today).points, sold.sale, today, by);
    const taken = entries.filter(({ event_type }) => event_type === "reward_points_earned");
    expect(taken.reduce((sum, { amount }) => sum - amount, 0)).toBe(made.points_clawed);
    const { points_clawed, points_excused, points_owed, points_forgiven } = made;
    return [points_clawed, points_excused, points_owed, points_forgiven];
  };
  expect(spent({ ...rules, clawback_shortfall: "forgive" }, start)).toEqual([20, 0, 0, 80]);
  expect(spent(rules, start)).toEqual([20, 0, 80, 0]);
  expect(spent(rules, later)).toEqual([0, 20, 80, 0]);
});

it("the wallet's part of an erased member's sale is money, and its points are neither given back nor owed", () => {
  const first = sell(none, 100, 1);
  const input = { contact_id: 1, location_id: 1, amount: 130, use_points: 100, use_wallet: 20 };
  const member = memberWith(first.points);
  const rich = { ...member, balances: { ...member.balances, wallet: 20 } };
  const { changes } = accepted(decideSale(rich, input, rules, at(2)));
  const erased = { erased: true, active: false };
  const result = refund(none, changes.sale[0] as Sale, start, rules, {
    ...erased,
    balances: { wallet: 0, points: 0, vouchers: 0, sales: 30 },
  });
  expect(result.data).toMatchObject({
    money_back: 30,
    wallet_back: 0,
    points_back: 0,
    points_owed: 0,
    member_erased: true,
    balances: { wallet: 0, points: 0, sales: 0 },
  });
  const redemption: Redemption = {
    redemption_id: 9,
    contact_id: 1,
    location_id: null,
    reference_id: "r",
    points: 7,
    reversed: false,
    held_voucher_id: null,
    uses: [{ lot_id: 1, points: 7 }],
  };
  const reversed = accepted(decideReverse(memberWith(none, erased), redemption, {}, rules, at(3)));
  expect(reversed).toMatchObject({ entries: [], data: { points_back: 0, member_erased: true } });
});

it("pending points count towards the limit of the balance, so that they can mature", () => {
  const full = { ...none, balance: balanceLimit - 100 };
  const pending = { ...rules, pending_days: 3 };
  const first = sell(full, 60, 1, 0, pending);
  const input = { contact_id: 1, location_id: 1, amount: 60 };
  const second = decideSale(memberWith(first.points), input, pending, at(2));
  expect(second).toMatchObject({ code: "balance_limit_exceeded", details: { account: "points" } });
});

it("points are spent from the minimum on, and are given back once", () => {
  const least = { ...rules, redeem_minimum_points: 20 };
  const redeem = (points: number) => {
    const from = { ...none, balance: 100 };
    return decideRedeem(memberWith(from), { contact_id: 1, points }, undefined, least, at(2));
  };
  expect(redeem(19)).toMatchObject({ code: "redemption_not_allowed", details: { reason: "minimum" } });
  const redeemed = accepted(redeem(20));
  const redemption = redeemed.changes.redemption[0] as Redemption;
  const reverse = (of: Redemption) => decideReverse(memberWith(redeemed.points), of, {}, least, at(3));
  const reversed = accepted(reverse(redemption));
  expect(reversed.points.balance).toBe(100);
  expect(reverse(reversed.changes.redemption[0] as Redemption)).toMatchObject({ code: "already_reversed" });
});
