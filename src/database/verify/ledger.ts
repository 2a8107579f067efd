/** Verifies the accounts of members, their points, and the sequence of entries, slice by slice. A slice is read in one snapshot. */
import { pointsOfSales } from "../../domain/engine/earning/limits.ts";
import { eventTypeNames, eventTypes } from "../../domain/ledger.ts";
import type { Connection, Share } from "../connection.ts";
import { grantRows, hasLeft } from "../engine/rewards/promotions.ts";
import { requiredRow } from "../rows.ts";
import { fragment, raw } from "../sql.ts";

/** A value that differs from the one that the rest of the ledger implies. */
export interface Mismatch {
  readonly kind: string;
  readonly contact_id: number | null;
  readonly account: string | null;
  readonly entry_no: number | null;
  /** For a count: its block, and what it counts. */
  readonly place: string | null;
  readonly expected: string | null;
  readonly found: string | null;
}

export interface VerifiedSlice {
  readonly members: number;
  readonly accounts: number;
  readonly entries: number;
  readonly blocks: number;
  readonly mismatch_count: number;
  /** At most `mostMismatches`. */
  readonly mismatches: readonly Mismatch[];
  /** The start of the next slice; null after the last one. */
  readonly next: number | null;
}

/**
 * Verifies a slice, in a transaction with one snapshot.
 * @param after where the slice begins: `next` of the previous one, or 0
 * @param limit the most members, entries or blocks of the slice
 */
export type VerifySlice = (
  tx: Connection,
  businessId: number,
  after: number,
  limit: number,
) => Promise<VerifiedSlice>;

/** More mismatches of a slice are counted, but not listed. */
export const mostMismatches = 100;

/** Runs the statements of a slice in one snapshot. */
export function inSlice<Result>(longRunning: Share, verify: (tx: Connection) => Promise<Result>) {
  return longRunning.begin(verify, "ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

/** The last columns of a slice's statement: the number of mismatches, and the first of them in an order. */
export const mismatchesBy = (order: string) => fragment`
  (SELECT count(*) FROM mismatch) AS mismatch_count,
  (SELECT coalesce(jsonb_agg(m), '[]') FROM (
    SELECT * FROM mismatch ORDER BY ${raw(order)} LIMIT ${mostMismatches}
  ) AS m) AS mismatches`;

const nothing = { members: 0, accounts: 0, entries: 0, blocks: 0, next: null };
const nowhere = { contact_id: null, account: null, entry_no: null, place: null };

/** Completes the result of a statement, which has only the columns that it counts and the fields that its mismatches concern. */
export async function sliceOf(
  rows: Promise<readonly Pick<VerifiedSlice, "mismatch_count" | "mismatches">[]>,
): Promise<VerifiedSlice> {
  const found = await requiredRow(rows);
  return {
    ...nothing,
    ...found,
    mismatches: found.mismatches.map((mismatch) => ({ ...nowhere, ...mismatch })),
  };
}

/**
 * Makes PostgreSQL plan the following statements for any values. For a business that is missing from the statistics, a plan for a
 * range of keys may use any index, and a plan for a limit may sort all rows.
 */
export function planForAnyValues(tx: Connection) {
  return tx`SET LOCAL plan_cache_mode = force_generic_plan`;
}

const accountOfEventType = raw(
  eventTypeNames.map((name) => `WHEN '${name}' THEN '${eventTypes[name].account}'::account_name`).join(" "),
);

/** Entries that are verified together. A member's entries are on many pages. With this many, most pages have several of them. */
const entriesAtOnce = 500_000;

/** The condition that a row belongs to a range of members. Without a last member, the range goes to the end. */
export const within = (businessId: number, afterContactId: number, lastContactId: number | null) => fragment`
  business_id = ${businessId} AND contact_id > ${afterContactId}
    AND contact_id <= ${lastContactId ?? Number.MAX_SAFE_INTEGER}`;

/**
 * Finds the end of a range of members.
 * @param members the most members of the range
 * @param entries about how many entries they have at most. One member may have more.
 * @returns the last contact_id; null when the range goes to the end
 */
export async function findRangeEnd(
  tx: Connection,
  businessId: number,
  afterContactId: number,
  { members, entries = entriesAtOnce }: { readonly members: number; readonly entries?: number },
): Promise<number | null> {
  const [byMembers] = await tx<{ contact_id: number }[]>`
    SELECT contact_id FROM member WHERE business_id = ${businessId} AND contact_id > ${afterContactId}
    ORDER BY contact_id OFFSET ${members - 1} LIMIT 1`;
  const last = byMembers?.contact_id ?? null;
  const [byEntries] = await tx<{ contact_id: number }[]>`
    SELECT contact_id FROM ledger_entry WHERE ${within(businessId, afterContactId, last)}
    ORDER BY contact_id, created_at, entry_no OFFSET ${entries - 1} LIMIT 1`;
  return byEntries?.contact_id ?? last;
}

/**
 * Recomputes the accounts of up to `limit` members. Checks that each member has its four accounts and no other account exists,
 * that each balance is the sum of its entries and `entries` is their number, that each balance_after is the previous one plus
 * the amount, and that each entry is in the account of its event type. A member that was merged into another one must be inactive
 * and without balances. Full joins are by hash or merge. For a business that is missing from the statistics, other joins might
 * compare each row with each other row.
 */
export const verifyAccounts: VerifySlice = async (tx, businessId, afterContactId, limit) => {
  const last = await findRangeEnd(tx, businessId, afterContactId, { members: limit });
  const range = within(businessId, afterContactId, last);
  return sliceOf(tx<VerifiedSlice[]>`
    WITH entry AS MATERIALIZED (
      SELECT contact_id, account, entry_no, amount, balance_after, CASE event_type ${accountOfEventType} END AS should,
        lag(balance_after, 1, 0::bigint) OVER (PARTITION BY contact_id, account ORDER BY entry_no) AS before
      FROM ledger_entry WHERE ${range}
    ), joined AS MATERIALIZED (
      SELECT contact_id, account, p.contact_id IS NOT NULL AS is_present, p.balance, p.active, p.kept,
        s.entries, coalesce(s.balance, 0) AS summed, m.contact_id IS NOT NULL AS has_member, m.active AS member_active,
        m.merged_into, p.anonymous, m.anonymous AS member_anonymous
      FROM (SELECT contact_id, account, active, balance, anonymous, entries AS kept FROM account WHERE ${range}) AS p
      FULL JOIN (
        SELECT contact_id, account, count(*) AS entries, sum(amount) AS balance FROM entry GROUP BY contact_id, account
      ) AS s USING (contact_id, account)
      FULL JOIN (
        SELECT contact_id, account, active, merged_into, anonymous
        FROM member CROSS JOIN unnest(enum_range(NULL::account_name)) AS each (account) WHERE ${range}
      ) AS m USING (contact_id, account)
    ), mismatch AS MATERIALIZED (
      SELECT 'balance' AS kind, contact_id, account::text, NULL::bigint AS entry_no, summed::text AS expected,
        balance::text AS found
      FROM joined WHERE balance <> summed
      UNION ALL
      SELECT 'balance_after', contact_id, account::text, entry_no, (before::numeric + amount)::text,
        balance_after::text
      FROM entry WHERE balance_after - before <> amount
      UNION ALL
      SELECT 'account_of_entry', contact_id, account::text, entry_no, should::text, account::text
      FROM entry WHERE account <> should
      UNION ALL
      SELECT 'account_entries', contact_id, account::text, NULL, coalesce(entries, 0)::text, kept::text
      FROM joined WHERE kept <> coalesce(entries, 0)
      UNION ALL
      SELECT 'account_missing', contact_id, account::text, NULL, '0', NULL
      FROM joined WHERE has_member AND NOT is_present
      UNION ALL
      SELECT 'entries_without_account', contact_id, account::text, NULL, NULL, entries::text
      FROM joined WHERE entries IS NOT NULL AND NOT is_present
      UNION ALL
      SELECT 'account_without_member', contact_id, account::text, NULL, NULL, balance::text
      FROM joined WHERE is_present AND NOT has_member
      UNION ALL
      SELECT 'account_active', contact_id, account::text, NULL, member_active::text, active::text
      FROM joined WHERE active <> member_active
      UNION ALL
      SELECT 'account_anonymous', contact_id, account::text, NULL, member_anonymous, anonymous
      FROM joined WHERE is_present AND has_member AND anonymous IS DISTINCT FROM member_anonymous
      UNION ALL
      SELECT 'merged_member', contact_id, account::text, NULL, '0', balance::text
      FROM joined WHERE merged_into IS NOT NULL AND (balance <> 0 OR active)
      UNION ALL
      SELECT 'merged_member', merged.contact_id, NULL, NULL, NULL, merged.merged_into::text
      FROM (SELECT contact_id, merged_into FROM member WHERE ${range} AND merged_into IS NOT NULL) AS merged
      LEFT JOIN LATERAL (
        SELECT contact_id FROM member
        WHERE business_id = ${businessId} AND contact_id = merged.merged_into AND merged_into IS NULL OFFSET 0
      ) AS remaining ON true
      WHERE remaining.contact_id IS NULL
    )
    SELECT (SELECT count(*) FROM member WHERE ${range}) AS members,
      (SELECT count(*) FROM joined WHERE is_present) AS accounts,
      (SELECT coalesce(sum(entries), 0)::bigint FROM joined) AS entries,
      ${last}::bigint AS next, ${mismatchesBy("contact_id, account, entry_no, kind")}`);
};

/**
 * Verifies the points of up to `limit` members. Checks that the balance has at least the points that are left in matured lots,
 * that each lot was used at least as much as sales and redemptions say, that the sums of what is due are those of the lots,
 * vouchers, stamps and tiers, that the stamps on each card are those of its sales, by hand, less those that lapsed and those of its
 * vouchers, that what members got on occasions is there, that the sales by day add up to the balance of sales, that the refunds of each sale add up to its refunded
 * amount, its lines to its amount, and what promotions gave to no more than its points, and that its first entry is in the ledger. The first slice also verifies the counts of sales.
 */
export const verifyPoints: VerifySlice = async (tx, businessId, afterContactId, limit) => {
  const last = await findRangeEnd(tx, businessId, afterContactId, { members: limit });
  const range = within(businessId, afterContactId, last);
  return sliceOf(tx<VerifiedSlice[]>`
    WITH lot AS MATERIALIZED (
      SELECT *, points - clawed - used - expired AS left_over FROM points_lot WHERE ${range}
    ), sold AS MATERIALIZED (
      SELECT sale_id, contact_id, amount, voucher_amount, held_voucher_ids, refunded, uses, receipt_lines, points_earned, grants
      FROM sale WHERE ${range}
    ), held AS MATERIALIZED (
      SELECT contact_id, coupon_value, lapses_on FROM held_voucher WHERE ${range} AND status = 'held'
    ), due AS MATERIALIZED (
      SELECT contact_id, CASE WHEN matured THEN 'points_expire' ELSE 'points_mature' END AS event,
        coalesce(CASE WHEN matured THEN expires_on ELSE matures_on END, 'infinity') AS day, sum(left_over) AS amount
      FROM lot WHERE left_over > 0 GROUP BY contact_id, 2, 3
      UNION ALL
      SELECT contact_id, 'voucher_lapses', lapses_on, count(*) FROM held
      WHERE lapses_on IS NOT NULL GROUP BY contact_id, lapses_on
      UNION ALL
      SELECT contact_id, 'tier_ends', ends_on, 1 FROM tier_standing WHERE ${range} AND ends_on IS NOT NULL
      UNION ALL
      SELECT contact_id, 'stamps_lapse', lapses_on, count(*) FROM member_stamp_card
      WHERE ${range} AND lapses_on IS NOT NULL GROUP BY contact_id, lapses_on
    ), granted AS MATERIALIZED (
      SELECT contact_id, occasion_id, occurrence, lot_id, points, held_voucher_id FROM occasion_grant WHERE ${range}
    ), spent AS MATERIALIZED (
      SELECT contact_id, lot_id, sum(points) AS points FROM (
        SELECT contact_id, uses FROM sold UNION ALL SELECT contact_id, uses FROM points_redemption WHERE ${range}
      ) AS spending, jsonb_to_recordset(uses) AS used (lot_id bigint, points bigint)
      WHERE lot_id <> 0 GROUP BY contact_id, lot_id
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
      SELECT 'due', 'points', contact_id, NULL, coalesce(due.amount, 0)::text,
        coalesce(stored.amount, 0) || ' on ' || day
      FROM due FULL JOIN (
        SELECT contact_id, day, event, amount FROM member_due WHERE ${range} AND amount <> 0
      ) AS stored USING (contact_id, day, event)
      WHERE coalesce(due.amount, 0) <> coalesce(stored.amount, 0)
      UNION ALL
      SELECT 'vouchers_held', 'vouchers', a.contact_id, NULL, coalesce(v.held, 0)::text, a.balance::text
      FROM (
        SELECT contact_id, balance FROM account WHERE ${range} AND account = 'vouchers'
      ) AS a LEFT JOIN (SELECT contact_id, sum(coupon_value) AS held FROM held GROUP BY contact_id) AS v USING (contact_id)
      WHERE a.balance <> coalesce(v.held, 0)
      UNION ALL
      SELECT 'sales_by_day', 'sales', contact_id, NULL, a.balance::text, coalesce(d.net, 0)::text
      FROM (
        SELECT contact_id, balance FROM account WHERE ${range} AND account = 'sales'
      ) AS a FULL JOIN (
        SELECT contact_id, sum(net) AS net FROM sales_day WHERE ${range} GROUP BY contact_id
      ) AS d USING (contact_id)
      WHERE coalesce(a.balance, 0) <> coalesce(d.net, 0)
      UNION ALL
      SELECT 'refunds', 'points', sold.contact_id, sold.sale_id, refund.amount::text, sold.refunded::text
      FROM sold CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount), 0) AS amount FROM sale_refund
        WHERE business_id = ${businessId} AND sale_id = sold.sale_id OFFSET 0
      ) AS refund
      WHERE refund.amount <> sold.refunded
      UNION ALL
      SELECT 'vouchers_used', 'vouchers', sold.contact_id, sold.sale_id, sold.voucher_amount::text, coalesce(used.covered, 0)::text
      FROM sold CROSS JOIN LATERAL (
        SELECT sum(covered) AS covered FROM unnest(sold.held_voucher_ids) AS id CROSS JOIN LATERAL (
          SELECT covered FROM held_voucher
          WHERE business_id = ${businessId} AND held_voucher_id = id AND sale_id = sold.sale_id OFFSET 0
        ) AS v
      ) AS used
      WHERE sold.held_voucher_ids <> '{}' AND sold.refunded < sold.amount AND sold.voucher_amount <> coalesce(used.covered, 0)
      UNION ALL
      SELECT 'receipt_lines', 'sales', contact_id, sale_id, amount || ', ' || refunded, line.amounts || ', ' || line.covered
      FROM sold CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount), 0) AS amounts, coalesce(sum(covered), 0) AS covered
        FROM json_to_recordset(receipt_lines) AS each (amount bigint, covered bigint)
      ) AS line
      WHERE receipt_lines IS NOT NULL AND (line.amounts <> amount OR line.covered > refunded)
      UNION ALL
      SELECT 'grants', 'points', contact_id, sale_id, points_earned::text, given.points::text
      FROM sold CROSS JOIN LATERAL (
        SELECT sum(coalesce(points, 0)) AS points, bool_or(coalesce("left", 0) > coalesce(points, 0)) AS has_more
        FROM json_to_recordset(grants) AS each (points bigint, "left" bigint)
      ) AS given
      WHERE grants IS NOT NULL AND (given.points > points_earned OR given.has_more)
      UNION ALL
      SELECT 'sale_entry', 'points', sold.contact_id, sold.sale_id, sold.contact_id::text, entry.contact_id::text
      FROM sold LEFT JOIN LATERAL (
        SELECT coalesce(m.merged_into, e.contact_id) AS contact_id FROM ledger_entry e
        LEFT JOIN member m ON m.business_id = e.business_id AND m.contact_id = e.contact_id
        WHERE e.business_id = ${businessId} AND e.entry_no = sold.sale_id OFFSET 0
      ) AS entry ON true
      WHERE entry.contact_id IS DISTINCT FROM sold.contact_id
      UNION ALL
      SELECT 'sale_count', 'points', contact_id, NULL, coalesce(s.sales, 0)::text, coalesce(c.sales, 0)::text
      FROM (SELECT contact_id, day AS sold_on, location_id, sales FROM sales_day WHERE ${range}) AS c
      FULL JOIN (
        SELECT contact_id, sold_on, location_id, count(*) AS sales FROM sale WHERE ${range} GROUP BY 1, 2, 3
      ) AS s USING (contact_id, sold_on, location_id)
      WHERE coalesce(c.sales, 0) <> coalesce(s.sales, 0)
      UNION ALL
      SELECT 'grant_count', 'points', contact_id, NULL, coalesce(s.given, 0)::text, coalesce(c.given, 0)::text
      FROM (SELECT contact_id, promotion_id, day, given FROM grant_count WHERE ${range}) AS c
      FULL JOIN (
        SELECT contact_id, promotion_id, sold_on AS day, count(*) AS given
        FROM sale CROSS JOIN ${grantRows}
        WHERE ${range} AND grants IS NOT NULL AND each.counts
          AND ${hasLeft} GROUP BY 1, 2, 3
        UNION ALL
        SELECT contact_id, ${pointsOfSales}::bigint, sold_on, sum(points_earned - coalesce(taken.points, 0))::bigint
        FROM sale CROSS JOIN LATERAL (
          SELECT sum(points_clawed + points_excused + points_owed + points_forgiven) AS points FROM sale_refund
          WHERE business_id = ${businessId} AND sale_id = sale.sale_id OFFSET 0
        ) AS taken
        WHERE ${range} AND points_limit IS NOT NULL GROUP BY 1, 2, 3
      ) AS s USING (contact_id, promotion_id, day)
      WHERE coalesce(c.given, 0) <> coalesce(s.given, 0)
      UNION ALL
      SELECT 'stamps', 'vouchers', contact_id, stamp_card_id, coalesce(added, 0) + coalesce(by_hand - lapsed, 0) - coalesce(spent, 0)
        || ', ' || coalesce(v.completed, 0), coalesce(c.stamps, 0) || ', ' || coalesce(c.completed, 0)
      FROM (SELECT contact_id, stamp_card_id, stamps, completed, by_hand, lapsed FROM member_stamp_card WHERE ${range}) AS c
      FULL JOIN (
        SELECT contact_id, stamp_card_id, sum(each.left) AS added
        FROM sale CROSS JOIN jsonb_to_recordset(stamps) AS each (stamp_card_id bigint, "left" integer)
        WHERE ${range} AND stamps IS NOT NULL GROUP BY 1, 2
      ) AS s USING (contact_id, stamp_card_id)
      FULL JOIN (
        SELECT contact_id, stamp_card_id, sum(stamps_used) AS spent, count(*) AS completed FROM held_voucher
        WHERE ${range} AND stamp_card_id IS NOT NULL AND status <> 'returned' GROUP BY 1, 2
      ) AS v USING (contact_id, stamp_card_id)
      WHERE coalesce(c.stamps, 0) <> coalesce(added, 0) + coalesce(by_hand - lapsed, 0) - coalesce(spent, 0)
        OR coalesce(c.completed, 0) <> coalesce(v.completed, 0)
      UNION ALL
      SELECT 'occasion_grant', 'points', g.contact_id, g.lot_id, g.points::text, lot.points::text
      FROM granted g LEFT JOIN lot USING (contact_id, lot_id)
      WHERE g.lot_id IS NOT NULL AND (lot.points, lot.occasion_id) IS DISTINCT FROM (g.points, g.occasion_id)
      UNION ALL
      SELECT 'occasion_grant', 'points', lot.contact_id, lot.lot_id, NULL, lot.points::text
      FROM lot LEFT JOIN granted g ON g.contact_id = lot.contact_id
        AND lot.reference_id = 'occasion-' || g.occasion_id || '-' || g.occurrence
      WHERE lot.occasion_id IS NOT NULL AND g.occasion_id IS DISTINCT FROM lot.occasion_id
      UNION ALL
      SELECT 'occasion_grant', 'vouchers', g.contact_id, g.held_voucher_id, g.contact_id::text, v.contact_id::text
      FROM granted g LEFT JOIN LATERAL (
        SELECT contact_id FROM held_voucher WHERE business_id = ${businessId} AND held_voucher_id = g.held_voucher_id OFFSET 0
      ) AS v ON true
      WHERE g.held_voucher_id IS NOT NULL AND v.contact_id IS DISTINCT FROM g.contact_id
      UNION ALL
      SELECT 'referral', 'sales', r.contact_id, NULL, r.sale_id::text, NULL FROM referral r
      WHERE ${range} AND r.sale_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM sale WHERE business_id = ${businessId} AND sale_id = r.sale_id OFFSET 0)
      UNION ALL
      SELECT 'sale_count', 'points', NULL, NULL, coalesce(s.sales, 0)::text, coalesce(c.sales, 0)::text
      FROM (
        SELECT sold_on, location_id, sum(sales) AS sales FROM sale_count WHERE business_id = ${businessId} GROUP BY 1, 2
      ) AS c
      FULL JOIN (
        SELECT sold_on, location_id, count(*) AS sales FROM sale
        WHERE business_id = ${businessId} GROUP BY sold_on, location_id
      ) AS s USING (sold_on, location_id)
      WHERE ${afterContactId === 0}::boolean AND coalesce(c.sales, 0) <> coalesce(s.sales, 0)
    )
    SELECT (SELECT count(DISTINCT contact_id) FROM lot) AS members, ${last}::bigint AS next,
      ${mismatchesBy("contact_id, entry_no, kind")}`);
};

/** Checks up to `limit` entries in the order of recording: that their numbers have no gap. */
export const verifyEntries: VerifySlice = async (tx, businessId, afterEntryNo, limit) => {
  await planForAnyValues(tx);
  return sliceOf(tx<VerifiedSlice[]>`
    WITH slice AS MATERIALIZED (
      SELECT entry_no FROM ledger_entry
      WHERE business_id = ${businessId} AND entry_no > ${afterEntryNo} ORDER BY entry_no LIMIT ${limit}
    ), bound AS MATERIALIZED (
      SELECT count(*) AS entries, CASE WHEN count(*) = ${limit} THEN max(entry_no) END AS next FROM slice
    ), numbered AS (
      SELECT entry_no, lag(entry_no, 1, ${afterEntryNo}::bigint) OVER (ORDER BY entry_no) + 1 AS should FROM slice
    ), mismatch AS MATERIALIZED (
      SELECT 'entry_no' AS kind, NULL::bigint AS contact_id, NULL::text AS account, entry_no,
        should::text AS expected, entry_no::text AS found
      FROM numbered WHERE entry_no <> should
    )
    SELECT entries, next, ${mismatchesBy("entry_no, kind")} FROM bound`);
};
