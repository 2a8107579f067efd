/** Recomputes the sums behind the reports (ledger/day-totals.ts, engine/liabilities.ts). */
import type { Connection } from "../connection.ts";
import { grantRows, hasLeft } from "../engine/rewards/promotions.ts";
import { allMembers, ever, everywhere, isActivity } from "../ledger/day-totals.ts";
import { firstInstant } from "../rows.ts";
import { fragment, raw } from "../sql.ts";
import { mismatchesBy, sliceOf, type VerifiedSlice } from "./ledger.ts";

/** Slices count days from this one on. Nothing can be dated before it. */
const dayZero = raw("'1900-01-01'::date");

/** What is owed now, and how often things happened, by the records; as rows of kind, place, expected, found. */
const sumsOfRecords = (businessId: number) => fragment`
  SELECT 'liability' AS kind, coalesce(r.place, s.place) AS place, coalesce(r.amount, 0)::text AS expected,
    coalesce(s.amount, 0)::text AS found
  FROM (
    SELECT event || ' ' || day AS place, sum(amount) AS amount FROM member_due
    WHERE business_id = ${businessId} AND event IN ('points_mature', 'points_expire') GROUP BY 1
    UNION ALL
    SELECT 'debt', sum(owed) FROM points_debt WHERE business_id = ${businessId}
    UNION ALL
    SELECT each.what || coalesce(lapses_on, 'infinity'), sum(each.amount) FROM held_voucher
    CROSS JOIN LATERAL (VALUES ('vouchers ', 1), ('value of vouchers ', coupon_value)) AS each (what, amount)
    WHERE business_id = ${businessId} AND status = 'held' GROUP BY 1
  ) AS r FULL JOIN (
    SELECT CASE kind WHEN 'debt' THEN 'debt'
      ELSE CASE WHEN begins_on = '-infinity' THEN 'points_expire ' || ends_on ELSE 'points_mature ' || begins_on END
      END AS place, sum(amount) AS amount
    FROM liability_change WHERE business_id = ${businessId} AND kind <> 'voucher' GROUP BY 1
    UNION ALL
    SELECT each.what || ends_on, sum(each.amount) FROM liability_change
    CROSS JOIN LATERAL (VALUES ('vouchers ', items), ('value of vouchers ', amount)) AS each (what, amount)
    WHERE business_id = ${businessId} AND kind = 'voucher' GROUP BY 1
  ) AS s ON s.place = r.place
  WHERE coalesce(r.amount, 0) <> coalesce(s.amount, 0)
  UNION ALL
  SELECT 'day_total', r.what || ' of all days', r.number::text, coalesce(s.number, 0)::text
  FROM (
    SELECT each.* FROM (
      SELECT count(*) FILTER (WHERE status <> 'returned') AS issued, count(*) FILTER (WHERE status = 'redeemed') AS used,
        count(*) FILTER (WHERE status = 'lapsed') AS lapsed FROM held_voucher WHERE business_id = ${businessId}
    ) AS v, LATERAL (VALUES ('voucher_issue', issued), ('voucher_use', used), ('voucher_lapse', lapsed)) AS each (what, number)
    UNION ALL
    SELECT 'bonus', count(*) FROM wallet_movement
    WHERE business_id = ${businessId} AND kind = 'topup' AND promo_amount > 0 AND NOT reversed
    UNION ALL
    SELECT 'sale_without_entry', count(*) FROM sale WHERE business_id = ${businessId} AND wallet_used + amount_due = 0
    UNION ALL
    SELECT 'refund_without_entry', count(*) FROM sale_refund WHERE business_id = ${businessId} AND wallet_back + money_back = 0
    UNION ALL
    SELECT 'new_member', count(*) FROM member WHERE business_id = ${businessId} AND anonymous IS NULL
  ) AS r (what, number) LEFT JOIN (
    SELECT what, sum(items) AS number FROM day_total
    WHERE business_id = ${businessId} AND location_id = ${everywhere} GROUP BY what
  ) AS s ON s.what = r.what
  WHERE r.number <> coalesce(s.number, 0)
  UNION ALL
  SELECT 'day_total', 'promotion ' || promotion_id, r.sales || ', ' || r.points || ', ' || r.sold,
    s.sales || ', ' || s.points || ', ' || s.sold
  FROM (
    SELECT each.promotion_id, count(*) AS sales, coalesce(sum(each.left), 0)::bigint AS points,
      sum(wallet_used + amount_due - coalesce(back.net, 0))::bigint AS sold
    FROM sale CROSS JOIN ${grantRows}
    LEFT JOIN LATERAL (
      SELECT sum(money_back + wallet_back) AS net FROM sale_refund r
      WHERE sale.refunded > 0 AND r.business_id = sale.business_id AND r.sale_id = sale.sale_id OFFSET 0
    ) AS back ON true
    WHERE sale.business_id = ${businessId} AND grants IS NOT NULL
      AND ${hasLeft}
    GROUP BY 1
  ) AS r FULL JOIN (
    SELECT promotion_id, of_days.sales, of_days.points, of_days.sold FROM (
      SELECT split_part(what, ' ', 2)::bigint AS promotion_id,
        coalesce(sum(items) FILTER (WHERE day < ${ever}::date), 0)::bigint AS sales,
        coalesce(sum(amount) FILTER (WHERE day < ${ever}::date AND what LIKE 'promotion\\_points %'), 0)::bigint AS points,
        coalesce(sum(amount) FILTER (WHERE what LIKE 'promotion\\_sales %'), 0)::bigint AS sold,
        coalesce(sum(amount) FILTER (WHERE day = ${ever}::date), 0)::bigint AS ever
      FROM day_total WHERE business_id = ${businessId} AND location_id = ${everywhere}
        AND (what LIKE 'promotion\\_points %' OR what LIKE 'promotion\\_sales %')
      GROUP BY 1
    ) AS of_days WHERE (sales, points, sold, ever) <> (0, 0, 0, 0) OR points <> ever
  ) AS s USING (promotion_id)
  WHERE (r.sales, r.points, r.sold) IS DISTINCT FROM (s.sales, s.points, s.sold)
  UNION ALL
  SELECT 'day_total', 'stamps ' || stamp_card_id, coalesce(r.given, 0) || ', ' || coalesce(r.full, 0) || ', ' || coalesce(r.lapsed, 0),
    coalesce(s.given, 0) || ', ' || coalesce(s.full, 0) || ', ' || coalesce(s.lapsed, 0)
  FROM (
    SELECT stamp_card_id, sum(given)::bigint AS given, sum("full")::bigint AS full, sum(lapsed)::bigint AS lapsed FROM (
      SELECT stamp_card_id, by_hand AS given, completed AS full, lapsed FROM member_stamp_card WHERE business_id = ${businessId}
      UNION ALL
      SELECT each.stamp_card_id, each.left, 0, 0 FROM sale
      CROSS JOIN jsonb_to_recordset(stamps) AS each (stamp_card_id bigint, "left" integer)
      WHERE business_id = ${businessId} AND stamps IS NOT NULL
    ) AS part GROUP BY stamp_card_id
  ) AS r FULL JOIN (
    SELECT split_part(what, ' ', 2)::bigint AS stamp_card_id,
      coalesce(sum(amount) FILTER (WHERE what LIKE 'stamps\\_given %'), 0)::bigint AS given,
      coalesce(sum(items) FILTER (WHERE what LIKE 'stamps\\_full %'), 0)::bigint AS full,
      coalesce(sum(amount) FILTER (WHERE what LIKE 'stamps\\_lapsed %'), 0)::bigint AS lapsed
    FROM day_total WHERE business_id = ${businessId} AND location_id = ${everywhere} AND what LIKE 'stamps\\_%' GROUP BY 1
  ) AS s USING (stamp_card_id)
  WHERE (coalesce(r.given, 0), coalesce(r.full, 0), coalesce(r.lapsed, 0))
    <> (coalesce(s.given, 0), coalesce(s.full, 0), coalesce(s.lapsed, 0))
  UNION ALL
  SELECT 'day_total', 'members with tier ' || tier_id, coalesce(r.members, 0)::text, coalesce(s.members, 0)::text
  FROM (
    SELECT tier_id, count(*) AS members FROM tier_standing
    WHERE business_id = ${businessId} AND tier_id IS NOT NULL GROUP BY 1
  ) AS r FULL JOIN (
    SELECT split_part(what, ' ', 2)::bigint AS tier_id, sum(CASE WHEN what LIKE 'tier\\_reached %' THEN items ELSE -items END) AS members
    FROM day_total WHERE business_id = ${businessId} AND location_id = ${everywhere} AND what LIKE 'tier\\_%' GROUP BY 1
  ) AS s USING (tier_id)
  WHERE coalesce(r.members, 0) <> coalesce(s.members, 0)
  UNION ALL
  SELECT 'day_total', 'uses of the code of voucher ' || voucher_id, coalesce(r.uses, 0)::text, s.uses || ', ' || s.ever
  FROM (
    SELECT voucher_id, count(*) AS uses FROM held_voucher
    WHERE business_id = ${businessId} AND code_id = 0 AND status = 'redeemed' GROUP BY 1
  ) AS r FULL JOIN (
    SELECT split_part(what, ' ', 2)::bigint AS voucher_id, coalesce(sum(items) FILTER (WHERE day < ${ever}::date), 0) AS uses,
      coalesce(sum(items) FILTER (WHERE day = ${ever}::date), 0) AS ever
    FROM day_total WHERE business_id = ${businessId} AND location_id = ${everywhere} AND what LIKE 'code\\_uses %' GROUP BY 1
  ) AS s USING (voucher_id)
  WHERE (coalesce(r.uses, 0), coalesce(r.uses, 0)) IS DISTINCT FROM (s.uses, s.ever)
    AND (r.uses, s.uses, s.ever) IS DISTINCT FROM (NULL, 0, 0)
  UNION ALL
  SELECT 'day_total', 'active days', members.number::text, days.number::text
  FROM (
    SELECT coalesce(sum(items), 0) AS number FROM day_total
    WHERE business_id = ${businessId} AND location_id <> ${everywhere} AND what = 'active_day'
  ) AS members, (SELECT count(*) AS number FROM active_day WHERE business_id = ${businessId}) AS days
  WHERE members.number <> days.number
  UNION ALL
  SELECT 'day_total', day || ' location ' || location_id || ' first active', coalesce(r.members, 0)::text, coalesce(s.members, 0)::text
  FROM (
    SELECT coalesce(location_id, ${everywhere}) AS location_id, day, count(*) AS members FROM (
      SELECT location_id, min(day) AS day FROM active_day WHERE business_id = ${businessId}
      GROUP BY GROUPING SETS ((contact_id), (contact_id, location_id))
    ) AS of_member GROUP BY 1, 2
  ) AS r FULL JOIN (
    SELECT location_id, day, sum(items) AS members FROM day_total
    WHERE business_id = ${businessId} AND what = 'first_active' GROUP BY 1, 2
  ) AS s USING (location_id, day)
  WHERE coalesce(r.members, 0) <> coalesce(s.members, 0)`;

/** Entries whose days are verified together. A day may have more. */
const entriesAtOnce = 500_000;

/**
 * Recomputes the totals of up to `limit` days from the entries that are in blocks, and of the weeks and months that begin on these days
 * from the days on which members were active. Days of a former time zone are not compared one by one. The first slice also compares
 * what is owed now and the numbers of all days with the records.
 * @param after the number of the day after which the slice begins
 * @param mostEntries about how many entries the days have at most
 */
export async function verifyReports(
  tx: Connection,
  businessId: number,
  after: number,
  limit: number,
  mostEntries = entriesAtOnce,
): Promise<VerifiedSlice> {
  const zone = fragment`(SELECT time_zone FROM business WHERE business_id = ${businessId})`;
  const firstAfter = (day: string) => fragment`least(
    (SELECT min(t.day) FROM day_total t WHERE t.business_id = ${businessId} AND t.location_id = ${everywhere}
      AND t.day > ${raw(day)} AND t.day < ${ever}::date),
    (SELECT (min(e.created_at) AT TIME ZONE ${zone})::date FROM ledger_entry e
      WHERE e.business_id = ${businessId} AND e.created_at >= ${firstInstant(raw(`(${day} + 1)`), zone)}))`;
  return sliceOf(tx<VerifiedSlice[]>`
    WITH starts AS MATERIALIZED (
      SELECT ${firstAfter(`(SELECT ${dayZero.strings[0]} + ${Math.min(after, 1_000_000)})`)} AS first
    ), slice AS MATERIALIZED (
      SELECT first, greatest(first, least(first + ${limit - 1}::integer, (
        SELECT (created_at AT TIME ZONE ${zone})::date - 1 FROM ledger_entry
        WHERE business_id = ${businessId} AND created_at >= first::timestamp AT TIME ZONE ${zone}
        ORDER BY created_at, entry_no OFFSET ${mostEntries} LIMIT 1
      ))) AS last, former_days_end, blocks_end_at, blocks_end_no
      FROM starts, ledger_count WHERE business_id = ${businessId} AND contact_id = ${allMembers}
    ), entry AS MATERIALIZED (
      SELECT e.contact_id, coalesce(e.location_id, 0) AS location_id, e.event_type::text AS what, e.amount,
        (e.created_at AT TIME ZONE ${zone})::date AS day, ${isActivity("e")} AS is_active
      FROM slice CROSS JOIN LATERAL (
        -- A midnight at which clocks are set back comes twice.
        SELECT * FROM ledger_entry
        WHERE business_id = ${businessId} AND created_at >= slice.first::timestamp AT TIME ZONE ${zone} - interval '3 hours'
          AND created_at < (slice.last + 1)::timestamp AT TIME ZONE ${zone} + interval '3 hours'
          AND (created_at, entry_no) < (slice.blocks_end_at, slice.blocks_end_no)
        ORDER BY created_at, entry_no OFFSET 0
      ) AS e
    ), active AS MATERIALIZED (
      SELECT a.contact_id, a.location_id, date_trunc(unit, a.day::timestamp)::date AS day, 'active_' || unit AS what
      FROM (
        SELECT first, last FROM slice
        WHERE greatest(date_trunc('week', last::timestamp), date_trunc('month', last::timestamp)) >= first
      ) AS s CROSS JOIN member m CROSS JOIN LATERAL (
        SELECT contact_id, day, location_id FROM active_day d
        WHERE d.business_id = ${businessId} AND d.contact_id = m.contact_id AND d.day >= s.first AND d.day <= s.last + 31 OFFSET 0
      ) AS a CROSS JOIN (VALUES ('week'), ('month')) AS period (unit)
      WHERE m.business_id = ${businessId} AND date_trunc(unit, a.day::timestamp) BETWEEN s.first AND s.last
      UNION ALL
      SELECT contact_id, location_id, day, 'active_day' FROM entry WHERE is_active
    ), expected AS (
      SELECT coalesce(location_id, ${everywhere}) AS location_id, day, what, sum(sign(amount)) AS items, sum(amount) AS amount
      FROM entry GROUP BY GROUPING SETS ((location_id, day, what), (day, what))
      UNION ALL
      SELECT place.location_id, day, what, count(DISTINCT contact_id), 0
      FROM active CROSS JOIN LATERAL (VALUES (${everywhere}::bigint), (active.location_id)) AS place (location_id)
      GROUP BY 1, 2, 3
    ), stored AS (
      SELECT location_id, day, what, items, amount FROM day_total
      WHERE business_id = ${businessId} AND (what LIKE 'active\\_%' OR what = ANY (enum_range(NULL::event_type)::text[]))
    ), mismatch AS MATERIALIZED (
      SELECT 'day_total' AS kind, day || ' location ' || location_id || ' ' || what AS place,
        coalesce(e.items, 0) || ', ' || coalesce(e.amount, 0) AS expected,
        coalesce(s.items, 0) || ', ' || coalesce(s.amount, 0) AS found
      FROM (SELECT e.* FROM expected e, slice WHERE e.day BETWEEN slice.first AND slice.last AND e.day > slice.former_days_end) AS e
      FULL JOIN (
        SELECT s.* FROM stored s, slice WHERE s.day BETWEEN slice.first AND slice.last AND s.day > slice.former_days_end
      ) AS s USING (location_id, day, what)
      WHERE (coalesce(e.items, 0), coalesce(e.amount, 0)) <> (coalesce(s.items, 0), coalesce(s.amount, 0))
      UNION ALL
      SELECT 'day_total', e.day || ' location ' || e.location_id || ' active ' || e.contact_id, '1', '0'
      FROM (
        SELECT DISTINCT day, location_id, contact_id FROM entry, slice
        WHERE is_active AND day BETWEEN slice.first AND slice.last AND day > slice.former_days_end
      ) AS e
      WHERE NOT EXISTS (
        SELECT FROM active_day d WHERE d.business_id = ${businessId} AND d.contact_id = e.contact_id AND d.day = e.day
          AND d.location_id = e.location_id OFFSET 0
      )
      ${after === 0 ? fragment`UNION ALL ${sumsOfRecords(businessId)}` : fragment``}
    )
    SELECT (SELECT ${firstAfter("last")} - ${dayZero} - 1 FROM slice) AS next, ${mismatchesBy("place, kind")}`);
}
