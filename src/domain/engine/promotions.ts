/**
 * Promotions: which of them act on a sale, and the points that they give on what refunds have left of it.
 *
 * All multipliers of a sale are added up before they are rounded down, and a line has the highest one. So a larger sale never earns
 * less, and it does not matter in which order lines come or how a refund is cut.
 */
import { addDays, weekdayOf } from "../dates.ts";
import type { EarningRate, Sale, SaleGrant } from "../records.ts";
import { havingOneOf, measureLines } from "./lines.ts";
import { type Promotion, pointsFor } from "./rules.ts";

/** The most promotions that are active at once. */
export const mostPromotions = 200;

/** When and where a sale was made, and by whom. */
export interface SaleMade {
  readonly day: string;
  /** HH:MM; null: not known. */
  readonly time: string | null;
  /** Undefined: at any. */
  readonly location_id: number | undefined;
  /** The tier that its member had; undefined: any. */
  readonly tier_id: number | null | undefined;
}

type Sold = EarningRate & Pick<Sale, "amount" | "refunded" | "receipt_lines" | "earning_base">;

const isOneOf = <Item>(items: readonly Item[], item: Item | undefined) =>
  items.length === 0 || item === undefined || items.includes(item);

/** Whether a promotion is on. A window over midnight belongs to the day on which it began. */
export function isOn(promotion: Promotion, { day, time, location_id, tier_id }: SaleMade): boolean {
  const { from_time, until_time, first_day, last_day } = promotion;
  let begun = day;
  if (from_time !== null && until_time !== null) {
    if (time === null) return false;
    const isOver = from_time > until_time;
    const [isAfter, isBefore] = [time >= from_time, time < until_time];
    if (isOver ? !isAfter && !isBefore : !isAfter || !isBefore) return false;
    if (isOver && isBefore) begun = addDays(day, -1);
  }
  return (
    begun >= (first_day ?? begun) &&
    begun <= (last_day ?? begun) &&
    isOneOf(promotion.weekdays, weekdayOf(begun)) &&
    isOneOf(promotion.location_ids, location_id) &&
    isOneOf<number | null>(promotion.tier_ids, tier_id)
  );
}

type Terms = Omit<SaleGrant, "points">;

/** The points of each grant, before the maximum of an order. */
function pointsOfGrants(sale: Sold, grants: readonly Terms[]): number[] {
  const { whole, leftOf, baseOf, unitsOf } = measureLines(sale);
  const isBelow = baseOf(null) < sale.earn_minimum_amount;
  let [weighted, given] = [0n, 0];
  return grants.map(({ lines, multiply, fixed }) => {
    if (whole === 0) return 0;
    if (fixed !== null) {
      const units = unitsOf(lines);
      const isMet = baseOf(lines) >= Math.max(1, fixed.minimum_amount) && units >= fixed.minimum_quantity;
      return isMet ? fixed.points * (fixed.per === "unit" ? units : 1) : 0;
    }
    if (multiply === null || isBelow) return 0;
    weighted += BigInt(leftOf(lines)) * BigInt(multiply - 100);
    const product = BigInt(sale.earning_base) * weighted * BigInt(sale.earn_points);
    const through = Number(product / (BigInt(whole) * BigInt(sale.earn_amount) * 100n));
    const points = through - given;
    given = through;
    return points;
  });
}

/**
 * The points that refunds have left of a sale: those of the program, and of each grant. The maximum of an order cuts the grants
 * first, the last one before the others.
 */
export function pointsLeft(sale: Sold & { readonly grants: readonly Terms[] | null }) {
  const { grants, maximum_points_per_order: most } = sale;
  const base = measureLines(sale).baseOf(null);
  const program = pointsFor(base, sale);
  let room = most - program;
  const uncapped = pointsOfGrants(sale, grants ?? []);
  const granted = uncapped.map((points) => {
    const fits = Math.min(points, room);
    room -= fits;
    return fits;
  });
  const total = granted.reduce((sum, points) => sum + points, program);
  const all = pointsFor(base, { ...sale, maximum_points_per_order: Number.MAX_SAFE_INTEGER });
  return { program, granted, total, isCapped: uncapped.reduce((sum, points) => sum + points, all) > total };
}

/** A promotion that would have given something, if one more condition were met. */
export interface MissedPromotion {
  readonly promotion_id: number;
  readonly name: string;
  readonly reason: "minimum_amount" | "minimum_quantity";
  /** The minimum. */
  readonly needed: number;
}

/** The most promotions that are explained because they were missed. */
const mostMissed = 5;

/**
 * Finds what promotions give on a new sale.
 * @param promotions in the order of their numbers
 * @returns the grants, in this order, and the promotions that were missed
 */
export function grantsOf(promotions: readonly Promotion[], sale: Sold, made: SaleMade) {
  const { baseOf, unitsOf } = measureLines(sale);
  const missed: MissedPromotion[] = [];
  const acting = promotions.flatMap((promotion) => {
    if (!isOn(promotion, made)) return [];
    const lines = linesOf(promotion, sale);
    if (lines === undefined) return [];
    const isShort = baseOf(lines) < Math.max(1, promotion.minimum_amount);
    const isFew = unitsOf(lines) < promotion.minimum_quantity;
    if (!isShort && !isFew) return [{ promotion, lines }];
    if (isShort !== isFew && baseOf(lines) > 0) {
      const { promotion_id, name } = promotion;
      const reason = isShort ? "minimum_amount" : "minimum_quantity";
      missed.push({ promotion_id, name, reason, needed: promotion[reason] });
    }
    return [];
  });
  const alone = acting.filter(({ promotion }) => promotion.exclusive);
  const together = termsOf(acting.filter(({ promotion }) => !promotion.exclusive));
  const choices = [together, ...alone.map((one) => termsOf([one]))];
  const worth = choices.map((terms) => pointsOfGrants(sale, terms).reduce((sum, points) => sum + points, 0));
  const best = choices[worth.indexOf(Math.max(...worth))] ?? [];
  const given = pointsOfGrants(sale, best);
  return { grants: best.filter((_, index) => given[index] !== 0), missed: missed.slice(0, mostMissed) };
}

/** The numbers of the lines that count for a promotion; null: the whole of a sale without lines; undefined: nothing of it. */
function linesOf({ skus, categories }: Promotion, { receipt_lines: lines }: Sold) {
  const isAny = skus.length + categories.length === 0;
  if (lines === null) return isAny ? null : undefined;
  const counts = isAny ? () => true : havingOneOf({ skus, categories });
  const numbers = lines.flatMap((line, index) => (line.earns && counts(line) ? [index + 1] : []));
  return numbers.length === 0 ? undefined : numbers;
}

interface Acting {
  readonly promotion: Promotion;
  readonly lines: readonly number[] | null;
}

/** What promotions give together: a line counts for the one with the highest multiplier, of equals for the first. */
function termsOf(acting: readonly Acting[]): Terms[] {
  const best = new Map<number, Promotion>();
  for (const { promotion, lines } of acting) {
    if (promotion.multiply === null) continue;
    for (const line of lines ?? [0]) {
      if ((best.get(line)?.multiply ?? 0) < promotion.multiply) best.set(line, promotion);
    }
  }
  return acting.flatMap(({ promotion, lines }): Terms[] => {
    const { promotion_id, multiply, points, per, minimum_amount, minimum_quantity } = promotion;
    if (points !== null)
      return [{ promotion_id, lines, multiply, fixed: { points, per, minimum_amount, minimum_quantity } }];
    const own = (lines ?? [0]).filter((line) => best.get(line) === promotion);
    if (own.length === 0) return [];
    return [{ promotion_id, lines: lines && own, multiply, fixed: null }];
  });
}
