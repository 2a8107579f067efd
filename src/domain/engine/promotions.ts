/**
 * Promotions: which of them act on a sale, and the points that they give on what refunds have left of it.
 *
 * All multipliers of a sale are added up before they are rounded down, and a line has the highest one. So a larger sale never earns
 * less, and it does not matter in which order lines come or how a refund is cut.
 */
import { addDays, weekdayOf } from "../dates.ts";
import type { EarningRate, Sale, SaleGrant } from "../records.ts";
import { lineFinder, measureLines } from "./lines.ts";
import { type Promotion, pointsFor } from "./rules.ts";

/** The most promotions that have not ended, and the most articles and categories of all of them. */
export const mostPromotions = 200;
export const mostPromotedWords = 2000;

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

const isAmong = <Item>(items: readonly Item[], item: Item | undefined) =>
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
    isAmong(promotion.weekdays, weekdayOf(begun)) &&
    isAmong(promotion.location_ids, location_id) &&
    isAmong<number | null>(promotion.tier_ids, tier_id)
  );
}

type Terms = Omit<SaleGrant, "points">;

type Measured = ReturnType<typeof measureLines>;

/** The points of each grant, before the maximum of an order. */
function pointsOfGrants(
  sale: Sold,
  { whole, leftOf, baseOf, unitsOf }: Measured,
  grants: readonly Terms[],
): number[] {
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
  const measured = measureLines(sale);
  const base = measured.baseOf(null);
  const program = pointsFor(base, sale);
  let room = most - program;
  const uncapped = pointsOfGrants(sale, measured, grants ?? []);
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
  const measured = measureLines(sale);
  const { baseOf, unitsOf } = measured;
  const candidates = candidatesOf(promotions, sale, made).map((one) => {
    const { minimum_amount, minimum_quantity } = one.promotion;
    const isShort = baseOf(one.lines) < Math.max(1, minimum_amount);
    return { ...one, isShort, isFew: unitsOf(one.lines) < minimum_quantity };
  });
  const acting = candidates.filter(({ isShort, isFew }) => !isShort && !isFew);
  const isBetter = betterThan(acting);
  const missed = candidates.flatMap(({ promotion, lines, isShort, isFew }): MissedPromotion[] => {
    if (isShort === isFew || baseOf(lines) === 0) return [];
    // A till that sends no lines can't reach a quantity.
    if (isFew && lines === null) return [];
    if (promotion.points === null && (sale.earn_points === 0 || !isBetter(promotion, lines))) return [];
    const { promotion_id, name } = promotion;
    const reason = isShort ? "minimum_amount" : "minimum_quantity";
    return [{ promotion_id, name, reason, needed: promotion[reason] }];
  });
  const alone = acting.filter(({ promotion }) => promotion.exclusive);
  const together = termsOf(acting.filter(({ promotion }) => !promotion.exclusive));
  const choices = [together, ...alone.map((one) => termsOf([one]))];
  const worth = choices.map((terms) =>
    pointsOfGrants(sale, measured, terms).reduce((sum, points) => sum + points, 0),
  );
  const best = choices[worth.indexOf(Math.max(...worth))] ?? [];
  // Each factor counts, also one that is worth less than a point: they are added up before they are rounded down.
  return { grants: Math.max(...worth) === 0 ? [] : best, missed: missed.slice(0, mostMissed) };
}

/** The promotions that are on, with the lines that count for them. */
function candidatesOf(promotions: readonly Promotion[], { receipt_lines: lines }: Sold, made: SaleMade) {
  const find = lineFinder(lines ?? []);
  return promotions.flatMap((promotion): Acting[] => {
    if (!isOn(promotion, made)) return [];
    const isAny = promotion.skus.length + promotion.categories.length === 0;
    if (lines === null) return isAny ? [{ promotion, lines: null }] : [];
    const places = isAny ? lines.map((_, index) => index) : find(promotion);
    const numbers = places.filter((index) => lines[index]?.earns).map((index) => index + 1);
    return numbers.length === 0 ? [] : [{ promotion, lines: numbers }];
  });
}

interface Acting {
  readonly promotion: Promotion;
  readonly lines: readonly number[] | null;
}

/** The highest factor of each line, of equals the first. A sale without lines is line 0. */
function factorsOf(acting: readonly Acting[]) {
  const best = new Map<number, Promotion>();
  for (const { promotion, lines } of acting) {
    if (promotion.multiply === null) continue;
    for (const line of lines ?? [0]) {
      if ((best.get(line)?.multiply ?? 0) < promotion.multiply) best.set(line, promotion);
    }
  }
  return best;
}

/** Makes a function that says whether a factor would be the highest one of a line. */
function betterThan(acting: readonly Acting[]) {
  const best = factorsOf(acting);
  return ({ multiply }: Promotion, lines: readonly number[] | null) =>
    (lines ?? [0]).some((line) => (multiply ?? 0) > (best.get(line)?.multiply ?? 0));
}

/** What promotions give together. */
function termsOf(acting: readonly Acting[]): Terms[] {
  const best = factorsOf(acting);
  return acting.flatMap(({ promotion, lines }): Terms[] => {
    const { promotion_id, multiply, points, per, minimum_amount, minimum_quantity } = promotion;
    if (points !== null) {
      const fixed = { points, per, minimum_amount, minimum_quantity };
      return [{ promotion_id, lines, multiply, fixed }];
    }
    const own = (lines ?? [0]).filter((line) => best.get(line) === promotion);
    return own.length === 0 ? [] : [{ promotion_id, lines: lines && own, multiply, fixed: null }];
  });
}
