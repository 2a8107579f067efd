/**
 * The tiers of members. A member reaches a tier by its net sales in a rolling window that ends today, or by hand. It keeps the
 * tier for the tier's validity. When that ends, the tier is renewed if the member still qualifies; else the member gets a lower one.
 */
import { addDays, addPeriod, lastDay } from "../dates.ts";
import type { Sale, SalesDay, TierStanding } from "../records.ts";
import type { EarningProgram, Rules, Tier } from "./rules.ts";

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

interface TierAndSales {
  /** Undefined for a member that never had a tier. */
  readonly standing: TierStanding | undefined;
  /**
   * The net sales of days, in any order. A day can occur several times. If only the sum of today's window was read, it is on
   * today.
   */
  readonly sales: readonly SalesDay[];
}

/** A member's tier as it is stored. */
export interface StoredTier extends TierAndSales {
  /** The versions of the rules from the one before the tier ends, the oldest first; empty when nothing is due. */
  readonly past: readonly RulesSince[];
}

/** A member's tier as a decision sees it: settled, with the rules of today. */
export interface MemberTier extends TierAndSales {
  readonly rules: TierRules;
}

/** The last day before the window of sales that decides the tier on a day. */
function windowStart(rules: TierRules, day: string): string {
  return addPeriod(day, -rules.rp_sales_calculation_period, rules.rp_sales_calculation_period_type);
}

/** The net sales that decide the tier on a day. @param through only sales up to this day */
export function qualifyingSales(
  sales: readonly SalesDay[],
  rules: TierRules,
  day: string,
  through = day,
): number {
  const start = windowStart(rules, day);
  return sales.reduce((sum, { day: on, net }) => (on > start && on <= through ? sum + net : sum), 0);
}

export function tierOf(rules: TierRules, tier_id: number | null | undefined): Tier | undefined {
  return rules.tiers.find((tier) => tier.tier_id === tier_id);
}

/** Higher tiers have higher ranks. Sales can't reach a tier without qualifying_sales, so none is higher. */
function rankOf(tier: Tier | undefined): number {
  return tier === undefined ? -1 : (tier.qualifying_sales ?? Number.MAX_SAFE_INTEGER);
}

function highest(tiers: readonly Tier[]): Tier | undefined {
  return tiers.toSorted((one, other) => rankOf(other) - rankOf(one))[0];
}

/** The highest tier for which sales qualify. */
function qualifiedTier(rules: TierRules, sales: number): Tier | undefined {
  return highest(rules.tiers.filter((tier) => isQualified(tier, sales)));
}

const isQualified = ({ qualifying_sales }: Tier, sales: number) =>
  qualifying_sales !== null && sales >= qualifying_sales;

type Validity = Pick<Tier, "tier_id" | "expiry" | "expiry_period">;

/** The last day of a tier that is valid from a day on. */
function validFrom({ expiry, expiry_period }: Validity, day: string): string {
  const last = addPeriod(day, expiry, expiry_period);
  // A year with five digits.
  return last.length > lastDay.length || last >= lastDay ? addDays(lastDay, -1) : last;
}

interface Cause {
  readonly by_hand?: boolean;
  readonly cause_sale_id?: number | null;
  readonly previous?: TierStanding | null;
}

/** Gives a member a tier, from a day on. */
export function reach(tier: Validity, since: string, cause: Cause = {}): TierStanding {
  const until = addDays(validFrom(tier, since), 1);
  const { by_hand = false, cause_sale_id = null, previous = null } = cause;
  return { tier_id: tier.tier_id, since, until, ends_on: until, by_hand, cause_sale_id, previous };
}

/** The standing of a member that has lost its tier. */
export function withoutTier(since: string): TierStanding {
  return {
    ...{ tier_id: null, since, until: null, ends_on: null },
    ...{ by_hand: false, cause_sale_id: null, previous: null },
  };
}

/** The program by which the sales of a member earn. */
export function programOf(rules: Pick<Rules, "program" | "tiers">, standing: TierStanding | undefined) {
  const { program }: { program: EarningProgram | null } = rules;
  return rules.tiers.find(({ tier_id }) => tier_id === standing?.tier_id)?.program ?? program;
}

/** The first of a member's earlier standings that is still valid on a day. */
function validBefore({ previous }: TierStanding, rules: TierRules, day: string): TierStanding | undefined {
  if (previous === null) return undefined;
  const isValid = previous.ends_on !== null && previous.ends_on > day;
  return isValid && tierOf(rules, previous.tier_id) ? previous : validBefore(previous, rules, day);
}

const isHeld = (standing: TierStanding | undefined): standing is HeldStanding =>
  standing !== undefined && standing.tier_id !== null;

interface HeldStanding extends TierStanding {
  readonly tier_id: number;
  readonly until: string;
  readonly ends_on: string;
}

/**
 * Settles a tier up to a day. A deleted tier ends on the day on which it was deleted. Any other end is decided by the rules
 * that were in force when its day began. So the result does not depend on when this is called.
 */
export function settleTier({ standing, sales, past }: StoredTier, today: string): TierStanding | undefined {
  if (past.length === 0) return standing;
  let settled = standing;
  while (isHeld(settled)) {
    const deletion = deletionOf(settled, past);
    const isDeleted = deletion !== undefined && deletion.day < settled.ends_on;
    const day = isDeleted ? deletion.day : settled.ends_on;
    if (day > today) break;
    const rules = isDeleted ? deletion.rules : rulesBefore(past, day);
    const qualifying = qualifyingSales(sales, rules, day);
    settled = isDeleted ? lower(settled, rules, qualifying, day) : end(settled, rules, qualifying);
  }
  return settled;
}

/** The version that was in force when a day began. */
function rulesBefore(past: readonly RulesSince[], day: string): TierRules {
  return (past.findLast(({ valid_from }) => valid_from < day) ?? (past[0] as RulesSince)).rules;
}

/** When a tier was deleted, and the first rules without it. */
function deletionOf({ tier_id, since }: HeldStanding, past: readonly RulesSince[]) {
  const last = past.findLastIndex(({ rules }) => tierOf(rules, tier_id) !== undefined);
  const without = past[last + 1];
  if (without === undefined) return undefined;
  const { valid_from, rules } = without;
  return { day: valid_from > since ? valid_from : since, rules };
}

/** Decides about a tier on the day on which it ends. */
function end(standing: HeldStanding, rules: TierRules, sales: number): TierStanding {
  const { until, ends_on: day } = standing;
  const tier = tierOf(rules, standing.tier_id);
  if (tier !== undefined && isQualified(tier, sales)) {
    const better = qualifiedTier(rules, sales) as Tier;
    return rankOf(better) > rankOf(tier) ? reach(better, day) : renewed(standing, tier);
  }
  const graceEnds = addDays(until, rules.tier_grace_days);
  return day < graceEnds ? { ...standing, ends_on: graceEnds } : lower(standing, rules, sales, day);
}

/** Renews a tier from its end on. */
function renewed(standing: HeldStanding, { expiry, expiry_period }: Tier): TierStanding {
  const next = addPeriod(standing.until, expiry, expiry_period);
  const until = next.length > lastDay.length ? lastDay : next;
  return { ...standing, until, ends_on: until, by_hand: false, cause_sale_id: null, previous: null };
}

/** Takes a tier away. The member gets a lower one that it qualifies for or had before, or the next lower one. */
function lower(standing: HeldStanding, rules: TierRules, sales: number, day: string): TierStanding {
  const tier = tierOf(rules, standing.tier_id);
  const isOneStep = rules.tier_downgrade === "one_step" && (tier?.qualifying_sales ?? null) !== null;
  const next = isOneStep
    ? highest(rules.tiers.filter((other) => rankOf(other) < rankOf(tier)))
    : qualifiedTier(rules, sales);
  const before = validBefore(standing, rules, day);
  if (before !== undefined && rankOf(tierOf(rules, before.tier_id)) > rankOf(next)) return before;
  return next === undefined ? withoutTier(day) : reach(next, day);
}

/** The standing after an operator has assigned a tier, or none. */
export function tierByHand(standing: TierStanding | undefined, tier: Validity | undefined, today: string) {
  if (tier !== undefined) return reach(tier, today, { by_hand: true });
  return isHeld(standing) ? withoutTier(today) : standing;
}

/**
 * The standing of a member into which another one was merged: the higher tier, with its own validity, or the one that the sales of
 * both reach.
 * @param from that of the other member
 */
export function tierAfterMerge(
  member: MemberTier,
  from: TierStanding | undefined,
  today: string,
): TierStanding | undefined {
  const standing = higherOf(member.standing, from, member.rules);
  return tierAfterSale({ ...member, standing }, { sale_id: null, sold_on: today, net: 0 }, today);
}

/** The higher of two standings, or the one that ends later. The other one is among those before it. */
function higherOf(
  one: TierStanding | undefined,
  other: TierStanding | undefined,
  rules: TierRules,
): TierStanding | undefined {
  if (!isHeld(other)) return one;
  if (!isHeld(one)) return other;
  const [first, second] = [one, other].map(({ tier_id }) => rankOf(tierOf(rules, tier_id)));
  const isHigher = first === second ? one.ends_on >= other.ends_on : (first as number) > (second as number);
  const [higher, lower] = isHigher ? [one, other] : [other, one];
  return { ...higher, previous: higherOf(higher.previous ?? undefined, lower, rules) ?? null };
}

/** The standing after a sale that is recorded today. */
export function tierAfterSale(
  { standing, sales, rules }: MemberTier,
  {
    sale_id,
    sold_on,
    net,
  }: { readonly sale_id: number | null; readonly sold_on: string; readonly net: number },
  today: string,
): TierStanding | undefined {
  const qualifying = qualifyingSales([...sales, { day: sold_on, net }], rules, today);
  const best = qualifiedTier(rules, qualifying);
  const tier = tierOf(rules, standing?.tier_id);
  if (best !== undefined && rankOf(best) > rankOf(tier)) {
    return reach(best, today, { cause_sale_id: sale_id, previous: isHeld(standing) ? standing : null });
  }
  // In the days of grace, a member who qualifies again keeps the tier.
  let kept = standing;
  while (isHeld(kept) && kept.until <= today && tier !== undefined && isQualified(tier, qualifying)) {
    kept = renewed(kept, tier);
  }
  return kept;
}

/**
 * The standing after a refund. A tier that was reached by a sale is lost if the sales that remain reach it neither on the day on
 * which it was reached nor today.
 * @param member with its sales by day
 * @param net what the refund takes from the net sales of the sale's day
 */
export function tierAfterRefund(
  { standing, sales: before, rules }: MemberTier,
  { sold_on }: Pick<Sale, "sold_on">,
  net: number,
  today: string,
): TierStanding | undefined {
  if (rules.tier_after_refund === "keep" || !isHeld(standing) || standing.by_hand) return standing;
  const { cause_sale_id, since } = standing;
  const tier = tierOf(rules, standing.tier_id);
  if (cause_sale_id === null || since < sold_on || (tier?.qualifying_sales ?? null) === null) return standing;
  const sales = [...before, { day: sold_on, net: -net }];
  const then = qualifiedTier(rules, qualifyingSales(sales, rules, since));
  const now = qualifiedTier(rules, qualifyingSales(sales, rules, today));
  if (Math.max(rankOf(then), rankOf(now)) >= rankOf(tier)) return standing;
  const cause = { cause_sale_id, previous: standing.previous };
  const possible = [
    validBefore(standing, rules, today),
    then && reach(then, since, cause),
    now && reach(now, today, cause),
  ].filter((one) => one !== undefined && (one.ends_on as string) > today) as TierStanding[];
  const rank = (one: TierStanding) => rankOf(tierOf(rules, one.tier_id));
  const [best] = possible.toSorted((one, other) => rank(other) - rank(one));
  return best ?? withoutTier(today);
}

/** A member's tier, the way to the next one, and what keeps it. */
export function tierProgress({ standing, sales, rules }: MemberTier, today: string) {
  const tier = tierOf(rules, standing?.tier_id);
  const held = tier !== undefined && isHeld(standing) ? { tier, standing } : undefined;
  const now = qualifyingSales(sales, rules, today);
  const higher = rules.tiers.filter(
    (other) => other.qualifying_sales !== null && rankOf(other) > rankOf(tier),
  );
  const next = highest(higher) && higher.reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one));
  return {
    tier:
      held === undefined
        ? null
        : {
            ...{ tier_id: held.tier.tier_id, name: held.tier.name, since: held.standing.since },
            ...{ valid_through: tierValidThrough(held.standing), by_hand: held.standing.by_hand },
          },
    next_tier:
      next === undefined
        ? null
        : {
            ...{ tier_id: next.tier_id, name: next.name, qualifying_sales: next.qualifying_sales as number },
            ...{ sales_now: now, sales_missing: Math.max(0, rankOf(next) - now) },
            reach_by: lastDayOfSales(sales, rules, today),
          },
    keep_tier: held === undefined ? null : keeping(held.standing, held.tier, sales, rules, today),
  };
}

/** The last day of a tier; null without one. */
export function tierValidThrough(standing: TierStanding | undefined): string | null {
  return isHeld(standing) ? addDays(standing.ends_on, -1) : null;
}

/** What happened to a member's tier, for its event; undefined if it is the same, or its days of grace have begun. */
export function tierMove(
  before: TierStanding | undefined,
  after: TierStanding | undefined,
  rules: Pick<TierRules, "tiers"> | undefined,
): "upgraded" | "renewed" | "downgraded" | undefined {
  const [from, to] = [before?.tier_id ?? null, after?.tier_id ?? null];
  if (from === to) return to !== null && before?.until !== after?.until ? "renewed" : undefined;
  if (from === null || to === null) return from === null ? "upgraded" : "downgraded";
  const rank = (id: number) => rankOf(rules?.tiers.find(({ tier_id }) => tier_id === id));
  return rank(to) < rank(from) ? "downgraded" : "upgraded";
}

/** The change of a standing, if it is one. */
export function tierChanges(
  { standing: before }: Pick<MemberTier, "standing">,
  after: TierStanding | undefined,
): TierStanding[] {
  return after === undefined || after === before ? [] : [after];
}

/** A tier after an operation, as a till shows it. */
export function tierResult(before: MemberTier, after: TierStanding | undefined) {
  const tier = tierOf(before.rules, after?.tier_id);
  return {
    tier_id: tier?.tier_id ?? null,
    name: tier?.name ?? null,
    valid_through: tier === undefined ? null : tierValidThrough(after),
    changed: (after?.tier_id ?? null) !== (before.standing?.tier_id ?? null),
  };
}

/** What a member must still buy so that its tier is renewed, and by when; null if sales don't renew it. */
function keeping(
  { until, ends_on }: HeldStanding,
  { qualifying_sales }: Tier,
  sales: readonly SalesDay[],
  rules: TierRules,
  today: string,
) {
  if (qualifying_sales === null) return null;
  const isInGrace = until <= today;
  const counted = qualifyingSales(sales, rules, isInGrace ? today : until, today);
  const ends = isInGrace ? ends_on : addDays(until, rules.tier_grace_days);
  return { sales_missing: Math.max(0, qualifying_sales - counted), until: addDays(ends, -1) };
}

/** The last day on which all sales that count today still count; null if none does. */
export function lastDayOfSales(sales: readonly SalesDay[], rules: TierRules, today: string): string | null {
  const start = windowStart(rules, today);
  const days = sales.filter(({ day, net }) => net !== 0 && day > start && day <= today).map(({ day }) => day);
  const first = days.toSorted()[0];
  if (first === undefined) return null;
  const last = addPeriod(first, rules.rp_sales_calculation_period, rules.rp_sales_calculation_period_type);
  return windowStart(rules, last) < first ? last : addDays(last, -1);
}
