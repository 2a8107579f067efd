import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../test/support/random-cases.ts";
import { accounts, balanceLimit, eventTypes } from "../ledger.ts";
import { Rejection } from "../rejection.ts";
import { decideMerge } from "./merge.ts";

const amount = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1000 }), fc.constantFrom(balanceLimit));
const balances = fc.record({ wallet: amount, points: amount, vouchers: amount, sales: amount });
const member = fc.record({ balances, pending: fc.constantFrom(0, 0, 7), owed: fc.constantFrom(0, 0, 30) });

type Made = typeof member extends fc.Arbitrary<infer Value> ? Value : never;
const merging = (contact_id: number, { balances, pending, owed }: Made) => ({
  contact_id,
  balances,
  points: { pending, debts: [{ sale_id: 1, reference_id: "a", location_id: 1, owed }] },
});

it("moves every balance in pairs of entries that leave the sums of the business, or is rejected", () => {
  fc.assert(
    fc.property(member, member, (one, other) => {
      const [from, to] = [merging(1, one), merging(2, other)];
      const days = [
        { day: "2026-01-01", location_id: 1, net: from.balances.sales - 5, sales: 0 },
        { day: "2026-01-02", location_id: 1, net: 5, sales: 0 },
      ];
      const decision = decideMerge(from, to, days);
      const pending = (account: string) => (account === "points" ? one.pending + other.pending : 0);
      const fits = accounts.every(
        (account) =>
          BigInt(from.balances[account]) + BigInt(to.balances[account]) + BigInt(pending(account)) <=
          BigInt(balanceLimit),
      );
      expect(decision instanceof Rejection).toBe(!fits);
      if (decision instanceof Rejection) return;
      const { taken, given, merged, owed } = decision;
      const sums = (entries: typeof taken) =>
        Object.fromEntries(
          accounts.map((account) => [
            account,
            entries.reduce(
              (sum, entry) => sum + (eventTypes[entry.event_type].account === account ? entry.amount : 0),
              0,
            ),
          ]),
        );
      expect(sums(given)).toEqual(from.balances);
      expect(given.map((entry) => [entry.event_type, -entry.amount])).toEqual(
        taken.map((entry) => [entry.event_type, entry.amount]),
      );
      expect(given.find(({ event_type }) => event_type === "sale")?.sold ?? days).toEqual(days);
      expect(merged).toMatchObject({ points_pending: one.pending, points_owed: one.owed });
      expect(owed).toBe(one.owed + other.owed);
    }),
    { numRuns: runs(300) },
  );
});
