/** Recounts the counts behind the lists (ledger/counts.ts, members/list.ts). */
import { allLocations } from "../ledger/counts.ts";
import { allMembers } from "../ledger/day-totals.ts";
import { memberIdsInBlock } from "../members/list.ts";
import { fragment, raw } from "../sql.ts";
import { mismatchesBy, planForAnyValues, sliceOf, type VerifiedSlice, type VerifySlice } from "./ledger.ts";

/** A statement that finds the entries of a `block`. @param whose a condition on the block, and on an entry */
const entriesInBlock = (businessId: number, whose: string) => fragment`(
  SELECT coalesce(location_id, 0) AS location_id, event_type FROM ledger_entry
  WHERE business_id = ${businessId} AND ${raw(whose)} AND (created_at, entry_no) >= (block.from_at, block.from_no)
    AND (created_at, entry_no) < (block.until_at, block.until_no)
  ORDER BY created_at, entry_no OFFSET 0
)`;

/**
 * Recounts up to `limit` blocks of the ledger and of members from their entries, in list order. Recounts the groups that begin with
 * one of these blocks. The first slice also checks that the first block begins at the start of the ledger, and the last slice the number of
 * counted entries.
 * @param after how many blocks the previous slices have checked. A block that is cut again between two slices may be missed.
 */
export const verifyEntryCounts: VerifySlice = async (sql, businessId, after, limit) => {
  // OFFSET 0 and the order make each block a look-up by the one suitable index. Full joins are by hash or merge. For a business
  // that is missing from the statistics, other plans might compare each row with each other row.
  return sliceOf(sql<VerifiedSlice[]>`
    WITH ended AS MATERIALIZED (
      SELECT contact_id, counted_entries, level, at, no FROM ledger_count
      CROSS JOIN LATERAL (VALUES (0, blocks_end_at, blocks_end_no), (1, groups_end_at, groups_end_no)) AS e (level, at, no)
      WHERE business_id = ${businessId}
    ), ordered AS MATERIALIZED (
      SELECT contact_id, p.level, from_at, from_no, entries,
        row_number() OVER (PARTITION BY p.level ORDER BY contact_id, from_at, from_no) AS nth,
        coalesce(lead(from_at) OVER chain, ended.at, 'infinity') AS until_at,
        coalesce(lead(from_no) OVER chain, ended.no, 0) AS until_no
      FROM (
        SELECT contact_id, level, from_at, from_no, sum(entries) AS entries FROM entry_count
        WHERE business_id = ${businessId} AND location_id = ${allLocations} GROUP BY contact_id, level, from_at, from_no
      ) AS p LEFT JOIN ended USING (contact_id, level)
      WINDOW chain AS (PARTITION BY contact_id, p.level ORDER BY from_at, from_no)
    ), block AS MATERIALIZED (
      SELECT * FROM ordered WHERE level = 0 AND nth > ${after} ORDER BY nth LIMIT ${limit}
    ), part AS MATERIALIZED (
      TABLE block UNION ALL SELECT g.* FROM ordered g JOIN block b USING (contact_id, from_at, from_no) WHERE g.level = 1
    ), bound AS MATERIALIZED (
      SELECT count(*) AS blocks, CASE WHEN count(*) = ${limit} THEN max(nth) END AS next FROM block
    ), located AS MATERIALIZED (
      SELECT contact_id, from_at, from_no, e.location_id, e.event_type, count(*) AS n
      FROM block CROSS JOIN LATERAL (
        ${entriesInBlock(businessId, `block.contact_id = ${allMembers}`)}
        UNION ALL
        ${entriesInBlock(businessId, `block.contact_id <> ${allMembers} AND contact_id = block.contact_id`)}
      ) AS e
      GROUP BY contact_id, from_at, from_no, e.location_id, e.event_type
    ), counted AS (
      SELECT 0 AS level, * FROM located
      UNION ALL
      SELECT 0, contact_id, from_at, from_no, ${allLocations}, event_type, sum(n) FROM located
      GROUP BY contact_id, from_at, from_no, event_type
      UNION ALL
      SELECT 1, part.contact_id, part.from_at, part.from_no, c.location_id, c.event_type, c.n
      FROM part CROSS JOIN LATERAL (
        SELECT location_id, event_type, sum(entries) AS n FROM entry_count
        WHERE business_id = ${businessId} AND contact_id = part.contact_id AND level = 0 AND (from_at, from_no) >= (part.from_at, part.from_no)
          AND (from_at, from_no) < (part.until_at, part.until_no)
        GROUP BY location_id, event_type
      ) AS c
      WHERE part.level = 1
    ), kept AS (
      SELECT part.level, part.contact_id, part.from_at, part.from_no, c.location_id, c.event_type, c.entries AS n
      FROM part CROSS JOIN LATERAL (
        SELECT location_id, event_type, entries FROM entry_count c
        WHERE business_id = ${businessId} AND c.contact_id = part.contact_id AND c.level = part.level AND c.from_at = part.from_at
          AND c.from_no = part.from_no OFFSET 0
      ) AS c
    ), mismatch AS MATERIALIZED (
      SELECT 'entry_count' AS kind, nullif(contact_id, ${allMembers}) AS contact_id,
        level || ' ' || from_at || ' ' || from_no || ' location ' || location_id || ' ' || event_type AS place,
        coalesce(counted.n, 0)::text AS expected, coalesce(kept.n, 0)::text AS found
      FROM counted FULL JOIN kept USING (level, contact_id, from_at, from_no, location_id, event_type)
      WHERE counted.n IS DISTINCT FROM kept.n
      UNION ALL
      SELECT 'block_sequence', nullif(contact_id, ${allMembers}), level || ' ' || start.at || ' ' || start.no, '-infinity 0', start.at || ' ' || start.no
      FROM ended LEFT JOIN (
        SELECT DISTINCT ON (contact_id, level) contact_id, level, from_at, from_no FROM ordered
        ORDER BY contact_id, level, from_at, from_no
      ) AS o USING (contact_id, level), LATERAL (
        SELECT coalesce(o.from_at, ended.at) AS at, coalesce(o.from_no, ended.no) AS no
      ) AS start
      WHERE ${after}::bigint = 0 AND (start.at, start.no) <> ('-infinity', 0)
      UNION ALL
      SELECT 'counted_through', nullif(contact_id, ${allMembers}), NULL, blocks.entries::text, known.counted_entries::text
      FROM bound CROSS JOIN ((
        SELECT contact_id, sum(entries)::bigint AS entries FROM (
          SELECT contact_id, entries FROM ordered WHERE level = 0 UNION ALL SELECT ${allMembers}, 0
        ) AS counted GROUP BY contact_id
      ) AS blocks
      FULL JOIN (SELECT contact_id, counted_entries FROM ended WHERE level = 0) AS known USING (contact_id))
      WHERE bound.next IS NULL AND coalesce(known.counted_entries, -1) <> coalesce(blocks.entries, 0)
    )
    SELECT blocks, next, (SELECT coalesce(sum(n), 0)::bigint FROM located WHERE contact_id = ${allMembers}) AS entries, ${mismatchesBy("place, kind")}
    FROM bound`);
};

/** Recounts the members of up to `limit` blocks, from one on. @param from the number of a block */
export const verifyMemberCounts: VerifySlice = async (tx, businessId, from, limit) => {
  // A block after the largest possible member_id has no members, and its first member_id would not fit a bigint.
  const first = Math.min(from, Math.floor(Number.MAX_SAFE_INTEGER / memberIdsInBlock) - limit);
  const end = first + limit;
  await planForAnyValues(tx);
  return sliceOf(tx<VerifiedSlice[]>`
    WITH counted AS MATERIALIZED (
      SELECT member_id / ${memberIdsInBlock} AS block, count(*) FILTER (WHERE anonymous IS NULL) AS members,
        count(*) FILTER (WHERE active AND anonymous IS NULL) AS active
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
    SELECT (SELECT coalesce(sum(members), 0)::bigint FROM counted) AS members,
      (SELECT count(*) FROM counted) AS blocks,
      least(
        (SELECT min(block) FROM member_block WHERE business_id = ${businessId} AND block >= ${end}),
        (SELECT min(member_id) / ${memberIdsInBlock} FROM member
          WHERE business_id = ${businessId} AND member_id >= ${end * memberIdsInBlock})
      ) AS next,
      ${mismatchesBy("place")}`);
};
