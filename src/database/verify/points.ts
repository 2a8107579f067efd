/** Recomputes what the engine keeps beside the ledger: lots, their use, refunds and the counts of sales. */
import type { Connection } from "../connection.ts";
import { findRangeEnd } from "./ledger.ts";
import { mismatchesBy, sliceOf, type VerifiedSlice } from "./slice.ts";

/**
 * Verifies the points of up to `limit` members: that the balance holds what is left of matured lots, that each lot was
 * used at least as much as sales and redemptions say, and is due when its dates say, that each sale's refunds add up to
 * what it says was refunded, and that its first entry is in the ledger. The first slice verifies the counts of sales, too.
 * @param tx a transaction in one snapshot
 */
export async function verifyPoints(
  tx: Connection,
  businessId: number,
  afterContactId: number,
  limit: number,
): Promise<VerifiedSlice> {
  const size = { members: limit, entries: 500_000 };
  const lastContactId = await findRangeEnd(tx, businessId, afterContactId, size);
  const last = lastContactId ?? Number.MAX_SAFE_INTEGER;
  return sliceOf(tx<VerifiedSlice[]>`
    WITH lot AS MATERIALIZED (
      SELECT *, points - clawed - used - expired AS left_over FROM points_lot
      WHERE business_id = ${businessId} AND contact_id > ${afterContactId} AND contact_id <= ${last}
    ), sold AS MATERIALIZED (
      SELECT sale_id, contact_id, refunded, use_lots, use_points FROM sale
      WHERE business_id = ${businessId} AND contact_id > ${afterContactId} AND contact_id <= ${last}
    ), spent AS MATERIALIZED (
      SELECT contact_id, lot_id, sum(points) AS points FROM (
        SELECT contact_id, unnest(use_lots) AS lot_id, unnest(use_points) AS points FROM sold
        UNION ALL
        SELECT contact_id, unnest(use_lots), unnest(use_points) FROM points_redemption
        WHERE business_id = ${businessId} AND contact_id > ${afterContactId} AND contact_id <= ${last}
      ) AS uses WHERE lot_id <> 0 GROUP BY contact_id, lot_id
    ), mismatch AS MATERIALIZED (
      SELECT 'points_in_lots' AS kind, 'points' AS account, l.contact_id, NULL::bigint AS entry_no, l.left_over::text AS expected,
        a.balance::text AS found
      FROM (SELECT contact_id, sum(left_over) AS left_over FROM lot WHERE matured GROUP BY contact_id) AS l
      LEFT JOIN LATERAL (
        SELECT balance FROM account
        WHERE business_id = ${businessId} AND contact_id = l.contact_id AND account = 'points' OFFSET 0
      ) AS a ON true
      WHERE a.balance IS NULL OR a.balance < l.left_over
      UNION ALL
      SELECT 'lot_use', 'points', s.contact_id, s.lot_id, s.points::text, lot.used::text
      FROM spent s LEFT JOIN lot USING (contact_id, lot_id) WHERE lot.used IS NULL OR lot.used < s.points
      UNION ALL
      SELECT 'lot_due', 'points', contact_id, lot_id, due.due_on::text, lot.due_on::text
      FROM lot CROSS JOIN LATERAL (
        SELECT CASE WHEN left_over = 0 THEN NULL WHEN matured THEN expires_on ELSE matures_on END AS due_on
      ) AS due
      WHERE due.due_on IS DISTINCT FROM lot.due_on
      UNION ALL
      SELECT 'refunds', 'points', sold.contact_id, sold.sale_id, refund.amount::text, sold.refunded::text
      FROM sold CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount), 0) AS amount FROM sale_refund
        WHERE business_id = ${businessId} AND sale_id = sold.sale_id OFFSET 0
      ) AS refund
      WHERE refund.amount <> sold.refunded
      UNION ALL
      SELECT 'sale_entry', 'points', sold.contact_id, sold.sale_id, sold.contact_id::text, entry.contact_id::text
      FROM sold LEFT JOIN LATERAL (
        SELECT contact_id FROM ledger_entry
        WHERE business_id = ${businessId} AND entry_no = sold.sale_id OFFSET 0
      ) AS entry ON true
      WHERE entry.contact_id IS DISTINCT FROM sold.contact_id
      UNION ALL
      SELECT 'sale_count', 'points', NULL, NULL, coalesce(s.sales, 0)::text, coalesce(c.sales, 0)::text
      FROM (SELECT sold_on, location_id, sales FROM sale_count WHERE business_id = ${businessId}) AS c
      FULL JOIN (
        SELECT sold_on, location_id, count(*) AS sales FROM sale
        WHERE business_id = ${businessId} GROUP BY sold_on, location_id
      ) AS s USING (sold_on, location_id)
      WHERE ${afterContactId === 0}::boolean AND coalesce(c.sales, 0) <> coalesce(s.sales, 0)
    )
    SELECT (SELECT count(DISTINCT contact_id) FROM lot) AS members, ${lastContactId}::bigint AS next,
      ${mismatchesBy("contact_id, entry_no, kind")}`);
}
