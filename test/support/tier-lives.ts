/** Random lives of a member for the tests of tiers: sales, refunds, tiers by hand and merges, while rules change. */
import fc from "fast-check";
import { addDays } from "../../src/domain/dates.ts";
import type { Tier } from "../../src/domain/engine/rules.ts";
import type { RulesSince, TierRules } from "../../src/domain/engine/standing.ts";
import { tierAfterRefund } from "../../src/domain/engine/tiers/refund.ts";
import { settleTier, tierAfterMerge, tierAfterSale, tierByHand } from "../../src/domain/engine/tiers/tier.ts";
import type { SalesDay, TierStanding } from "../../src/domain/records.ts";

export const firstDay = "2026-01-01";
export const dayOf = (days: number) => addDays(firstDay, days);

/** Some histories have tiers that end every few days, others hardly any end. */
const someTiers: fc.Arbitrary<Tier[]> = fc
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

const rulesWith = (tiers: fc.Arbitrary<Tier[]>): fc.Arbitrary<TierRules> =>
  fc.record({
    tiers,
    rp_sales_calculation_period: fc.integer({ min: 1, max: 30 }),
    rp_sales_calculation_period_type: fc.constantFrom("day", "day", "week", "month"),
    tier_downgrade: fc.constantFrom("to_qualified", "one_step"),
    tier_grace_days: fc.constantFrom(0, 0, 1, 7),
    tier_after_refund: fc.constantFrom("recalculate", "keep"),
  }) as fc.Arbitrary<TierRules>;

/** The rules of three periods. The third tier may be deleted, and everything else may change. */
export const changingRules: fc.Arbitrary<RulesSince[]> = someTiers
  .chain((all) =>
    fc.tuple(
      rulesWith(fc.constant(all)),
      rulesWith(someTiers),
      rulesWith(someTiers.map((some) => some.slice(0, 2))),
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

/** Rules that never change. */
export const unchangingRules = rulesWith(someTiers).map((rules) => [{ valid_from: "0001-01-01", rules }]);

export const recalculating = (versions: readonly RulesSince[]): RulesSince[] =>
  versions.map(({ valid_from, rules }) => ({
    valid_from,
    rules: { ...rules, tier_after_refund: "recalculate" },
  }));

export const rulesOn = (versions: readonly RulesSince[], day: string) =>
  (versions.findLast(({ valid_from }) => valid_from <= day) as RulesSince).rules;

export interface Life {
  readonly standing: TierStanding | undefined;
  /** Refunds have an amount below 0. */
  readonly sales: readonly SalesDay[];
}
const newborn: Life = { standing: undefined, sales: [] };

/** Each step happens some days after the one before. */
export interface Step {
  readonly after: number;
  readonly does:
    | { readonly sale: number; readonly earlier: number }
    | { readonly refund: number; readonly part: number }
    | { readonly assign: number | null };
}

export const someSale = fc.record({
  sale: fc.integer({ min: 1, max: 250 }),
  earlier: fc.constantFrom(0, 0, 0, 3),
});
const someRefund = fc.record({ refund: fc.nat(20), part: fc.constantFrom(1, 0.5, 0.1) });
const someAssignment = fc.record({ assign: fc.constantFrom(1, 2, 3, null) });
export const stepsOf = (does: fc.Arbitrary<Step["does"]>, maxLength = 15): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ after: fc.constantFrom(0, 0, 1, 2, 5, 12), does }), { maxLength });
export const anySteps = stepsOf(
  fc.oneof(
    { arbitrary: someSale as fc.Arbitrary<Step["does"]>, weight: 6 },
    { arbitrary: someRefund, weight: 2 },
    { arbitrary: someAssignment, weight: 1 },
  ),
);

/** A life under some rules. Each step settles the member first, as decisions do. */
export class TierLife {
  readonly versions: readonly RulesSince[];
  state: Life;
  day: string;
  /** What is left of each sale. */
  left: { readonly day: string; readonly net: number }[] = [];

  constructor(versions: readonly RulesSince[], day = firstDay, state = newborn) {
    this.versions = versions;
    this.day = day;
    this.state = state;
  }

  get rules(): TierRules {
    return rulesOn(this.versions, this.day);
  }

  /** The versions that are known on the day. */
  get past(): readonly RulesSince[] {
    return this.versions.filter(({ valid_from }) => valid_from <= this.day);
  }

  copy(): TierLife {
    const copied = new TierLife(this.versions, this.day, this.state);
    copied.left = [...this.left];
    return copied;
  }

  wait(days: number): this {
    this.day = addDays(this.day, days);
    return this;
  }

  settle(): this {
    this.state = { ...this.state, standing: settleTier({ ...this.state, past: this.past }, this.day) };
    return this;
  }

  get #member() {
    return { ...this.settle().state, past: this.past, rules: this.rules };
  }

  sell(net: number, earlier = 0): this {
    const day = addDays(this.day, -earlier);
    const sale_id = this.left.push({ day, net });
    const standing = tierAfterSale(this.#member, { sale_id, sold_on: day, net }, this.day);
    this.state = { standing, sales: [...this.state.sales, { day, net }] };
    return this;
  }

  /** @param index of the sale; negative from the end */
  refund(index: number, amount = this.left.at(index)?.net ?? 0): this {
    const sale = this.left.at(index);
    if (sale === undefined) return this;
    const net = Math.min(amount, sale.net);
    this.left[this.left.indexOf(sale)] = { day: sale.day, net: sale.net - net };
    const standing = tierAfterRefund(this.#member, { sold_on: sale.day }, net, this.day);
    this.state = { standing, sales: [...this.state.sales, { day: sale.day, net: -net }] };
    return this;
  }

  /** @param tierId null for none */
  assign(tierId: number | null): this {
    const tier = this.rules.tiers.find(({ tier_id }) => tier_id === tierId);
    if (tier === undefined && tierId !== null) return this;
    this.state = { ...this.state, standing: tierByHand(this.#member, tier, this.day) };
    return this;
  }

  merge(other: TierLife): this {
    const { sales, standing: from } = other.settle().state;
    const member = this.#member;
    const joined = { ...member, sales: [...member.sales, ...sales] };
    this.state = { standing: tierAfterMerge(joined, from, this.day), sales: joined.sales };
    this.left.push(...other.left);
    return this;
  }

  do({ after, does }: Step): this {
    this.wait(after);
    if ("sale" in does) return this.sell(does.sale, does.earlier);
    if ("assign" in does) return this.assign(does.assign);
    if (this.left.length === 0) return this;
    const index = does.refund % this.left.length;
    return this.refund(index, Math.ceil((this.left[index]?.net ?? 0) * does.part));
  }
}

export function live(versions: readonly RulesSince[], steps: readonly Step[]): TierLife {
  const life = new TierLife(versions);
  for (const step of steps) life.do(step);
  return life;
}

export const rankOn = (rules: TierRules, standing: TierStanding | undefined) => {
  const tier = rules.tiers.find(({ tier_id }) => tier_id === standing?.tier_id);
  return tier === undefined ? -1 : (tier.qualifying_sales ?? Number.MAX_SAFE_INTEGER);
};
