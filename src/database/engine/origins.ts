/** What ledger entries belong to. */
import type { Connection } from "../connection.ts";
import type { EntryRow } from "../ledger/ledger.ts";
import { tableOf } from "../sql.ts";
import { todayOf } from "./due.ts";

/** The operations that take entries back, with all that belongs to them. */
export const reversals = ["wallet", "reward_points"] as const;

/** The errors with which they would be rejected now: the money was spent, or the voucher that the points bought was used or has lapsed. */
export const reversalObstacles = ["insufficient_balance", "voucher_not_usable"] as const;

export interface EntryOrigin {
  readonly entry_no: number;
  readonly sale_id: number | null;
  readonly sold_on: string | null;
  readonly reversal: (typeof reversals)[number] | null;
  readonly reversal_obstacle: (typeof reversalObstacles)[number] | null;
}

export type OriginatedEntry = Pick<EntryRow, "entry_no" | "event_type" | "contact_id" | "reference_id">;

/** The number of a sale is that of its first entry, and a sale has few entries. */
const mostEntriesOfSale = 100;
/** So many refunds with the reference of an entry are looked at. */
const mostRefundsOfReference = 100;

/**
 * Finds the sales of entries, and which entries can be reversed. The entries of a refund are found by its reference, unless the
 * member has refunds of several sales with it.
 */
export function findOrigins(sql: Connection, businessId: number, entries: readonly OriginatedEntry[]) {
  return sql<EntryOrigin[]>`
    SELECT e.entry_no, sale.sale_id, sale.sold_on::text AS sold_on,
      CASE WHEN NOT m.reversed THEN 'wallet' WHEN NOT r.reversed THEN 'reward_points' END AS reversal,
      CASE WHEN m.amount + m.promo_amount > w.balance THEN 'insufficient_balance'
        WHEN v.is_gone THEN 'voucher_not_usable' END AS reversal_obstacle
    FROM ${tableOf("e", entries, "entry_no bigint, event_type event_type, contact_id bigint, reference_id text")}
    LEFT JOIN wallet_movement m ON m.business_id = ${businessId} AND m.movement_id = e.entry_no
    LEFT JOIN points_redemption r ON r.business_id = ${businessId} AND r.redemption_id = e.entry_no
    LEFT JOIN LATERAL (
      SELECT balance FROM account
      WHERE business_id = ${businessId} AND contact_id = m.contact_id AND account = 'wallet' AND m.kind = 'topup'
        AND NOT m.reversed OFFSET 0
    ) AS w ON true
    LEFT JOIN LATERAL (
      SELECT status <> 'held' OR coalesce(lapses_on <= ${todayOf(businessId)}, false) AS is_gone FROM held_voucher
      WHERE business_id = ${businessId} AND held_voucher_id = r.held_voucher_id AND NOT r.reversed
        AND EXISTS (
          SELECT FROM member WHERE business_id = ${businessId} AND contact_id = r.contact_id AND erased_at IS NULL
        ) OFFSET 0
    ) AS v ON true
    LEFT JOIN LATERAL (
      SELECT sale_id FROM sale
      WHERE business_id = ${businessId} AND sale_id BETWEEN e.entry_no - ${mostEntriesOfSale} AND e.entry_no
        AND contact_id = e.contact_id AND reference_id = e.reference_id
      ORDER BY business_id DESC, sale_id DESC LIMIT 1
    ) AS s ON true
    LEFT JOIN LATERAL (
      SELECT min(s.sale_id) AS sale_id
      FROM (
        SELECT sale_id FROM sale_refund WHERE business_id = ${businessId} AND reference_id = e.reference_id
        LIMIT ${mostRefundsOfReference}
      ) AS f
      JOIN sale s ON s.business_id = ${businessId} AND s.sale_id = f.sale_id AND s.contact_id = e.contact_id
      HAVING min(s.sale_id) = max(s.sale_id)
    ) AS f ON true
    LEFT JOIN sale ON sale.business_id = ${businessId} AND sale.sale_id = coalesce(s.sale_id, f.sale_id)
      AND m.movement_id IS NULL AND r.redemption_id IS NULL
      AND e.event_type NOT IN ('wallet_adjustment', 'reward_points_adjustment')`;
}
