import type { Connection } from "../connection.ts";
import { mostMismatches, planForAnyValues, type VerifiedSlice } from "./slice.ts";

/**
 * Looks through up to `limit` entries in the order of recording: that their numbers have no gap, that none
 * happened after the last was recorded, and, with the last slice, that the ledger's head is the last entry. If
 * something is wrong, a second statement finds out what: both must see one snapshot.
 * @param tx a transaction
 */
export async function verifyEntries(
  tx: Connection,
  businessId: number,
  afterEntryNo: number,
  limit: number,
): Promise<VerifiedSlice> {
  await planForAnyValues(tx);
  const { valid, ...sums } = await sumUp(tx, businessId, afterEntryNo, limit);
  if (!valid) return findMismatches(tx, businessId, afterEntryNo, limit);
  return { ...sums, members: 0, accounts: 0, blocks: 0, mismatch_count: 0, mismatches: [] };
}

type Sums = Pick<VerifiedSlice, "entries" | "next"> & { readonly valid: boolean };

/** No two entries have one number: so there is no gap when there are as many as the last one's number says. */
async function sumUp(tx: Connection, businessId: number, afterEntryNo: number, limit: number): Promise<Sums> {
  const [row] = await tx<Sums[]>`
    WITH slice AS (
      SELECT count(*) AS entries, coalesce(max(entry_no), ${afterEntryNo}) AS last_no, max(created_at) AS last_at
      FROM (
        SELECT entry_no, created_at FROM ledger_entry
        WHERE business_id = ${businessId} AND entry_no > ${afterEntryNo} ORDER BY entry_no LIMIT ${limit}
      ) AS entry
    )
    SELECT entries, CASE WHEN entries = ${limit} THEN last_no END AS next,
      last_no - ${afterEntryNo} = entries AND coalesce(last_at <= last_recorded_at, true)
        AND (entries = ${limit} OR last_no = last_entry_no AND (entries > 0 OR ${afterEntryNo}::bigint = 0)) IS TRUE AS valid
    FROM slice LEFT JOIN ledger ON business_id = ${businessId}`;
  return row as Sums;
}

async function findMismatches(
  tx: Connection,
  businessId: number,
  afterEntryNo: number,
  limit: number,
): Promise<VerifiedSlice> {
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
