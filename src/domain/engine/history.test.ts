/** Random histories of one member: what must hold after every step, and what must not depend on the order. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/random-cases.ts";
import { anyLocation } from "../access.ts";
import { addDays } from "../dates.ts";
import type { Buyer, EntryDraft, Points, Undone } from "../decision.ts";
import { eventTypes } from "../ledger.ts";
import type { Redemption, Sale } from "../records.ts";
import { Refusal } from "../refusal.ts";
import { debitByHand, dueOf, leftOf, spendable, take, unlotted } from "./lots.ts";
import { decideRedeem, decideReverse } from "./redemption.ts";
import { decideRefund, refundClaims } from "./refund.ts";
import { inertRules, type Rules } from "./rules.ts";
import { decideSale } from "./sale.ts";
import { owedOf, settle } from "./settle.ts";

const start = "2026-01-15";

interface Ledger {
  member: Undone<Buyer>;
  today: string;
  entries: { event_type: string; account: string; amount: number }[];
  sales: Map<number, Sale>;
  redemptions: Map<number, Redemption>;
}

const empty: Points = { balance: 0, lotted: 0, pending: 0, lots: [], debts: [] };
const newLedger = (wallet = 0): Ledger => ({
  member: {
    ...{ active: true, erased: false, points: empty, vouchers: [] },
    tier: { standing: undefined, sales: [], past: [], rules: inertRules },
    balances: { wallet, points: 0, vouchers: 0, sales: 0 },
  },
  today: start,
  entries: [],
  sales: new Map(),
  redemptions: new Map(),
});

function enter(ledger: Ledger, entries: readonly EntryDraft[], points: Points): void {
  const balances = { ...ledger.member.balances };
  for (const { event_type, amount } of entries) {
    const { account } = eventTypes[event_type];
    expect(amount).not.toBe(0);
    balances[account] += amount;
    expect(balances[account]).toBeGreaterThanOrEqual(0);
    ledger.entries.push({ event_type, account, amount });
  }
  expect(points.balance).toBe(balances.points);
  ledger.member = { ...ledger.member, balances, points };
}

/** @param settled how many entries come before those of the decision */
const momentOf = ({ today, entries }: Ledger, settled = 0) => ({
  ...{ today, now: today, voucherNo: 1, locations: anyLocation },
  entryNo: entries.length + 1 + settled,
});

type Step =
  | { do: "sale"; amount: number; points: number; wallet: number; earlier: number }
  | { do: "refund"; which: number; part: number }
  | { do: "redeem"; points: number }
  | { do: "reverse"; which: number }
  | { do: "adjust"; points: number }
  | { do: "wait"; days: number }
  | { do: "settle" };

const pick = <Value>(of: ReadonlyMap<number, Value>, which: number) =>
  of.size === 0 ? undefined : [...of.values()][which % of.size];

/** Does a step; one that is rejected changes nothing. @returns what the till and the member were told */
function perform(ledger: Ledger, step: Step, rules: Rules): unknown {
  const { member, today } = ledger;
  if (step.do === "wait") {
    ledger.today = addDays(today, step.days);
    return undefined;
  }
  if (step.do === "settle") {
    const settled = settle(member.points, today);
    enter(ledger, settled.entries, settled.points);
    return undefined;
  }
  if (step.do === "adjust") {
    const settled = settle(member.points, today);
    if (settled.points.balance + step.points < 0 || step.points === 0) return "rejected";
    enter(ledger, settled.entries, settled.points);
    ledger.entries.push({ event_type: "reward_points_adjustment", account: "points", amount: step.points });
    const points =
      step.points < 0
        ? debitByHand(settled.points, -step.points)
        : { ...settled.points, balance: settled.points.balance + step.points };
    ledger.member = { ...member, balances: { ...ledger.member.balances, points: points.balance }, points };
    return undefined;
  }
  // As the group of postings does: it settles the member, and keeps that if the decision is accepted.
  const due = settle(member.points, today);
  const settledMember = {
    ...member,
    points: due.points,
    balances: { ...member.balances, points: due.points.balance },
  };
  if (step.do === "sale") return sell(ledger, step, rules);
  if (step.do === "refund") {
    const sale = pick(ledger.sales, step.which);
    if (sale === undefined) return "rejected";
    const left = sale.amount - sale.refunded;
    const amount = step.part >= 1 ? undefined : Math.max(1, Math.floor(left * step.part));
    const decision = decideRefund(settledMember, sale, { amount, location_id: 1 }, rules, today);
    if (decision instanceof Refusal) return "rejected";
    enter(ledger, [...due.entries, ...decision.entries], decision.points);
    expect(decision.data.balances).toEqual(ledger.member.balances);
    ledger.sales.set(sale.sale_id, decision.changes.sale[0] as Sale);
    const { money_back, wallet_back, points_back, points_clawed } = decision.refund;
    return [money_back, wallet_back, points_back, points_clawed];
  }
  if (step.do === "redeem") {
    const input = { contact_id: 1, points: step.points };
    const decision = decideRedeem(
      settledMember,
      input,
      undefined,
      rules,
      momentOf(ledger, due.entries.length),
    );
    if (decision instanceof Refusal) return "rejected";
    enter(ledger, [...due.entries, ...decision.entries], decision.points);
    const [made] = decision.changes.redemption as [Redemption];
    ledger.redemptions.set(made.redemption_id, made);
    return undefined;
  }
  const redemption = pick(ledger.redemptions, step.which);
  if (redemption === undefined) return "rejected";
  const decision = decideReverse(settledMember, redemption, {}, rules, momentOf(ledger));
  if (decision instanceof Refusal) return "rejected";
  enter(ledger, [...due.entries, ...decision.entries], decision.points);
  ledger.redemptions.set(redemption.redemption_id, decision.changes.redemption[0] as Redemption);
  return undefined;
}

function sell(ledger: Ledger, step: Extract<Step, { do: "sale" }>, rules: Rules): unknown {
  const input = {
    contact_id: 1,
    location_id: 1,
    amount: step.amount,
    use_points: step.points || undefined,
    use_wallet: step.wallet || undefined,
    sold_on: addDays(ledger.today, -step.earlier),
  };
  const due = settle(ledger.member.points, ledger.today);
  const balances = { ...ledger.member.balances, points: due.points.balance };
  const member = { ...ledger.member, points: due.points, balances };
  const decision = decideSale(member, input, rules, momentOf(ledger, due.entries.length));
  if (decision instanceof Refusal) return "rejected";
  const [sale] = decision.changes.sale as [Sale];
  expect(sale.points_amount + sale.wallet_used + sale.amount_due).toBe(sale.amount);
  enter(ledger, [...due.entries, ...decision.entries], decision.points);
  expect(decision.data.balances).toEqual(ledger.member.balances);
  expect(ledger.sales.has(sale.sale_id)).toBe(false);
  ledger.sales.set(sale.sale_id, sale);
  return [sale.amount_due, sale.points_earned, decision.data.points_pending, decision.data.valid_through];
}

/** What must hold of a member's points at any time. */
function check({ member, entries, sales, redemptions }: Ledger): void {
  const { points, balances } = member;
  for (const account of ["wallet", "points", "sales"] as const) {
    const opening = account === "wallet" ? wallet : 0;
    const sum = entries
      .filter((entry) => entry.account === account)
      .reduce((all, { amount }) => all + amount, 0);
    expect(balances[account]).toBe(opening + sum);
  }
  expect(unlotted(points)).toBeGreaterThanOrEqual(0);
  const leftIn = (matured: boolean) =>
    points.lots.reduce((sum, lot) => (lot.matured === matured ? sum + leftOf(lot) : sum), 0);
  expect([points.lotted, points.pending]).toEqual([leftIn(true), leftIn(false)]);
  // A member who owes points has none in lots.
  if (owedOf(points) > 0) expect(points.lotted).toBe(0);
  for (const lot of points.lots) {
    expect(Math.min(lot.clawed, lot.used, lot.expired, leftOf(lot))).toBeGreaterThanOrEqual(0);
    if (lot.expires_on !== null)
      expect(lot.expires_on > lot.matures_on || lot.used > 0 || lot.expired > 0).toBe(true);
  }
  for (const debt of points.debts) expect(debt.owed).toBeGreaterThanOrEqual(0);
  // What is still spent on a lot's account is at most what the lot says was used.
  const used = new Map<number, number>();
  for (const { uses } of [...sales.values(), ...redemptions.values()]) {
    for (const use of uses) used.set(use.lot_id, (used.get(use.lot_id) ?? 0) + use.points);
  }
  for (const lot of points.lots) expect(lot.used).toBeGreaterThanOrEqual(used.get(lot.lot_id) ?? 0);
}

const wallet = 5000;
const program = {
  program_id: 1,
  membership_name: "Club",
  earn_points: 1,
  earn_amount: 100,
  earn_minimum_amount: 0,
  maximum_points_per_order: 50,
};
const ruleSets: fc.Arbitrary<Rules> = fc
  .record({
    version: fc.constant(1),
    enable_rp: fc.constant(true),
    rp_name: fc.constant("Stars"),
    program: fc.record({
      program_id: fc.constant(1),
      membership_name: fc.constant("Club"),
      earn_points: fc.integer({ min: 1, max: 20 }),
      earn_amount: fc.constantFrom(1, 10, 100),
      earn_minimum_amount: fc.constantFrom(0, 50),
      maximum_points_per_order: fc.constantFrom(7, 60, 1e9),
    }),
    earn_on: fc.constantFrom("paid", "total"),
    value_points: fc.constantFrom(1, 5),
    value_amount: fc.constantFrom(1, 3),
    redeem_minimum_points: fc.constantFrom(0, 5),
    points_validity: fc.constantFrom(2, 30),
    points_validity_period: fc.constantFrom("day", "week"),
    points_expiry_rounding: fc.constantFrom("day", "month_end"),
    pending_days: fc.constantFrom(0, 0, 3),
    clawback_shortfall: fc.constantFrom("owe", "forgive"),
    restored_points_valid_days: fc.constantFrom(0, 5),
  })
  .map((some) => ({ ...inertRules, ...some }) as Rules);
const small = (max: number) => fc.integer({ min: 0, max });
const sale: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("sale" as const),
  amount: fc.integer({ min: 1, max: 400 }),
  points: fc.oneof(fc.constant(0), small(40)),
  wallet: fc.oneof(fc.constant(0), small(100)),
  earlier: fc.constantFrom(0, 0, 0, 5, 31),
});
const refund: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("refund" as const),
  which: small(20),
  part: fc.constantFrom(0.01, 0.3, 0.5, 1),
});
const wait: fc.Arbitrary<Step> = fc.record({ do: fc.constant("wait" as const), days: small(40) });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    sale,
    sale,
    refund,
    wait,
    fc.record({ do: fc.constant("redeem" as const), points: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ do: fc.constant("reverse" as const), which: small(10) }),
    fc.record({ do: fc.constant("adjust" as const), points: fc.integer({ min: -40, max: 40 }) }),
    fc.constant<Step>({ do: "settle" }),
  ),
  { maxLength: 25 },
);

describe("any history", () => {
  it("keeps the ledger, the lots and the debts in step", () => {
    fc.assert(
      fc.property(ruleSets, steps, (rules, history) => {
        const ledger = newLedger(wallet);
        for (const step of history) {
          perform(ledger, step, rules);
          check(ledger);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it("answers the same whether the job settles always, or never", () => {
    fc.assert(
      fc.property(ruleSets, steps, (rules, history) => {
        const [never, always] = [newLedger(wallet), newLedger(wallet)];
        // Entries are numbered by their order, which settling changes: sales are told apart by their order instead.
        for (const step of history.filter(({ do: what }) => what !== "settle")) {
          perform(always, { do: "settle" }, rules);
          expect(perform(always, step, rules)).toEqual(perform(never, step, rules));
        }
        for (const ledger of [never, always]) perform(ledger, { do: "settle" }, rules);
        expect(always.member.balances).toEqual(never.member.balances);
        expect(owedOf(always.member.points)).toBe(owedOf(never.member.points));
      }),
      { numRuns: runs(300) },
    );
  });

  it("creates no points: what was earned is left, spent, expired or clawed back", () => {
    const history = fc.array(fc.oneof(sale, refund, wait), { maxLength: 25 });
    fc.assert(
      fc.property(ruleSets, history, (rules, all) => {
        const ledger = newLedger(wallet);
        for (const step of all) perform(ledger, step, rules);
        perform(ledger, { do: "settle" }, rules);
        const sum = (type: string, sign: number) =>
          ledger.entries
            .filter(({ event_type, amount }) => event_type === type && Math.sign(amount) === sign)
            .reduce((total, { amount }) => total + Math.abs(amount), 0);
        const { points } = ledger.member;
        expect(sum("reward_points_earned", 1) + sum("reward_points_redeemed", 1)).toBe(
          points.balance +
            sum("reward_points_redeemed", -1) +
            (sum("reward_points_expired", -1) - sum("reward_points_expired", 1)) +
            sum("reward_points_earned", -1),
        );
        const of = (part: "clawed" | "used" | "expired" | "points") =>
          points.lots.reduce((total, lot) => total + lot[part], 0);
        const left = points.lots.reduce((total, lot) => total + leftOf(lot), 0);
        expect(of("points")).toBe(left + of("clawed") + of("used") + of("expired"));
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("settle", () => {
  it("does nothing the second time, and gets there in one step as in two", () => {
    fc.assert(
      fc.property(ruleSets, steps, small(60), small(60), (rules, history, first, second) => {
        const ledger = newLedger(wallet);
        for (const step of history) perform(ledger, step, rules);
        const [near, far] = [addDays(ledger.today, first), addDays(ledger.today, first + second)];
        const once = settle(ledger.member.points, far);
        expect(settle(once.points, far)).toEqual({ points: once.points, entries: [] });
        const half = settle(ledger.member.points, near);
        const whole = settle(half.points, far);
        expect(whole.points).toEqual(once.points);
        expect([...half.entries, ...whole.entries]).toEqual(once.entries);
      }),
      { numRuns: runs(300) },
    );
  });

  it("leaves nothing that is due, and expires nothing before its day", () => {
    fc.assert(
      fc.property(ruleSets, steps, (rules, history) => {
        const ledger = newLedger(wallet);
        for (const step of [...history, { do: "settle" } as const]) {
          const before = new Map(ledger.member.points.lots.map((lot) => [lot.lot_id, lot]));
          perform(ledger, step, rules);
          for (const { lot_id, expired, expires_on } of ledger.member.points.lots) {
            const previous = before.get(lot_id);
            if (expired === (previous?.expired ?? 0)) continue;
            // A reversal settles first, and then may give a lot that has expired a later day.
            const days = [previous?.expires_on, expires_on].filter((day) => typeof day === "string");
            expect(days.some((day) => day <= ledger.today)).toBe(true);
          }
        }
        for (const lot of ledger.member.points.lots) {
          const day = dueOf(lot)?.day ?? null;
          expect(day === null || day > ledger.today).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("spending", () => {
  it("takes from lots that expire first, and touches a later one only when the earlier are used up", () => {
    fc.assert(
      fc.property(ruleSets, steps, small(200), (rules, history, wanted) => {
        const ledger = newLedger(wallet);
        for (const step of history) perform(ledger, step, rules);
        const { points } = settle(ledger.member.points, ledger.today);
        const amount = Math.min(wanted, points.balance);
        const { points: after, uses } = take(points, amount, "used");
        expect(uses.reduce((sum, use) => sum + use.points, 0)).toBe(amount);
        const last = uses.findLast((use) => use.lot_id !== 0);
        const order = spendable(points.lots).map((lot) => lot.lot_id);
        for (const lot of after.lots) {
          const comesBefore = last !== undefined && order.indexOf(lot.lot_id) < order.indexOf(last.lot_id);
          if (order.includes(lot.lot_id) && comesBefore) expect(leftOf(lot)).toBe(0);
        }
        if (uses.some((use) => use.lot_id === 0)) expect(spendable(after.lots)).toEqual([]);
      }),
    );
  });
});

const sales = fc.array(
  fc.record({
    do: fc.constant("sale" as const),
    amount: fc.integer({ min: 1, max: 400 }),
    points: fc.constant(0),
  }),
  { minLength: 1, maxLength: 6 },
);
const owing: Rules = {
  ...inertRules,
  enable_rp: true,
  program: { ...program, earn_points: 3 },
  value_amount: 1,
};

describe("refunds", () => {
  const one = (rules: Rules, amount: number, points: number, walletPart: number) => {
    const ledger = newLedger(wallet);
    perform(ledger, { do: "adjust", points: 50 }, rules);
    perform(ledger, { do: "sale", amount, points, wallet: walletPart, earlier: 0 }, rules);
    return ledger;
  };

  it("give back the same however they are cut, never less for more, and everything in the end", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 });
    fc.assert(
      fc.property(ruleSets, fc.integer({ min: 1, max: 400 }), small(20), small(90), cuts, (...given) => {
        const [rules, amount, points, walletPart, parts] = given;
        const ledger = one(rules, amount, points, walletPart);
        const sold = pick(ledger.sales, 0);
        if (sold === undefined) return;
        let [total, before] = [0, refundClaims(sold, 0)];
        for (const part of parts) {
          total = Math.min(sold.amount, total + part);
          const after = refundClaims(sold, total);
          for (const name of Object.keys(after) as (keyof typeof after)[]) {
            expect(after[name]).toBeGreaterThanOrEqual(before[name]);
          }
          const worth = after.money_back + after.wallet_back;
          expect(worth).toBeLessThanOrEqual(total);
          before = after;
        }
        expect(refundClaims(sold, sold.amount)).toEqual({
          money_back: sold.amount_due,
          wallet_back: sold.wallet_used,
          points_back: sold.points_used,
          points_to_claw: sold.points_earned,
        });
      }),
      { numRuns: runs(500) },
    );
  });

  it("undo a sale as if it had not been, when no date has passed", () => {
    fc.assert(
      fc.property(ruleSets, steps, sale, (rules, history, last) => {
        const ledger = newLedger(wallet);
        for (const step of history) perform(ledger, step, rules);
        perform(ledger, { do: "settle" }, rules);
        const before = ledger.member;
        const known = new Set(ledger.sales.keys());
        if (last.do !== "sale" || perform(ledger, { ...last, earlier: 0 }, rules) === "rejected") return;
        // Points that paid an old debt stay paid, and are owed again for this sale.
        if (owedOf(before.points) > 0) return;
        const which = [...ledger.sales.keys()].findIndex((saleId) => !known.has(saleId));
        perform(ledger, { do: "refund", which, part: 1 }, rules);
        expect(ledger.member.balances).toEqual(before.balances);
        const left = (points: Points) => spendable(points.lots).map((lot) => [lot.lot_id, leftOf(lot)]);
        expect(left(ledger.member.points)).toEqual(left(before.points));
      }),
      { numRuns: runs(300) },
    );
  });

  it("come to the same in any order, and returning everything leaves nothing", () => {
    fc.assert(
      fc.property(sales, fc.infiniteStream(small(100)), small(60), (bought, random, spent) => {
        const finish = (order: number[]) => {
          const ledger = newLedger(wallet);
          for (const step of bought) perform(ledger, { ...step, wallet: 0, earlier: 0 }, owing);
          // A last sale that is paid with points.
          const most = Math.min(spent, ledger.member.points.balance);
          perform(ledger, { do: "sale", amount: 100, points: most, wallet: 0, earlier: 0 }, owing);
          for (const which of order) perform(ledger, { do: "refund", which, part: 1 }, owing);
          return [ledger.member.balances, owedOf(ledger.member.points)];
        };
        const all = Array.from({ length: bought.length + 1 }, (_, index) => index);
        const shuffled = all
          .map((index) => ({ index, by: random.next().value as number }))
          .sort((a, b) => a.by - b.by)
          .map(({ index }) => index);
        const some = all.slice(0, Math.ceil(all.length / 2));
        expect(finish(shuffled.filter((index) => some.includes(index)))).toEqual(finish(some));
        expect(finish(shuffled)).toEqual([{ wallet, points: 0, vouchers: 0, sales: 0 }, 0]);
      }),
      { numRuns: runs(300) },
    );
  });

  it("owe what was spent meanwhile, and later points pay it", () => {
    const ledger = newLedger(wallet);
    perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, owing);
    perform(ledger, { do: "redeem", points: 30 }, owing);
    perform(ledger, { do: "refund", which: 0, part: 1 }, owing);
    expect([ledger.member.points.balance, owedOf(ledger.member.points)]).toEqual([0, 30]);
    perform(ledger, { do: "sale", amount: 700, points: 0, wallet: 0, earlier: 0 }, owing);
    expect([ledger.member.points.balance, owedOf(ledger.member.points)]).toEqual([0, 9]);
    perform(ledger, { do: "adjust", points: 5 }, owing);
    expect(owedOf(ledger.member.points)).toBe(9);
    perform(ledger, { do: "sale", amount: 400, points: 0, wallet: 0, earlier: 0 }, owing);
    expect([ledger.member.points.balance, owedOf(ledger.member.points)]).toEqual([8, 0]);
  });

  it("forgive it where the rules say so", () => {
    const forgiving: Rules = { ...owing, clawback_shortfall: "forgive" };
    const ledger = newLedger(wallet);
    perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, forgiving);
    perform(ledger, { do: "redeem", points: 30 }, forgiving);
    perform(ledger, { do: "refund", which: 0, part: 1 }, forgiving);
    expect([ledger.member.points.balance, owedOf(ledger.member.points)]).toEqual([0, 0]);
  });

  it("take nothing for points that expired unused, in however many refunds", () => {
    const rules: Rules = {
      ...owing,
      points_validity: 5,
      points_validity_period: "day",
      points_expiry_rounding: "day",
    };
    const ledger = newLedger(wallet);
    perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, rules);
    perform(ledger, { do: "redeem", points: 12 }, rules);
    perform(ledger, { do: "wait", days: 10 }, rules);
    perform(ledger, { do: "refund", which: 0, part: 0.5 }, rules);
    expect(owedOf(ledger.member.points)).toBe(0);
    perform(ledger, { do: "refund", which: 0, part: 1 }, rules);
    expect(owedOf(ledger.member.points)).toBe(12);
  });

  it("put points back for some days when their date has passed, or let them expire at once", () => {
    const rules: Rules = {
      ...owing,
      points_validity: 5,
      points_validity_period: "day",
      points_expiry_rounding: "day",
    };
    const refunded = (days: number) => {
      const of = { ...rules, restored_points_valid_days: days };
      const ledger = newLedger(wallet);
      perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, of);
      perform(ledger, { do: "sale", amount: 30, points: 30, wallet: 0, earlier: 0 }, of);
      perform(ledger, { do: "wait", days: 10 }, of);
      perform(ledger, { do: "refund", which: 1, part: 1 }, of);
      return [ledger.member.points.balance, ledger.entries.at(-1)?.event_type];
    };
    expect(refunded(30)[0]).toBe(30);
    expect(refunded(0)).toEqual([0, "reward_points_expired"]);
  });
});

describe("a sale", () => {
  it("that is recorded late takes the points that it would have taken on its day", () => {
    const points = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(
        ruleSets,
        steps,
        points,
        small(31),
        fc.boolean(),
        (rules, history, spent, days, settled) => {
          const play = (isLate: boolean) => {
            const ledger = newLedger(wallet);
            for (const step of history) perform(ledger, step, rules);
            const wait = () => {
              perform(ledger, { do: "wait", days }, rules);
              if (settled) perform(ledger, { do: "settle" }, rules);
            };
            if (isLate) wait();
            const late = { do: "sale" as const, amount: 400, points: spent, wallet: 0 };
            const told = perform(ledger, { ...late, earlier: isLate ? days : 0 }, rules);
            if (!isLate) wait();
            perform(ledger, { do: "settle" }, rules);
            check(ledger);
            return { told, balances: ledger.member.balances, owed: owedOf(ledger.member.points) };
          };
          const onTime = play(false);
          fc.pre(onTime.told !== "rejected");
          const { told, ...after } = play(true);
          expect(told).not.toBe("rejected");
          expect(after).toEqual({ balances: onTime.balances, owed: onTime.owed });
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it("can't use points that expired before it, or that a refund excused", () => {
    const rules: Rules = {
      ...{ ...owing, points_validity: 5, points_validity_period: "day", points_expiry_rounding: "day" },
    };
    const lateSale = (earlier: number, refunded: number) => {
      const ledger = newLedger(wallet);
      perform(ledger, { do: "sale", amount: 1000, points: 0, wallet: 0, earlier: 0 }, rules);
      perform(ledger, { do: "wait", days: 10 }, rules);
      if (refunded > 0) perform(ledger, { do: "refund", which: 0, part: refunded }, rules);
      return perform(ledger, { do: "sale", amount: 50, points: 10, wallet: 0, earlier }, rules);
    };
    // The last day of the points is five days after the sale, and so five days ago.
    expect(lateSale(5, 0)).not.toBe("rejected");
    expect(lateSale(4, 0)).toBe("rejected");
    expect(lateSale(5, 0.5)).not.toBe("rejected");
    expect(lateSale(5, 1)).toBe("rejected");
  });

  it("is rejected for a day in the future, and for one that is too long ago", () => {
    const ledger = newLedger();
    const sold = (sold_on: string) =>
      decideSale(
        ledger.member,
        { contact_id: 1, location_id: 1, amount: 10, sold_on },
        owing,
        momentOf(ledger),
      );
    const errors = [
      {
        field: "sold_on",
        code: "out_of_range",
        message: "sold_on must be a day from 2025-12-15 to 2026-01-15.",
      },
    ];
    const rejection = new Refusal("validation_failed", { errors });
    expect([sold(addDays(start, 1)), sold(addDays(start, -32))]).toEqual([rejection, rejection]);
    expect(sold(start)).not.toBeInstanceOf(Refusal);
    expect(sold(addDays(start, -31))).not.toBeInstanceOf(Refusal);
  });
});
