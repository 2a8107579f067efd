/** Reads recorded sales, and the tiers of their members, for a preview of rules. */

import type { PreviewedSale } from "../../domain/engine/preview.ts";
import type { Buying } from "../../domain/engine/promotions/acting.ts";
import type { SalesDay, TierStanding } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import { requiredRow } from "../rows.ts";
import { within } from "../verify/ledger.ts";
import { todayOf } from "./due.ts";
import { recordColumns } from "./kinds.ts";
import { restoredForm, type StoredForm } from "./sale-form.ts";

export interface MemberRange {
  /** Only members with larger numbers. */
  readonly after: number;
  /** The last member; null: to the end. */
  readonly last: number | null;
}

const inRange = (businessId: number, { after, last }: MemberRange) => within(businessId, after, last);

/** Counts the active members of a range, and finds the others. */
export function findActiveMembers(tx: Connection, businessId: number, range: MemberRange) {
  return requiredRow(tx<{ active: number; inactive: readonly number[]; today: string }[]>`
    SELECT count(*) FILTER (WHERE active) AS active, ${todayOf(businessId)}::text AS today,
      coalesce(array_agg(contact_id) FILTER (WHERE NOT active), '{}') AS inactive
    FROM member WHERE ${inRange(businessId, range)}`);
}

/** The net sales of members by day, up to a day. */
export function listSalesDays(tx: Connection, businessId: number, range: MemberRange, through: string) {
  return tx<(SalesDay & { readonly contact_id: number })[]>`
    SELECT contact_id, day::text, net FROM sales_day
    WHERE ${inRange(businessId, range)} AND day <= ${through}::date ORDER BY contact_id, day`;
}

/** The tiers that members have by hand. */
export function listTiersByHand(tx: Connection, businessId: number, range: MemberRange) {
  return tx<(TierStanding & { readonly contact_id: number })[]>`
    SELECT contact_id, ${recordColumns("tier_standing", "s")} FROM tier_standing s
    WHERE ${inRange(businessId, range)} AND by_hand AND tier_id IS NOT NULL`;
}

/** What promotions ask of members, before a day. */
export function listPromotionFacts(tx: Connection, businessId: number, range: MemberRange, from: string) {
  return tx<(NonNullable<Buying["facts"]> & { readonly contact_id: number })[]>`
    SELECT contact_id, (joined_at AT TIME ZONE (SELECT time_zone FROM business WHERE business_id = ${businessId}))::date::text AS joined_on,
      date_of_birth::text AS born_on, greatest((
        SELECT max(d.day) FROM sales_day d
        WHERE d.business_id = m.business_id AND d.contact_id = m.contact_id AND d.day < ${from}::date AND d.net > 0
      ), (
        SELECT max(s.sold_on) FROM sale s
        WHERE s.business_id = m.business_id AND s.contact_id = m.contact_id AND s.sold_on < ${from}::date
          AND s.refunded < s.amount
      ))::text AS bought_on
    FROM member m WHERE ${inRange(businessId, range)}`;
}

type Row = PreviewedSale & { readonly sale_id: number };

/** Between two pages, the process responds to other requests. */
const pageRows = 1000;

/** The sales of some members and days, in pages, in the order of members and days. */
export async function* readSalesToPreview(
  tx: Connection,
  businessId: number,
  range: MemberRange,
  { from, through }: { readonly from: string; readonly through: string },
): AsyncGenerator<readonly Row[]> {
  let place = { contact_id: range.after, sold_on: "infinity", sale_id: Number.MAX_SAFE_INTEGER };
  for (let isMore = true; isMore; ) {
    const stored = await tx<StoredForm<Row>[]>`
      SELECT contact_id, location_id, sold_on::text, s.sale_id, coalesce(sold_at, to_char(recorded.at, 'HH24:MI')) AS time, amount, eligible_amount, receipt_lines, grants, voucher_amount + points_amount AS paid_otherwise,
        refunded, wallet_used + amount_due - coalesce(back.net, 0) AS net, points_earned - coalesce(back.points, 0) AS points_kept
      FROM sale s LEFT JOIN LATERAL (
        SELECT moment.at FROM (
          SELECT s.created_at AT TIME ZONE (SELECT time_zone FROM business WHERE business_id = ${businessId})
        ) AS moment (at) WHERE moment.at::date = s.sold_on
      ) AS recorded ON true LEFT JOIN LATERAL (
        SELECT sum(wallet_back + money_back)::bigint AS net,
          sum(points_clawed + points_excused + points_owed + points_forgiven)::bigint AS points
        FROM sale_refund r WHERE s.refunded > 0 AND r.business_id = s.business_id AND r.sale_id = s.sale_id OFFSET 0
      ) AS back ON true
      WHERE ${inRange(businessId, range)}
        AND (contact_id, sold_on, s.sale_id) > (${place.contact_id}, ${place.sold_on}::date, ${place.sale_id})
        AND sold_on BETWEEN ${from}::date AND ${through}::date
        AND contact_id NOT IN (
          SELECT contact_id FROM account WHERE business_id = ${businessId} AND anonymous = 'gift' AND account = 'wallet'
        )
      ORDER BY contact_id, sold_on, s.sale_id LIMIT ${pageRows}`;
    const rows = stored.map((row) => restoredForm<Row>(row));
    yield rows;
    const end = rows.at(-1);
    isMore = end !== undefined && rows.length === pageRows;
    place = end ?? place;
  }
}
