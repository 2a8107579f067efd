/** What a sale of the past earns when it is imported: nothing was paid with points or wallet then. */
import { earn } from "./earning.ts";
import type { Lot } from "./lots.ts";
import { pointsDates, type Rules } from "./rules.ts";
import type { Sale } from "./sale.ts";

export interface ImportedSale {
  readonly sale_id: number;
  readonly contact_id: number;
  readonly location_id: number;
  readonly reference_id: string;
  readonly sold_on: string;
  /** In minor units. */
  readonly amount: number;
}

/**
 * The sale as it is kept, and the lot of the points that it earned. The lot is still to be settled: until then, its points
 * are in no balance.
 * @param rules those that the sale earns by
 */
export function earnFromImport(line: ImportedSale, rules: Rules): { sale: Sale; lot: Lot | undefined } {
  const { sale_id, reference_id, sold_on, amount } = line;
  const { base, points, rate } = earn(rules, amount, 0);
  const sale: Sale = {
    ...line,
    ...rate,
    eligible_amount: amount,
    points_used: 0,
    points_amount: 0,
    wallet_used: 0,
    amount_due: amount,
    earning_base: base,
    points_earned: points,
    rules_version: rules.version,
    refunded: 0,
    points_excused: 0,
    uses: [],
  };
  if (points === 0) return { sale, lot: undefined };
  const earned = {
    lot_id: sale_id,
    reference_id,
    earned_on: sold_on,
    ...pointsDates(rules, sold_on),
    points,
  };
  return { sale, lot: { ...earned, matured: false, clawed: 0, used: 0, expired: 0 } };
}
