/** What a group of postings records of the engine's tables: one statement for each table that changed. */
import type { Redemption } from "../../domain/engine/exchange.ts";
import { type Debt, dueOn, type Lot, type Use } from "../../domain/engine/lots.ts";
import type { Sale } from "../../domain/engine/sale.ts";
import type { Connection } from "../connection.ts";

interface OfBusiness {
  readonly business_id: number;
}

interface OfMember extends OfBusiness {
  readonly contact_id: number;
}

/** A refund as it is kept. */
export interface RefundRow extends OfBusiness {
  readonly sale_id: number;
  /** The total refunded of the sale, with this refund. */
  readonly refunded: number;
  readonly amount: number;
  readonly money_back: number;
  readonly wallet_back: number;
  readonly points_back: number;
  readonly points_clawed: number;
  readonly location_id: number;
  readonly reference_id: string;
  readonly reason: string | null;
  readonly created_at: string;
}

export type SaleRow = OfBusiness & Sale & { readonly created_at: string };
export type RedemptionRow = OfBusiness &
  Redemption & { readonly location_id: number | null; readonly created_at: string };

export interface EngineRecording {
  readonly newSales: readonly SaleRow[];
  /** Sales that were refunded. */
  readonly changedSales: readonly (OfBusiness & Sale)[];
  readonly refunds: readonly RefundRow[];
  readonly lots: readonly (OfMember & Lot)[];
  readonly debts: readonly (OfMember & Debt)[];
  readonly newRedemptions: readonly RedemptionRow[];
  readonly reversedRedemptions: readonly (OfBusiness & Redemption)[];
}

const withUses = <Row extends { readonly uses: readonly Use[] }>(row: Row) => ({
  ...row,
  use_lots: row.uses.map(({ lot_id }) => lot_id),
  use_points: row.uses.map(({ points }) => points),
});

/** Sends the statements before it returns, so that the commit can be sent behind them. */
export async function recordEngine(tx: Connection, recording: EngineRecording): Promise<void> {
  const { newSales, changedSales, refunds, lots, debts, newRedemptions, reversedRedemptions } = recording;
  await Promise.all([
    newSales.length > 0 && insertSales(tx, newSales),
    changedSales.length > 0 && updateSales(tx, changedSales),
    refunds.length > 0 && insertRefunds(tx, refunds),
    lots.length > 0 && saveLots(tx, lots),
    debts.length > 0 && saveDebts(tx, debts),
    newRedemptions.length > 0 && insertRedemptions(tx, newRedemptions),
    reversedRedemptions.length > 0 && reverseRedemptions(tx, reversedRedemptions),
  ]);
}

async function insertSales(tx: Connection, sales: readonly SaleRow[]): Promise<void> {
  const rows = JSON.stringify(sales.map(withUses));
  await Promise.all([
    tx`
      INSERT INTO sale (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount,
        eligible_amount, points_used, points_amount, wallet_used, amount_due, earning_base, points_earned,
        rules_version, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order, refunded,
        points_excused, use_lots, use_points)
      SELECT business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount,
        eligible_amount, points_used, points_amount, wallet_used, amount_due, earning_base, points_earned,
        rules_version, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order, refunded,
        points_excused, use_lots, use_points
      FROM json_populate_recordset(NULL::sale, ${rows}::json)`,
    tx`
      INSERT INTO sale_count (business_id, sold_on, location_id, sales)
      SELECT business_id, sold_on, location_id, count(*)
      FROM json_populate_recordset(NULL::sale, ${rows}::json) GROUP BY business_id, sold_on, location_id
      ON CONFLICT (business_id, sold_on, location_id) DO UPDATE SET sales = sale_count.sales + excluded.sales`,
  ]);
}

function updateSales(tx: Connection, sales: readonly (OfBusiness & Sale)[]) {
  return tx`
    UPDATE sale SET refunded = r.refunded, points_excused = r.points_excused, use_lots = r.use_lots,
      use_points = r.use_points
    FROM json_populate_recordset(NULL::sale, ${JSON.stringify(sales.map(withUses))}::json) AS r
    WHERE sale.business_id = r.business_id AND sale.sale_id = r.sale_id
      AND sale.business_id = ANY (${businessIdsOf(sales)}::bigint[])`;
}

function insertRefunds(tx: Connection, refunds: readonly RefundRow[]) {
  return tx`
    INSERT INTO sale_refund (business_id, sale_id, refunded, amount, money_back, wallet_back, points_back,
      points_clawed, location_id, reference_id, reason, created_at)
    SELECT business_id, sale_id, refunded, amount, money_back, wallet_back, points_back,
      points_clawed, location_id, reference_id, reason, created_at
    FROM json_populate_recordset(NULL::sale_refund, ${JSON.stringify(refunds)}::json)`;
}

function saveLots(tx: Connection, lots: readonly (OfMember & Lot)[]) {
  const rows = JSON.stringify(lots.map((lot) => ({ ...lot, due_on: dueOn(lot) })));
  return tx`
    INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
      points, clawed, used, expired, due_on)
    SELECT business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
      points, clawed, used, expired, due_on
    FROM json_populate_recordset(NULL::points_lot, ${rows}::json)
    ON CONFLICT (business_id, contact_id, lot_id) DO UPDATE SET expires_on = excluded.expires_on,
      matured = excluded.matured, clawed = excluded.clawed, used = excluded.used, expired = excluded.expired,
      due_on = excluded.due_on`;
}

function saveDebts(tx: Connection, debts: readonly (OfMember & Debt)[]) {
  return tx`
    INSERT INTO points_debt (business_id, contact_id, sale_id, reference_id, owed)
    SELECT business_id, contact_id, sale_id, reference_id, owed
    FROM json_populate_recordset(NULL::points_debt, ${JSON.stringify(debts)}::json)
    ON CONFLICT (business_id, contact_id, sale_id) DO UPDATE SET owed = excluded.owed`;
}

function insertRedemptions(tx: Connection, redemptions: readonly RedemptionRow[]) {
  return tx`
    INSERT INTO points_redemption (business_id, redemption_id, contact_id, location_id, reference_id, points, reversed,
      use_lots, use_points, created_at)
    SELECT business_id, redemption_id, contact_id, location_id, reference_id, points, reversed,
      use_lots, use_points, created_at
    FROM json_populate_recordset(NULL::points_redemption, ${JSON.stringify(redemptions.map(withUses))}::json)`;
}

function reverseRedemptions(tx: Connection, redemptions: readonly (OfBusiness & Redemption)[]) {
  return tx`
    UPDATE points_redemption SET reversed = true, use_lots = '{}', use_points = '{}'
    FROM json_populate_recordset(NULL::points_redemption, ${JSON.stringify(redemptions)}::json) AS r
    WHERE points_redemption.business_id = r.business_id AND points_redemption.redemption_id = r.redemption_id
      AND points_redemption.business_id = ANY (${businessIdsOf(redemptions)}::bigint[])`;
}

function businessIdsOf(rows: readonly OfBusiness[]): number[] {
  return [...new Set(rows.map(({ business_id }) => business_id))];
}
