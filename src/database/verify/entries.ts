import type { Connection } from "../connection.ts";
import { mostMismatches, planForAnyValues, type VerifiedSlice } from "./slice.ts";

/**
 * Checks up to `limit` entries in the order of recording: that their numbers have no gap, that none happened after the
 * last was recorded, and, with the last slice, that the ledger's head is the last entry.
 * @param tx a transaction
 */
export async function verifyEntries(
  tx: Connection,
  businessId: number,
  afterEntryNo: number,
  limit: number,
): Promise<VerifiedSlice> {
  await planForAnyValues(tx);
  const [row] = await tx<VerifiedSlice[]>`
    WITH head AS MATERIALIZED (
      SELECT last_entry_no, last_recorded_at FROM ledger WHERE business_id = ${businessId}
    ), slice AS MATERIALIZED (
      SELECT entry_no, contact_id, account, created_at FROM ledger_entry
      WHERE business_id = ${businessId} AND entry_no > ${afterEntryNo} ORDER BY entry_no LIMIT ${limit}
    ), bound AS MATERIALIZED (
      SELECT count(*) AS entries, CASE WHEN count(*) = ${limit} THEN max(entry_no) END AS next FROM slice
    ), numbered AS (
      SELECT entry_no, lag(entry_no, 1, ${afterEntryNo}::bigint) OVER (ORDER BY entry_no) + 1 AS should FROM slice
    ), mismatch AS MATERIALIZED (
      SELECT 'entry_no' AS kind, NULL::bigint AS contact_id, NULL::text AS account, entry_no,
        should::text AS expected, entry_no::text AS found
      FROM numbered WHERE entry_no <> should
      UNION ALL
      SELECT 'created_at', contact_id, account::text, entry_no, 'at most ' || last_recorded_at, created_at::text
      FROM slice, head WHERE created_at > last_recorded_at
      UNION ALL
      SELECT 'last_entry_no', NULL, NULL, NULL, last.entry_no::text, head.last_entry_no::text
      FROM bound CROSS JOIN (
        SELECT coalesce(max(entry_no), 0) AS entry_no FROM ledger_entry WHERE business_id = ${businessId}
      ) AS last
      LEFT JOIN head ON true
      WHERE bound.next IS NULL AND last.entry_no IS DISTINCT FROM head.last_entry_no
    )
    SELECT 0 AS members, 0 AS accounts, entries, 0 AS blocks, next, (SELECT count(*) FROM mismatch) AS mismatch_count,
      (SELECT coalesce(jsonb_agg(m), '[]') FROM (
        SELECT *, NULL AS place FROM mismatch ORDER BY entry_no, kind LIMIT ${mostMismatches}) AS m
      ) AS mismatches
    FROM bound`;
  return row as VerifiedSlice;
}
