/** Reads what stamp cards did, for reports. */
import type { Connection } from "../../connection.ts";
import { everywhere } from "../../ledger/day-totals.ts";
import { requiredRow } from "../../rows.ts";

interface StampDay {
  readonly day: string;
  readonly stamps: number;
  readonly begun: number;
  readonly full: number;
  readonly lapsed: number;
}

/** What happened to the stamps of a card on each day on which something did, by the day of recording. */
export function listStampDays(
  sql: Connection,
  businessId: number,
  stampCardId: number,
  { from, through }: { readonly from: string; readonly through: string },
) {
  const nameOf = (what: string) => `stamps_${what} ${stampCardId}`;
  const [given, full, lapsed] = [nameOf("given"), nameOf("full"), nameOf("lapsed")];
  return sql<StampDay[]>`
    SELECT day::text, coalesce(sum(amount) FILTER (WHERE what = ${given}), 0)::bigint AS stamps,
      coalesce(sum(items) FILTER (WHERE what = ${given}), 0)::bigint AS begun,
      coalesce(sum(items) FILTER (WHERE what = ${full}), 0)::bigint AS full,
      coalesce(sum(amount) FILTER (WHERE what = ${lapsed}), 0)::bigint AS lapsed
    FROM day_total
    WHERE business_id = ${businessId} AND location_id = ${everywhere} AND day BETWEEN ${from}::date AND ${through}::date
      AND what IN (${given}, ${full}, ${lapsed})
    GROUP BY day ORDER BY day`;
}

/** Counts the members with stamps on a card, and adds up their stamps. It reads the cards of all members. */
export function countStampHolders(sql: Connection, businessId: number, stampCardId: number) {
  return requiredRow(sql<Record<"members_with_stamps" | "stamps_on_cards" | "times_full", number>[]>`
    SELECT count(*) FILTER (WHERE stamps > 0) AS members_with_stamps,
      coalesce(sum(stamps) FILTER (WHERE stamps > 0), 0)::bigint AS stamps_on_cards, coalesce(sum(completed), 0)::bigint AS times_full
    FROM member_stamp_card WHERE business_id = ${businessId} AND stamp_card_id = ${stampCardId}`);
}
