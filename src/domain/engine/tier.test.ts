import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/random-cases.ts";
import { addDays, addPeriod } from "../dates.ts";
import type { SalesDay, TierStanding } from "../records.ts";
import { inertRules, type Tier } from "./rules.ts";
import {
  lastDayOfSales,
  type MemberTier,
  programOf,
  qualifyingSales,
  type RulesSince,
  settleTier,
  type TierRules,
  tierAfterRefund,
  tierAfterSale,
  tierByHand,
  tierProgress,
} from "./tier.ts";

const start = "2026-01-01";
const dayOf = (days: number) => addDays(start, days);

/** Some histories have tiers that end every few days, others hardly any end. */
const tiers: fc.Arbitrary<Tier[]> = fc
  .tuple(
    ...[1, 2, 3].map((tier_id) =>
      fc.record({
        tier_id: fc.constant(tier_id),
        name: fc.constant(`Tier ${tier_id}`),
        qualifying_sales: fc.option(fc.constant(tier_id * 100), { freq: 6 }),
        expiry: fc.integer({ min: 1, max: 20 }),
        expiry_period: fc.constantFrom("day" as const, "day" as const, "month" as const),
        program: fc.constant(null),
      }),
    ),
  )
  .map((made) => made);
const rulesWith = (some: fc.Arbitrary<Tier[]>): fc.Arbitrary<TierRules> =>
  fc.record({
    tiers: some,
    rp_sales_calculation_period: fc.integer({ min: 1, max: 30 }),
    rp_sales_calculation_period_type: fc.constantFrom("day", "day", "week", "month"),
    tier_downgrade: fc.constantFrom("to_qualified", "one_step"),
    tier_grace_days: fc.constantFrom(0, 0, 1, 7),
    tier_after_refund: fc.constantFrom("recalculate", "keep"),
  }) as fc.Arbitrary<TierRules>;

/** The rules of three periods. The third tier may be deleted, and everything else may change. */
const histories: fc.Arbitrary<RulesSince[]> = tiers
  .chain((all) =>
    fc.tuple(
      rulesWith(fc.constant(all)),
      rulesWith(tiers),
      rulesWith(tiers.map((some) => some.slice(0, 2))),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 2, maxLength: 2 }),
    ),
  )
  .map(([first, second, third, days]) => {
    const [one, other] = days.toSorted((a, b) => a - b).map((number) => dayOf(number)) as [string, string];
    return [
      { valid_from: "0001-01-01", rules: first },
      { valid_from: one, rules: second },
      { valid_from: other, rules: third },
    ];
  });
const rulesOn = (past: readonly RulesSince[], day: string) =>
  (past.findLast(({ valid_from }) => valid_from <= day) as RulesSince).rules;

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
const rank = (rules: TierRules, standing: TierStanding | undefined) => {
  const tier = rules.tiers.find(({ tier_id }) => tier_id === standing?.tier_id);
  return tier === undefined ? -1 : (tier.qualifying_sales ?? Number.MAX_SAFE_INTEGER);
};
const single = rulesWith(tiers).map((rules) => [{ valid_from: "0001-01-01", rules }]);

describe("settling a tier", () => {
  it("does nothing twice, and the same in one step as in several, whatever rules change (P7, P18)", () => {
    fc.assert(
      fc.property(
        histories,
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

describe("a refund", () => {
  const refundOf = (state: State, rules: TierRules, day: string, sold_on: string, net: number): State => {
    const standing = tierAfterRefund({ ...state, rules }, { sold_on }, net, day);
    return { standing, sales: [...state.sales, { day: sold_on, net: -net }] };
  };

  it("of all of a sale on its day gives back the tier from before, exactly (P6)", () => {
    fc.assert(
      fc.property(single, purchases, fc.nat(500), (past, bought, net) => {
        const rules = { ...rulesOn(past, start), tier_after_refund: "recalculate" as const };
        const on = (bought.at(-1)?.day ?? 0) + 1;
        const versions = [{ valid_from: "0001-01-01", rules }];
        const before = settle(live(versions, bought), versions, dayOf(on));
        const after = refundOf(buy(before, versions, { day: on, net }, 99), rules, dayOf(on), dayOf(on), net);
        const isInGrace = (before.standing?.until ?? "9") <= dayOf(on);
        if (isInGrace) return;
        expect(after.standing?.tier_id ?? null).toBe(before.standing?.tier_id ?? null);
        if (before.standing !== undefined && before.standing.tier_id !== null)
          expect(after.standing).toEqual(before.standing);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("comes to the same in parts as at once (P5)", () => {
    fc.assert(
      fc.property(
        single,
        purchases,
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 }),
        fc.nat(3),
        (past, bought, parts, later) => {
          const rules = rulesOn(past, start);
          const on = (bought.at(-1)?.day ?? 0) + 1;
          const all = parts.reduce((sum, part) => sum + part, 0);
          const day = dayOf(on + later);
          const sold = settle(buy(live(past, bought), past, { day: on, net: all }, 99), past, day);
          const atOnce = refundOf(sold, rules, day, dayOf(on), all);
          const inParts = parts.reduce((state, part) => refundOf(state, rules, day, dayOf(on), part), sold);
          expect(rank(rules, inParts.standing)).toBe(rank(rules, atOnce.standing));
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it("never gives a higher tier, and takes none that was given by hand", () => {
    fc.assert(
      fc.property(single, purchases, fc.integer({ min: 1, max: 3 }), (past, bought, tier_id) => {
        const rules = rulesOn(past, start);
        const state = live(past, bought);
        const day = dayOf((bought.at(-1)?.day ?? 0) + 1);
        const settled = settle(state, past, day);
        const tier = rules.tiers.find((one) => one.tier_id === tier_id);
        const given = { ...settled, standing: tierByHand(settled.standing, tier, day) };
        for (const { day: on, net } of bought) {
          const after = refundOf(settled, rules, day, dayOf(on), net).standing;
          expect(rank(rules, after)).toBeLessThanOrEqual(rank(rules, settled.standing));
          expect(refundOf(given, rules, day, dayOf(on), net).standing).toBe(given.standing);
        }
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

  it("has a last day on which all sales of today still count", () => {
    fc.assert(
      fc.property(
        purchases,
        fc.integer({ min: 1, max: 14 }),
        fc.constantFrom("day", "week", "month", "year"),
        (bought, length, unit) => {
          const rules = {
            ...year,
            rp_sales_calculation_period: length,
            rp_sales_calculation_period_type: unit,
          } as TierRules;
          const sales = bought.map(({ day, net }) => ({ day: dayOf(day), net }));
          const today = dayOf(121);
          const now = qualifyingSales(sales, rules, today);
          const last = lastDayOfSales(sales, rules, today);
          if (last === null) {
            expect(now).toBe(0);
            return;
          }
          expect(last >= today).toBe(true);
          expect(qualifyingSales(sales, rules, last)).toBe(now);
          expect(qualifyingSales(sales, rules, addDays(last, 1))).toBeLessThan(now);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

it("progress says how much keeps the tier: with so much more before its end, it is renewed", () => {
  fc.assert(
    fc.property(single, purchases, (past, bought) => {
      const rules = rulesOn(past, start);
      const today = (bought.at(-1)?.day ?? 0) + 1;
      const state = settle(live(past, bought), past, dayOf(today));
      const { keep_tier } = tierProgress({ ...state, rules } as MemberTier, dayOf(today));
      const until = state.standing?.until ?? null;
      if (keep_tier === null || until === null || until <= dayOf(today)) return;
      const { sales_missing } = keep_tier;
      const isRenewed = (more: number) => {
        // It counts for the sum only. A sale of this amount today may reach a higher tier.
        const sales = [...state.sales, { day: dayOf(today), net: more }];
        const after = settleTier({ ...state, sales, past }, until);
        return after?.tier_id === state.standing?.tier_id && after?.since === state.standing?.since;
      };
      const before = addPeriod(
        until,
        -rules.rp_sales_calculation_period,
        rules.rp_sales_calculation_period_type,
      );
      if (before >= dayOf(today)) return;
      const tier = rules.tiers.find(({ tier_id }) => tier_id === state.standing?.tier_id) as Tier;
      const higher = rules.tiers.some(
        ({ qualifying_sales: needed }) =>
          needed !== null && needed > (tier.qualifying_sales as number) && needed <= sales_missing + 1e3,
      );
      if (!higher) expect(isRenewed(sales_missing)).toBe(true);
      if (sales_missing > 0 && rules.tier_grace_days === 0) expect(isRenewed(sales_missing - 1)).toBe(false);
    }),
    { numRuns: runs(500) },
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
      ...{ tier_id: 1, name: "Tier", qualifying_sales, expiry: 100, expiry_period: "year", program: null },
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
        ...{ maxLength: 44, size: "max" as const },
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
    ...{ program_id: 7, membership_name: "Gold Club", earn_points: 2, earn_amount: 100 },
    ...{ earn_minimum_amount: 0, maximum_points_per_order: 100 },
  };
  const gold: Tier = {
    ...{ tier_id: 1, name: "Gold", qualifying_sales: 100, expiry: 1, expiry_period: "year", program: club },
  };
  const rules = { ...inertRules, tiers: [gold, { ...gold, tier_id: 2, program: null }] };
  expect(programOf(rules, undefined)).toBeNull();
  const standing = tierByHand(undefined, gold, start) as TierStanding;
  expect(programOf(rules, standing)).toBe(club);
  expect(programOf(rules, { ...standing, tier_id: 2 })).toBeNull();
});
