import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/random-cases.ts";
import {
  changingRules,
  dayOf,
  rankOn as rank,
  rulesOn,
  unchangingRules as single,
  firstDay as start,
  TierLife,
} from "../../../../test/support/tier-lives.ts";
import { addDays, addPeriod } from "../../dates.ts";
import type { SalesDay, TierStanding } from "../../records.ts";
import { inertRules, noLineRules, noMemberLimits, type Tier } from "../rules.ts";
import { qualifyingSales, type RulesSince, type TierRules, tiersIn } from "../standing.ts";
import { programOf, settleTier, tierAfterSale, tierByHand } from "./tier.ts";

interface Bought {
  readonly day: number;
  readonly net: number;
}
const purchases: fc.Arbitrary<Bought[]> = fc
  .array(fc.record({ day: fc.integer({ min: 0, max: 120 }), net: fc.integer({ min: 1, max: 250 }) }), {
    maxLength: 15,
  })
  .map((bought) => bought.toSorted((one, other) => one.day - other.day));

interface State {
  readonly standing: TierStanding | undefined;
  readonly sales: readonly SalesDay[];
}
const nobody: State = { standing: undefined, sales: [] };

function settle(state: State, past: readonly RulesSince[], day: string): State {
  return { ...state, standing: settleTier({ ...state, past }, day) };
}

/** Records a sale as a decision does: it settles the member first. */
function buy(state: State, past: readonly RulesSince[], { day: on, net }: Bought, sale_id = 1): State {
  const day = dayOf(on);
  const settled = settle(state, past, day);
  const rules = rulesOn(past, day);
  const standing = tierAfterSale({ ...settled, rules }, { sale_id, sold_on: day, net }, day);
  return { standing, sales: [...settled.sales, { day, net }] };
}

const live = (past: readonly RulesSince[], bought: readonly Bought[]) =>
  bought.reduce((state, one, index) => buy(state, past, one, index + 1), nobody);
describe("settling a tier", () => {
  it("does nothing twice, and the same in one step as in several, whatever rules change (P7, P18)", () => {
    fc.assert(
      fc.property(
        changingRules,
        purchases,
        fc.nat(100),
        fc.array(fc.nat(60), { maxLength: 6 }),
        (past, bought, later, days) => {
          const state = live(past, bought);
          const last = (bought.at(-1)?.day ?? 0) + later;
          const settled = settle(state, past, dayOf(last));
          expect(settle(settled, past, dayOf(last))).toEqual(settled);
          const between = days.map((day) => (bought.at(-1)?.day ?? 0) + day).filter((day) => day <= last);
          const inSteps = between
            .toSorted((one, other) => one - other)
            .reduce((before, day) => settle(before, past, dayOf(day)), state);
          expect(settle(inSteps, past, dayOf(last))).toEqual(settled);
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it("reads no sales of days before the window of the first end", () => {
    fc.assert(
      fc.property(single, purchases, fc.nat(100), (past, bought, later) => {
        const state = live(past, bought);
        const ends = state.standing?.ends_on ?? null;
        if (ends === null) return;
        const { rp_sales_calculation_period: length, rp_sales_calculation_period_type: unit } = rulesOn(
          past,
          start,
        );
        const first = addPeriod(ends, -length, unit);
        const few = { ...state, sales: state.sales.filter(({ day }) => day > first) };
        const day = dayOf((bought.at(-1)?.day ?? 0) + later);
        expect(settle(few, past, day).standing).toEqual(settle(state, past, day).standing);
      }),
      { numRuns: runs(500) },
    );
  });

  it("never lets the tier fall before its end, and renews it only then (P10)", () => {
    fc.assert(
      fc.property(single, purchases, (past, bought) => {
        const rules = rulesOn(past, start);
        let state = nobody;
        for (const [index, one] of bought.entries()) {
          const day = dayOf(one.day);
          for (let on = bought[index - 1]?.day ?? 0; on <= one.day; on += 1) {
            const before = state.standing;
            state = settle(state, past, dayOf(on));
            if (before?.ends_on != null && before.ends_on > dayOf(on)) expect(state.standing).toBe(before);
          }
          const before = state.standing;
          state = buy(state, past, one, index + 1);
          expect(rank(rules, state.standing)).toBeGreaterThanOrEqual(rank(rules, before));
          if (state.standing?.tier_id === before?.tier_id) continue;
          expect(qualifyingSales(state.sales, rules, day)).toBeGreaterThanOrEqual(
            rank(rules, state.standing),
          );
          expect(state.standing).toMatchObject({ since: day, cause_sale_id: index + 1, by_hand: false });
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe("a sale", () => {
  it("never gives a lower tier for a higher amount (P11)", () => {
    fc.assert(
      fc.property(single, purchases, fc.nat(250), fc.nat(250), (past, bought, net, more) => {
        const state = live(past, bought);
        const rules = rulesOn(past, start);
        const day = (bought.at(-1)?.day ?? 0) + 5;
        const less = buy(state, past, { day, net }).standing;
        const greater = buy(state, past, { day, net: net + more }).standing;
        expect(rank(rules, greater)).toBeGreaterThanOrEqual(rank(rules, less));
      }),
      { numRuns: runs(500) },
    );
  });

  it("counts the same in any order of the sales of a day (P12)", () => {
    fc.assert(
      fc.property(single, purchases, fc.array(fc.nat(250), { maxLength: 4 }), (past, bought, amounts) => {
        const day = (bought.at(-1)?.day ?? 0) + 3;
        const tierIn = (order: readonly number[]) =>
          order.reduce((state, net) => buy(state, past, { day, net }), live(past, bought)).standing;
        const [one, other] = [tierIn(amounts), tierIn(amounts.toReversed())];
        expect(other?.tier_id).toBe(one?.tier_id);
        expect(other?.until).toBe(one?.until);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe("the window", () => {
  const year: TierRules = { ...inertRules, rp_sales_calculation_period_type: "month" };

  it("ends today, and begins the day after the same day of an earlier month", () => {
    const sales = ["2026-02-28", "2026-03-01", "2026-03-31"].map((day) => ({ day, net: 1 }));
    const month = { ...year, rp_sales_calculation_period: 1 };
    expect(qualifyingSales(sales, month, "2026-03-31")).toBe(2);
    expect(qualifyingSales(sales, month, "2026-03-28")).toBe(1);
    expect(qualifyingSales(sales, month, "2026-03-27")).toBe(2);
  });
});

/** Tiers for a year by the sales of two months, unless a test says otherwise. */
const [silver, gold, platinum] = [100, 200, 300].map(
  (qualifying_sales, index): Tier => ({
    tier_id: index + 1,
    name: `Tier ${index + 1}`,
    qualifying_sales,
    expiry: 12,
    expiry_period: "month",
    program: null,
  }),
) as [Tier, Tier, Tier];
const usual = { ...inertRules, rp_sales_calculation_period: 2, tiers: [silver, gold] };
const lifeWith = (...changes: Partial<typeof usual>[]) =>
  new TierLife(
    changes.map((change, index) => ({
      valid_from: index === 0 ? "0001-01-01" : dayOf(30 * index),
      rules: { ...usual, ...change },
    })),
  );
const heldIn = (life: TierLife) => tiersIn(life.settle().state.standing)[0];
const short = (tier: Tier, months: number) => ({ ...tier, expiry: months });

describe("a tier that was promised comes back with its own last day", () => {
  const untilNextYear = { tier_id: 1, since: "2026-01-01", until: "2027-01-02" };

  it("when a higher tier ends", () => {
    const life = lifeWith({ tiers: [silver, short(gold, 2)] })
      .sell(100)
      .wait(5)
      .sell(100);
    expect(heldIn(life)).toMatchObject({ tier_id: 2, until: "2026-03-07" });
    expect(heldIn(life.wait(61))).toMatchObject(untilNextYear);
  });

  it("when the higher tier was renewed", () => {
    const life = lifeWith({ tiers: [silver, short(gold, 2)] })
      .sell(100)
      .wait(5)
      .sell(100)
      .wait(50)
      .sell(200);
    expect(heldIn(life.wait(20))).toMatchObject({ tier_id: 2, since: "2026-01-06", until: "2026-05-07" });
    expect(heldIn(life.wait(60))).toMatchObject(untilNextYear);
  });

  it("when the higher tier was assigned by hand, and not after a lower one or none was assigned", () => {
    const life = () =>
      lifeWith({ tiers: [silver, short(gold, 2)] })
        .sell(100)
        .wait(5)
        .assign(2);
    expect(heldIn(life().wait(70))).toMatchObject(untilNextYear);
    expect(heldIn(life().assign(1).wait(400))).toBeUndefined();
    expect(tiersIn(life().assign(1).state.standing).map(({ tier_id }) => tier_id)).toEqual([1, 1]);
    expect(heldIn(life().assign(null).wait(70))).toBeUndefined();
  });

  it("after a fall to a tier between", () => {
    const tiers = [silver, short(gold, 3), short(platinum, 2)];
    const life = lifeWith({ tiers }).sell(100).wait(5).sell(200).wait(40).sell(200);
    expect(heldIn(life.wait(25))).toMatchObject({ tier_id: 2, since: "2026-03-07", until: "2026-06-08" });
    expect(heldIn(life.wait(100))).toMatchObject(untilNextYear);
  });

  it("when its validity was changed meanwhile", () => {
    const life = lifeWith({ tiers: [silver, short(gold, 2)] }, { tiers: [short(silver, 1), short(gold, 2)] });
    life.sell(100).wait(5).sell(100).wait(45).sell(100).wait(20);
    expect(heldIn(life)).toMatchObject(untilNextYear);
  });

  it("when the higher tier is deleted, but not if it was deleted itself", () => {
    const weeks = { rp_sales_calculation_period_type: "week" as const };
    const deleted = (tier: Tier) =>
      lifeWith(weeks, { ...weeks, tiers: usual.tiers.filter((one) => one !== tier) });
    expect(heldIn(deleted(gold).sell(100).wait(5).sell(100).wait(80))).toMatchObject(untilNextYear);
    const both = deleted(silver).sell(100).wait(5).sell(100).wait(400);
    expect(heldIn(both)).toBeUndefined();
  });

  it("after a merge, from either member", () => {
    const tiers = [silver, short(gold, 2)];
    const [one, other] = [lifeWith({ tiers }).sell(100), lifeWith({ tiers }).sell(200)];
    const merged = [one.copy().wait(5).merge(other.copy().wait(5)), other.wait(5).merge(one.wait(5))];
    for (const life of merged) {
      expect(heldIn(life)).toMatchObject({ tier_id: 2, since: "2026-01-01" });
      expect(heldIn(life.wait(90))).toMatchObject(untilNextYear);
    }
  });
});

it("no member has more than a few promises of each tier, whatever happens", () => {
  fc.assert(
    fc.property(
      changingRules,
      fc.array(fc.constantFrom(1, 2, 3, "sell", "merge"), { maxLength: 60 }),
      (past, does) => {
        const life = new TierLife(past);
        for (const one of does) {
          life.wait(1);
          if (one === "sell") life.sell(300);
          else if (one === "merge") life.merge(new TierLife(past, life.day).sell(100).assign(1).sell(200));
          else life.assign(one as number);
          const tiers = tiersIn(life.state.standing);
          expect(tiers.length).toBeLessThanOrEqual(1 + 3 * 3);
        }
      },
    ),
    { numRuns: runs(200) },
  );
});

describe("purchases of many customers (S2)", () => {
  /** The first day on which the purchases of six months reach an amount, by adding up all of them on each day. */
  function firstDayOf(bought: readonly SalesDay[], amount: number): string | undefined {
    const days = [...new Set(bought.map(({ day }) => day))].toSorted();
    return days.find((day) => {
      const [year, month, date] = day.split("-").map(Number) as [number, number, number];
      const inMonth = new Date(Date.UTC(year, month - 6, 0)).getUTCDate();
      const begin = new Date(Date.UTC(year, month - 7, Math.min(date, inMonth)));
      const counted = bought.filter((one) => new Date(one.day) > begin && one.day <= day);
      return counted.reduce((sum, { net }) => sum + net, 0) >= amount;
    });
  }

  /** The first day of a tier by the rules, which is never lost. */
  function sinceOf(bought: readonly SalesDay[], qualifying_sales: number): string | undefined {
    const tier: Tier = {
      tier_id: 1,
      name: "Tier",
      qualifying_sales,
      expiry: 100,
      expiry_period: "year",
      program: null,
    };
    const rules: TierRules = { ...inertRules, rp_sales_calculation_period: 6, tiers: [tier] };
    let state = nobody;
    for (const [index, { day, net }] of bought.entries()) {
      const sale = { sale_id: index + 1, sold_on: day, net };
      const standing = tierAfterSale({ ...state, rules }, sale, day);
      state = { standing, sales: [...state.sales, { day, net }] };
    }
    return state.standing?.since;
  }

  it("reach a tier on the first day on which the sales of six months suffice, and only then", () => {
    const customer = fc
      .array(fc.record({ day: fc.nat(540), net: fc.integer({ min: 100, max: 12_000 }) }), {
        maxLength: 44,
        size: "max" as const,
      })
      .map((bought) =>
        bought
          .map(({ day, net }) => ({ day: addDays("1997-01-01", day), net }))
          .toSorted((one, other) => (one.day < other.day ? -1 : 1)),
      );
    let reached = 0;
    fc.assert(
      fc.property(customer, fc.constantFrom(20_000, 50_000), (bought, amount) => {
        const since = sinceOf(bought, amount);
        if (since !== undefined) reached += 1;
        expect(since).toBe(firstDayOf(bought, amount));
      }),
      { numRuns: runs(500) },
    );
    expect(reached).toBeGreaterThan(100);
  });
});

it("a program of a tier applies to its members, and no other", () => {
  const club = {
    program_id: 7,
    membership_name: "Gold Club",
    earn_points: 2,
    earn_amount: 100,
    earn_minimum_amount: 0,
    maximum_points_per_order: 100,
    ...noLineRules,
    ...noMemberLimits,
  };
  const gold: Tier = {
    tier_id: 1,
    name: "Gold",
    qualifying_sales: 100,
    expiry: 1,
    expiry_period: "year",
    program: club,
  };
  const rules = { ...inertRules, tiers: [gold, { ...gold, tier_id: 2, program: null }] };
  expect(programOf(rules, undefined)).toBeNull();
  const standing = tierByHand({ standing: undefined, rules }, gold, start) as TierStanding;
  expect(programOf(rules, standing)).toBe(club);
  expect(programOf(rules, { ...standing, tier_id: 2 })).toBeNull();
});
