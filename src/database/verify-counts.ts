/**
 * The counts behind the lists (ledger-blocks.ts, member-blocks.ts), recounted from what they count. One statement a
 * slice, so one snapshot.
 */
import type { Connection } from "./connection.ts";
import { memberIdsInBlock } from "./member-blocks.ts";
import { mostMismatches, type VerifiedSlice } from "./verify-slice.ts";

/**
 * Recounts up to `limit` blocks of the ledger, in list order: their entries by location and event type, that each
 * begins where the one before ends, and that groups are the sum of their blocks. With the last slice also that
 * every counted entry is in a block.
 * @param after so many blocks were looked at before; blocks cut anew meanwhile are looked at twice or not at all
 */
export async function verifyEntryCounts(
  sql: Connection,
  businessId: number,
  after: number,
  limit: number,
): Promise<VerifiedSlice> {
  const inBlock = (name: string) => sql`
    (e.created_at, e.entry_no) >= (${sql(name)}.from_at, ${sql(name)}.from_no)
    AND (e.created_at, e.entry_no) < (${sql(name)}.until_at, ${sql(name)}.until_no)`;
  const byEventType = sql`unnest(enum_range(NULL::event_type), c.by_event_type) AS t (event_type, n)`;
  const [row] = await sql<VerifiedSlice[]>`
    WITH ordered AS MATERIALIZED (
      SELECT level, from_at, from_no, until_at, until_no, entries,
        row_number() OVER chain AS nth, lead(from_at) OVER chain AS next_at, lead(from_no) OVER chain AS next_no
      FROM ledger_block WHERE business_id = ${businessId}
      WINDOW chain AS (PARTITION BY level ORDER BY from_at, from_no)
    ), slice AS MATERIALIZED (
      SELECT * FROM ordered WHERE level = 0 AND nth > ${after} ORDER BY nth LIMIT ${limit}
    ), bound AS MATERIALIZED (
      SELECT count(*) AS blocks, CASE WHEN count(*) = ${limit} THEN max(nth) END AS next FROM slice
    ), located AS MATERIALIZED (
      SELECT s.nth, coalesce(e.location_id, 0) AS location_id, e.event_type, count(*) AS n
      FROM slice s JOIN ledger_entry e ON e.business_id = ${businessId} AND ${inBlock("s")}
      GROUP BY s.nth, coalesce(e.location_id, 0), e.event_type
    ), everywhere AS MATERIALIZED (
      SELECT nth, event_type, sum(n)::bigint AS n FROM located GROUP BY nth, event_type
    ), counted AS (
      TABLE located UNION ALL SELECT nth, -1, event_type, n FROM everywhere
    ), kept AS (
      SELECT s.nth, c.location_id, t.event_type, t.n
      FROM slice s JOIN ledger_block_count c ON c.business_id = ${businessId} AND c.level = 0
        AND c.from_at = s.from_at AND c.from_no = s.from_no
      CROSS JOIN LATERAL ${byEventType} WHERE t.n <> 0
    ), grouped AS MATERIALIZED (
      SELECT g.* FROM ordered g JOIN slice s ON s.from_at = g.from_at AND s.from_no = g.from_no WHERE g.level = 1
    ), summed AS MATERIALIZED (
      SELECT g.nth, c.location_id, t.event_type, sum(t.n) AS n
      FROM grouped g JOIN ledger_block_count c ON c.business_id = ${businessId} AND c.level = 0
        AND (c.from_at, c.from_no) >= (g.from_at, g.from_no) AND (c.from_at, c.from_no) < (g.until_at, g.until_no)
      CROSS JOIN LATERAL ${byEventType} GROUP BY g.nth, c.location_id, t.event_type HAVING sum(t.n) <> 0
    ), kept_of_group AS (
      SELECT g.nth, c.location_id, t.event_type, t.n
      FROM grouped g JOIN ledger_block_count c ON c.business_id = ${businessId} AND c.level = 1
        AND c.from_at = g.from_at AND c.from_no = g.from_no
      CROSS JOIN LATERAL ${byEventType} WHERE t.n <> 0
    ), total AS (
      SELECT 0 AS level, nth, sum(n) AS n FROM everywhere GROUP BY nth
      UNION ALL
      SELECT 1, nth, sum(n) FILTER (WHERE location_id = -1) FROM summed GROUP BY nth
    ), wrong AS (
      SELECT 0 AS level, nth, location_id, event_type, counted.n AS expected, kept.n AS found
      FROM counted FULL JOIN kept USING (nth, location_id, event_type) WHERE counted.n IS DISTINCT FROM kept.n
      UNION ALL
      SELECT 1, nth, location_id, event_type, s.n, k.n
      FROM summed s FULL JOIN kept_of_group k USING (nth, location_id, event_type) WHERE s.n IS DISTINCT FROM k.n
    ), looked_at AS (
      SELECT *, level || ' ' || from_at || ' ' || from_no AS place FROM (TABLE slice UNION ALL TABLE grouped) AS b
    ), mismatch AS MATERIALIZED (
      SELECT 'entry_count' AS kind, b.place || ' location ' || w.location_id || ' ' || w.event_type AS place,
        coalesce(w.expected, 0)::text AS expected, coalesce(w.found, 0)::text AS found
      FROM wrong w JOIN looked_at b USING (level, nth)
      UNION ALL
      SELECT 'entry_count', b.place, coalesce(total.n, 0)::text, b.entries::text
      FROM looked_at b LEFT JOIN total USING (level, nth) WHERE b.entries <> coalesce(total.n, 0)
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
 * @param from the number of a block
 */
export async function verifyMemberCounts(
  sql: Connection,
  businessId: number,
  from: number,
  limit: number,
): Promise<VerifiedSlice> {
  // Past every block that member_id can be in, there is nothing to count, and its product would be no bigint.
  const first = Math.min(from, Math.floor(Number.MAX_SAFE_INTEGER / memberIdsInBlock) - limit);
  const end = first + limit;
  const [row] = await sql<VerifiedSlice[]>`
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
