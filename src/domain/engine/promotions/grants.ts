/**
 * The points that promotions give on a sale, and what refunds leave of them.
 *
 * All multipliers of a sale are added up before they are rounded down, and a line has the highest one. So a larger sale never earns
 * less, and it does not matter in which order lines come or how a refund is cut.
 */
import type { EarningRate, Sale, SaleGrant } from "../../records.ts";
import { isRated, multiplying, ratedParts } from "../earning/rates.ts";
import { lineFinder, measureLines } from "../lines.ts";
import type { Promotion } from "../rules.ts";
import { isOn, type PromotionLimit, reachedLimit, type SaleMade } from "./acting.ts";

type Sold = EarningRate & Pick<Sale, "amount" | "refunded" | "receipt_lines" | "earning_base">;

type Terms = Omit<SaleGrant, "points" | "left" | "held_voucher_id" | "excuses_voucher">;

type Measured = ReturnType<typeof measureLines>;

/** Whether what is left of its lines reaches the minimums of a grant that is no factor. */
const isMet = ({ lines, fixed }: Terms, { baseOf, unitsOf }: Measured) =>
  fixed !== null &&
  baseOf(lines) >= Math.max(1, fixed.minimum_amount) &&
  unitsOf(lines) >= fixed.minimum_quantity;

/** The points of each grant, before the maximum of an order. */
function pointsOfGrants(sale: Sold, measured: Measured, grants: readonly Terms[]): number[] {
  if (grants.length === 0) return [];
  const { whole, baseOf, unitsOf } = measured;
  const isBelow = baseOf(null) < sale.earn_minimum_amount;
  const multiplied = multiplying(sale, measured);
  return grants.map((grant) => {
    const { lines, multiply, fixed } = grant;
    if (fixed !== null) {
      if (!isMet(grant, measured)) return 0;
      return fixed.points * (fixed.per === "unit" ? unitsOf(lines) : 1);
    }
    return multiply === null || isBelow || whole === 0 ? 0 : multiplied(lines, multiply);
  });
}

/**
 * The points that refunds have left of a sale: those of the program by its rates, and of each grant. The maximum of an order cuts the grants
 * first, the last one before the others.
 */
export function pointsLeft(sale: Sold & { readonly grants: readonly Terms[] | null }) {
  const measured = measureLines(sale);
  return cappedPoints(sale, measured, pointsOfGrants(sale, measured, sale.grants ?? []));
}

function cappedPoints(sale: Sold, measured: Measured, uncapped: readonly number[]) {
  let room = sale.maximum_points_per_order;
  let wanted = 0;
  const cut = (points: number) => {
    const fits = Math.min(points, room);
    room -= fits;
    wanted += points;
    return fits;
  };
  const parts = ratedParts(sale, measured).map(({ rate, base, units, points }) => {
    return { rate, base, units, points: cut(points) };
  });
  const granted = uncapped.map(cut);
  const total = sale.maximum_points_per_order - room;
  return { parts, granted, total, isCapped: wanted > total };
}

/** The grants of a sale, with what refunds leave of each. */
export function grantsLeft(sale: Sold & { readonly grants: readonly SaleGrant[] }): SaleGrant[] {
  const measured = measureLines(sale);
  const { granted } = cappedPoints(sale, measured, pointsOfGrants(sale, measured, sale.grants));
  return sale.grants.map((one, nth) => ({
    ...one,
    // It never grows, or a limit that another sale has reached meanwhile would be passed.
    left: Math.min(one.left, granted[nth] ?? 0),
    keeps_voucher: one.keeps_voucher && isMet(one, measured),
    keeps_stamps: one.keeps_stamps && isMet(one, measured),
  }));
}

/** A promotion that would have given something, if one more condition were met. */
export interface MissedPromotion {
  readonly promotion_id: number;
  readonly name: string;
  readonly reason: "minimum_amount" | "minimum_quantity" | PromotionLimit;
  /** The minimum, or the limit. */
  readonly needed: number;
}

/** The most promotions that are explained because they were missed. */
const mostMissed = 5;

/**
 * Finds what promotions give on a new sale. A promotion whose budget has less left than it would give does not act.
 * @param promotions in the order of their numbers
 * @param others grants of other promotions, which act on the sale, too
 * @returns the grants, in this order, and the promotions that were missed
 */
export function grantsOf(
  promotions: readonly Promotion[],
  sale: Sold,
  made: SaleMade,
  others: readonly Terms[] = [],
) {
  const measured = measureLines(sale);
  const candidates = candidatesOf(promotions, sale, made).map((one): Candidate => {
    return { ...one, lacks: lackOf(one, measured, made) };
  });
  for (let acting = candidates.filter(({ lacks }) => lacks.length === 0); ; ) {
    const offers = [...others, ...acting.map(({ offer }) => offer)];
    const grants = bestOf(sale, measured, offers);
    const exceeding = acting.find((one) => isExceeding(one.promotion, grants, made));
    if (exceeding === undefined) return { grants, missed: missedOf(sale, measured, candidates, offers) };
    exceeding.lacks = ["budget_points"];
    acting = acting.filter((one) => one !== exceeding);
  }
}

/** What a promotion would give alone, on the lines that count. */
interface Offer extends Terms {
  /** Of other promotions: undefined. */
  readonly exclusive?: boolean;
}

interface Candidate {
  readonly promotion: Promotion;
  readonly offer: Offer;
  /** What keeps it from acting. */
  lacks: MissedPromotion["reason"][];
}

function lackOf(
  { promotion, offer: { lines } }: Omit<Candidate, "lacks">,
  { baseOf, unitsOf }: Measured,
  made: SaleMade,
) {
  const limit = reachedLimit(promotion, made);
  const lacks: MissedPromotion["reason"][] = limit === undefined ? [] : [limit];
  if (baseOf(lines) < Math.max(1, promotion.minimum_amount)) lacks.push("minimum_amount");
  if (unitsOf(lines) < promotion.minimum_quantity) lacks.push("minimum_quantity");
  return lacks;
}

/** Whether a promotion would give more than its budget has left. */
function isExceeding(
  { promotion_id, budget_points: budget }: Promotion,
  grants: readonly SaleGrant[],
  { given }: SaleMade,
): boolean {
  if (budget === null) return false;
  const { points = 0 } = grants.find((one) => one.promotion_id === promotion_id) ?? {};
  return points > budget - (given.get(promotion_id) ?? 0);
}

/** The promotions that lack one thing. */
function missedOf(
  sale: Sold,
  { baseOf }: Measured,
  candidates: readonly Candidate[],
  offers: readonly Offer[],
): MissedPromotion[] {
  let best: ReturnType<typeof factorsOf> | undefined;
  const isBetter = (lines: Offer["lines"], multiply: number) => {
    best ??= factorsOf(offers);
    return (lines ?? [0]).some((line) => multiply > (best?.get(line)?.multiply ?? 0));
  };
  const missed = candidates.flatMap(({ promotion, offer: { lines, multiply }, lacks }): MissedPromotion[] => {
    const [reason] = lacks;
    if (reason === undefined || lacks.length > 1 || baseOf(lines) === 0) return [];
    // A till that sends no lines can't reach a quantity.
    if (reason === "minimum_quantity" && lines === null) return [];
    if (multiply !== null && (!isRated(sale) || !isBetter(lines, multiply))) return [];
    const { promotion_id, name } = promotion;
    // The budget is nothing for customers.
    const needed = reason === "budget_points" ? 0 : (promotion[reason] ?? 0);
    return [{ promotion_id, name, reason, needed }];
  });
  return missed.slice(0, mostMissed);
}

/** What the promotions give that give the most: those that act together, or an exclusive one alone. */
function bestOf(sale: Sold, measured: Measured, offers: readonly Offer[]): SaleGrant[] {
  const together = offers.filter(({ exclusive }) => !exclusive);
  const alone = offers.filter(({ exclusive }) => exclusive).map((one) => [one]);
  const choices = [together, ...alone].map((chosen) => {
    const terms = termsOf(chosen);
    const uncapped = pointsOfGrants(sale, measured, terms);
    return { terms, uncapped, worth: uncapped.reduce((sum, points) => sum + points, 0) };
  });
  const best = choices.reduce((most, one) => (one.worth > most.worth ? one : most));
  const { granted } = cappedPoints(sale, measured, best.uncapped);
  // Each factor counts, also one that is worth less than a point: they are added up before they are rounded down.
  return best.terms.flatMap((one, nth) => {
    const points = granted[nth] ?? 0;
    return best.worth > 0 || one.keeps_voucher || one.keeps_stamps
      ? [{ ...one, points, left: points, held_voucher_id: null, excuses_voucher: false }]
      : [];
  });
}

/** The promotions that are on, with what they offer on the lines that count for them. */
function candidatesOf(promotions: readonly Promotion[], { receipt_lines: lines }: Sold, made: SaleMade) {
  const find = lineFinder(lines ?? []);
  const earning = (lines ?? []).flatMap(({ earns }, index) => (earns ? [index + 1] : []));
  return promotions.flatMap((promotion): Omit<Candidate, "lacks">[] => {
    if (!isOn(promotion, made)) return [];
    const isAny = promotion.skus.length + promotion.categories.length === 0;
    if (lines === null) return isAny ? [{ promotion, offer: offerOf(promotion, null) }] : [];
    const named = () => find(promotion).flatMap((index) => (lines[index]?.earns ? [index + 1] : []));
    return [{ promotion, offer: offerOf(promotion, isAny ? earning : named()) }];
  });
}

function offerOf(promotion: Promotion, lines: readonly number[] | null): Offer {
  const { promotion_id, multiply, points, per, minimum_amount, minimum_quantity, exclusive } = promotion;
  const { stamp_card_id, stamps } = promotion;
  const fixed = multiply === null ? { points: points ?? 0, per, minimum_amount, minimum_quantity } : null;
  const counts = promotion.most_per_member !== null || promotion.most_per_member_day !== null;
  const keeps_voucher = promotion.voucher_id !== null;
  const onCard = { stamp_card_id, stamps: stamps ?? 0, keeps_stamps: stamp_card_id !== null };
  return { promotion_id, lines, multiply, fixed, exclusive, keeps_voucher, ...onCard, counts };
}

/** The offer with the highest factor of each line, of equals the first. A sale without lines is line 0. */
function factorsOf(offers: readonly Offer[]) {
  const best = new Map<number, Offer>();
  // Promotions of the whole sale share a list of lines, so only the best of them is looked at line by line.
  const seen = new Set<Offer["lines"]>();
  for (const offer of offers.toSorted((one, other) => (other.multiply ?? 0) - (one.multiply ?? 0))) {
    if (seen.has(offer.lines)) continue;
    seen.add(offer.lines);
    for (const line of offer.lines ?? [0]) if (!best.has(line)) best.set(line, offer);
  }
  return best;
}

/** What promotions give together. */
function termsOf(offers: readonly Offer[]): Terms[] {
  const best = factorsOf(offers);
  const highest = new Set(best.values());
  return offers.flatMap((offer): Terms[] => {
    const { exclusive: _, lines, ...terms } = offer;
    if (terms.fixed !== null) return [{ ...terms, lines }];
    if (!highest.has(offer)) return [];
    return [{ ...terms, lines: lines?.filter((line) => best.get(line) === offer) ?? null }];
  });
}
