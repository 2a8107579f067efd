/** Reads what promotions have given, for reports. */
import type { Connection } from "../../connection.ts";
import { ever, everywhere } from "../../ledger/day-totals.ts";
import { requiredRow } from "../../rows.ts";
import { fragment } from "../../sql.ts";

interface PromotionDay {
  readonly day: string;
  readonly sales: number;
  readonly sales_taken: number;
  readonly points: number;
  readonly points_taken: number;
  /** What these sales brought, less refunds. */
  readonly sales_amount: number;
}

interface Days {
  readonly from: string;
  readonly through: string;
}

/** What a promotion gave and took back on each day on which it did, by the day of recording. */
export function listPromotionDays(
  sql: Connection,
  businessId: number,
  promotionId: number,
  { from, through }: Days,
) {
  const nameOf = (what: string) => `promotion_${what} ${promotionId}`;
  const [kept, taken, sold] = [nameOf("points"), nameOf("taken"), nameOf("sales")];
  return sql<PromotionDay[]>`
    SELECT day::text, kept + taken AS sales, taken AS sales_taken, points + back AS points, back AS points_taken, sold AS sales_amount
    FROM (
      SELECT day, coalesce(sum(items) FILTER (WHERE what = ${kept}), 0)::bigint AS kept,
        coalesce(sum(amount) FILTER (WHERE what = ${kept}), 0)::bigint AS points,
        coalesce(sum(items) FILTER (WHERE what = ${taken}), 0)::bigint AS taken,
        coalesce(sum(amount) FILTER (WHERE what = ${taken}), 0)::bigint AS back,
        coalesce(sum(amount) FILTER (WHERE what = ${sold}), 0)::bigint AS sold
      FROM day_total
      WHERE business_id = ${businessId} AND location_id = ${everywhere} AND day BETWEEN ${from}::date AND ${through}::date
        AND what IN (${kept}, ${taken}, ${sold})
      GROUP BY day
    ) AS each ORDER BY day`;
}

/** What a promotion gives in all, with its refunds. */
export function findPromotionTotal(sql: Connection, businessId: number, promotionId: number) {
  return requiredRow(sql<Record<"sales" | "points", number>[]>`
    SELECT coalesce(sum(items), 0)::bigint AS sales, coalesce(sum(amount), 0)::bigint AS points FROM day_total
    WHERE business_id = ${businessId} AND location_id = ${everywhere} AND day = ${ever}::date
      AND what = ${`promotion_points ${promotionId}`}`);
}

/** What promotions gave on a sale, as rows of `each`. */
export const grantRows = fragment`json_to_recordset(grants) AS each
  (promotion_id bigint, "left" bigint, keeps_voucher boolean, excuses_voucher boolean, keeps_stamps boolean, counts boolean)`;
/** Whether refunds have left something of one. */
export const hasLeft = fragment`(each.left > 0 OR each.keeps_voucher OR each.excuses_voucher OR each.keeps_stamps)`;

/** Counts the members to whose sales of some days a promotion gave what they still have. It reads these sales. */
export async function countMembersReached(
  sql: Connection,
  businessId: number,
  promotionId: number,
  { from, through }: Days,
): Promise<number> {
  const { members } = await requiredRow(sql<{ members: number }[]>`
    SELECT count(DISTINCT contact_id) AS members FROM sale
    WHERE business_id = ${businessId} AND sold_on BETWEEN ${from}::date AND ${through}::date
      AND EXISTS (
        SELECT FROM ${grantRows} WHERE each.promotion_id = ${promotionId} AND ${hasLeft}
      )`);
  return members;
}

/** Whether a promotion has ever given something. */
export async function hasGiven(sql: Connection, businessId: number, promotionId: number): Promise<boolean> {
  const rows = await sql`
    SELECT FROM day_total
    WHERE business_id = ${businessId} AND location_id = ${everywhere} AND day = ${ever}::date
      AND what = ${`promotion_points ${promotionId}`} LIMIT 1`;
  return rows.length > 0;
}
