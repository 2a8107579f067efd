/**
 * Calculates what other rules would have given on recorded sales. The results of two groups of members add up to the result of
 * both, so that members can be read a few at a time.
 */
import type { EarningRate, Sale } from "../records.ts";
import { pointsKept } from "./refund.ts";
import { earn, pointsFor, type Rules } from "./rules.ts";

/** What a preview reads of a sale. */
export interface PreviewedSale extends Pick<Sale, "contact_id" | "amount" | "eligible_amount" | "refunded"> {
  /** The part of the amount that vouchers and points paid. */
  readonly paid_otherwise: number;
  /** The points that it earned, less those that refunds took back, excused or forgave. */
  readonly points_kept: number;
}

/** The rules that apply today, and the other ones. */
export interface RulesToCompare {
  readonly current: Rules;
  readonly proposed: Rules;
}

/** What rules give on sales, after refunds. */
export interface Outcome {
  readonly points: number;
  /** The sales that earned the maximum of an order and would have earned more without it. */
  readonly capped_sales: number;
  /** What these would have earned above the maximum: the most that customers gain who split their purchases. */
  readonly points_over_maximum: number;
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
  readonly members: number;
  readonly members_with_sales: number;
  readonly sales: number;
  /** The amount of the sales, less what was refunded. */
  readonly amount: number;
  /** What the sales earned when they were recorded, less what refunds took back. */
  readonly recorded_points: number;
  readonly current: Outcome;
  readonly proposed: Outcome;
  readonly gains: readonly AffectedMember[];
  readonly losses: readonly AffectedMember[];
}

/** The most members in each of the two lists of a preview. */
export const mostAffected = 10;

const nothing: Outcome = { points: 0, capped_sales: 0, points_over_maximum: 0 };

export const emptyPreview: Preview = {
  ...{ members: 0, members_with_sales: 0, sales: 0, amount: 0, recorded_points: 0 },
  ...{ current: nothing, proposed: nothing, gains: [], losses: [] },
};

/** Adds up the previews of two groups of members. */
export function addPreviews(one: Preview, other: Preview): Preview {
  return {
    members: one.members + other.members,
    members_with_sales: one.members_with_sales + other.members_with_sales,
    sales: one.sales + other.sales,
    amount: one.amount + other.amount,
    recorded_points: one.recorded_points + other.recorded_points,
    current: addOutcomes(one.current, other.current),
    proposed: addOutcomes(one.proposed, other.proposed),
    gains: largest([...one.gains, ...other.gains]),
    losses: largest([...one.losses, ...other.losses]),
  };
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

/** Previews the sales of a member, one after the other. */
export class MemberPreview {
  readonly contactId: number;
  readonly #rules: RulesToCompare;
  #sales = 0;
  #amount = 0;
  #recorded = 0;
  #current = nothing;
  #proposed = nothing;

  constructor(contactId: number, rules: RulesToCompare) {
    this.contactId = contactId;
    this.#rules = rules;
  }

  add(sale: PreviewedSale): void {
    const { current, proposed } = this.#rules;
    this.#sales += 1;
    this.#amount += sale.amount - sale.refunded;
    this.#recorded += sale.points_kept;
    this.#current = addOutcomes(this.#current, outcomeOf(sale, current));
    this.#proposed = addOutcomes(this.#proposed, outcomeOf(sale, proposed));
  }

  result(): Preview {
    const [before, after] = [this.#current.points, this.#proposed.points];
    const member: AffectedMember = {
      ...{ contact_id: this.contactId, sales: this.#sales, current_points: before, proposed_points: after },
      difference: after - before,
    };
    return {
      ...{ members: 1, members_with_sales: 1, sales: this.#sales },
      ...{ amount: this.#amount, recorded_points: this.#recorded },
      ...{ current: this.#current, proposed: this.#proposed },
      gains: after > before ? [member] : [],
      losses: after < before ? [member] : [],
    };
  }
}

/** What rules give on a sale, after its refunds. */
function outcomeOf(
  { amount, eligible_amount, paid_otherwise, refunded }: PreviewedSale,
  rules: Rules,
): Outcome {
  const { base, points: points_earned, rate } = earn(rules, eligible_amount, paid_otherwise);
  const keptOf = (points_earned: number, rate: EarningRate) =>
    refunded === 0
      ? points_earned
      : pointsKept({ amount, earning_base: base, points_earned, ...rate }, refunded);
  const points = keptOf(points_earned, rate);
  if (points_earned < rate.maximum_points_per_order) return { ...nothing, points };
  const uncapped = { ...rate, maximum_points_per_order: Number.MAX_SAFE_INTEGER };
  const over = keptOf(pointsFor(base, uncapped), uncapped) - points;
  return { points, capped_sales: over > 0 ? 1 : 0, points_over_maximum: over };
}
