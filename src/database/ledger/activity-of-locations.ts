/** The report of what happened at each location, from the totals of days. */
import { offsetOf, type Page, type PageRequest, pageOf, readFor } from "../../domain/pagination.ts";
import { average } from "../../domain/reports/figures.ts";
import type { Range } from "../../domain/reports/ranges.ts";
import type { Connection } from "../connection.ts";
import { fragment } from "../sql.ts";
import { figuresOfPlace, noTotal, type Total } from "./activity.ts";
import { totalsOfUncounted } from "./day-totals.ts";

export interface LocationActivityRow extends Readonly<ReturnType<typeof figuresOfPlace>> {
  /** Null for what has no location. */
  readonly location_id: number | null;
  readonly location_name: string | null;
  readonly closed: boolean;
  /** Null without sales. */
  readonly average_sale: number | null;
}

interface Place extends Pick<LocationActivityRow, "location_id" | "location_name" | "closed"> {
  readonly nth: string;
  readonly all: number;
  readonly totals: Readonly<Record<string, Total>>;
}

/**
 * A page of the locations of a business, the oldest first, with what happened there between two days, and of what has no location. A
 * closed location, and what has none, are left out if nothing happened.
 */
export async function listLocationActivity(
  sql: Connection,
  businessId: number,
  { from, through }: Range,
  page: PageRequest,
): Promise<Page<LocationActivityRow>> {
  const [after] = page.after ?? [];
  const wanted = fragment`day BETWEEN ${from}::date AND ${through}::date`;
  const uncounted = totalsOfUncounted(
    businessId,
    fragment`BETWEEN ${from}::date AND ${through}::date`,
    false,
  );
  // Members don't add up, and the row of a week can be of a later day.
  const ofPlace = fragment`t.business_id = ${businessId} AND t.location_id = place.id AND t.${wanted} AND t.what NOT LIKE '%active%'`;
  const read = await sql<Place[]>`
    WITH fresh AS MATERIALIZED (
      SELECT location_id, what, items, amount FROM (${uncounted}) AS t
    ), place AS (
      SELECT location_id AS id, name, closed, location_id AS nth FROM location WHERE business_id = ${businessId}
      UNION ALL
      SELECT 0, NULL, true, 9223372036854775807
    ), listed AS MATERIALIZED (
      SELECT * FROM place WHERE NOT closed OR EXISTS (SELECT FROM day_total t WHERE ${ofPlace} AND (items <> 0 OR amount <> 0))
        OR EXISTS (SELECT FROM fresh WHERE fresh.location_id = place.id)
    )
    SELECT nullif(place.id, 0) AS location_id, name AS location_name, closed AND id > 0 AS closed, nth::text,
      (SELECT count(*) FROM listed) AS all, coalesce((
        SELECT json_object_agg(what, json_build_object('items', items, 'amount', amount)) FROM (
          SELECT what, sum(items) AS items, sum(amount) AS amount FROM (
            SELECT what, items, amount FROM day_total t WHERE ${ofPlace}
            UNION ALL
            SELECT what, items, amount FROM fresh WHERE fresh.location_id = place.id
          ) AS each GROUP BY what
        ) AS sums
      ), '{}') AS totals
    FROM (
      SELECT * FROM listed WHERE nth > ${after ?? "0"}::bigint ORDER BY nth LIMIT ${readFor(page)} OFFSET ${offsetOf(page)}
    ) AS place ORDER BY place.nth`;
  const { rows, ...listed } = pageOf(page, read, read[0]?.all ?? 0, ({ nth }) => [nth]);
  return {
    ...listed,
    rows: rows.map(({ nth, all, totals, ...place }) => {
      const figures = figuresOfPlace((what) => totals[what] ?? noTotal);
      return { ...place, ...figures, average_sale: average(figures.sales_amount, figures.sales) };
    }),
  };
}
