import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  newLedger,
  owing,
  perform,
  pick,
  ruleSets,
  sale,
  sales,
  small,
  steps,
  wallet,
} from "../../../test/support/point-lives.ts";
import { runs } from "../../../test/support/random-cases.ts";
import type { Points } from "../decision.ts";
import { leftOf, spendable } from "./lots.ts";
import { refundClaims } from "./refund.ts";
import type { Rules } from "./rules.ts";
import { owedOf } from "./settle.ts";

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
        let [total, before] = [0, refundClaims(sold)];
        for (const part of parts) {
          total = Math.min(sold.amount, total + part);
          const after = refundClaims({ ...sold, refunded: total });
          for (const name of Object.keys(after) as (keyof typeof after)[]) {
            expect(after[name]).toBeGreaterThanOrEqual(before[name]);
          }
          const worth = after.money_back + after.wallet_back;
          expect(worth).toBeLessThanOrEqual(total);
          before = after;
        }
        expect(refundClaims({ ...sold, refunded: sold.amount })).toEqual({
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
