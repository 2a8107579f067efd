import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  check,
  newLedger,
  perform,
  refund,
  ruleSets,
  sale,
  small,
  steps,
  wait,
  wallet,
} from "../../../test/support/point-lives.ts";
import { runs } from "../../../test/support/random-cases.ts";
import type { Lot } from "../records.ts";
import { isDue, lapsedSince, leftOf, putBack, spendable, take } from "./lots.ts";
import { owedOf, settle } from "./settle.ts";

describe("the days of a lot", () => {
  const lot: Lot = {
    ...{
      lot_id: 1,
      reference_id: "a",
      location_id: 1,
      occasion_id: null,
      earned_on: "2026-01-01",
      matures_on: "2026-01-05",
    },
    ...{ expires_on: "2026-02-01", matured: true, points: 10, clawed: 0, used: 4, expired: 0, lapsed: 0 },
  };

  it("are due from the day on which its points mature or can no longer be spent", () => {
    expect([isDue(lot, "2026-01-31"), isDue(lot, "2026-02-01")]).toEqual([false, true]);
    const pending = { ...lot, matured: false };
    expect([isDue(pending, "2026-01-04"), isDue(pending, "2026-01-05")]).toEqual([false, true]);
    expect(isDue({ ...lot, used: 10 }, "2026-02-01")).toBe(false);
  });

  it("are other ones only for points that come back when they can no longer be spent", () => {
    const points = { balance: 6, lotted: 6, pending: 0, lots: [lot], debts: [] };
    const uses = [{ lot_id: 1, points: 4 }];
    const back = (today: string) => putBack(points, uses, 3, today, "2026-03-01");
    expect(back("2026-01-31").points.lots).toMatchObject([{ used: 1, expires_on: "2026-02-01" }]);
    const [restored] = back("2026-02-01").points.lots;
    expect(restored).toMatchObject({ used: 1, matures_on: "2026-02-01", expires_on: "2026-03-01" });
    // What a refund gave back lapses, and a sale of a day before the refund can't use it.
    const lapsed = { ...(restored as Lot), expired: 9, lapsed: 9 };
    expect(["2026-01-31", "2026-02-01"].map((day) => lapsedSince(lapsed, day))).toEqual([0, 9]);
    expect(back("2026-02-01").uses).toEqual([{ lot_id: 1, points: 1 }]);
  });

  it("order them for spending: the first to expire, and of these the older", () => {
    const of = (lot_id: number, expires_on: string | null) => ({ ...lot, lot_id, expires_on });
    const lots = [of(3, null), of(4, "2026-02-01"), of(2, "2026-02-01"), of(1, null)];
    expect(spendable(lots).map(({ lot_id }) => lot_id)).toEqual([2, 4, 1, 3]);
  });
});

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

  it("gives the same responses whether the job settles always, or never", () => {
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
