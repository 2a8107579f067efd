/**
 * The tiers of a member as a set: the one that it has, and those that it was promised. The highest valid one is the tier that the
 * member has. When it ends, the next one comes back with its own last day.
 */
import { addDays, addPeriod, lastDay } from "../dates.ts";
import type { PromisedTier, SalesDay, TierBasis, TierStanding } from "../records.ts";
import type { Rules, Tier } from "./rules.ts";

export type TierRules = Pick<
  Rules,
  | "tiers"
  | "rp_sales_calculation_period"
  | "rp_sales_calculation_period_type"
  | "tier_downgrade"
  | "tier_grace_days"
  | "tier_after_refund"
>;

/** A version of the rules, and the first day on which it applies. */
export interface RulesSince {
  readonly valid_from: string;
  readonly rules: TierRules;
}

/** The last day before the window of sales that decides the tier on a day. */
export function windowStart(rules: TierRules, day: string): string {
  return addPeriod(day, -rules.rp_sales_calculation_period, rules.rp_sales_calculation_period_type);
}

/** The net sales that decide the tier on a day. @param through only sales up to this day */
export function qualifyingSales(
  sales: readonly SalesDay[],
  rules: TierRules,
  day: string,
  through = day,
): number {
  return salesBetween(sales, windowStart(rules, day), through);
}

function salesBetween(sales: readonly SalesDay[], after: string, through: string): number {
  return sales.reduce((sum, { day, net }) => (day > after && day <= through ? sum + net : sum), 0);
}

export function tierOf(
  rules: Pick<TierRules, "tiers">,
  tier_id: number | null | undefined,
): Tier | undefined {
  return rules.tiers.find((tier) => tier.tier_id === tier_id);
}

/** Higher tiers have higher ranks. Sales can't reach a tier without qualifying_sales, so none is higher. */
export function rankOf(tier: Tier | undefined): number {
  return tier === undefined ? -1 : (tier.qualifying_sales ?? Number.MAX_SAFE_INTEGER);
}

/** The rank of a tier by the last version of the rules that has it. A tier that was deleted has a rank, too. */
export function rankIn(versions: readonly Pick<TierRules, "tiers">[], tier_id: number): number {
  return rankOf(tierOf(versions.findLast((rules) => tierOf(rules, tier_id)) ?? { tiers: [] }, tier_id));
}

export function highestTier(tiers: readonly Tier[]): Tier | undefined {
  return tiers.toSorted((one, other) => rankOf(other) - rankOf(one))[0];
}

export const isQualified = ({ qualifying_sales }: Tier, sales: number) =>
  qualifying_sales !== null && sales >= qualifying_sales;

/** The highest tier for which sales qualify. */
export function qualifiedTier(rules: TierRules, sales: number): Tier | undefined {
  return highestTier(rules.tiers.filter((tier) => isQualified(tier, sales)));
}

/** The sales on which a tier rests that is reached or renewed on a day. */
export function basisOf(rules: TierRules, { qualifying_sales }: Tier, on: string): TierBasis {
  return { after: windowStart(rules, on), on, sales: qualifying_sales ?? 0 };
}

/** Whether sales carry a tier: they would have reached it on the day on which it was reached or renewed. */
export function isCarried({ rests_on }: PromisedTier, sales: readonly SalesDay[]): boolean {
  return rests_on === null || salesBetween(sales, rests_on.after, rests_on.on) >= rests_on.sales;
}

export type Validity = Pick<Tier, "tier_id" | "expiry" | "expiry_period">;

type Cause = Partial<Pick<PromisedTier, "by_hand" | "cause_sale_id" | "rests_on">>;

/** A tier from a day on, for its validity. */
export function tierFrom({ tier_id, expiry, expiry_period }: Validity, since: string, cause: Cause = {}) {
  const last = addPeriod(since, expiry, expiry_period);
  // A year with five digits.
  const isLate = last.length > lastDay.length || last >= lastDay;
  const until = isLate ? lastDay : addDays(last, 1);
  const { by_hand = false, cause_sale_id = null, rests_on = null } = cause;
  return { tier_id, since, until, ends_on: until, by_hand, cause_sale_id, rests_on } satisfies PromisedTier;
}

/** The day on which it was decided that a member has a tier: it was reached or renewed. */
export function decidedOn({ since, rests_on }: PromisedTier): string {
  return rests_on !== null && rests_on.on > since ? rests_on.on : since;
}

/** The standing of a member that has a tier. */
export interface HeldStanding extends TierStanding, PromisedTier {
  readonly tier_id: number;
  readonly until: string;
  readonly ends_on: string;
}

export const isHeld = (standing: TierStanding | undefined): standing is HeldStanding =>
  standing !== undefined && standing.tier_id !== null;

/** The standing of a member that has lost its tier. */
export function withoutTier(since: string): TierStanding {
  return {
    tier_id: null,
    since,
    until: null,
    ends_on: null,
    by_hand: false,
    cause_sale_id: null,
    rests_on: null,
    promised: [],
    before_refunds: [],
  };
}

/** The tiers of a standing, the one that the member has first. */
export function tiersIn(standing: TierStanding | undefined): readonly PromisedTier[] {
  if (!isHeld(standing)) return [];
  const { promised, before_refunds: _, ...tier } = standing;
  return [tier, ...promised];
}

const lastFirst = (one: PromisedTier, other: PromisedTier) =>
  one.ends_on === other.ends_on ? 0 : one.ends_on < other.ends_on ? 1 : -1;

/** The most promises of one tier. */
const mostOfTier = 3;

/**
 * The standing with a tier. It keeps the others that were valid when the tier was reached or renewed: they can come back, or decide
 * what a refund leaves. Of one tier, those that end last are kept.
 */
export function withTier(tier: PromisedTier, others: readonly PromisedTier[]): TierStanding {
  const day = decidedOn(tier);
  const kept: PromisedTier[] = [];
  for (const other of others.filter(({ ends_on }) => ends_on >= day).toSorted(lastFirst)) {
    const alike = [tier, ...kept].filter(({ tier_id }) => tier_id === other.tier_id);
    const isKnown = alike.some((one) => decidedOn(one) === decidedOn(other) && one.ends_on >= other.ends_on);
    if (!isKnown && alike.length <= mostOfTier) kept.push(other);
  }
  return { ...tier, promised: kept, before_refunds: [] };
}

/** The standing with the highest of some tiers that are valid on a day; of one tier, with the one that ends last. */
export function withHighest(
  tiers: readonly PromisedTier[],
  rules: TierRules,
  day: string,
): TierStanding | undefined {
  const rank = ({ tier_id }: PromisedTier) => rankOf(tierOf(rules, tier_id));
  const [highest] = tiers
    .filter((tier) => tier.ends_on > day && tierOf(rules, tier.tier_id) !== undefined)
    .toSorted((one, other) => rank(other) - rank(one) || lastFirst(one, other));
  return (
    highest &&
    withTier(
      highest,
      tiers.filter((tier) => tier !== highest),
    )
  );
}
