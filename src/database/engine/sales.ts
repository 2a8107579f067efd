/** Reads sales, their refunds and redemptions. Each ORDER BY matches an index, as members.ts explains. */
import type { LocationAccess } from "../../domain/access/access.ts";
import { offsetOf, type Page, type PageRequest, pageOf, readFor } from "../../domain/pagination.ts";
import type { EarningRate, Refund, Sale } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import type { ExportPage, TransactionFilter } from "../ledger/transaction-list.ts";
import { presentContact } from "../members/members.ts";
import {
  type BusinessTime,
  behind,
  fewRows,
  inTurn,
  type ListSource,
  requiredRow,
  wallClock,
} from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { restoredForm, type StoredForm } from "./sale-form.ts";

/** The first thousand refunds of a sale, oldest first. */
export function listRefunds(sql: Connection, businessId: number, saleId: number) {
  return sql<(Omit<Refund, "sale_id" | "vouchers_back"> & { readonly created_at: string })[]>`
    SELECT r.refunded, r.amount, r.lines_back, r.money_back, r.wallet_back, r.points_back, r.points_clawed,
      r.points_excused, r.points_owed, r.points_forgiven, r.vouchers_taken, r.vouchers_excused, r.location_id,
      r.reference_id, r.reason, ${wallClock("r.created_at", raw("b.time_zone"))} AS created_at
    FROM sale_refund r JOIN business b ON b.business_id = r.business_id
    WHERE r.business_id = ${businessId} AND r.sale_id = ${saleId}
    ORDER BY r.refunded LIMIT 1000`;
}

type HeadField =
  | ("sale_id" | "contact_id" | "location_id" | "reference_id" | "sold_on")
  | (
      | "amount"
      | "refunded"
      | "voucher_amount"
      | "points_used"
      | "points_amount"
      | "wallet_used"
      | "amount_due"
      | "points_earned"
    );
export interface SaleHead extends Pick<Sale, HeadField> {
  readonly created_at: string;
}

export interface SaleFilter extends Omit<TransactionFilter, "event_types"> {
  readonly reference_id?: string | undefined;
}

/** A page of the sales at locations that the caller may use, newest first, with the total. */
export async function listSales(
  { sql, scans }: Pick<ListSource, "sql" | "scans">,
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
  const { contact_id, reference_id } = filter;
  const ofMember =
    contact_id !== undefined && fragment`s.contact_id = ${presentContact(businessId, contact_id)}`;
  if (ofMember) matches.push(ofMember);
  const counts = fragment`FROM ${ofMember ? countsOfMembers : raw("sale_count s")} WHERE ${conjunction(matches)}`;
  const ofReference = reference_id !== undefined && fragment`s.reference_id = ${reference_id}`;
  if (ofReference) matches.push(ofReference);
  const list = () =>
    sql.begin(async (tx) => {
      const { total, before, days } = ofReference
        ? await countMatches(tx, conjunction(matches), page)
        : await findDays(tx, counts, page);
      const [limit, offset] = [readFor(page), offsetOf(page) - before];
      const found = (ofDay: Fragment) => fragment`
        SELECT s.sale_id, s.sold_on FROM sale s WHERE ${conjunction(matches)} ${ofDay} ${behind(sort, page.after)}
        ORDER BY s.sold_on DESC, s.sale_id DESC`;
      const listed = days
        ? fragment`
          SELECT s.* FROM unnest(${days}::date[]) AS day CROSS JOIN LATERAL (
            ${found(raw("AND s.sold_on = day"))} LIMIT ${limit + offset}
          ) AS s ORDER BY s.sold_on DESC, s.sale_id DESC`
        : found(fragment``);
      // The rows before the page are only read in the index.
      const rows = await tx<SaleHead[]>`
        SELECT ${columns} FROM (${listed} LIMIT ${limit} OFFSET ${offset}) AS listed
        CROSS JOIN LATERAL (
          SELECT * FROM sale WHERE business_id = ${businessId} AND sale_id = listed.sale_id OFFSET 0
        ) AS s JOIN business b ON b.business_id = s.business_id
        ORDER BY s.sold_on DESC, s.sale_id DESC`;
      return pageOf(page, rows, total, ({ sold_on, sale_id }) => [sold_on, String(sale_id)]);
    }, "ISOLATION LEVEL REPEATABLE READ READ ONLY");
  // Of the first day of a page, all rows before the page are read.
  if (!ofReference) return offsetOf(page) <= fewRows ? list() : scans.run(businessId, list);
  const of = fragment`FROM sale s WHERE s.business_id = ${businessId} AND ${ofReference}`;
  return inTurn({ sql, scans }, businessId, of, list);
}

function conjunction([first, ...others]: readonly Fragment[]): Fragment {
  return others.reduce((all, one) => fragment`${all} AND ${one}`, first as Fragment);
}

const sort = [
  { by: "s.sold_on", type: "date", isDescending: true },
  { by: "s.sale_id", type: "bigint", isDescending: true },
];
const columns = fragment`s.sale_id, s.contact_id, s.location_id, s.reference_id, s.sold_on::text, s.amount, s.refunded,
  s.voucher_amount, s.points_used, s.points_amount, s.wallet_used, s.amount_due, s.points_earned, ${wallClock("s.created_at", raw("b.time_zone"))} AS created_at`;

const countsOfMembers = raw(`(
  SELECT business_id, contact_id, day AS sold_on, location_id, sales FROM sales_day WHERE sales > 0
) AS s`);

/** Where a page is: on which days, and the number of sales that precede the first of them in the list. */
interface PlaceOfPage {
  readonly total: number | undefined;
  /** Undefined: on any. */
  readonly days: readonly string[] | undefined;
  readonly before: number;
}

/** Counts the sales of a reference. If they are many, the statement has a turn among scans. */
async function countMatches(tx: Connection, matches: Fragment, { after }: PageRequest): Promise<PlaceOfPage> {
  const none = { total: undefined, days: undefined, before: 0 };
  if (after !== undefined) return none;
  const counted = tx<{ total: number }[]>`SELECT count(*) AS total FROM sale s WHERE ${matches}`;
  return { ...none, ...(await requiredRow(counted)) };
}

/** Finds the days of a page by the counts of days, so that all pages take about the same time, also those of a rare location. */
async function findDays(tx: Connection, counts: Fragment, page: PageRequest): Promise<PlaceOfPage> {
  const [lastDay] = page.after ?? [];
  if (lastDay !== undefined) {
    const rows = await tx<{ sold_on: string }[]>`
      SELECT s.sold_on::text ${counts} AND s.sold_on <= ${lastDay}::date
      GROUP BY s.business_id, s.sold_on ORDER BY s.business_id DESC, s.sold_on DESC LIMIT ${readFor(page) + 1}`;
    return { total: undefined, before: 0, days: rows.map(({ sold_on }) => sold_on) };
  }
  const [offset, end] = [offsetOf(page), offsetOf(page) + readFor(page)];
  return requiredRow(tx<PlaceOfPage[]>`
    WITH days AS MATERIALIZED (
      SELECT s.sold_on, sum(s.sales)::bigint AS sales ${counts} GROUP BY s.sold_on
    ), running AS (
      SELECT sold_on, sum(sales) OVER (ORDER BY sold_on DESC)::bigint AS through, sales FROM days
    )
    SELECT (SELECT coalesce(sum(sales), 0) FROM days)::bigint AS total,
      coalesce(min(through - sales), ${offset})::bigint AS before, coalesce(array_agg(sold_on::text), '{}') AS days
    FROM running WHERE through > ${offset} AND through - sales < ${end}`);
}

export interface ExportedSale
  extends SaleHead,
    EarningRate,
    Pick<Sale, "eligible_amount" | "earning_base" | "sold_at" | "receipt_lines" | "grants" | "stamps"> {
  readonly points_clawed: number;
  readonly points_spent: number;
  readonly points_expired: number;
  readonly points_left: number;
  readonly matures_on: string | null;
  readonly valid_through: string | null;
}

/** Sales with their points, in the order of recording. */
export async function exportSales(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  { after, limit }: ExportPage,
) {
  const rows = await sql<StoredForm<ExportedSale>[]>`
    SELECT s.sale_id, ${wallClock("s.created_at", timeZone)} AS created_at,
      s.sold_on::text, s.sold_at, s.contact_id, s.location_id, s.reference_id, s.amount, s.eligible_amount, s.earning_base,
      s.earn_points, s.earn_amount, s.earn_minimum_amount, s.maximum_points_per_order,
      s.receipt_lines, s.grants, s.stamps, s.voucher_amount, s.points_used, s.points_amount, s.wallet_used, s.amount_due, s.refunded, s.points_earned,
      coalesce(l.clawed, 0) AS points_clawed, coalesce(l.used, 0) AS points_spent,
      coalesce(l.expired, 0) AS points_expired, coalesce(l.points - l.clawed - l.used - l.expired, 0) AS points_left,
      l.matures_on::text, (l.expires_on - 1)::text AS valid_through
    FROM (
      SELECT * FROM sale WHERE business_id = ${businessId} AND sale_id > ${after}
      ORDER BY business_id, sale_id LIMIT ${limit}
    ) AS s
    LEFT JOIN LATERAL (
      SELECT * FROM points_lot
      WHERE business_id = s.business_id AND contact_id = s.contact_id AND lot_id >= s.sale_id
      ORDER BY business_id, contact_id, lot_id LIMIT 1
    ) AS l ON l.lot_id = s.sale_id
    ORDER BY s.sale_id`;
  return rows.map((row) => restoredForm<ExportedSale>(row));
}
