import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  check,
  momentOf,
  newLedger,
  owing,
  perform,
  ruleSets,
  small,
  start,
  steps,
  wallet,
} from "../../../test/support/point-lives.ts";
import { runs } from "../../../test/support/random-cases.ts";
import { addDays } from "../dates.ts";
import type { Sale } from "../records.ts";
import { Rejection, reject } from "../rejection.ts";
import { inertRules, noMemberLimits, type Rules } from "./rules.ts";
import { decideSale, earnFromImport } from "./sale.ts";
import { owedOf } from "./settle.ts";

describe("a sale", () => {
  it("that is imported earns what it would have earned when it was made", () => {
    fc.assert(
      fc.property(ruleSets, fc.integer({ min: 1, max: 400 }), small(400), (of, amount, days) => {
        // Neither promotions nor the limits of members act on imported sales.
        const program = of.program && { ...of.program, ...noMemberLimits };
        const rules = { ...of, program, promotions: [] };
        const ledger = newLedger();
        const sold_on = addDays(start, -days);
        ledger.today = sold_on;
        const input = { contact_id: 1, location_id: 1, amount, reference_id: "R-1" };
        const made = decideSale(ledger.member, input, rules, momentOf(ledger));
        if (made instanceof Rejection) throw new Error("rejected");
        const [sale, lot] = [made.changes.sale?.[0] as Sale, made.changes.lot?.[0]];
        const imported = earnFromImport({ ...input, sale_id: sale.sale_id, sold_on }, rules);
        expect(imported.sale).toEqual(sale);
        expect(imported.lot).toEqual(lot && { ...lot, matured: false });
      }),
      { numRuns: runs(300) },
    );
  });

  it("has a time that has come, and is of one day", () => {
    const at = (time: string, input: { sold_at: string; sold_on?: string }) => {
      const ledger = newLedger();
      const moment = { ...momentOf(ledger), localTime: `${start} ${time}:00` };
      const sale = { contact_id: 1, location_id: 1, amount: 100, ...input };
      const made = decideSale(ledger.member, sale, inertRules, moment);
      return made instanceof Rejection ? JSON.stringify(made.details) : "sold";
    };
    expect(at("12:00", { sold_at: "12:05" })).toBe("sold");
    expect(at("12:00", { sold_at: "12:06" })).toContain("must not be later than now, 12:00");
    expect(at("00:01", { sold_at: "23:59", sold_on: addDays(start, -1) })).toBe("sold");
    expect(at("23:55", { sold_at: "00:00" })).toContain("today or tomorrow");
    expect(at("23:54", { sold_at: "00:00" })).toBe("sold");
    expect(at("23:58", { sold_at: "00:04" })).toBe("sold");
    expect(at("23:58", { sold_at: "00:00", sold_on: start })).toBe("sold");
  });

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
      ...owing,
      points_validity: 5,
      points_validity_period: "day",
      points_expiry_rounding: "day",
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
        message:
          "sold_on must be a day from 2025-12-15 to 2026-01-15, which is today in the business's time zone.",
      },
    ];
    const rejection = reject("validation_failed", { errors });
    expect([sold(addDays(start, 1)), sold(addDays(start, -32))]).toEqual([rejection, rejection]);
    expect(sold(start)).not.toBeInstanceOf(Rejection);
    expect(sold(addDays(start, -31))).not.toBeInstanceOf(Rejection);
  });
});
