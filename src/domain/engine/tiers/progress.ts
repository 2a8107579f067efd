/** A member's tier as others see it: what it is, the way to the next one, what keeps it, and what has happened to it. */
import { addDays, addPeriod } from "../../dates.ts";
import type { SalesDay, TierStanding } from "../../records.ts";
import type { Tier } from "../rules.ts";
import {
  type HeldStanding,
  highestTier,
  isHeld,
  qualifyingSales,
  rankIn,
  rankOf,
  type TierRules,
  tierOf,
  windowStart,
} from "../standing.ts";
import type { MemberTier } from "./tier.ts";

/** A member's tier, the way to the next one, and what keeps it. */
export function tierProgress({ standing, sales, rules }: Omit<MemberTier, "past">, today: string) {
  const tier = tierOf(rules, standing?.tier_id);
  const held = tier !== undefined && isHeld(standing) ? { tier, standing } : undefined;
  const now = qualifyingSales(sales, rules, today);
  const higher = rules.tiers.filter(
    (other) => other.qualifying_sales !== null && rankOf(other) > rankOf(tier),
  );
  const next =
    highestTier(higher) && higher.reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one));
  return {
    tier:
      held === undefined
        ? null
        : {
            tier_id: held.tier.tier_id,
            name: held.tier.name,
            since: held.standing.since,
            valid_through: tierValidThrough(held.standing),
            by_hand: held.standing.by_hand,
          },
    next_tier:
      next === undefined
        ? null
        : {
            tier_id: next.tier_id,
            name: next.name,
            qualifying_sales: next.qualifying_sales as number,
            sales_now: now,
            sales_missing: Math.max(0, rankOf(next) - now),
            reach_by: lastDayOfSales(sales, rules, today),
          },
    keep_tier: held === undefined ? null : keeping(held.standing, held.tier, sales, rules, today),
  };
}

/** The last day of a tier; null without one. */
export function tierValidThrough(standing: TierStanding | undefined): string | null {
  return isHeld(standing) ? addDays(standing.ends_on, -1) : null;
}

/**
 * What happened to a member's tier, for its event; undefined if it is the same, or its days of grace have begun, or a refund has
 * undone a renewal of it.
 * @param versions of the rules, the oldest first
 */
export function tierMove(
  before: TierStanding | undefined,
  after: TierStanding | undefined,
  versions: readonly Pick<TierRules, "tiers">[],
): "upgraded" | "renewed" | "downgraded" | undefined {
  const [from, to] = [before?.tier_id ?? null, after?.tier_id ?? null];
  if (from === to) {
    if (!isHeld(before) || !isHeld(after)) return undefined;
    const isNew = after.by_hand ? after.until !== before.until : after.until > before.until;
    return isNew ? "renewed" : undefined;
  }
  if (from === null || to === null) return from === null ? "upgraded" : "downgraded";
  return rankIn(versions, to) < rankIn(versions, from) ? "downgraded" : "upgraded";
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

/**
 * What a member must still buy so that its tier is renewed, in one or several sales, and on which days; null if sales don't renew
 * it. Before its end, the sales in the window of the end count. In the days of grace, the days are those on which all sales still
 * count that count today.
 */
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
  const sales_missing = Math.max(0, qualifying_sales - counted);
  const last = addDays(ends_on, -1);
  if (isInGrace) {
    const allCount = lastDayOfSales([...sales, { day: today, net: 1 }], rules, today) as string;
    return { sales_missing, from: today, until: allCount < last ? allCount : last };
  }
  const first = addDays(windowStart(rules, until), 1);
  // In a window of a day, no sale before the end counts on the day of the end.
  return first > last ? null : { sales_missing, from: first > today ? first : today, until: last };
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
