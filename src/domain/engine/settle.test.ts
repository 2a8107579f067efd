import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  newLedger,
  perform,
  ruleSets,
  small,
  start,
  steps,
  wallet,
} from "../../../test/support/point-lives.ts";
import { runs } from "../../../test/support/random-cases.ts";
import { addDays } from "../dates.ts";
import type { Points } from "../decision.ts";
import type { Lot } from "../records.ts";
import { dueOf, leftOf } from "./lots.ts";
import { settle } from "./settle.ts";

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

const later = "2026-02-15";
const none: Points = { balance: 0, lotted: 0, pending: 0, lots: [], debts: [] };

const lotOf = (lot_id: number, more: Partial<Lot> = {}): Lot => ({
  lot_id,
  reference_id: `r${lot_id}`,
  location_id: 1,
  occasion_id: null,
  earned_on: start,
  matures_on: start,
  expires_on: null,
  matured: false,
  points: 10,
  clawed: 0,
  used: 0,
  expired: 0,
  lapsed: 0,
  ...more,
});

it("settling does not depend on the order of lots and debts", () => {
  const lots = [lotOf(3, { expires_on: later }), lotOf(1), lotOf(2), lotOf(4, { matures_on: "2026-01-10" })];
  const debts = [
    { sale_id: 8, reference_id: "later", location_id: 1, owed: 5 },
    { sale_id: 7, reference_id: "sooner", location_id: 1, owed: 12 },
  ];
  const points = { ...none, pending: 40, lots, debts };
  const forwards = settle(points, start);
  const backwards = settle({ ...points, lots: lots.toReversed(), debts: debts.toReversed() }, start);
  expect(backwards.entries).toEqual(forwards.entries);
  const paid = forwards.entries.filter(({ amount }) => amount < 0).map(({ reference_id }) => reference_id);
  expect(paid.filter((reference) => reference !== undefined)).toEqual(["sooner", "sooner", "later"]);
  const byId = (settled: Points) =>
    settled.lots.map((lot) => `${lot.lot_id} ${lot.clawed} ${leftOf(lot)}`).sort();
  expect(byId(backwards.points)).toEqual(byId(forwards.points));
});

it("settling looks at each lot a bounded number of times", () => {
  let reads = 0;
  const counted = (lot: Lot) =>
    Object.defineProperty({ ...lot }, "points", {
      enumerable: true,
      get() {
        reads += 1;
        return 10;
      },
    }) as Lot;
  const readsOf = (count: number) => {
    reads = 0;
    const lots = Array.from({ length: count }, (_, index) => counted(lotOf(index + 1)));
    settle({ ...none, pending: 10 * count, lots }, start);
    return reads;
  };
  expect(readsOf(6000)).toBeLessThan(13 * readsOf(600));
});
