/** What a group of postings records of the engine's tables: one statement for each table that changed. */
import type { Redemption } from "../../domain/engine/exchange.ts";
import { type Debt, dueOn, type Lot, type Use } from "../../domain/engine/lots.ts";
import type { Sale } from "../../domain/engine/sale.ts";
import type { Connection } from "../connection.ts";
import type { SqlValue } from "../sql.ts";

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

export interface LotRow extends OfMember {
  readonly lot: Lot;
}

export interface SaleRow extends OfBusiness {
  readonly sale: Sale;
  readonly created_at: string;
}

export type RedemptionRow = OfBusiness &
  Redemption & { readonly location_id: number | null; readonly created_at: string };

export interface EngineRecording {
  /** Those that were made, and those that were refunded. */
  readonly sales: readonly SaleRow[];
  readonly refunds: readonly RefundRow[];
  readonly lots: readonly LotRow[];
  readonly debts: readonly (OfMember & Debt)[];
  /** Those that were made, and those that were reversed. */
  readonly redemptions: readonly RedemptionRow[];
}

/** Where spent points came from, as two columns. */
const usesOf = ({ uses }: { readonly uses: readonly Use[] }) => ({
  use_lots: uses.map(({ lot_id }) => lot_id),
  use_points: uses.map(({ points }) => points),
});
const withUses = <Row extends { readonly uses: readonly Use[] }>(row: Row) => ({ ...row, ...usesOf(row) });

/** Sends the statements before it returns, so that the commit can be sent behind them. */
export async function recordEngine(tx: Connection, recording: EngineRecording): Promise<void> {
  const { sales, refunds, lots, debts, redemptions } = recording;
  const made = sales.filter(({ sale }) => sale.refunded === 0);
  await Promise.all([
    sales.length > 0 && saveSales(tx, sales),
    made.length > 0 && countSales(tx, made),
    refunds.length > 0 && insertRefunds(tx, refunds),
    lots.length > 0 && saveLots(tx, lots),
    debts.length > 0 && saveDebts(tx, debts),
    redemptions.length > 0 && saveRedemptions(tx, redemptions),
  ]);
}

/** An upsert finds each row by its key. An update from a list may compare each row with each. */
function saveSales(tx: Connection, sales: readonly SaleRow[]) {
  const of = (name: keyof Sale) => sales.map(({ sale }) => sale[name]) as SqlValue[];
  const uses = sales.map(({ sale }) => usesOf(sale));
  return tx`
      INSERT INTO sale (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount,
        eligible_amount, points_used, points_amount, wallet_used, amount_due, earning_base, points_earned,
        rules_version, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order, refunded,
        points_excused, use_lots, use_points)
      SELECT s.business_id, s.sale_id, s.contact_id, s.location_id, s.reference_id, s.sold_on, s.created_at, s.amount,
        s.eligible_amount, s.points_used, s.points_amount, s.wallet_used, s.amount_due, s.earning_base,
        s.points_earned, s.rules_version, s.earn_points, s.earn_amount, s.earn_minimum_amount,
        s.maximum_points_per_order, s.refunded, s.points_excused, s.use_lots::bigint[], s.use_points::bigint[]
      FROM unnest(
        ${businessIdsOf(sales)}::bigint[], ${of("sale_id")}::bigint[], ${of("contact_id")}::bigint[],
        ${of("location_id")}::bigint[], ${of("reference_id")}::text[], ${of("sold_on")}::date[],
        ${sales.map((row) => row.created_at)}::timestamptz[], ${of("amount")}::bigint[], ${of("eligible_amount")}::bigint[],
        ${of("points_used")}::bigint[], ${of("points_amount")}::bigint[], ${of("wallet_used")}::bigint[],
        ${of("amount_due")}::bigint[], ${of("earning_base")}::bigint[], ${of("points_earned")}::bigint[],
        ${of("rules_version")}::integer[], ${of("earn_points")}::integer[], ${of("earn_amount")}::bigint[],
        ${of("earn_minimum_amount")}::bigint[], ${of("maximum_points_per_order")}::bigint[],
        ${of("refunded")}::bigint[], ${of("points_excused")}::bigint[],
        ${uses.map(({ use_lots }) => `{${use_lots}}`)}::text[], ${uses.map(({ use_points }) => `{${use_points}}`)}::text[]
      ) AS s (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount,
        eligible_amount, points_used, points_amount, wallet_used, amount_due, earning_base, points_earned,
        rules_version, earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order, refunded,
        points_excused, use_lots, use_points)
      ON CONFLICT (business_id, sale_id) DO UPDATE SET refunded = excluded.refunded,
        points_excused = excluded.points_excused, use_lots = excluded.use_lots, use_points = excluded.use_points`;
}

function countSales(tx: Connection, sales: readonly SaleRow[]): Promise<unknown> {
  const counts = new Map<string, { row: SaleRow; count: number }>();
  for (const row of sales) {
    const name = `${row.business_id} ${row.sale.sold_on} ${row.sale.location_id}`;
    counts.set(name, { row, count: (counts.get(name)?.count ?? 0) + 1 });
  }
  const rows = [...counts.values()];
  return tx`
    INSERT INTO sale_count (business_id, sold_on, location_id, sales)
    SELECT * FROM unnest(
      ${rows.map(({ row }) => row.business_id)}::bigint[], ${rows.map(({ row }) => row.sale.sold_on)}::date[],
      ${rows.map(({ row }) => row.sale.location_id)}::bigint[], ${rows.map(({ count }) => count)}::integer[]
    )
    ON CONFLICT (business_id, sold_on, location_id) DO UPDATE SET sales = sale_count.sales + excluded.sales`;
}

function insertRefunds(tx: Connection, refunds: readonly RefundRow[]) {
  return tx`
    INSERT INTO sale_refund (business_id, sale_id, refunded, amount, money_back, wallet_back, points_back,
      points_clawed, location_id, reference_id, reason, created_at)
    SELECT business_id, sale_id, refunded, amount, money_back, wallet_back, points_back,
      points_clawed, location_id, reference_id, reason, created_at
    FROM json_populate_recordset(NULL::sale_refund, ${JSON.stringify(refunds)}::json)`;
}

function saveLots(tx: Connection, lots: readonly LotRow[]) {
  const of = (name: keyof Lot) => lots.map(({ lot }) => lot[name]) as SqlValue[];
  return tx`
    INSERT INTO points_lot (business_id, contact_id, lot_id, reference_id, earned_on, matures_on, expires_on, matured,
      points, clawed, used, expired, due_on)
    SELECT * FROM unnest(
      ${businessIdsOf(lots)}::bigint[], ${lots.map((row) => row.contact_id)}::bigint[], ${of("lot_id")}::bigint[],
      ${of("reference_id")}::text[], ${of("earned_on")}::date[], ${of("matures_on")}::date[],
      ${of("expires_on")}::date[], ${of("matured")}::boolean[], ${of("points")}::bigint[], ${of("clawed")}::bigint[],
      ${of("used")}::bigint[], ${of("expired")}::bigint[], ${lots.map(({ lot }) => dueOn(lot))}::date[]
    )
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

function saveRedemptions(tx: Connection, redemptions: readonly RedemptionRow[]) {
  return tx`
    INSERT INTO points_redemption (business_id, redemption_id, contact_id, location_id, reference_id, points, reversed,
      use_lots, use_points, created_at)
    SELECT business_id, redemption_id, contact_id, location_id, reference_id, points, reversed,
      use_lots, use_points, created_at
    FROM json_populate_recordset(NULL::points_redemption, ${JSON.stringify(redemptions.map(withUses))}::json)
    ON CONFLICT (business_id, redemption_id) DO UPDATE SET reversed = excluded.reversed,
      use_lots = excluded.use_lots, use_points = excluded.use_points`;
}

function businessIdsOf(rows: readonly OfBusiness[]): number[] {
  return rows.map(({ business_id }) => business_id);
}
