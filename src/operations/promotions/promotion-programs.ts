/** What the programs of a business make impossible for a promotion. */
import { type FieldError, wrongValue } from "../../contract/declare.ts";
import type { PromotionRow } from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { findCurrentRules } from "../../database/engine/rules.ts";
import { earningOfLines } from "../../domain/engine/lines.ts";
import { type EarningProgram, type Rules, share } from "../../domain/engine/rules.ts";

type Conditions = Omit<PromotionRow, "promotion_id">;

/** The conditions by which the programs let a promotion act, or not. */
export const conditionsOnPrograms = [
  "categories",
  "skus",
  "tier_ids",
  "multiply",
  "points",
  "budget_points",
  "minimum_amount",
] as const;

/** Why a promotion could not act with any of the programs by which its members earn. */
export function problemsOfPrograms(one: Conditions, rules: Pick<Rules, "program" | "tiers">): FieldError[] {
  const ofTiers = rules.tiers.filter(({ tier_id }) => one.tier_ids.includes(tier_id));
  const among = one.tier_ids.length === 0 ? [{ program: rules.program }, ...rules.tiers] : ofTiers;
  // One that earns nothing yet says nothing about promotions.
  const programs = among
    .flatMap(({ program }) => program ?? rules.program ?? [])
    .filter(({ earn_points, rates }) => earn_points > 0 || rates.some((rate) => rate.earn_points > 0));
  if (programs.length === 0) return [];
  return [...problemOfLines(one, programs), ...problemOfBudget(one, programs)];
}

/** The same by the programs of now. They are not read for a promotion that any program lets act. */
export async function problemsOfCurrentPrograms(tx: Connection, businessId: number, one: Conditions) {
  const { categories, skus, multiply, budget_points } = one;
  const depends = categories.length + skus.length > 0 || (multiply !== null && budget_points !== null);
  return depends ? problemsOfPrograms(one, await findCurrentRules(tx, businessId)) : [];
}

/** Lines that earn nothing never count, and a factor has nothing to multiply on lines without a rate. */
function problemOfLines(
  { categories, skus, multiply }: Conditions,
  programs: readonly EarningProgram[],
): FieldError[] {
  const lines = [
    ...categories.map((category) => ({ category, sku: null })),
    ...skus.map((sku) => ({ sku, category: null })),
  ];
  const counts = (program: EarningProgram) =>
    lines.map(earningOfLines(program)).some(({ earns, rate = program }) => {
      return earns && (multiply === null || rate.earn_points > 0);
    });
  if (lines.length === 0 || programs.some(counts)) return [];
  const field = categories.length > 0 ? "categories" : "skus";
  const problem = "must contain one that earns points by the programs of these members: none of these does";
  return [wrongValue(field, problem)];
}

/** A factor gives at least what its smallest sale earns, if one rate is for all lines. */
function problemOfBudget(one: Conditions, programs: readonly EarningProgram[]): FieldError[] {
  const { multiply, budget_points: budget } = one;
  if (multiply === null || budget === null) return [];
  const isWhole = one.categories.length + one.skus.length === 0;
  const least = Math.min(
    ...programs.map(({ rates, earn_minimum_amount, earn_points, earn_amount, maximum_points_per_order }) => {
      if (rates.length > 0) return 0;
      // The lines that count can be a part of the sale, which must reach the minimum of the program.
      const amount = Math.max(one.minimum_amount, isWhole ? earn_minimum_amount : 0);
      const points = share(amount, earn_points * (multiply - 100), earn_amount * 100);
      return Math.min(
        points,
        Math.max(0, maximum_points_per_order - share(amount, earn_points, earn_amount)),
      );
    }),
  );
  if (budget >= least) return [];
  const problem = `must be at least ${least}, the points that the promotion gives on the smallest sale`;
  return [wrongValue("budget_points", problem)];
}
