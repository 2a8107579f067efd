/**
 * Calculates what other rules would have given on recorded sales. The results of two groups of members add up to the result of
 * both, so that members can be read a few at a time.
 */
import { addDays } from "../dates.ts";
import type { GrantCount, Sale } from "../records.ts";
import { earn } from "./earning/earning.ts";
import { pointsOfSales, tightestLimit } from "./earning/limits.ts";
import { earningAmount, reconsidered } from "./lines.ts";
import type { Buying } from "./promotions/acting.ts";
import { pointsLeft } from "./promotions/grants.ts";
import { neverGiven, PromotionReplay, type ReplayedPromotion } from "./promotions/replay.ts";
import { noLineRules, type Promotion, type Rules } from "./rules.ts";
import { type TierHistory, TierReplay } from "./tiers/replay.ts";
import { worthOf } from "./worth.ts";

/** What a preview reads of a sale. */
export interface PreviewedSale
  extends Pick<
    Sale,
    | ("contact_id" | "location_id" | "sold_on")
    | ("amount" | "eligible_amount" | "receipt_lines" | "grants" | "refunded")
  > {
  /** HH:MM; null: not known. */
  readonly time: string | null;
  /** The part of the amount that vouchers and points paid. */
  readonly paid_otherwise: number;
  /** The rest of the amount, less what refunds gave back of it. */
  readonly net: number;
  /** The points that it earned, less those that refunds took back, excused or forgave. */
  readonly points_kept: number;
}

export interface PreviewedMember extends TierHistory {
  readonly contact_id: number;
  readonly active: boolean;
  /** What promotions that would be added ask of it, before its first sale here; null: nothing. */
  readonly facts: Buying["facts"];
}

/** The rules that apply today, and the other ones. */
export interface RulesToCompare {
  readonly current: Rules;
  readonly proposed: Rules;
  /** Those that would be added, with negative numbers. */
  readonly promotions: readonly Promotion[];
}

/** What rules give on sales, after refunds. */
export interface Outcome {
  readonly points: number;
  /** The sales that earned the maximum of an order and would have earned more without it. */
  readonly capped_sales: number;
  /** What these would have earned above the maximum: the most that customers gain who split their purchases. */
  readonly points_over_maximum: number;
}

/** What rules give on sales, and the tiers to which they lead. */
export interface OutcomeWithTiers extends Outcome {
  /** Active members by their tier at the end of the period, in the order of tiers; last those without one. */
  readonly members_by_tier: readonly TierCount[];
}

export interface TierCount {
  /** Null: no tier. */
  readonly tier_id: number | null;
  readonly name: string | null;
  readonly members: number;
}

/** A member who would have a different number of points. */
export interface AffectedMember {
  readonly contact_id: number;
  readonly sales: number;
  readonly current_points: number;
  readonly proposed_points: number;
  /** The points with the other rules, less those with today's. */
  readonly difference: number;
}

export interface Preview {
  /** Active ones. */
  readonly members: number;
  readonly members_with_sales: number;
  readonly sales: number;
  /** The amount of the sales, less what was refunded. */
  readonly amount: number;
  /** What the sales earned when they were recorded, less what refunds took back. */
  readonly recorded_points: number;
  readonly current: OutcomeWithTiers;
  readonly proposed: OutcomeWithTiers;
  readonly gains: readonly AffectedMember[];
  readonly losses: readonly AffectedMember[];
  readonly new_promotions: readonly ReplayedPromotion[];
}

/** The most members in each of the two lists of a preview. */
export const mostAffected = 10;

const nothing: Outcome = { points: 0, capped_sales: 0, points_over_maximum: 0 };

/** A sum of parts with its worth, which is not the sum of theirs: it is rounded down once. @param side a part, with the value of points */
export function withWorth<Sum extends Outcome>(sum: Sum, side: Pick<Rules, "value_points" | "value_amount">) {
  const { value_points, value_amount } = side;
  const value = { value_points, value_amount };
  return { ...sum, points_amount: worthOf(value, sum.points), ...value };
}

/** The preview of active members without sales. */
export function previewOfOthers(members: number, { current, proposed, promotions }: RulesToCompare): Preview {
  const countOf = (rules: Rules) => ({ ...nothing, members_by_tier: countTiers(rules, null, members) });
  return {
    members,
    members_with_sales: 0,
    sales: 0,
    amount: 0,
    recorded_points: 0,
    current: countOf(current),
    proposed: countOf(proposed),
    gains: [],
    losses: [],
    new_promotions: neverGiven(promotions),
  };
}

function countTiers({ tiers }: Rules, tierId: number | null, members: number): TierCount[] {
  if (tiers.length === 0) return [];
  return [...tiers, { tier_id: null, name: null }].map(({ tier_id, name }) => ({
    tier_id,
    name,
    members: tier_id === tierId ? members : 0,
  }));
}

/** Adds up the previews of two groups of members. */
export function addPreviews(one: Preview, other: Preview): Preview {
  return {
    members: one.members + other.members,
    members_with_sales: one.members_with_sales + other.members_with_sales,
    sales: one.sales + other.sales,
    amount: one.amount + other.amount,
    recorded_points: one.recorded_points + other.recorded_points,
    current: addWithTiers(one.current, other.current),
    proposed: addWithTiers(one.proposed, other.proposed),
    gains: largest([...one.gains, ...other.gains]),
    losses: largest([...one.losses, ...other.losses]),
    new_promotions: one.new_promotions.map(({ name, ...given }, index) => {
      const { sales = 0, points = 0, sales_without_lines = 0 } = other.new_promotions[index] ?? {};
      return {
        name,
        sales: given.sales + sales,
        points: given.points + points,
        sales_without_lines: given.sales_without_lines + sales_without_lines,
      };
    }),
  };
}

function addWithTiers(one: OutcomeWithTiers, other: OutcomeWithTiers): OutcomeWithTiers {
  const members_by_tier = one.members_by_tier.map((count, index) => ({
    ...count,
    members: count.members + (other.members_by_tier[index]?.members ?? 0),
  }));
  return { ...addOutcomes(one, other), members_by_tier };
}

function addOutcomes(one: Outcome, other: Outcome): Outcome {
  return {
    points: one.points + other.points,
    capped_sales: one.capped_sales + other.capped_sales,
    points_over_maximum: one.points_over_maximum + other.points_over_maximum,
  };
}

/** The members with the largest differences. */
function largest(members: readonly AffectedMember[]): readonly AffectedMember[] {
  const order = (one: AffectedMember, other: AffectedMember) =>
    Math.abs(other.difference) - Math.abs(one.difference) || one.contact_id - other.contact_id;
  return members.toSorted(order).slice(0, mostAffected);
}

/** Previews the sales of a member, which come in the order of their days. */
export class MemberPreview {
  readonly member: PreviewedMember;
  readonly #current: Side;
  readonly #proposed: Side;
  readonly #promotions: PromotionReplay;
  #sales = 0;
  #amount = 0;
  #recorded = 0;
  /** How many days of the history have been replayed as a whole. */
  #daysReplayed = 0;
  /** The day of the last sale, and the net amount of its sales so far. */
  #day = "";
  #netOfDay = 0;

  constructor(member: PreviewedMember, { current, proposed, promotions }: RulesToCompare) {
    this.member = member;
    this.#promotions = new PromotionReplay(promotions, member.facts, proposed.stamp_cards);
    this.#current = sideOf(current, member);
    this.#proposed = sideOf(proposed, member, promotions.length > 0 ? this.#promotions : undefined);
  }

  add(sale: PreviewedSale): void {
    if (sale.sold_on !== this.#day) this.#replayUntil(sale.sold_on);
    this.#sales += 1;
    this.#amount += sale.amount - sale.refunded;
    this.#recorded += sale.points_kept;
    this.#netOfDay += sale.net;
    this.#current.add(sale);
    this.#proposed.add(sale);
  }

  /** Replays the days before a day. Imported sales that earned nothing are only known by the sum of their day. */
  #replayUntil(day: string): void {
    const { days } = this.member;
    for (let next = days[this.#daysReplayed]; next !== undefined && next.day < day; ) {
      const rest = next.net - (next.day === this.#day ? this.#netOfDay : 0);
      if (rest !== 0) this.#current.sell(next.day, rest);
      if (rest !== 0) this.#proposed.sell(next.day, rest);
      this.#daysReplayed += 1;
      next = days[this.#daysReplayed];
    }
    [this.#day, this.#netOfDay] = [day, 0];
  }

  /** @param through the last day of the period */
  result(through: string): Preview {
    this.#replayUntil(addDays(through, 1));
    const { contact_id, active } = this.member;
    const [current, proposed] = [
      this.#current.result(through, active),
      this.#proposed.result(through, active),
    ];
    const difference = proposed.points - current.points;
    const affected: AffectedMember = {
      contact_id,
      sales: this.#sales,
      difference,
      current_points: current.points,
      proposed_points: proposed.points,
    };
    return {
      members: active ? 1 : 0,
      members_with_sales: this.#sales > 0 ? 1 : 0,
      sales: this.#sales,
      amount: this.#amount,
      recorded_points: this.#recorded,
      current,
      proposed,
      gains: difference > 0 ? [affected] : [],
      losses: difference < 0 ? [affected] : [],
      new_promotions: this.#promotions.given,
    };
  }
}

type Side = ReturnType<typeof sideOf>;

/** What some rules give a member. */
function sideOf(given: Rules, { byHand }: TierHistory, promotions?: PromotionReplay) {
  const tier = given.tiers.length === 0 ? undefined : new TierReplay(given, byHand);
  /** With the program of the member's tier. */
  let rules = given;
  let outcome = nothing;
  /** The points of the last month, by day. */
  let counts: readonly GrantCount[] = [];
  return {
    add(sale: PreviewedSale): void {
      tier?.settle(sale.sold_on);
      const program = tier === undefined ? rules.program : tier.program;
      if (program !== rules.program) rules = { ...rules, program };
      const limit =
        rules.program && tightestLimit(rules.program, { day: sale.sold_on, buying: { facts: null, counts } });
      const given = outcomeOf(sale, rules, { tier_id: tier?.tierId ?? null, most: limit?.most }, promotions);
      outcome = addOutcomes(outcome, given);
      if (limit) counts = countPoints(counts, sale.sold_on, given.points);
      if (sale.net > 0) tier?.sell(sale.sold_on, sale.net);
    },
    sell(day: string, net: number): void {
      tier?.settle(day);
      tier?.sell(day, net);
    },
    result(through: string, isCounted: boolean): OutcomeWithTiers {
      tier?.settle(through);
      return { ...outcome, members_by_tier: countTiers(rules, tier?.tierId ?? null, isCounted ? 1 : 0) };
    },
  };
}

/** Counts the points of a sale for the limits of its member. Sales come in the order of their days. */
function countPoints(counts: readonly GrantCount[], day: string, points: number): GrantCount[] {
  const ofMonth = counts.filter((count) => count.day.slice(0, 7) === day.slice(0, 7));
  const { given = 0 } = ofMonth.find((count) => count.day === day) ?? {};
  const ofDay = { promotion_id: pointsOfSales, day, given: given + points };
  return [...ofMonth.filter((count) => count.day !== day), ofDay];
}

/** What rules give on a sale, after its refunds. The promotions that gave something on it give by the other rate. */
function outcomeOf(
  sale: PreviewedSale,
  rules: Rules,
  { tier_id, most }: { readonly tier_id: number | null; readonly most: number | undefined },
  promotions: PromotionReplay | undefined,
): Outcome {
  const { amount, refunded, paid_otherwise: paidOtherwise, sold_on, time, location_id } = sale;
  const receipt_lines = sale.receipt_lines && reconsidered(sale.receipt_lines, rules.program ?? noLineRules);
  const eligible_amount = receipt_lines === null ? sale.eligible_amount : earningAmount(receipt_lines);
  const { base, rate: unlimited } = earn(rules, { amount, receipt_lines, eligible_amount, paidOtherwise });
  const maximum_points_per_order = Math.min(
    unlimited.maximum_points_per_order,
    most ?? Number.MAX_SAFE_INTEGER,
  );
  const rate = { ...unlimited, maximum_points_per_order };
  const isEarning = rules.enable_rp && rules.program !== null;
  const recorded = { amount, refunded, receipt_lines, earning_base: base, ...rate };
  const before = { ...recorded, grants: isEarning ? sale.grants : null };
  const made = { day: sold_on, time, location_id, tier_id };
  const sold = isEarning && promotions ? { ...before, grants: promotions.add(before, made) } : before;
  const { total: points, isCapped } = pointsLeft(sold);
  if (!isCapped) return { ...nothing, points };
  const uncapped = { ...sold, maximum_points_per_order: Number.MAX_SAFE_INTEGER };
  const over = pointsLeft(uncapped).total - points;
  return { points, capped_sales: over > 0 ? 1 : 0, points_over_maximum: over };
}
