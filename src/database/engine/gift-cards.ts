/** The money on gift cards that nobody has claimed, which is in the ledger of their members. */
import type { Connection } from "../connection.ts";
import { firstInstant, requiredRow } from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";

const isGiftMoney = raw("a.account = 'wallet' AND a.anonymous = 'gift'");

/** The first instant after a day of the business. */
const endOf = (businessId: number, day: Fragment) => fragment`(
  SELECT ${firstInstant(fragment`(${day} + 1)`, raw("time_zone"))} FROM business WHERE business_id = ${businessId}
)`;

/** The money on each gift card at the end of a day. What has lapsed counts until that is recorded, so that a past day never changes. */
export const giftMoney = (businessId: number, day: string) => fragment`
  SELECT e.amount FROM account a CROSS JOIN LATERAL (
    SELECT sum(amount)::bigint AS amount FROM ledger_entry e
    WHERE e.business_id = ${businessId} AND e.contact_id = a.contact_id AND e.account = 'wallet'
      AND e.created_at < ${endOf(businessId, fragment`${day}::date`)}
  ) AS e
  WHERE a.business_id = ${businessId} AND ${isGiftMoney} AND e.amount > 0`;

/** What happened on gift cards on some days. Amounts are in minor units. */
export interface GiftCardSums {
  readonly sold: number;
  readonly sold_amount: number;
  readonly used_amount: number;
  readonly ended_amount: number;
  readonly open: number;
  readonly open_amount: number;
}

/**
 * What happened on gift cards from one day through another, and what is on them at the end of the last one. What is not on them any more,
 * and was not used, has ended.
 */
export function reportGiftMoney(
  sql: Connection,
  businessId: number,
  { from, through }: { readonly from: string; readonly through: string },
): Promise<GiftCardSums> {
  return requiredRow(sql<GiftCardSums[]>`
    WITH days AS MATERIALIZED (
      SELECT ${endOf(businessId, fragment`${from}::date - 1`)} AS begins, ${endOf(businessId, fragment`${through}::date`)} AS ends
    ), gift AS MATERIALIZED (
      SELECT e.* FROM days CROSS JOIN account a CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount) FILTER (WHERE created_at < begins), 0) AS opening, coalesce(sum(amount), 0) AS closing,
          coalesce(sum(amount) FILTER (WHERE created_at >= begins AND event_type = 'wallet_topup'), 0) AS sold,
          coalesce(sum(amount) FILTER (WHERE created_at >= begins AND event_type = 'wallet_payment'), 0) AS paid,
          count(*) FILTER (WHERE created_at >= begins AND event_type = 'wallet_topup' AND amount > 0) > 0 AS is_sold
        FROM ledger_entry e
        WHERE e.business_id = ${businessId} AND e.contact_id = a.contact_id AND e.account = 'wallet' AND e.created_at < ends
      ) AS e
      WHERE a.business_id = ${businessId} AND ${isGiftMoney}
    ), total AS (
      SELECT count(*) FILTER (WHERE is_sold) AS sold, coalesce(sum(sold), 0)::bigint AS sold_amount, coalesce(-sum(paid), 0)::bigint AS used_amount,
        coalesce(sum(opening), 0)::bigint AS opening, count(*) FILTER (WHERE closing > 0) AS open,
        coalesce(sum(closing), 0)::bigint AS open_amount
      FROM gift
    )
    SELECT sold, sold_amount, used_amount, opening + sold_amount - used_amount - open_amount AS ended_amount, open, open_amount FROM total`);
}
