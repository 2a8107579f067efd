import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/random-cases.ts";
import { anySteps, dayOf, live, TierLife, unchangingRules } from "../../../../test/support/tier-lives.ts";

import { addDays } from "../../dates.ts";
import { inertRules, type Tier } from "../rules.ts";
import { qualifyingSales, type TierRules } from "../standing.ts";
import { lastDayOfSales, tierMove, tierProgress } from "./progress.ts";

const progressOf = (life: TierLife) => {
  const { standing, sales } = life.settle().state;
  return tierProgress({ standing, sales, rules: life.rules }, life.day);
};
const daysFrom = (day: string, other: string) => (Date.parse(other) - Date.parse(day)) / 86_400_000;

/** Buys for an amount in some parts on some days from one to another. @param places from 0 to 99 */
function buyBetween(
  life: TierLife,
  amount: number,
  days: [string, string],
  places: readonly number[],
): TierLife {
  const length = daysFrom(...days) + 1;
  const on = places.map((place) => addDays(days[0], Math.floor((place * length) / 100))).toSorted();
  const part = Math.floor(amount / on.length);
  for (const [index, day] of on.entries()) {
    life.wait(daysFrom(life.day, day));
    life.sell(index === 0 ? amount - part * (on.length - 1) : part);
  }
  return life;
}

const places = fc.array(fc.nat(99), { minLength: 1, maxLength: 3 });

/** Half of these rules have days of grace in which tiers are renewed. */
const graceful = fc.tuple(unchangingRules, fc.boolean()).map(([versions, isLong]) =>
  versions.map(({ valid_from, rules: some }) => ({
    valid_from,
    rules: isLong ? { ...some, tier_grace_days: 14 } : some,
  })),
);

describe("progress keeps what it promises", () => {
  it("for the next tier: so much more by that day, in any parts, reaches it", () => {
    let followed = 0;
    fc.assert(
      fc.property(unchangingRules, anySteps, fc.nat(15), places, (versions, steps, later, some) => {
        const life = live(versions, steps).wait(later);
        const { next_tier } = progressOf(life);
        if (next_tier === null) return;
        const { sales_missing, reach_by, tier_id } = next_tier;
        followed += 1;
        // Without a sale that counts, parts of it need not be on one day. But all at once reach the tier on any day.
        const by = reach_by ?? addDays(life.day, 40);
        buyBetween(life, sales_missing, [life.day, by], reach_by === null ? some.slice(0, 1) : some);
        const tier = life.rules.tiers.find((one) => one.tier_id === tier_id) as Tier;
        const held = life.rules.tiers.find((one) => one.tier_id === life.state.standing?.tier_id);
        expect(held?.qualifying_sales ?? Number.MAX_SAFE_INTEGER).toBeGreaterThanOrEqual(
          tier.qualifying_sales as number,
        );
      }),
      { numRuns: runs(500) },
    );
    expect(followed).toBeGreaterThan(100);
  });

  it("for the tier: so much more between these days, in any parts, renews it, and less does not", () => {
    const followed = { grace: 0, before: 0 };
    fc.assert(
      fc.property(
        graceful,
        anySteps,
        fc.nat(40),
        places,
        fc.boolean(),
        (versions, steps, later, some, isLess) => {
          const life = live(versions, steps).wait(later);
          const { tier, keep_tier } = progressOf(life);
          if (tier === null || keep_tier === null) return;
          const { sales_missing, from, until } = keep_tier;
          const end = life.state.standing?.until as string;
          const isInGrace = end <= life.day;
          followed[isInGrace ? "grace" : "before"] += 1;
          expect([life.day <= from, from <= until, until <= (tier.valid_through as string)]).toEqual([
            true,
            true,
            true,
          ]);
          const needed = (one: Tier) => one.qualifying_sales ?? Number.MAX_SAFE_INTEGER;
          const held = life.rules.tiers.find(({ tier_id }) => tier_id === tier.tier_id) as Tier;
          if (isLess && sales_missing > 0) {
            if (life.rules.tier_grace_days > 0) return;
            buyBetween(life, sales_missing - 1, [from, until], some)
              .wait(daysFrom(life.day, end))
              .settle();
            const after = life.state.standing;
            // It is not renewed, unless more sales reached a higher tier meanwhile.
            if (after?.tier_id === tier.tier_id)
              expect([after.since !== tier.since, after.promised.length > 0]).toContain(true);
            return;
          }
          buyBetween(life, sales_missing, [from, until], some);
          if (!isInGrace) life.wait(daysFrom(life.day, end)).settle();
          const after = life.rules.tiers.find(({ tier_id }) => tier_id === life.state.standing?.tier_id);
          // More sales may reach a higher tier, which can end before.
          const isHigher = life.rules.tiers.some(
            (one) =>
              needed(one) > needed(held) &&
              needed(one) <= qualifyingSales(life.state.sales, life.rules, life.day),
          );
          expect(after === undefined ? -1 : needed(after)).toBeGreaterThanOrEqual(needed(held));
          if (after?.tier_id === tier.tier_id && !isHigher)
            expect((life.state.standing?.until as string) > end).toBe(true);
        },
      ),
      { numRuns: runs(1000) },
    );
    expect(followed.grace).toBeGreaterThan(20);
    expect(followed.before).toBeGreaterThan(100);
  });
});

it("has a last day on which all sales of today still count", () => {
  const sales = fc.array(fc.record({ day: fc.nat(120).map(dayOf), net: fc.integer({ min: 1, max: 250 }) }));
  fc.assert(
    fc.property(
      sales,
      fc.integer({ min: 1, max: 14 }),
      fc.constantFrom("day", "week", "month", "year"),
      (bought, length, unit) => {
        const rules = {
          ...inertRules,
          rp_sales_calculation_period: length,
          rp_sales_calculation_period_type: unit,
        } as TierRules;
        const today = dayOf(121);
        const now = qualifyingSales(bought, rules, today);
        const last = lastDayOfSales(bought, rules, today);
        if (last === null) {
          expect(now).toBe(0);
          return;
        }
        expect(last >= today).toBe(true);
        expect(qualifyingSales(bought, rules, last)).toBe(now);
        expect(qualifyingSales(bought, rules, addDays(last, 1))).toBeLessThan(now);
      },
    ),
    { numRuns: runs(500) },
  );
});

/** One tier for a month by the sales of two months, with ten days of grace. */
const club: Tier = {
  tier_id: 1,
  name: "Club",
  qualifying_sales: 100,
  expiry: 1,
  expiry_period: "month",
  program: null,
};
const rules: TierRules = {
  ...inertRules,
  rp_sales_calculation_period: 1,
  tier_grace_days: 10,
  tiers: [club],
};
const lifeWith = (...versions: Partial<TierRules>[]) =>
  new TierLife(
    versions.map((change, index) => ({
      valid_from: index === 0 ? "0001-01-01" : dayOf(20 * index),
      rules: { ...rules, ...change },
    })),
  );

describe("what keeps a tier", () => {
  it("before its end is what is missing in the window of the end, on the days of this window", () => {
    const life = lifeWith({}).sell(100);
    expect(progressOf(life).keep_tier).toEqual({
      sales_missing: 100,
      from: "2026-01-03",
      until: "2026-02-01",
    });
    life.wait(10).sell(30);
    expect(progressOf(life).keep_tier).toEqual({
      sales_missing: 70,
      from: "2026-01-11",
      until: "2026-02-01",
    });
    life.wait(10).sell(80);
    expect(progressOf(life).keep_tier).toMatchObject({ sales_missing: 0 });
  });

  it("in the days of grace is what is missing today, as long as all sales of today count", () => {
    const life = lifeWith({}).sell(100).wait(6).sell(20).wait(2).sell(30).wait(26);
    expect(life.day).toBe("2026-02-04");
    expect(progressOf(life).keep_tier).toEqual({
      sales_missing: 50,
      from: "2026-02-04",
      until: "2026-02-06",
    });
    expect(progressOf(life.wait(3)).keep_tier).toMatchObject({ sales_missing: 70, until: "2026-02-08" });
    expect(progressOf(life.wait(3)).keep_tier).toMatchObject({ sales_missing: 100, until: "2026-02-11" });
    expect(life.sell(100).state.standing).toMatchObject({ until: "2026-03-02" });
  });

  it("is nothing if sales don't renew it", () => {
    expect(
      progressOf(lifeWith({ tiers: [{ ...club, qualifying_sales: null }] }).assign(1)).keep_tier,
    ).toBeNull();
    const day = { rp_sales_calculation_period_type: "day" as const };
    expect(progressOf(lifeWith(day).sell(100)).keep_tier).toBeNull();
    expect(progressOf(lifeWith(day).sell(100).wait(35)).keep_tier).toEqual({
      sales_missing: 100,
      from: "2026-02-05",
      until: "2026-02-05",
    });
  });
});

it("the event of a tier says what became of it, also of a deleted one", () => {
  const gold = { ...club, tier_id: 2, qualifying_sales: 200 };
  const tiers = [club, gold];
  const moveOf = (life: TierLife, change: (life: TierLife) => unknown) => {
    const before = life.settle().state.standing;
    change(life);
    return tierMove(
      before,
      life.settle().state.standing,
      life.past.map((version) => version.rules),
    );
  };
  expect(moveOf(lifeWith({ tiers }), (life) => life.sell(100))).toBe("upgraded");
  expect(moveOf(lifeWith({ tiers }).sell(100), (life) => life.sell(100))).toBe("upgraded");
  expect(moveOf(lifeWith({ tiers }).sell(200), (life) => life.assign(1))).toBe("downgraded");
  expect(moveOf(lifeWith({ tiers }).sell(200), (life) => life.assign(null))).toBe("downgraded");
  expect(moveOf(lifeWith({ tiers }, { tiers: [club] }).sell(250), (life) => life.wait(20))).toBe(
    "downgraded",
  );
  expect(
    moveOf(
      lifeWith({ tiers }, { tiers: [gold] })
        .sell(100)
        .wait(5)
        .sell(99),
      (life) => life.wait(20),
    ),
  ).toBe("downgraded");
  expect(moveOf(lifeWith({}).sell(100).wait(20).sell(100), (life) => life.wait(20))).toBe("renewed");
  expect(moveOf(lifeWith({}).sell(100), (life) => life.wait(5).assign(1))).toBe("renewed");
  expect(
    moveOf(
      lifeWith({}, { tiers: [{ ...club, expiry: 1, expiry_period: "day" }] })
        .sell(100)
        .wait(20),
      (life) => life.assign(1),
    ),
  ).toBe("renewed");
  expect(moveOf(lifeWith({}).sell(100), (life) => life.sell(10))).toBeUndefined();
  expect(moveOf(lifeWith({}).sell(100), (life) => life.wait(35))).toBeUndefined();
  // A refund has undone the renewal.
  expect(moveOf(lifeWith({}).sell(100).wait(35).sell(100), (life) => life.refund(-1))).toBeUndefined();
});
