/**
 * The tiers of members. A member reaches a tier by its net sales in a rolling window that ends today, or by hand. It keeps the
 * tier for the tier's validity. When that ends, the tier is renewed if the member still qualifies; else the member gets a lower one.
 */
import { addDays, addPeriod, lastDay } from "../../dates.ts";
import type { PromisedTier, SalesDay, TierStanding } from "../../records.ts";
import type { EarningProgram, Rules, Tier } from "../rules.ts";
import {
  basisOf,
  type HeldStanding,
  highestTier,
  isHeld,
  isQualified,
  qualifiedTier,
  qualifyingSales,
  type RulesSince,
  rankOf,
  type TierRules,
  tierFrom,
  tierOf,
  tiersIn,
  type Validity,
  withHighest,
  withoutTier,
  withTier,
} from "../standing.ts";

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
  /**
   * The versions of the rules from the one before the tier ends, the oldest first; for a refund, from the one before the first day
   * on which it was decided. Empty when nothing is due.
   */
  readonly past: readonly RulesSince[];
}

/** A member's tier as a decision sees it: settled, with the rules of today. */
export interface MemberTier extends StoredTier {
  readonly rules: TierRules;
}

/** The program by which the sales of a member earn. */
export function programOf(rules: Pick<Rules, "program" | "tiers">, standing: TierStanding | undefined) {
  const { program }: { program: EarningProgram | null } = rules;
  return rules.tiers.find(({ tier_id }) => tier_id === standing?.tier_id)?.program ?? program;
}

/**
 * Settles a tier up to a day. A deleted tier ends on the day on which it was deleted. Any other end is decided by the rules
 * that were in force when its day began, and by the sales before. So the result does not depend on when this is called.
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
    const through = isDeleted ? day : addDays(day, -1);
    const qualifying = qualifyingSales(sales, rules, day, through);
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
    const better = qualifiedTier(rules, sales);
    if (better === undefined || rankOf(better) <= rankOf(tier)) return renewed(standing, tier, rules, day);
    return withTier(tierFrom(better, day, { rests_on: basisOf(rules, better, day) }), tiersIn(standing));
  }
  const graceEnds = addDays(until, rules.tier_grace_days);
  return day < graceEnds ? { ...standing, ends_on: graceEnds } : lower(standing, rules, sales, day);
}

/** Renews a tier from its end on. @param on the day on which the sales suffice */
function renewed(standing: HeldStanding, tier: Tier, rules: TierRules, on: string): TierStanding {
  const next = addPeriod(standing.until, tier.expiry, tier.expiry_period);
  const until = next.length > lastDay.length ? lastDay : next;
  const { tier_id, since } = standing;
  const lasting = { tier_id, since, until, ends_on: until, by_hand: false, cause_sale_id: null };
  return withTier({ ...lasting, rests_on: basisOf(rules, tier, on) }, tiersIn(standing));
}

/**
 * Takes a tier away. The member gets the tier that it qualifies for, or the next lower one; or one that it was promised and that is
 * still valid, if that is higher.
 */
function lower(standing: HeldStanding, rules: TierRules, sales: number, day: string): TierStanding {
  const tier = tierOf(rules, standing.tier_id);
  const isOneStep = rules.tier_downgrade === "one_step" && (tier?.qualifying_sales ?? null) !== null;
  const next = isOneStep
    ? highestTier(rules.tiers.filter((other) => rankOf(other) < rankOf(tier)))
    : qualifiedTier(rules, sales);
  const tiers = tiersIn(standing);
  if (next === undefined) return withHighest(tiers, rules, day) ?? withoutTier(day);
  // A step down that the sales don't carry rests on what carried the tier before.
  const rests_on = isQualified(next, sales) ? basisOf(rules, next, day) : standing.rests_on;
  const lowered = tierFrom(next, day, { rests_on });
  const left = withHighest([...tiers, lowered], rules, day) as TierStanding;
  return { ...left, promised: left.promised.filter((tier) => tier !== lowered) };
}

/**
 * The standing after an operator has assigned a tier, or none. Lower tiers that the member was promised stay promised.
 * @param tier undefined for none
 */
export function tierByHand(
  { standing, rules }: Pick<MemberTier, "standing" | "rules">,
  tier: Validity | undefined,
  today: string,
): TierStanding | undefined {
  if (tier === undefined) return isHeld(standing) ? withoutTier(today) : standing;
  return withTierByHand(standing, tierFrom(tier, today, { by_hand: true }), rules);
}

/** The standing with a tier that an operator assigned. No higher tier comes back after it. */
export function withTierByHand(
  standing: TierStanding | undefined,
  tier: PromisedTier,
  rules: TierRules,
): TierStanding {
  const rank = ({ tier_id }: PromisedTier) => rankOf(tierOf(rules, tier_id));
  return withTier(
    tier,
    tiersIn(standing).filter((other) => rank(other) <= rank(tier)),
  );
}

/**
 * The standing of a member into which another one was merged: the highest tier of both, with its own validity, or the one that the
 * sales of both reach.
 * @param from that of the other member
 */
export function tierAfterMerge(
  member: MemberTier,
  from: TierStanding | undefined,
  today: string,
): TierStanding | undefined {
  const tiers = [...tiersIn(member.standing), ...tiersIn(from)];
  const standing = isHeld(from) ? withHighest(tiers, member.rules, today) : member.standing;
  return tierAfterSale({ ...member, standing }, { sale_id: null, sold_on: today, net: 0 }, today);
}

/** The standing after a sale that is recorded today. */
export function tierAfterSale(
  { standing, sales, rules }: Omit<MemberTier, "past">,
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
    const cause = { cause_sale_id: sale_id, rests_on: basisOf(rules, best, today) };
    return withTier(tierFrom(best, today, cause), tiersIn(standing));
  }
  // In the days of grace, a member who qualifies again keeps the tier.
  let kept = standing;
  while (isHeld(kept) && kept.until <= today && tier !== undefined && isQualified(tier, qualifying)) {
    kept = renewed(kept, tier, rules, today);
  }
  return kept;
}
