/** What the programs of a business make impossible for a promotion. */
import { type FieldError, fieldError } from "../../contract/declare.ts";
import type { PromotionRow } from "../../database/catalog.ts";
import { earningOfLines } from "../../domain/engine/lines.ts";
import { type EarningProgram, type Rules, share } from "../../domain/engine/rules.ts";

type Conditions = Omit<PromotionRow, "promotion_id">;

/** Why a promotion could not act with any of the programs by which its members earn. */
export function problemsOfPrograms(one: Conditions, rules: Pick<Rules, "program" | "tiers">): FieldError[] {
  const ofTiers = rules.tiers.filter(({ tier_id }) => one.tier_ids.includes(tier_id));
  const among = one.tier_ids.length === 0 ? [{ program: rules.program }, ...rules.tiers] : ofTiers;
  const programs = among.flatMap(({ program }) => program ?? rules.program ?? []);
  if (programs.length === 0) return [];
  return [...problemOfExcluded(one, programs), ...problemOfBudget(one, programs)];
}

/** Lines that earn nothing never count. */
function problemOfExcluded(
  { categories, skus }: Conditions,
  programs: readonly EarningProgram[],
): FieldError[] {
  const lines = [
    ...categories.map((category) => ({ category, sku: null })),
    ...skus.map((sku) => ({ sku, category: null })),
  ];
  const earnsWith = (program: EarningProgram) =>
    lines.map(earningOfLines(program)).some(({ earns }) => earns);
  if (lines.length === 0 || programs.some(earnsWith)) return [];
  const field = categories.length > 0 ? "categories" : "skus";
  const problem = "must contain one that earns points: all programs exclude these, so they never count";
  return [fieldError(field, "not_allowed_value", problem)];
}

/** A factor gives at least what its smallest sale earns, if one rate is for all lines. */
function problemOfBudget(one: Conditions, programs: readonly EarningProgram[]): FieldError[] {
  const { multiply, budget_points: budget } = one;
  if (multiply === null || budget === null) return [];
  const least = Math.min(
    ...programs.map(({ rates, earn_minimum_amount, earn_points, earn_amount }) => {
      if (rates.length > 0) return 0;
      const amount = Math.max(one.minimum_amount, earn_minimum_amount);
      return share(amount, earn_points * (multiply - 100), earn_amount * 100);
    }),
  );
  if (budget >= least) return [];
  const problem = `must be at least ${least}, the points that the promotion gives on the smallest sale`;
  return [fieldError("budget_points", "not_allowed_value", problem)];
}
