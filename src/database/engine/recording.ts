/** Saves the engine's records of a group of postings, with one statement for each table that changed. */
import { dueOn } from "../../domain/engine/lots.ts";
import type { Debt, Lot, Redemption, Refund, Sale, Use } from "../../domain/posting.ts";
import type { Connection } from "../connection.ts";
import { insertOf } from "../sql.ts";

interface OfMember {
  readonly business_id: number;
  readonly contact_id: number;
}

interface Recorded {
  readonly business_id: number;
  readonly created_at: string;
}

export interface EngineRecording {
  /** New and refunded ones. */
  readonly sales: readonly (Sale & Recorded)[];
  readonly refunds: readonly (Refund & Recorded)[];
  readonly lots: readonly (Lot & OfMember)[];
  readonly debts: readonly (Debt & OfMember)[];
  /** New and reversed ones. */
  readonly redemptions: readonly (Redemption & Recorded)[];
}

/** The lots of spent points, and the points of each, as two columns. */
const useColumns = ({ uses }: { readonly uses: readonly Use[] }) => ({
  use_lots: uses.map(({ lot_id }) => lot_id),
  use_points: uses.map(({ points }) => points),
});

/** Sends the statements before it returns, so that the commit can be sent behind them. */
export async function recordEngine(tx: Connection, recording: EngineRecording): Promise<void> {
  const { sales, refunds, lots, debts, redemptions } = recording;
  const made = sales.filter(({ refunded }) => refunded === 0);
  await Promise.all([
    sales.length > 0 && saveSales(tx, sales),
    made.length > 0 && countSales(tx, made),
    refunds.length > 0 && insertRefunds(tx, refunds),
    lots.length > 0 && saveLots(tx, lots),
    debts.length > 0 && saveDebts(tx, debts),
    redemptions.length > 0 && saveRedemptions(tx, redemptions),
  ]);
}

/** An upsert finds each row by its key, but an update from a list may compare each row with each. */
function saveSales(tx: Connection, sales: EngineRecording["sales"]) {
  const rows = sales.map((sale) => ({ ...sale, ...useColumns(sale) }));
  const columns = `business_id bigint, sale_id bigint, contact_id bigint, location_id bigint, reference_id text,
    sold_on date, created_at timestamptz, amount bigint, eligible_amount bigint, points_used bigint,
    points_amount bigint, wallet_used bigint, amount_due bigint, earning_base bigint, points_earned bigint,
    rules_version integer, earn_points integer, earn_amount bigint, earn_minimum_amount bigint,
    maximum_points_per_order bigint, refunded bigint, points_excused bigint, use_lots bigint[], use_points bigint[]`;
  return tx`
    ${insertOf("sale", rows, columns)}
    ON CONFLICT (business_id, sale_id) DO UPDATE SET refunded = excluded.refunded,
      points_excused = excluded.points_excused, use_lots = excluded.use_lots, use_points = excluded.use_points`;
}

function countSales(tx: Connection, sales: EngineRecording["sales"]) {
  const counts = new Map<
    string,
    Pick<Sale, "sold_on" | "location_id"> & { business_id: number; sales: number }
  >();
  for (const { business_id, sold_on, location_id } of sales) {
    const name = `${business_id} ${sold_on} ${location_id}`;
    counts.set(name, { business_id, sold_on, location_id, sales: (counts.get(name)?.sales ?? 0) + 1 });
  }
  const columns = "business_id bigint, sold_on date, location_id bigint, sales integer";
  return tx`
    ${insertOf("sale_count", [...counts.values()], columns)}
    ON CONFLICT (business_id, sold_on, location_id) DO UPDATE SET sales = sale_count.sales + excluded.sales`;
}

function insertRefunds(tx: Connection, refunds: EngineRecording["refunds"]) {
  const columns = `business_id bigint, sale_id bigint, refunded bigint, amount bigint, money_back bigint,
    wallet_back bigint, points_back bigint, points_clawed bigint, location_id bigint, reference_id text, reason text,
    created_at timestamptz`;
  return tx`${insertOf("sale_refund", refunds, columns)}`;
}

function saveLots(tx: Connection, lots: EngineRecording["lots"]) {
  const rows = lots.map((lot) => ({ ...lot, due_on: dueOn(lot) }));
  const columns = `business_id bigint, contact_id bigint, lot_id bigint, reference_id text, earned_on date,
    matures_on date, expires_on date, matured boolean, points bigint, clawed bigint, used bigint, expired bigint,
    due_on date`;
  return tx`
    ${insertOf("points_lot", rows, columns)}
    ON CONFLICT (business_id, contact_id, lot_id) DO UPDATE SET expires_on = excluded.expires_on,
      matured = excluded.matured, clawed = excluded.clawed, used = excluded.used, expired = excluded.expired,
      due_on = excluded.due_on`;
}

function saveDebts(tx: Connection, debts: EngineRecording["debts"]) {
  const columns = "business_id bigint, contact_id bigint, sale_id bigint, reference_id text, owed bigint";
  return tx`
    ${insertOf("points_debt", debts, columns)}
    ON CONFLICT (business_id, contact_id, sale_id) DO UPDATE SET owed = excluded.owed`;
}

function saveRedemptions(tx: Connection, redemptions: EngineRecording["redemptions"]) {
  const rows = redemptions.map((redemption) => ({ ...redemption, ...useColumns(redemption) }));
  const columns = `business_id bigint, redemption_id bigint, contact_id bigint, location_id bigint, reference_id text,
    points bigint, reversed boolean, use_lots bigint[], use_points bigint[], created_at timestamptz`;
  return tx`
    ${insertOf("points_redemption", rows, columns)}
    ON CONFLICT (business_id, redemption_id) DO UPDATE SET reversed = excluded.reversed,
      use_lots = excluded.use_lots, use_points = excluded.use_points`;
}
