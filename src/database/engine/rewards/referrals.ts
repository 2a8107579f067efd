/** Referrals: who brought a member, and what has become of it. */
import type { ReferralFacts, ReferralStatus } from "../../../domain/engine/referrals.ts";
import type { Occasion } from "../../../domain/engine/rules.ts";
import type { Page, PageRequest } from "../../../domain/pagination.ts";
import type { Connection } from "../../connection.ts";
import {
  type BusinessTime,
  firstRow,
  inTurn,
  type ListSource,
  newestFirst,
  readPage,
  requiredRow,
  wallClock,
} from "../../rows.ts";
import { type Fragment, fragment, raw, tableOf } from "../../sql.ts";
import { todayOf } from "../due.ts";

export interface ReferralRow {
  readonly contact_id: number;
  readonly referrer_contact_id: number;
  readonly status: ReferralStatus;
  /** Wall-clock time of the business. */
  readonly created_at: string;
  readonly sale_id: number | null;
  readonly ends_on: string | null;
}

const columnsOf = ({ timeZone }: BusinessTime) => fragment`contact_id, referrer_contact_id, status,
  ${wallClock("created_at", timeZone)} AS created_at, sale_id, ends_on::text AS ends_on`;

export async function findReferralCode(tx: Connection, businessId: number, contactId: number) {
  const { referral_code } = await requiredRow(tx<{ referral_code: string | null }[]>`
    SELECT referral_code FROM member WHERE business_id = ${businessId} AND contact_id = ${contactId}`);
  return referral_code ?? undefined;
}

/** Gives a member a code. @throws a unique violation when another member has it */
export function setReferralCode(tx: Connection, businessId: number, contactId: number, code: string) {
  return tx`UPDATE member SET referral_code = ${code} WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
}

/** Whether a member of a table has bought something. Sales of the same group of postings are not stored yet. */
const hasBought = (businessId: Fragment, contactId: Fragment) => fragment`EXISTS (
        SELECT FROM sales_day d WHERE d.business_id = ${businessId} AND d.contact_id = ${contactId} AND (d.sales > 0 OR d.net <> 0)
      )`;

/** The owner of a code, or the member into which it was merged. */
export interface CodeOwner extends ReferralFacts {
  readonly referrer_contact_id: number;
}

/**
 * Finds the owner of a code, and what decides whether it can bring a member. The caller holds the ledger's lock, so that neither a
 * sale nor another referral of the business comes between.
 */
export function findCodeOwner(tx: Connection, businessId: number, contactId: number, code: string) {
  return firstRow(tx<CodeOwner[]>`
    WITH RECURSIVE owner AS MATERIALIZED (
      SELECT o.contact_id, o.joined_at FROM member c
      JOIN member o ON o.business_id = c.business_id AND o.contact_id = coalesce(c.merged_into, c.contact_id)
      WHERE c.business_id = ${businessId} AND c.referral_code = ${code} AND o.active
    ), above (contact_id) AS (
      SELECT contact_id FROM owner
      UNION
      SELECT r.referrer_contact_id FROM above JOIN referral r ON r.business_id = ${businessId} AND r.contact_id = above.contact_id
    )
    SELECT owner.contact_id AS referrer_contact_id, owner.contact_id = m.contact_id AS is_own, owner.joined_at > m.joined_at AS joined_later,
      EXISTS (SELECT FROM referral WHERE business_id = ${businessId} AND contact_id = m.contact_id) AS is_referred,
      ${hasBought(raw("m.business_id"), raw("m.contact_id"))} AS has_bought,
      EXISTS (SELECT FROM above WHERE above.contact_id = m.contact_id) AS is_circle,
      (
        SELECT count(*) FROM referral r JOIN business b ON b.business_id = r.business_id
        WHERE r.business_id = ${businessId} AND r.referrer_contact_id = owner.contact_id AND r.status <> 'lapsed'
          AND r.created_at >= date_trunc('year', ${todayOf(businessId)}::timestamp) AT TIME ZONE b.time_zone
      ) AS brought
    FROM owner JOIN member m ON m.business_id = ${businessId} AND m.contact_id = ${contactId}`);
}

export function insertReferral(tx: Connection, of: BusinessTime, contactId: number, referrerId: number) {
  return requiredRow(tx<ReferralRow[]>`
    INSERT INTO referral (business_id, contact_id, referrer_contact_id, created_at)
    VALUES (${of.businessId}, ${contactId}, ${referrerId},
      coalesce((SELECT clock_at FROM ledger WHERE business_id = ${of.businessId}), now()))
    RETURNING ${columnsOf(of)}`);
}

/** A page of referrals, newest first: of a member on either side, or of all. */
export function listReferrals(
  source: Pick<ListSource, "sql" | "scans">,
  of: BusinessTime,
  {
    contact_id,
    status,
  }: { readonly contact_id?: number | undefined; readonly status?: ReferralStatus | undefined },
  page: PageRequest,
): Promise<Page<ReferralRow>> {
  const from = fragment`FROM referral WHERE business_id = ${of.businessId}
    ${contact_id === undefined ? fragment`` : fragment`AND (contact_id = ${contact_id} OR referrer_contact_id = ${contact_id})`}
    ${status === undefined ? fragment`` : fragment`AND status = ${status}`}`;
  const list = { columns: columnsOf(of), from, sort: newestFirst("contact_id") };
  return inTurn(source, of.businessId, from, () => readPage<ReferralRow>(source.sql, list, page));
}

/** The first sale of a member, and what the rules ask of it. */
export interface FirstSale {
  readonly business_id: number;
  readonly contact_id: number;
  readonly sale_id: number;
  readonly sold_on: string;
  /** What is kept of it. */
  readonly kept: number;
  readonly minimum_amount: number;
  readonly ends_on: string;
}

/** A referral that has gone on, with the member who brought the other one. */
export interface DecidedReferral extends Pick<ReferralRow, "contact_id" | "referrer_contact_id" | "sale_id"> {
  readonly business_id: number;
  /** The day on which it was made. */
  readonly made_on: string;
  /** Today. */
  readonly decided_on: string;
  readonly status: Exclude<ReferralStatus, "open">;
}

const madeOn = raw(`(
      SELECT (r.created_at AT TIME ZONE b.time_zone)::date FROM business b WHERE b.business_id = r.business_id
    )`);
const decided = fragment`r.business_id, r.contact_id, r.referrer_contact_id, r.status, r.sale_id, ${madeOn}::text AS made_on, (
      SELECT (coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone)::date::text
      FROM ledger l JOIN business b ON b.business_id = l.business_id WHERE l.business_id = r.business_id
    ) AS decided_on`;

/**
 * Decides open referrals by the first sales. A member who has bought before, such as with a card that it has claimed since, or at a till
 * that was offline, is not new. The caller holds the ledgers' locks.
 */
export function qualifyReferrals(tx: Connection, sales: readonly FirstSale[]) {
  const columns =
    "business_id bigint, contact_id bigint, sale_id bigint, sold_on date, kept bigint, minimum_amount bigint, ends_on date";
  return tx<DecidedReferral[]>`
    UPDATE referral r SET status = CASE
        WHEN s.kept >= s.minimum_amount AND s.sold_on >= ${madeOn}
          AND NOT ${hasBought(raw("r.business_id"), raw("r.contact_id"))} THEN 'qualified'
        ELSE 'lapsed'
      END, sale_id = s.sale_id, minimum_amount = s.minimum_amount, ends_on = s.ends_on
    FROM ${tableOf("s", sales, columns)}
    WHERE r.business_id = s.business_id AND r.contact_id = s.contact_id AND r.status = 'open'
    RETURNING ${decided}`;
}

/**
 * Decides referrals whose first sale has been kept long enough, up to `limit`: each is granted if enough of the sale is kept, and
 * somebody gets something for it. The caller holds the ledger's lock.
 * @param occasions that give something now, for referrals that were made on their days
 */
export function endReferrals(
  tx: Connection,
  businessId: number,
  occasions: readonly Pick<Occasion, "first_day" | "last_day">[],
  limit: number,
) {
  const days = tableOf("acting", occasions, "first_day date, last_day date");
  return tx<DecidedReferral[]>`
    UPDATE referral r SET status = CASE WHEN due.kept >= r.minimum_amount AND EXISTS (
        SELECT FROM ${days} WHERE ${madeOn} BETWEEN coalesce(first_day, '-infinity') AND coalesce(last_day, 'infinity')
      ) THEN 'granted' ELSE 'lapsed' END
    FROM (
      SELECT q.contact_id, coalesce((
        SELECT amount - refunded FROM sale WHERE business_id = ${businessId} AND sale_id = q.sale_id
      ), 0) AS kept
      FROM referral q
      WHERE q.business_id = ${businessId} AND q.status = 'qualified' AND q.ends_on <= ${todayOf(businessId)}
      ORDER BY q.business_id, q.ends_on LIMIT ${limit}
    ) AS due
    WHERE r.business_id = ${businessId} AND r.contact_id = due.contact_id AND r.status = 'qualified'
    RETURNING ${decided}`;
}

/** The first day, up to a given one, on which a referral of a sandbox is decided. @param after only later days */
export async function findReferralDay(tx: Connection, businessId: number, by: string, after = "-infinity") {
  const row = await firstRow(tx<{ day: string }[]>`
    SELECT ends_on::text AS day FROM referral
    WHERE business_id = ${businessId} AND status = 'qualified' AND ends_on <= ${by}::date AND ends_on > ${after}::date
    ORDER BY business_id, ends_on LIMIT 1`);
  return row?.day;
}

/**
 * Makes the referrals of a member those of another one, after its records. One between the two ends, and so does one
 * that makes a circle, or whose member has bought something before as the other one. Of two members who were both brought, the other one's
 * referral stays. The caller holds the ledger's lock.
 * @returns those that ended
 */
export async function mergeReferrals(tx: Connection, businessId: number, from: number, to: number) {
  await tx`
    UPDATE referral r SET contact_id = ${to}
    WHERE r.business_id = ${businessId} AND r.contact_id = ${from} AND r.referrer_contact_id <> ${to}
      AND NOT EXISTS (SELECT FROM referral o WHERE o.business_id = ${businessId} AND o.contact_id = ${to})`;
  await tx`
    UPDATE referral SET referrer_contact_id = ${to}
    WHERE business_id = ${businessId} AND referrer_contact_id = ${from} AND contact_id <> ${to}`;
  return tx<DecidedReferral[]>`
    WITH RECURSIVE above (contact_id) AS (
      SELECT referrer_contact_id FROM referral WHERE business_id = ${businessId} AND contact_id = ${to}
      UNION
      SELECT o.referrer_contact_id FROM above JOIN referral o ON o.business_id = ${businessId} AND o.contact_id = above.contact_id
    )
    UPDATE referral r SET status = 'lapsed'
    WHERE r.business_id = ${businessId} AND r.status IN ('open', 'qualified') AND (
      r.contact_id = ${from}
      -- A member above itself is in a circle. If its own referral was granted already, the open ones of the circle end.
      OR ${to} IN (SELECT contact_id FROM above) AND r.contact_id IN (SELECT contact_id FROM above) AND NOT EXISTS (
        SELECT FROM referral o WHERE o.business_id = ${businessId} AND o.contact_id = ${to} AND o.contact_id <> r.contact_id
          AND o.status IN ('open', 'qualified')
      )
      OR r.contact_id = ${to} AND (
        r.referrer_contact_id = ${from} OR EXISTS (
          SELECT FROM sales_day d WHERE d.business_id = ${businessId} AND d.contact_id = ${to} AND (d.sales > 0 OR d.net <> 0)
            AND d.day < coalesce(
              (SELECT s.sold_on FROM sale s WHERE s.business_id = ${businessId} AND s.sale_id = r.sale_id), 'infinity'
            )
        )
      )
    )
    RETURNING ${decided}`;
}
