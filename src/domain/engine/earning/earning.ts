/** What sales earn, by the rate of the program and by promotions, and why. */
import { type Currency, moneyText } from "../../amount-text.ts";
import { amountLimit } from "../../ledger.ts";
import type { EarningRate, LineRate, PointsLimit, Sale, SaleGrant } from "../../records.ts";
import { withoutRefunds } from "../lines.ts";
import { promotionsAt, type SaleMade } from "../promotions/acting.ts";
import { grantsLeft, grantsOf, type MissedPromotion, pointsLeft } from "../promotions/grants.ts";
import type { EarnsNothing, Promotion, Rules } from "../rules.ts";
import { counted, shortText } from "../till-texts.ts";
import { tightestLimit } from "./limits.ts";
import { isRated, type RatedPart } from "./rates.ts";

/** A reason for the number of points that a sale earns. `why` in src/operations/sales/sale-reasons.ts has the schema of each. */
export type EarningReason =
  | { readonly code: "earned"; readonly base: number; readonly points: number }
  | ({ readonly code: "earned_by_rate" } & LineRate & Pick<RatedPart, "base" | "units" | "points">)
  | ({ readonly code: "promotion"; readonly points: number; readonly text: string } & NamedPromotion)
  | ({ readonly code: "capped" } & PointsLimit)
  | { readonly code: "below_minimum"; readonly minimum: number }
  | { readonly code: "lines_excluded"; readonly amount: number }
  | { readonly code: EarnsNothing };

type NamedPromotion = Pick<Promotion, "promotion_id" | "name">;

/** For the till to show: a promotion that would have given something. */
export type MissedReason = { readonly code: "promotion_missed"; readonly text: string } & Omit<
  MissedPromotion,
  "missing"
>;

export interface Earning {
  /** The amount that earns, in minor units. */
  readonly base: number;
  /** Those of the program and of promotions. */
  readonly points: number;
  /** The rate that a refund of the sale uses. */
  readonly rate: EarningRate;
  readonly grants: readonly SaleGrant[] | null;
  readonly points_limit: PointsLimit | null;
  readonly why: readonly (EarningReason | MissedReason)[];
}

/** The rate of a sale without a program. No program has this amount. */
const nothing: EarningRate = {
  earn_points: 0,
  earn_amount: amountLimit,
  earn_minimum_amount: 0,
  maximum_points_per_order: 0,
};

/** The rate with which a sale was recorded; null: it had no program. */
export function recordedRate(sale: EarningRate): EarningRate | null {
  if (sale.earn_amount === nothing.earn_amount) return null;
  const { earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order } = sale;
  return { earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order };
}

/** With the currency of amounts that a till shows. */
export type SaleAtTill = SaleMade & { readonly currency: Currency };

/** The parts of a new sale that decide about its points. */
export interface EarningSale extends Pick<Sale, "amount" | "eligible_amount" | "receipt_lines"> {
  /** The part of the amount that vouchers and points paid, in minor units. */
  readonly paidOtherwise: number;
}

/**
 * Calculates what a sale earns.
 * @param made undefined: promotions don't act on it, because it is not known when it was made
 */
export function earn(rules: Rules, sale: EarningSale, made?: SaleAtTill): Earning {
  const { amount, eligible_amount, receipt_lines, paidOtherwise } = sale;
  const base = rules.earn_on === "total" ? eligible_amount : Math.max(0, eligible_amount - paidOtherwise);
  if (rules.program === null || !rules.enable_rp) {
    return {
      base,
      points: 0,
      rate: nothing,
      grants: null,
      points_limit: null,
      why: [{ code: rules.enable_rp ? "no_program" : "rewards_off" }],
    };
  }
  const { earn_points, earn_amount, earn_minimum_amount } = rules.program;
  const { most, limit: points_limit } = (made && tightestLimit(rules.program, made)) || unlimited;
  const maximum_points_per_order = most ?? rules.program.maximum_points_per_order;
  const rate = { earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order };
  const sold = {
    earn_points,
    earn_amount,
    earn_minimum_amount,
    maximum_points_per_order,
    amount,
    eligible_amount,
    receipt_lines,
    earning_base: base,
    refunded: 0,
    grants: null,
    points_limit,
  };
  const promoted =
    made && rules.promotions.length > 0
      ? grantsOf(promotionsAt(rules, made.location_id), sold, made)
      : { grants: [], missed: [], left: pointsLeft(sold) };
  const { left } = promoted;
  const grants = promoted.grants.length === 0 ? null : promoted.grants;
  const missed = made === undefined ? [] : promoted.missed.map((one) => missedReason(one, made.currency));
  const why = [...reasonsOf({ ...sold, grants }, rules, left), ...missed];
  return { base, points: left.total, rate, grants, points_limit, why };
}

const unlimited = { limit: null, most: undefined };

type Explained = EarningRate &
  Pick<Sale, "earning_base" | "amount" | "eligible_amount" | "receipt_lines" | "grants" | "points_limit">;

/** Why a recorded sale earned its points. @param rules the version by which it was recorded */
export function explainEarning(sale: Explained, rules: Pick<Rules, "enable_rp" | "promotions">) {
  const receipt_lines = withoutRefunds(sale.receipt_lines);
  return reasonsOf(sale, rules, pointsLeft({ ...sale, refunded: 0, receipt_lines }));
}

function reasonsOf(
  sale: Explained,
  rules: Pick<Rules, "enable_rp" | "promotions">,
  { parts, isCapped }: Pick<ReturnType<typeof pointsLeft>, "parts" | "isCapped">,
): EarningReason[] {
  if (!rules.enable_rp) return [{ code: "rewards_off" }];
  const { earning_base: base, earn_minimum_amount: minimum, maximum_points_per_order: maximum } = sale;
  const limit = sale.points_limit ?? { period: "order", maximum };
  const reasons: EarningReason[] = [];
  if (!isRated(sale)) {
    // The program can have been that of a tier, so the rules don't say whether there was one.
    reasons.push({ code: recordedRate(sale) === null ? "no_program" : "program_without_rate" });
  } else if (base < minimum) reasons.push({ code: "below_minimum", minimum });
  else for (const part of parts) reasons.push(...partReason(part, sale.earn_points));
  for (const grant of sale.grants ?? []) {
    const { points, keeps_voucher, held_voucher_id, stamp_card_id } = grant;
    if (points > 0 || keeps_voucher || held_voucher_id !== null || stamp_card_id !== null)
      reasons.push(promotionReason(grant, rules.promotions));
  }
  if (isCapped) reasons.push({ code: "capped", ...limit });
  reasons.push(...excludedLines(sale));
  return reasons;
}

/** What the lines of a rate earn. The program itself may have no rate. */
function partReason({ rate, base, units, points }: RatedPart, earn_points: number): EarningReason[] {
  if (rate === undefined) return earn_points === 0 ? [] : [{ code: "earned", base, points }];
  return [{ code: "earned_by_rate", ...rate, base, units, points }];
}

function promotionReason(
  { promotion_id, points, stamp_card_id, stamps }: SaleGrant,
  promotions: readonly Promotion[],
) {
  const { name = "", voucher } = promotions.find((one) => one.promotion_id === promotion_id) ?? {};
  const more = stamp_card_id === null ? counted(points, "more point") : counted(stamps, "more stamp");
  const given = voucher ? `Voucher ${voucher.campaign_name}` : more;
  const text = shortText(`${given}: ${name}`);
  return { code: "promotion", promotion_id, name, points, text } as const;
}

const missedReason = ({ missing, ...missed }: MissedPromotion, currency: Currency): MissedReason => ({
  code: "promotion_missed",
  ...missed,
  text: shortText(`${missedText[missed.reason](missing, currency)}: ${missed.name}`),
});

const missedText = {
  minimum_amount: (missing, currency) => `${moneyText(missing, currency)} more`,
  minimum_quantity: (missing) => counted(missing, "more piece"),
  most_per_member: () => "Already used",
  most_per_member_day: () => "Already used today",
  budget_points: () => "Used up",
} as const satisfies Record<MissedPromotion["reason"], (missing: number, currency: Currency) => string>;

/** Says how much of a sale its program excludes. */
function excludedLines(
  sale: Pick<Sale, "amount" | "eligible_amount" | "receipt_lines" | "earn_points">,
): EarningReason[] {
  const { amount, eligible_amount, receipt_lines } = sale;
  if (receipt_lines === null || eligible_amount === amount || !isRated(sale)) return [];
  return [{ code: "lines_excluded", amount: amount - eligible_amount }];
}

type Earned = EarningRate &
  Pick<Sale, "amount" | "earning_base" | "points_earned" | "refunded" | "receipt_lines" | "grants">;

/** The points that a sale earned and that refunds leave. */
export function pointsKept(sale: Earned): number {
  return Math.min(sale.points_earned, pointsLeft(sale).total);
}

/** The points of a sale that count for the limits of its member. */
export const countedPoints = (sale: (Earned & Pick<Sale, "points_limit">) | undefined) =>
  sale === undefined || sale.points_limit === null ? 0 : pointsKept(sale);

/** The grants of a sale, with what refunds leave of each. */
export const grantsKept = ({ grants, ...sale }: Earned) =>
  grants === null ? null : grantsLeft({ ...sale, grants });
