/** How many members have each tier at the end of a day, and how many reached and lost it, from the totals of days. */
import { offsetOf, type Page, type PageRequest, pageOf, readFor } from "../../domain/pagination.ts";
import type { Range } from "../../domain/reports/ranges.ts";
import type { Connection } from "../connection.ts";
import { everywhere } from "../ledger/day-totals.ts";

export interface TierReportRow {
  /** Null for members without a tier. */
  readonly tier_id: number | null;
  readonly tier_name: string | null;
  readonly members: number;
  readonly reached: number | null;
  readonly lost: number | null;
}

interface Listed extends TierReportRow {
  readonly needs: string;
  readonly nth: string;
  readonly all: number;
}

/**
 * A page of the tiers of a business, in the order of the sales that they need. From the day on which a tier was deleted, it has no
 * members, although they are settled later, and it is left out if nothing was recorded. If there are tiers, the members without one are
 * last. They are counted only today, because nothing says how many members there were before.
 * @param range isToday: whether its last day is today
 */
export async function listTierReport(
  sql: Connection,
  businessId: number,
  { from, through, isToday }: Range & { readonly isToday: boolean },
  page: PageRequest,
): Promise<Page<TierReportRow>> {
  const [needs = "-1", nth = "0"] = page.after ?? [];
  // Some changes are of tomorrow if the time zone has changed since.
  const last = isToday ? "infinity" : through;
  const read = await sql<Listed[]>`
    WITH change AS (
      SELECT day, split_part(what, ' ', 2)::bigint AS tier_id, items, what LIKE 'tier\\_reached %' AS is_reached
      FROM day_total
      WHERE business_id = ${businessId} AND location_id = ${everywhere} AND day <= ${last}::date AND what LIKE 'tier\\_%'
    ), of_tier AS MATERIALIZED (
      SELECT tier_id, sum(CASE WHEN is_reached THEN items ELSE -items END)::bigint AS members,
        coalesce(sum(items) FILTER (WHERE is_reached AND day >= ${from}::date), 0)::bigint AS reached,
        coalesce(sum(items) FILTER (WHERE NOT is_reached AND day >= ${from}::date), 0)::bigint AS lost
      FROM change GROUP BY tier_id
    ), tier AS MATERIALIZED (
      SELECT t.tier_id, t.name AS tier_name, CASE WHEN deleted_on <= ${through}::date THEN 0 ELSE greatest(members, 0) END AS members,
        coalesce(reached, 0) AS reached, coalesce(lost, 0) AS lost,
        coalesce(qualifying_sales, 9223372036854775807) AS needs, t.tier_id AS nth
      FROM member_tier t LEFT JOIN of_tier ON of_tier.tier_id = t.tier_id
      WHERE t.business_id = ${businessId} AND ((deleted_on <= ${through}::date) IS NOT TRUE OR reached <> 0 OR lost <> 0)
    ), listed AS MATERIALIZED (
      TABLE tier UNION ALL
      SELECT NULL, NULL, count(*), NULL, NULL, 9223372036854775807, 9223372036854775807 FROM member m
      WHERE m.business_id = ${businessId} AND m.active AND m.anonymous IS NULL AND NOT EXISTS (
        SELECT FROM tier_standing s JOIN member_tier t ON t.business_id = s.business_id AND t.tier_id = s.tier_id
        WHERE s.business_id = ${businessId} AND s.contact_id = m.contact_id AND t.deleted_on IS NULL
      )
      HAVING ${isToday} AND EXISTS (SELECT FROM tier)
    )
    SELECT tier_id, tier_name, members, reached, lost, needs::text, nth::text, (SELECT count(*) FROM listed) AS all
    FROM listed WHERE (needs, nth) > (${needs}::bigint, ${nth}::bigint)
    ORDER BY listed.needs, listed.nth LIMIT ${readFor(page)} OFFSET ${offsetOf(page)}`;
  const { rows, ...listed } = pageOf(page, read, read[0]?.all ?? 0, (row) => [row.needs, row.nth]);
  return { ...listed, rows: rows.map(({ needs: _, nth: __, all: ___, ...row }) => row) };
}
