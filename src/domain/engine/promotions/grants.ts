/**
 * The points that promotions give on a sale, and what refunds leave of them.
 *
 * All multipliers of a sale are added up before they are rounded down, and a line has the highest one. So a larger sale never earns
 * less, and it does not matter in which order lines come or how a refund is cut.
 */
import type { EarningRate, Sale, SaleGrant } from "../../records.ts";
import { isRated, multiplying, ratedParts } from "../earning/rates.ts";
import { lineFinder, measureLines, sumOf } from "../lines.ts";
import type { Promotion } from "../rules.ts";
import { isOn, type PromotionLimit, reachedLimit, type SaleMade } from "./acting.ts";

type Sold = EarningRate & Pick<Sale, "amount" | "refunded" | "receipt_lines" | "earning_base">;

type Measured = ReturnType<typeof measureLines>;

/** Whether what is left of its lines reaches the minimums of a grant that is no factor. */
const isMet = ({ lines, fixed }: SaleGrant, { baseOf, unitsOf }: Measured) =>
  fixed !== null &&
  baseOf(lines) >= Math.max(1, fixed.minimum_amount) &&
  unitsOf(lines) >= fixed.minimum_quantity;

/**
 * The points of each grant, before the maximum of an order.
 * @param how whether factors are added up, or each one is looked at alone and rounded up
 */
function pointsOfGrants(
  sale: Sold,
  measured: Measured,
  grants: readonly SaleGrant[],
  how: "add" | "alone" = "add",
): number[] {
  if (grants.length === 0) return [];
  const { whole, baseOf, unitsOf } = measured;
  const isBelow = baseOf(null) < sale.earn_minimum_amount;
  const multiplied = multiplying(sale, measured)[how];
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
export function pointsLeft(sale: Sold & { readonly grants: readonly SaleGrant[] | null }) {
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

/**
 * The grants of a sale, with what refunds leave of each: of its own points, what its own lines still give. So it never grows, or a limit
 * that another sale has reached meanwhile would be passed, and the cuts of a refund don't matter.
 */
export function grantsLeft(sale: Sold & { readonly grants: readonly SaleGrant[] }): SaleGrant[] {
  const measured = measureLines(sale);
  const all = sumOf(pointsOfGrants(sale, measured, sale.grants));
  const own = pointsOfGrants(sale, measured, sale.grants, "alone");
  return sale.grants.map((one, nth) => ({
    ...one,
    left: Math.min(one.points, own[nth] ?? 0, all),
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
  /** What the amount that earns, or the quantity, lacks of a minimum; 0 for limits. */
  readonly missing: number;
}

/** The most promotions that are explained because they were missed. */
const mostMissed = 5;

/**
 * Finds what promotions give on a new sale. A promotion whose budget has less left than it would give does not act.
 * @param promotions in the order of their numbers
 * @param others grants of other promotions, which act on the sale, too
 * @returns the grants, in this order, what is left of the sale with them, and the promotions that were missed
 */
export function grantsOf(
  promotions: readonly Promotion[],
  sale: Sold,
  made: SaleMade,
  others: readonly SaleGrant[] = [],
) {
  const measured = measureLines(sale);
  const recorded = others.map((one): Offer => {
    return { grant: { ...one, held_voucher_id: null, excuses_voucher: false } };
  });
  const candidates = candidatesOf(promotions, sale, measured, made);
  const acting = candidates.filter(({ lacks }) => lacks.length === 0);
  let together = acting.filter(({ exclusive }) => !exclusive);
  let best = worthOf(sale, measured, [...recorded, ...together]);
  for (;;) {
    const excess = together.map(({ promotion }) => excessOf(promotion, best.grants, made));
    const first = excess.findIndex((points) => points > 0);
    if (first < 0) break;
    // Without others, one can get further lines. Rounding can give it a point less for each rate.
    const sure = best.left.parts.length;
    const leaves = (nth: number) => nth === first || (excess[nth] ?? 0) > sure;
    for (const [nth, one] of together.entries()) if (leaves(nth)) one.lacks = ["budget_points"];
    together = together.filter(({ lacks }) => lacks.length === 0);
    best = worthOf(sale, measured, [...recorded, ...together]);
  }
  for (const one of acting) {
    if (!one.exclusive) continue;
    const alone = worthOf(sale, measured, [one]);
    if (excessOf(one.promotion, alone.grants, made) > 0) one.lacks = ["budget_points"];
    else if (alone.left.total > best.left.total) best = alone;
  }
  const offers = [...recorded, ...acting.filter(({ lacks }) => lacks.length === 0)];
  return { ...best, missed: missedOf(sale, measured, candidates, offers) };
}

/** What a promotion would give alone, on the lines that count: a grant whose points are not known yet. */
interface Offer {
  readonly grant: SaleGrant;
  /** Of other promotions: undefined. */
  readonly exclusive?: boolean;
}

interface Candidate extends Offer {
  readonly promotion: Promotion;
  /** What keeps it from acting. */
  lacks: MissedPromotion["reason"][];
}

function lackOf(promotion: Promotion, { lines }: SaleGrant, { baseOf, unitsOf }: Measured, made: SaleMade) {
  const limit = reachedLimit(promotion, made);
  const lacks: MissedPromotion["reason"][] = limit === undefined ? [] : [limit];
  if (baseOf(lines) < Math.max(1, promotion.minimum_amount)) lacks.push("minimum_amount");
  if (unitsOf(lines) < promotion.minimum_quantity) lacks.push("minimum_quantity");
  return lacks;
}

/** How many points a promotion would give more than its budget has left. */
function excessOf(
  { promotion_id, budget_points: budget }: Promotion,
  grants: readonly SaleGrant[],
  { given }: SaleMade,
): number {
  if (budget === null) return 0;
  const { points = 0 } = grants.find((one) => one.promotion_id === promotion_id) ?? {};
  return points - (budget - (given.get(promotion_id) ?? 0));
}

/** The promotions that lack one thing. */
function missedOf(
  sale: Sold,
  { baseOf, unitsOf }: Measured,
  candidates: readonly Candidate[],
  offers: readonly Offer[],
): MissedPromotion[] {
  let best: ReturnType<typeof factorsOf> | undefined;
  const isBetter = (lines: SaleGrant["lines"], multiply: number) => {
    best ??= factorsOf(offers);
    return (lines ?? [0]).some((line) => multiply > (best?.get(line)?.grant.multiply ?? 0));
  };
  const missed = candidates.flatMap(({ promotion, grant: { lines, multiply }, lacks }): MissedPromotion[] => {
    const [reason] = lacks;
    if (reason === undefined || lacks.length > 1 || baseOf(lines) === 0) return [];
    // A till that sends no lines can't reach a quantity.
    if (reason === "minimum_quantity" && lines === null) return [];
    if (multiply !== null && (!isRated(sale) || !isBetter(lines, multiply))) return [];
    const { promotion_id, name } = promotion;
    // The budget is nothing for customers.
    const needed = reason === "budget_points" ? 0 : (promotion[reason] ?? 0);
    const has = { minimum_amount: baseOf, minimum_quantity: unitsOf };
    const missing = reason in has ? needed - has[reason as keyof typeof has](lines) : 0;
    return [{ promotion_id, name, reason, needed, missing }];
  });
  return missed.slice(0, mostMissed);
}

/** What promotions give together. */
function worthOf(sale: Sold, measured: Measured, offers: readonly Offer[]) {
  const joined = joinedGrants(offers);
  const uncapped = pointsOfGrants(sale, measured, joined);
  const worth = sumOf(uncapped);
  const left = cappedPoints(sale, measured, uncapped);
  const grants: SaleGrant[] = [];
  for (const [nth, grant] of joined.entries()) {
    const points = left.granted[nth] ?? 0;
    // Each factor counts, also one that is worth less than a point: they are added up before they are rounded down.
    if (worth > 0 || grant.keeps_voucher || grant.keeps_stamps)
      grants.push({ ...grant, points, left: points });
  }
  return { grants, left };
}

/** The promotions that are on, with what they offer on the lines that count for them. */
function candidatesOf(
  promotions: readonly Promotion[],
  { receipt_lines: lines }: Sold,
  measured: Measured,
  made: SaleMade,
): Candidate[] {
  const find = lineFinder(lines ?? []);
  const numbersOf = (places: readonly number[]) =>
    places.filter((place) => lines?.[place]?.earns).map((place) => place + 1);
  const earning = lines && numbersOf([...lines.keys()]);
  const candidates: Candidate[] = [];
  for (const promotion of promotions) {
    if (!isOn(promotion, made)) continue;
    const isAny = promotion.skus.length + promotion.categories.length === 0;
    if (lines === null && !isAny) continue;
    const grant = offered(promotion, isAny ? earning : numbersOf(find(promotion)));
    const lacks = lackOf(promotion, grant, measured, made);
    candidates.push({ promotion, grant, exclusive: promotion.exclusive, lacks });
  }
  return candidates;
}

function offered(promotion: Promotion, lines: readonly number[] | null): SaleGrant {
  const { multiply, points, per, minimum_amount, minimum_quantity, stamp_card_id } = promotion;
  return {
    promotion_id: promotion.promotion_id,
    lines,
    points: 0,
    left: 0,
    multiply,
    fixed: multiply === null ? { points: points ?? 0, per, minimum_amount, minimum_quantity } : null,
    held_voucher_id: null,
    keeps_voucher: promotion.voucher_id !== null,
    excuses_voucher: false,
    stamp_card_id,
    stamps: promotion.stamps ?? 0,
    keeps_stamps: stamp_card_id !== null,
    counts: promotion.most_per_member !== null || promotion.most_per_member_day !== null,
  };
}

/** The offer with the highest factor of each line, of equals the first. A sale without lines is line 0. */
function factorsOf(offers: readonly Offer[]) {
  const factor = ({ grant }: Offer) => grant.multiply ?? 0;
  const best = new Map<number, Offer>();
  // Promotions of the whole sale share a list of lines, so only the best of them is looked at line by line.
  const seen = new Set<SaleGrant["lines"]>();
  for (const offer of offers.toSorted((one, other) => factor(other) - factor(one))) {
    const { lines } = offer.grant;
    if (seen.has(lines)) continue;
    seen.add(lines);
    for (const line of lines ?? [0]) if (!best.has(line)) best.set(line, offer);
  }
  return best;
}

/** The grants of promotions together, before their points are known. */
function joinedGrants(offers: readonly Offer[]): SaleGrant[] {
  const best = factorsOf(offers);
  const highest = new Set(best.values());
  const grants: SaleGrant[] = [];
  for (const offer of offers) {
    const { grant } = offer;
    if (grant.fixed !== null) grants.push(grant);
    else if (highest.has(offer)) {
      const lines = grant.lines?.filter((line) => best.get(line) === offer) ?? null;
      grants.push({ ...grant, lines });
    }
  }
  return grants;
}
