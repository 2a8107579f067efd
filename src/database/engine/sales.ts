/** Reading sales, their refunds and redemptions. Records are found in the order of their key, as members.ts explains. */
import type { LocationAccess } from "../../domain/access.ts";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection, Database } from "../connection.ts";
import type { ExportPage } from "../ledger/export.ts";
import { type Fragment, fragment } from "../sql.ts";

/** Whose a record is, and where it was made. */
export interface Place {
  readonly contact_id: number;
  readonly location_id: number;
}

/** @returns undefined when there is no such sale */
export async function findSalePlace(
  sql: Connection,
  businessId: number,
  saleId: number,
): Promise<(Place & { readonly created_at: string }) | undefined> {
  const [row] = await sql<(Place & { created_at: string })[]>`
    SELECT s.contact_id, s.location_id,
      to_char(s.created_at AT TIME ZONE b.time_zone, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM (
      SELECT * FROM sale WHERE business_id = ${businessId} AND sale_id >= ${saleId}
      ORDER BY business_id, sale_id LIMIT 1
    ) AS s JOIN business b ON b.business_id = s.business_id
    WHERE s.sale_id = ${saleId}`;
  return row;
}

/** @returns undefined when there is no such redemption */
export async function findRedemptionPlace(
  sql: Connection,
  businessId: number,
  redemptionId: number,
): Promise<{ readonly contact_id: number; readonly location_id: number | null } | undefined> {
  const [row] = await sql<{ contact_id: number; location_id: number | null }[]>`
    SELECT contact_id, location_id FROM (
      SELECT * FROM points_redemption WHERE business_id = ${businessId} AND redemption_id >= ${redemptionId}
      ORDER BY business_id, redemption_id LIMIT 1
    ) AS r WHERE redemption_id = ${redemptionId}`;
  return row;
}

export interface RefundOfSale {
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

/** The first thousand refunds of a sale, oldest first. */
export function listRefunds(sql: Connection, businessId: number, saleId: number): Promise<RefundOfSale[]> {
  return sql<RefundOfSale[]>`
    SELECT r.refunded, r.amount, r.money_back, r.wallet_back, r.points_back, r.points_clawed, r.location_id,
      r.reference_id, r.reason, to_char(r.created_at AT TIME ZONE b.time_zone, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM sale_refund r JOIN business b ON b.business_id = r.business_id
    WHERE r.business_id = ${businessId} AND r.sale_id = ${saleId}
    ORDER BY r.refunded LIMIT 1000`;
}

export interface SaleHead extends Place {
  readonly sale_id: number;
  readonly reference_id: string;
  readonly sold_on: string;
  readonly amount: number;
  readonly refunded: number;
  readonly points_used: number;
  readonly points_earned: number;
  readonly created_at: string;
}

export interface SaleFilter {
  readonly contact_id?: number | undefined;
  readonly reference_id?: string | undefined;
  readonly location_id?: number | undefined;
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/** A page of sales, newest first, with the total; of the locations that the caller may use. */
export function listSales(
  sql: Database,
  caller: { readonly businessId: number; readonly locations: LocationAccess },
  filter: SaleFilter,
  page: PageRequest,
): Promise<Page<SaleHead>> {
  const { businessId, locations } = caller;
  const matches = [fragment`s.business_id = ${businessId}`];
  if (filter.start_date !== undefined) matches.push(fragment`s.sold_on >= ${filter.start_date}::date`);
  if (filter.end_date !== undefined) matches.push(fragment`s.sold_on <= ${filter.end_date}::date`);
  if (filter.location_id !== undefined) matches.push(fragment`s.location_id = ${filter.location_id}`);
  else if (!locations.everywhere)
    matches.push(fragment`s.location_id = ANY (${[...locations.ids]}::bigint[])`);
  const ofDays = conjunction(matches);
  if (filter.contact_id !== undefined) matches.push(fragment`s.contact_id = ${filter.contact_id}`);
  if (filter.reference_id !== undefined) matches.push(fragment`s.reference_id = ${filter.reference_id}`);
  const isCounted = filter.contact_id === undefined && filter.reference_id === undefined;
  return sql.begin(async (tx) => {
    if (!isCounted) return pageWithCount(tx, conjunction(matches), page);
    return pageOfDays(tx, ofDays, page);
  }, "ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

function conjunction([first, ...others]: readonly Fragment[]): Fragment {
  return others.reduce((all, one) => fragment`${all} AND ${one}`, first as Fragment);
}

const columns = fragment`s.sale_id, s.contact_id, s.location_id, s.reference_id, s.sold_on::text, s.amount, s.refunded,
  s.points_used, s.points_earned, to_char(s.created_at AT TIME ZONE b.time_zone, 'YYYY-MM-DD HH24:MI:SS') AS created_at`;

/** The sales of a member or of a reference are few: they are counted. */
async function pageWithCount(tx: Connection, matches: Fragment, page: PageRequest): Promise<Page<SaleHead>> {
  const [[counted], rows] = await Promise.all([
    tx<{ total: number }[]>`SELECT count(*) AS total FROM sale s WHERE ${matches}`,
    tx<SaleHead[]>`
      SELECT ${columns} FROM sale s JOIN business b ON b.business_id = s.business_id WHERE ${matches}
      ORDER BY s.sold_on DESC, s.sale_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}`,
  ]);
  return { total: counted?.total ?? 0, rows };
}

/** Whole days are skipped by their counts, so a page costs about the same however many sales come before it. */
async function pageOfDays(tx: Connection, matches: Fragment, page: PageRequest): Promise<Page<SaleHead>> {
  const offset = offsetOf(page);
  const [place] = await tx<{ total: number; last_day: string | null; before: number }[]>`
    WITH days AS MATERIALIZED (
      SELECT s.sold_on, sum(s.sales)::bigint AS sales FROM sale_count s WHERE ${matches} GROUP BY s.sold_on
    ), running AS (
      SELECT sold_on, sum(sales) OVER (ORDER BY sold_on DESC)::bigint AS through, sales FROM days
    )
    SELECT coalesce((SELECT sum(sales) FROM days), 0)::bigint AS total, first.sold_on::text AS last_day,
      coalesce(first.through - first.sales, 0) AS before
    FROM (SELECT) AS always LEFT JOIN LATERAL (
      SELECT * FROM running WHERE through > ${offset} ORDER BY through LIMIT 1
    ) AS first ON true`;
  if (place === undefined || place.last_day === null) return { total: place?.total ?? 0, rows: [] };
  const rows = await tx<SaleHead[]>`
    SELECT ${columns} FROM sale s JOIN business b ON b.business_id = s.business_id
    WHERE ${matches} AND s.sold_on <= ${place.last_day}::date
    ORDER BY s.sold_on DESC, s.sale_id DESC LIMIT ${page.perPage} OFFSET ${offset - place.before}`;
  return { total: place.total, rows };
}

export interface ExportedSale extends SaleHead {
  readonly eligible_amount: number;
  readonly points_amount: number;
  readonly wallet_used: number;
  readonly amount_due: number;
  readonly points_clawed: number;
  readonly points_spent: number;
  readonly points_expired: number;
  readonly points_left: number;
  readonly matures_on: string | null;
  readonly valid_through: string | null;
}

/** Sales with their points, in the order of recording. */
export function exportSales(
  sql: Connection,
  { businessId, timeZone }: { readonly businessId: number; readonly timeZone: string },
  { after, through, limit, contactId }: ExportPage,
): Promise<ExportedSale[]> {
  return sql<ExportedSale[]>`
    SELECT s.sale_id, to_char(s.created_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at,
      s.sold_on::text, s.contact_id, s.location_id, s.reference_id, s.amount, s.eligible_amount, s.points_used,
      s.points_amount, s.wallet_used, s.amount_due, s.refunded, s.points_earned,
      coalesce(l.clawed, 0) AS points_clawed, coalesce(l.used, 0) AS points_spent,
      coalesce(l.expired, 0) AS points_expired, coalesce(l.points - l.clawed - l.used - l.expired, 0) AS points_left,
      l.matures_on::text, (l.expires_on - 1)::text AS valid_through
    FROM (
      SELECT * FROM sale WHERE business_id = ${businessId} AND sale_id > ${after}
        ${through === undefined ? fragment`` : fragment`AND sale_id <= ${through}`}
        ${contactId === undefined ? fragment`` : fragment`AND contact_id = ${contactId}`}
      ORDER BY business_id, sale_id LIMIT ${limit}
    ) AS s
    LEFT JOIN LATERAL (
      SELECT * FROM points_lot
      WHERE business_id = s.business_id AND contact_id = s.contact_id AND lot_id >= s.sale_id
      ORDER BY business_id, contact_id, lot_id LIMIT 1
    ) AS l ON l.lot_id = s.sale_id
    ORDER BY s.sale_id`;
}
