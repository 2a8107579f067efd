/**
 * The counts behind the lists (ledger-blocks.ts, member-blocks.ts), recounted from what they count. One statement a
 * slice, so one snapshot.
 */
import type { Connection } from "../connection.ts";
import { countedLocations } from "../ledger/count-blocks.ts";
import { memberIdsInBlock } from "../members/blocks.ts";
import { fragment, raw } from "../sql.ts";
import { mostMismatches, planForAnyValues, type VerifiedSlice } from "./slice.ts";

/**
 * Recounts up to `limit` blocks of the ledger, in list order: their entries by location and event type, that each
 * begins where the one before ends, and that groups are the sum of their blocks. With the last slice also that
 * every counted entry is in a block.
 * @param after how many blocks previous slices looked at; blocks that are cut anew between slices may be missed
 */
export async function verifyEntryCounts(
  sql: Connection,
  businessId: number,
  after: number,
  limit: number,
): Promise<VerifiedSlice> {
  const byEventType = raw("unnest(enum_range(NULL::event_type), by_event_type) AS t (event_type, n)");
  const countsWithin = (range: string) => fragment`
    FROM ledger_block_count, ${byEventType}
    WHERE business_id = ${businessId} AND level = 0 AND location_id = place.location_id
      AND (from_at, from_no) >= (${raw(range)}.from_at, ${raw(range)}.from_no)
      AND (from_at, from_no) < (${raw(range)}.until_at, ${raw(range)}.until_no)`;
  // OFFSET 0 and the order keep each block and location a look-up by the one suitable index. Full joins are by hash or
  // merge. For a business that the statistics don't know, other plans compare each with each.
  const [row] = await sql<VerifiedSlice[]>`
    WITH RECURSIVE ${countedLocations(businessId)}, ordered AS MATERIALIZED (
      SELECT level, from_at, from_no, until_at, until_no, entries,
        row_number() OVER chain AS nth, lead(from_at) OVER chain AS next_at, lead(from_no) OVER chain AS next_no
      FROM ledger_block WHERE business_id = ${businessId}
      WINDOW chain AS (PARTITION BY level ORDER BY from_at, from_no)
    ), slice AS MATERIALIZED (
      SELECT * FROM ordered WHERE level = 0 AND nth > ${after} ORDER BY nth LIMIT ${limit}
    ), bound AS MATERIALIZED (
      SELECT count(*) AS blocks, CASE WHEN count(*) = ${limit} THEN max(nth) END AS next FROM slice
    ), span AS MATERIALIZED (
      SELECT first.from_at, first.from_no, last.until_at, last.until_no
      FROM (SELECT * FROM slice ORDER BY nth LIMIT 1) AS first, (SELECT * FROM slice ORDER BY nth DESC LIMIT 1) AS last
    ), located AS MATERIALIZED (
      SELECT from_at, from_no, e.location_id, e.event_type, count(*) AS n
      FROM slice CROSS JOIN LATERAL (
        SELECT coalesce(location_id, 0) AS location_id, event_type FROM ledger_entry
        WHERE business_id = ${businessId} AND (created_at, entry_no) >= (slice.from_at, slice.from_no)
          AND (created_at, entry_no) < (slice.until_at, slice.until_no)
        ORDER BY created_at, entry_no OFFSET 0
      ) AS e
      GROUP BY from_at, from_no, e.location_id, e.event_type
    ), everywhere AS MATERIALIZED (
      SELECT from_at, from_no, event_type, sum(n)::bigint AS n FROM located GROUP BY from_at, from_no, event_type
    ), counted AS (
      TABLE located UNION ALL SELECT from_at, from_no, -1, event_type, n FROM everywhere
    ), kept AS (
      SELECT c.*
      FROM span, place, LATERAL (
        SELECT from_at, from_no, location_id, event_type, n ${countsWithin("span")} AND n <> 0 OFFSET 0
      ) AS c
    ), ledger_group AS MATERIALIZED (
      SELECT g.* FROM ordered g JOIN slice s ON s.from_at = g.from_at AND s.from_no = g.from_no WHERE g.level = 1
    ), summed AS MATERIALIZED (
      SELECT g.from_at, g.from_no, place.location_id, c.event_type, c.n
      FROM ledger_group g, place, LATERAL (
        SELECT event_type, sum(n) AS n ${countsWithin("g")} GROUP BY event_type HAVING sum(n) <> 0
      ) AS c
    ), kept_of_group AS (
      SELECT from_at, from_no, location_id, event_type, n
      FROM ledger_group g JOIN ledger_block_count USING (level, from_at, from_no), ${byEventType}
      WHERE business_id = ${businessId} AND level = 1 AND n <> 0
    ), total AS (
      SELECT 0 AS level, from_at, from_no, sum(n) AS n FROM everywhere GROUP BY from_at, from_no
      UNION ALL
      SELECT 1, from_at, from_no, sum(n) FROM summed WHERE location_id = -1 GROUP BY from_at, from_no
    ), wrong AS (
      SELECT 0 AS level, from_at, from_no, location_id, event_type, counted.n AS expected, kept.n AS found
      FROM counted FULL JOIN kept USING (from_at, from_no, location_id, event_type)
      WHERE counted.n IS DISTINCT FROM kept.n
      UNION ALL
      SELECT 1, from_at, from_no, location_id, event_type, s.n, k.n
      FROM summed s FULL JOIN kept_of_group k USING (from_at, from_no, location_id, event_type)
      WHERE s.n IS DISTINCT FROM k.n
    ), looked_at AS (
      SELECT *, level || ' ' || from_at || ' ' || from_no AS place FROM (TABLE slice UNION ALL TABLE ledger_group) AS b
    ), mismatch AS MATERIALIZED (
      SELECT 'entry_count' AS kind,
        level || ' ' || from_at || ' ' || from_no || ' location ' || location_id || ' ' || event_type AS place,
        coalesce(expected, 0)::text AS expected, coalesce(found, 0)::text AS found
      FROM wrong
      UNION ALL
      SELECT 'entry_count', place, coalesce(n, 0)::text, entries::text
      FROM looked_at FULL JOIN total USING (level, from_at, from_no) WHERE entries <> coalesce(n, 0)
      UNION ALL
      SELECT 'block_sequence', place, next_at || ' ' || next_no, until_at || ' ' || until_no
      FROM looked_at WHERE (until_at, until_no) <> (next_at, next_no)
      UNION ALL
      SELECT 'block_sequence', level || ' ' || from_at || ' ' || from_no, '-infinity 0', from_at || ' ' || from_no
      FROM ordered WHERE nth = 1 AND ${after}::bigint = 0 AND (from_at, from_no) <> ('-infinity', 0)
      UNION ALL
      SELECT 'counted_through', NULL, known.counted_through::text, coalesce(sum(o.entries), 0)::text
      FROM bound LEFT JOIN ledger_count known ON known.business_id = ${businessId} LEFT JOIN ordered o ON true
      WHERE bound.next IS NULL
      GROUP BY o.level, known.counted_through
      HAVING known.counted_through IS DISTINCT FROM coalesce(sum(o.entries), 0)
    )
    SELECT 0 AS members, 0 AS accounts, blocks, next,
      (SELECT coalesce(sum(n), 0)::bigint FROM everywhere) AS entries,
      (SELECT count(*) FROM mismatch) AS mismatch_count,
      (SELECT coalesce(jsonb_agg(m), '[]') FROM (
        SELECT *, NULL AS contact_id, NULL AS account, NULL AS entry_no
        FROM mismatch ORDER BY place, kind LIMIT ${mostMismatches}) AS m
      ) AS mismatches
    FROM bound`;
  return row as VerifiedSlice;
}

/**
 * Recounts the members of up to `limit` blocks, from one on.
 * @param tx a transaction
 * @param from the number of a block
 */
export async function verifyMemberCounts(
  tx: Connection,
  businessId: number,
  from: number,
  limit: number,
): Promise<VerifiedSlice> {
  // Past every block that member_id can be in, there is nothing to count, and its product would be no bigint.
  const first = Math.min(from, Math.floor(Number.MAX_SAFE_INTEGER / memberIdsInBlock) - limit);
  const end = first + limit;
  await planForAnyValues(tx);
  const [row] = await tx<VerifiedSlice[]>`
    WITH counted AS MATERIALIZED (
      SELECT member_id / ${memberIdsInBlock} AS block, count(*) AS members,
        count(*) FILTER (WHERE active) AS active
      FROM member
      WHERE business_id = ${businessId} AND member_id >= ${first * memberIdsInBlock}
        AND member_id < ${end * memberIdsInBlock}
      GROUP BY 1
    ), kept AS (
      SELECT block, members, active FROM member_block
      WHERE business_id = ${businessId} AND block >= ${first} AND block < ${end}
    ), mismatch AS MATERIALIZED (
      SELECT 'member_count' AS kind, 'block ' || block AS place,
        coalesce(c.members, 0) || ', active ' || coalesce(c.active, 0) AS expected,
        coalesce(k.members, 0) || ', active ' || coalesce(k.active, 0) AS found
      FROM counted c FULL JOIN kept k USING (block)
      WHERE (coalesce(c.members, 0), coalesce(c.active, 0))
        <> (coalesce(k.members, 0), coalesce(k.active, 0))
    )
    SELECT (SELECT coalesce(sum(members), 0)::bigint FROM counted) AS members, 0 AS accounts, 0 AS entries,
      (SELECT count(*) FROM counted) AS blocks,
      least(
        (SELECT min(block) FROM member_block WHERE business_id = ${businessId} AND block >= ${end}),
        (SELECT min(member_id) / ${memberIdsInBlock} FROM member
          WHERE business_id = ${businessId} AND member_id >= ${end * memberIdsInBlock})
      ) AS next,
      (SELECT count(*) FROM mismatch) AS mismatch_count,
      (SELECT coalesce(jsonb_agg(m), '[]') FROM (
        SELECT *, NULL AS contact_id, NULL AS account, NULL AS entry_no
        FROM mismatch ORDER BY place LIMIT ${mostMismatches}) AS m
      ) AS mismatches`;
  return row as VerifiedSlice;
}
