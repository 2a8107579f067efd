/**
 * What a refund leaves of the tiers of a member. Each tier stays that the sales carry which are left. From the day on which the
 * first of the others was decided, all is decided again, by the sales that are left.
 *
 * Several refunds in a row are computed from the tiers before the first of them. So the result depends only on the sales that are
 * left, not on the parts or the order of the refunds.
 */
import { addDays } from "../../dates.ts";
import type { PromisedTier, Sale, SalesDay, TierStanding } from "../../records.ts";
import {
  decidedOn,
  isCarried,
  type RulesSince,
  rankIn,
  rankOf,
  tiersIn,
  withHighest,
  withoutTier,
  withTier,
} from "../standing.ts";
import { type MemberTier, settleTier, tierAfterSale } from "./tier.ts";

/**
 * The standing after a refund.
 * @param member with its sales by day, and the rules since the first of its tiers was decided
 * @param net what the refund takes from the net sales of the sale's day
 */
export function tierAfterRefund(
  { standing, sales: before, rules, past }: MemberTier,
  { sold_on }: Pick<Sale, "sold_on">,
  net: number,
  today: string,
): TierStanding | undefined {
  if (standing === undefined) return undefined;
  const sales = [...before, { day: sold_on, net: -net }];
  if (rules.tier_after_refund === "keep") return keepTiers(standing, sales);
  const tiers = tiersBeforeRefunds(standing, today);
  const carried = tiers.filter((tier) => isCarried(tier, sales));
  if (carried.length === tiers.length) return standing;
  const [held] = tiers as [PromisedTier, ...PromisedTier[]];
  const from = earliest(tiers.filter((tier) => !carried.includes(tier)).map(decidedOn));
  const versions = upTo(held.tier_id, [...past, { valid_from: today, rules }]);
  const left = decideAgain({ carried, sales, versions }, from, today) ?? withoutTier(today);
  return { ...(carried.includes(held) ? withTier(held, tiersIn(left)) : left), before_refunds: tiers };
}

/** The tiers from which a refund is computed: those without earlier refunds, unless the one that the member had has ended. */
function tiersBeforeRefunds(standing: TierStanding, today: string): readonly PromisedTier[] {
  const [held] = standing.before_refunds;
  return held !== undefined && held.ends_on > today ? standing.before_refunds : tiersIn(standing);
}

/** If refunds take no tier away, a tier rests no longer on sales that carry it no longer. */
function keepTiers(standing: TierStanding, sales: readonly SalesDay[]): TierStanding {
  const [held, ...promised] = tiersIn(standing);
  if (held === undefined || [held, ...promised].every((tier) => isCarried(tier, sales))) return standing;
  const keep = (tier: PromisedTier) => (isCarried(tier, sales) ? tier : { ...tier, rests_on: null });
  return { ...keep(held), promised: promised.map(keep), before_refunds: [] };
}

const earliest = (days: readonly string[]) => days.reduce((one, other) => (one < other ? one : other));

/** Versions of the rules by which sales reach no higher tier than a given one: a refund gives nobody a higher tier. */
function upTo(tierId: number, versions: readonly RulesSince[]): RulesSince[] {
  const all = versions.map(({ rules }) => rules);
  return versions.map(({ valid_from, rules }) => {
    const rank = rankIn([...all, rules], tierId);
    const tiers = rules.tiers.map((tier) =>
      rankOf(tier) > rank ? { ...tier, qualifying_sales: null } : tier,
    );
    return { valid_from, rules: { ...rules, tiers } };
  });
}

interface Remaining {
  /** The tiers that the sales carry. */
  readonly carried: readonly PromisedTier[];
  readonly sales: readonly SalesDay[];
  readonly versions: readonly RulesSince[];
}

/** Decides about the tier of each day again, from a day on. The tiers that the sales carry are reached on their days. */
function decideAgain({ carried, sales, versions }: Remaining, from: string, today: string) {
  const rulesOn = (day: string) =>
    (versions.findLast(({ valid_from }) => valid_from <= day) ?? (versions[0] as RulesSince)).rules;
  const days = [from, ...carried.map(decidedOn), ...sales.map(({ day }) => day)];
  const before = carried.filter((tier) => decidedOn(tier) < from);
  let standing = withHighest(before, rulesOn(from), addDays(from, -1));
  for (const day of [...new Set(days)].sort().filter((one) => one >= from && one <= today)) {
    const rules = rulesOn(day);
    standing = settleTier({ standing, sales, past: versions }, day);
    const told = carried.filter((tier) => decidedOn(tier) === day);
    if (told.length > 0) standing = withHighest([...tiersIn(standing), ...told], rules, day);
    standing = tierAfterSale({ standing, sales, rules }, { sale_id: null, sold_on: day, net: 0 }, day);
  }
  return settleTier({ standing, sales, past: versions }, today);
}
