/** What expires soon: finds it, and keeps for what there was an event. */
import type { ExpiringCard, ExpiringDay, ExpiringVoucher } from "../../domain/engine/notices.ts";
import type { Connection } from "../connection.ts";
import { firstRow } from "../rows.ts";
import { fragment, tableOf } from "../sql.ts";
import { type DueMember, isIndexed, todayOf } from "./due.ts";

/** A day on which something of a member ends, and whether there was an event about it. */
interface WatchedDay extends ExpiringDay {
  readonly noticed: boolean;
}

const ends = fragment`d.amount > 0 AND d.event <> 'points_mature' AND ${isIndexed("d")}`;
/** Null without notices. */
const noticeDays = (businessId: number) =>
  fragment`(SELECT nullif(expiring_notice_days, 0) FROM reward_settings WHERE business_id = ${businessId})`;

/**
 * Finds what ends within the days of notice, in the order of days and members. It has what there was an event about, too, so each
 * call reads a limited number of rows.
 * @param after from this member on; a member can have several rows
 */
export function findExpiring(
  tx: Connection,
  businessId: number,
  {
    today,
    after,
    limit,
  }: { readonly today: string; readonly after: DueMember | undefined; readonly limit: number },
) {
  const from = after ?? { day: today, contact_id: Number.MAX_SAFE_INTEGER };
  return tx<WatchedDay[]>`
    SELECT d.contact_id, d.day::text, d.event, d.amount, d.noticed FROM member_due d
    WHERE d.business_id = ${businessId} AND ${ends}
      AND d.day > ${today}::date AND d.day <= ${today}::date + ${noticeDays(businessId)} + 1
      AND (d.day, d.contact_id) >= (${from.day}::date, ${from.contact_id})
    ORDER BY d.business_id, d.day, d.contact_id LIMIT ${limit}`;
}

/** Keeps for what there is an event now. */
export async function markNoticed(tx: Connection, businessId: number, days: readonly ExpiringDay[]) {
  const marked = await tx`
    UPDATE member_due SET noticed = true
    FROM ${tableOf("given", days, "contact_id bigint, day date, event text")}
    WHERE member_due.business_id = ${businessId} AND member_due.contact_id = given.contact_id
      AND member_due.day = given.day AND member_due.event = given.event`;
  if (marked.count !== days.length) throw new Error("not all notices were kept");
}

/** Lists the vouchers of members that lapse on days. */
export function listLapsing(tx: Connection, businessId: number, days: readonly DueMember[]) {
  return tx<ExpiringVoucher[]>`
    SELECT v.contact_id, wanted.day::text, v.held_voucher_id, v.voucher_id, v.coupon_value, v.location_id
    FROM ${tableOf("wanted", days, "contact_id bigint, day date")}
    CROSS JOIN LATERAL (
      SELECT * FROM held_voucher v
      WHERE v.business_id = ${businessId} AND v.contact_id = wanted.contact_id AND v.status = 'held'
        AND coalesce(v.lapses_on, 'infinity'::date) = wanted.day
      ORDER BY v.business_id, v.contact_id, coalesce(v.lapses_on, 'infinity'::date), v.held_voucher_id OFFSET 0
    ) AS v
    ORDER BY wanted.nth, v.held_voucher_id`;
}

/** Lists the stamp cards of members that lapse on days. */
export function listLapsingCards(tx: Connection, businessId: number, days: readonly DueMember[]) {
  return tx<ExpiringCard[]>`
    SELECT c.contact_id, wanted.day::text, c.stamp_card_id, c.stamps
    FROM ${tableOf("wanted", days, "contact_id bigint, day date")}
    JOIN member_stamp_card c ON c.business_id = ${businessId} AND c.contact_id = wanted.contact_id AND c.lapses_on = wanted.day
    ORDER BY wanted.nth, c.stamp_card_id`;
}

/** The days after today, up to `by`, on which notices of a sandbox are due: one row for each notice, in the order of the days. */
export const noticesDue = (businessId: number, by: string) => fragment`
  SELECT greatest(d.day - ${noticeDays(businessId)} - 1, clock.today + 1) AS day
  FROM ledger l CROSS JOIN LATERAL (SELECT ${todayOf(businessId)} AS today) AS clock
  JOIN member_due d ON d.business_id = l.business_id AND ${ends} AND NOT d.noticed
    AND d.day > clock.today + 1 AND d.day <= ${by}::date + ${noticeDays(businessId)} + 1
  WHERE l.business_id = ${businessId} AND l.events_enabled AND clock.today < ${by}::date
  ORDER BY d.business_id, d.day`;

/**
 * Finds the next day after today on which notices of a sandbox are due.
 * @param by the last possible day
 * @returns undefined without one
 */
export async function findNextNoticeDay(tx: Connection, businessId: number, by: string) {
  const row = await firstRow(tx<{ day: string }[]>`
    SELECT day::text FROM (${noticesDue(businessId, by)} LIMIT 1) AS first`);
  return row?.day;
}

/** Keeps that the notices of a day are complete. The caller holds the ledger's lock. */
export function recordNoticed(tx: Connection, businessId: number, day: string) {
  return tx`UPDATE ledger SET noticed_on = ${day}::date WHERE business_id = ${businessId}`;
}

/** Makes the background job look for what expires soon, because the days of notice have changed. */
export function expectNotices(tx: Connection, businessId: number) {
  return tx`UPDATE ledger SET noticed_on = NULL WHERE business_id = ${businessId}`;
}
