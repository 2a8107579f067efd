import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/random-cases.ts";
import {
  anySteps,
  changingRules,
  live,
  rankOn,
  recalculating,
  someSale,
  stepsOf,
  TierLife,
  unchangingRules,
} from "../../../../test/support/tier-lives.ts";
import { addDays } from "../../dates.ts";
import type { PromisedTier } from "../../records.ts";
import { inertRules, type Tier } from "../rules.ts";
import { isCarried, tiersIn, withoutTier } from "../standing.ts";

/** Rules by which no tier ends in a test. */
const lastingRules = unchangingRules.map((versions) =>
  recalculating(versions).map(({ valid_from, rules }) => {
    const tiers = rules.tiers.map((tier): Tier => ({ ...tier, expiry_period: "year" }));
    return { valid_from, rules: { ...rules, tiers } };
  }),
);
/** Lives in which sales are recorded on their day. */
const onTime = anySteps.map((steps) =>
  steps.map((step) => ("sale" in step.does ? { ...step, does: { ...step.does, earlier: 0 } } : step)),
);
/** Lives with one sale a day at most. */
const salesByDay = stepsOf(someSale.map(({ sale }) => ({ sale, earlier: 0 }))).map((steps) =>
  steps.map((step) => ({ ...step, after: Math.max(1, step.after) })),
);

/** The tiers of a life that are valid, the one that the member has first, without the sales that caused them. */
const validIn = (life: TierLife) => {
  const [held, ...promised] = tiersIn(life.settle().state.standing).map((tier) => ({
    ...tier,
    cause_sale_id: null,
  }));
  const byEnd = (one: PromisedTier, other: PromisedTier) =>
    `${one.ends_on} ${one.tier_id} ${one.since}` < `${other.ends_on} ${other.tier_id} ${other.since}`
      ? -1
      : 1;
  return { held, promised: promised.filter(({ ends_on }) => ends_on > life.day).sort(byEnd) };
};

describe("refunds", () => {
  it("have the same result in any parts and any order (P5)", () => {
    const parts = fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 200 })), {
      minLength: 2,
      maxLength: 6,
    });
    let changed = 0;
    fc.assert(
      fc.property(
        changingRules,
        anySteps,
        fc.nat(12),
        parts,
        fc.nat(),
        (versions, steps, later, some, seed) => {
          const life = live(recalculating(versions), steps).wait(later).settle();
          if (life.left.length === 0) return;
          const before = life.state.standing;
          const refunded = (order: typeof some) => {
            const refunding = life.copy();
            for (const [which, amount] of order) refunding.refund(which % life.left.length, amount);
            return refunding.state.standing;
          };
          const inOrder = refunded(some);
          if (inOrder !== before) changed += 1;
          const shuffled = some.map((part, index) => ({ part, at: (seed >> index) % 5 }));
          expect(
            refunded(shuffled.toSorted((one, other) => one.at - other.at).map(({ part }) => part)),
          ).toEqual(inOrder);
          expect(refunded(some.toReversed())).toEqual(inOrder);
          const split = some.flatMap(([which, amount]) => [
            [which, Math.floor(amount / 2)] as [number, number],
            [which, Math.ceil(amount / 2)] as [number, number],
          ]);
          expect(refunded(split)).toEqual(inOrder);
        },
      ),
      { numRuns: runs(700) },
    );
    expect(changed).toBeGreaterThan(50);
  });

  it("leave what the member would have without the sale, if no tier has ended since (P6)", () => {
    let undone = 0;
    fc.assert(
      fc.property(lastingRules, salesByDay, fc.nat(20), fc.nat(200), (versions, steps, which, later) => {
        if (steps.length === 0) return;
        const index = which % steps.length;
        const life = live(versions, steps).wait(later);
        const without = steps.map((step, nth) =>
          nth === index ? { ...step, does: { sale: 0, earlier: 0 } } : step,
        );
        const expected = validIn(live(versions, without).wait(later));
        const before = validIn(life);
        const found = validIn(life.refund(index));
        if (found.held?.tier_id !== before.held?.tier_id) undone += 1;
        expect(found).toEqual(expected);
      }),
      { numRuns: runs(700) },
    );
    expect(undone).toBeGreaterThan(50);
  });

  it("of everything leave no tier, unless an operator has assigned one", () => {
    fc.assert(
      fc.property(changingRules, anySteps, fc.nat(12), (versions, steps, later) => {
        const life = live(recalculating(versions), steps).wait(later).settle();
        const byHand = tiersIn(life.state.standing).filter(({ rests_on }) => rests_on === null);
        for (const index of life.left.keys()) life.refund(index);
        const left = tiersIn(life.state.standing);
        expect(left.filter(({ rests_on }) => rests_on !== null)).toEqual([]);
        if (byHand.length === 0) expect(left).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });

  it("of a sale of the same day bring back what was before, in the days of grace, too (P6)", () => {
    let undone = 0;
    fc.assert(
      fc.property(unchangingRules, onTime, fc.nat(30), fc.nat(500), (versions, steps, later, net) => {
        const life = live(recalculating(versions), steps).wait(later).settle();
        const before = validIn(life);
        const bought = life.sell(net).state.standing;
        const after = validIn(life.refund(-1));
        // A sale of 0 gives what the sales before already reach.
        const expected = validIn(live(recalculating(versions), steps).wait(later).sell(0));
        if (bought?.until !== life.state.standing?.until) undone += 1;
        expect(after).toEqual(expected);
        if (expected.held?.until === before.held?.until) expect(after).toEqual(before);
      }),
      { numRuns: runs(700) },
    );
    expect(undone).toBeGreaterThan(50);
  });

  it("give no higher tier than before the first of them", () => {
    fc.assert(
      fc.property(unchangingRules, anySteps, fc.nat(20), fc.nat(12), (versions, steps, which, later) => {
        const life = live(recalculating(versions), steps).wait(later).settle();
        const { standing } = life.state;
        if (life.left.length === 0 || (standing?.before_refunds.length ?? 0) > 0) return;
        const after = life.copy().refund(which % life.left.length).state.standing;
        expect(rankOn(life.rules, after)).toBeLessThanOrEqual(rankOn(life.rules, standing));
      }),
      { numRuns: runs(500) },
    );
  });

  it("take no tier that an operator assigned or that the other sales carry, and leave no other", () => {
    fc.assert(
      fc.property(changingRules, anySteps, fc.nat(20), fc.nat(12), (versions, steps, which, later) => {
        const life = live(recalculating(versions), steps).wait(later).settle();
        const tiers = tiersIn(life.state.standing);
        if (life.left.length > 0) life.refund(which % life.left.length);
        const { sales, standing } = life.state;
        const left = tiersIn(standing);
        const [held] = tiers;
        if (held !== undefined && isCarried(held, sales)) expect(left[0]).toEqual(held);
        for (const tier of tiers.filter(({ ends_on }) => ends_on > life.day)) {
          if (!isCarried(tier, sales) || life.rules.tiers.every(({ tier_id }) => tier_id !== tier.tier_id))
            continue;
          // A higher tier that lasts as long is as good.
          const rank = rankOn(life.rules, { ...withoutTier(life.day), tier_id: tier.tier_id });
          const kept = left.filter((one) => rankOn(life.rules, { ...withoutTier(life.day), ...one }) >= rank);
          expect(kept.some(({ ends_on }) => ends_on >= tier.ends_on)).toBe(true);
        }
        for (const tier of left) expect(isCarried(tier, sales)).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  it("leave a tier that ends the same, whenever the member is settled (P7)", () => {
    fc.assert(
      fc.property(
        changingRules,
        anySteps,
        fc.nat(90),
        fc.array(fc.nat(90), { maxLength: 4 }),
        (versions, steps, later, days) => {
          const once = live(versions, steps);
          const often = once.copy();
          const last = once.day;
          once.wait(later).settle();
          for (const day of [...days.filter((one) => one < later), later].toSorted(
            (one, other) => one - other,
          )) {
            often.day = addDays(last, day);
            often.settle();
          }
          expect(often.state.standing).toEqual(once.state.standing);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it("take nothing if the rules keep tiers after refunds, also when the rules change afterwards", () => {
    fc.assert(
      fc.property(unchangingRules, anySteps, fc.nat(20), (versions, steps, which) => {
        const keeping = versions.map(({ valid_from, rules }) => {
          return { valid_from, rules: { ...rules, tier_after_refund: "keep" as const } };
        });
        const life = live(keeping, steps).settle();
        if (life.left.length === 0) return;
        const days = () =>
          tiersIn(life.state.standing).map(({ tier_id, since, until }) => ({ tier_id, since, until }));
        const before = days();
        const index = which % life.left.length;
        const left = life.left[index]?.net ?? 0;
        life.refund(index, left - 1);
        expect(days()).toEqual(before);
        const later = new TierLife(recalculating(versions), life.day, life.state);
        later.left = life.left;
        const kept = tiersIn(life.state.standing).filter((tier) => isCarried(tier, life.state.sales));
        expect(kept).toHaveLength(before.length);
        expect(later.refund(index, 0).state.standing).toBe(life.state.standing);
      }),
      { numRuns: runs(500) },
    );
  });
});

/** Tiers for a year by the sales of two months, unless a test says otherwise. */
const [silver, gold] = [100, 200].map(
  (qualifying_sales, index): Tier => ({
    tier_id: index + 1,
    name: `Tier ${index + 1}`,
    qualifying_sales,
    expiry: 12,
    expiry_period: "month",
    program: null,
  }),
) as [Tier, Tier];
const rules = { ...inertRules, rp_sales_calculation_period: 2, tiers: [silver, gold] };
const lifeWith = (change: Partial<typeof rules> = {}) =>
  new TierLife([{ valid_from: "0001-01-01", rules: { ...rules, ...change } }]);
const heldIn = (life: TierLife) => {
  const { tier_id, since, until } = life.settle().state.standing ?? {
    tier_id: null,
    since: null,
    until: null,
  };
  return tier_id === null ? null : { tier_id, since, until };
};

describe("after a refund, a member has", () => {
  it("no tier if the rest reaches none, at once or in parts: 120 + 90 - 120", () => {
    const bought = () => lifeWith().sell(120).wait(10).sell(90).wait(5);
    expect(heldIn(bought())).toMatchObject({ tier_id: 2, since: "2026-01-11" });
    expect(heldIn(bought().refund(0))).toBeNull();
    expect(heldIn(bought().refund(0, 30))).toMatchObject({ tier_id: 1, since: "2026-01-11" });
    expect(heldIn(bought().refund(0, 30).refund(0, 90))).toBeNull();
    expect(heldIn(bought().refund(1))).toEqual({ tier_id: 1, since: "2026-01-01", until: "2027-01-02" });
  });

  it("the tier that the rest has reached on its day: 120 + 90 + 95 - 120, also when that is long ago", () => {
    for (const days of [0, 5, 100]) {
      const life = lifeWith().sell(120).wait(10).sell(90).wait(10).sell(95).wait(days);
      expect(heldIn(life.refund(0))).toEqual({ tier_id: 1, since: "2026-01-21", until: "2027-01-22" });
    }
  });

  it("no tier that a merge gave by sales which are refunded", () => {
    const merged = () => lifeWith().sell(90).merge(lifeWith().sell(120)).wait(1);
    expect(heldIn(merged())).toMatchObject({ tier_id: 2 });
    expect(heldIn(merged().refund(0))).toMatchObject({ tier_id: 1, since: "2026-01-01" });
    expect(heldIn(merged().refund(1))).toBeNull();
    const higher = () => lifeWith().sell(110).wait(3).merge(lifeWith().wait(3).sell(250)).wait(1);
    expect(heldIn(higher())).toMatchObject({ tier_id: 2, since: "2026-01-04" });
    expect(heldIn(higher().refund(1))).toEqual({ tier_id: 1, since: "2026-01-01", until: "2027-01-02" });
  });

  it("no tier to which it fell by sales which are refunded", () => {
    const short = { tiers: [silver, { ...gold, expiry: 2 }] };
    const fallen = () => lifeWith(short).sell(200).wait(30).sell(120).wait(40);
    expect(heldIn(fallen())).toMatchObject({ tier_id: 1, since: "2026-03-02" });
    expect(heldIn(fallen().refund(1))).toBeNull();
    expect(heldIn(fallen().refund(0))).toMatchObject({ tier_id: 1, since: "2026-03-02" });
    const step = () =>
      lifeWith({ ...short, tier_downgrade: "one_step" })
        .sell(200)
        .wait(70);
    expect(heldIn(step())).toMatchObject({ tier_id: 1, since: "2026-03-02" });
    expect(heldIn(step().refund(0))).toBeNull();
  });

  it("the days of grace again if the sale that renewed the tier is refunded", () => {
    const graceful = {
      rp_sales_calculation_period: 1,
      tier_grace_days: 10,
      tiers: [{ ...silver, expiry: 1 }],
    };
    const life = lifeWith(graceful).sell(100).wait(35).sell(40);
    const before = life.settle().state.standing;
    expect(before).toMatchObject({ until: "2026-02-02", ends_on: "2026-02-12" });
    life.sell(60);
    expect(heldIn(life)).toEqual({ tier_id: 1, since: "2026-01-01", until: "2026-03-02" });
    expect(tiersIn(life.refund(-1).state.standing)).toEqual(tiersIn(before));
    expect(heldIn(life.wait(7))).toBeNull();
  });

  it("the next lower tier of a deleted one, and no tier that its rest never reached", () => {
    const [one, two] = [rules, { ...rules, tiers: [silver] }];
    const life = new TierLife([
      { valid_from: "0001-01-01", rules: one },
      { valid_from: "2026-01-11", rules: two },
    ]);
    life.sell(250).wait(15);
    expect(heldIn(life)).toEqual({ tier_id: 1, since: "2026-01-11", until: "2027-01-12" });
    expect(heldIn(life.copy().refund(0, 100))).toEqual({
      tier_id: 1,
      since: "2026-01-11",
      until: "2027-01-12",
    });
    expect(heldIn(life.refund(0, 200))).toBeNull();
  });
});
