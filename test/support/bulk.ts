/** Businesses with many members and entries, loaded with a few statements. */

import { insertBusiness } from "../../src/database/access/businesses.ts";
import type { Connection, Database } from "../../src/database/connection.ts";
import { countRecorded } from "../../src/database/ledger/counts.ts";
import { lockLedger } from "../../src/database/ledger/ledger.ts";
import { memberIdsInBlock } from "../../src/database/members/list.ts";

export interface BulkSizes {
  readonly members: number;
  /** Of wallets, points and sales in turn, 40 seconds apart from 2024 on, each of 1. */
  readonly entries: number;
  /** Idempotency keys of the last 40 days. */
  readonly keys: number;
  readonly auditEntries: number;
}

export interface BulkBusiness extends BulkSizes {
  readonly businessId: number;
  readonly firstContactId: number;
  /** Entries are at these in turn, and one in seven at none. */
  readonly locationIds: readonly number[];
}

/** Makes a business that `fillBusiness` can fill. */
export async function makeEmptyBusiness(
  sql: Database,
): Promise<{ businessId: number; locationIds: number[] }> {
  const businessId = await insertBusiness(sql, {
    name: "Bulk",
    time_zone: "UTC",
    currency: "EUR",
  });
  const rows = await sql<{ location_id: number }[]>`
    INSERT INTO location (business_id, name) SELECT ${businessId}, 'L' || n FROM generate_series(1, 5) AS n
    RETURNING location_id`;
  return { businessId, locationIds: rows.map((row) => row.location_id) };
}

/** Fills an empty business, with its counts, and takes no statistics. */
export async function fillBusiness(
  sql: Database,
  { businessId, locationIds }: { readonly businessId: number; readonly locationIds: readonly number[] },
  sizes: BulkSizes,
): Promise<BulkBusiness> {
  return sql.begin(async (tx) => {
    // The statistics don't know the business yet.
    await tx`SET LOCAL enable_nestloop = off`;
    const firstContactId = await insertMembers(tx, businessId, sizes.members);
    await insertEntries(tx, { businessId, locationIds, firstContactId, ...sizes });
    await tx`
      INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, response, created_at)
      SELECT ${businessId}, 1, 'key-' || n, '\\x00', 200, '{}', now() - interval '40 days' * n / ${sizes.keys}::integer
      FROM generate_series(1, ${sizes.keys}) AS n`;
    await tx`
      INSERT INTO audit_entry (business_id, actor_kind, actor_name, address, request_id, event)
      SELECT ${businessId}, 'root', 'root', '::1', 'r' || n, '/op/' || n % 3 FROM generate_series(1, ${sizes.auditEntries}) AS n`;
    await recountLedger(tx, businessId);
    await recountMembers(tx, businessId);
    return { businessId, locationIds, firstContactId, ...sizes };
  });
}

async function insertMembers(tx: Connection, businessId: number, members: number): Promise<number> {
  const rows = await tx<{ contact_id: number }[]>`
    INSERT INTO member (business_id, first_name, last_name, phone_number, email, searchable_text)
    SELECT ${businessId}, first_name, last_name, phone_number, email,
      first_name || ' ' || last_name || E'\n' || phone_number || E'\n' || email
    FROM (
      SELECT n, (ARRAY['ana', 'lucia', 'eva', 'noa'])[1 + n % 4] AS first_name, 'garcia' || n AS last_name,
        '+34' || (600000000 + n) AS phone_number, 'm.' || n || '@example.com' AS email
      FROM generate_series(1, ${members}) AS n
    ) AS made
    ORDER BY n
    RETURNING contact_id`;
  return Math.min(...rows.map((row) => row.contact_id));
}

async function insertEntries(
  tx: Connection,
  { businessId, locationIds, firstContactId, members, entries }: BulkBusiness,
): Promise<void> {
  await tx`
    INSERT INTO ledger_entry (business_id, entry_no, contact_id, amount, balance_after, location_id, created_at, account,
      event_type, reference_id)
    SELECT ${businessId}, n, ${firstContactId}::bigint + n % ${members}::integer, 1, turn / 3 + 1,
      CASE WHEN n % 7 > 0 THEN (${locationIds}::bigint[])[1 + n % ${locationIds.length}::integer] END,
      timestamptz '2024-01-01' + n * interval '40 seconds',
      (ARRAY['wallet', 'points', 'sales']::account_name[])[1 + turn % 3],
      (ARRAY['wallet_adjustment', 'reward_points_adjustment', 'sale']::event_type[])[1 + turn % 3], 'R' || n
    FROM (SELECT n, (n - 1) / ${members}::integer AS turn FROM generate_series(1, ${entries}) AS n) AS made
    ORDER BY n`;
  await tx`
    INSERT INTO account (business_id, contact_id, account, balance, entries)
    SELECT m.business_id, m.contact_id, a.account, coalesce(s.balance, 0), coalesce(s.entries, 0)
    FROM member m CROSS JOIN unnest(enum_range(NULL::account_name)) AS a (account)
    LEFT JOIN (
      SELECT contact_id, account, sum(amount) AS balance, count(*) AS entries
      FROM ledger_entry WHERE business_id = ${businessId} GROUP BY 1, 2
    ) AS s USING (contact_id, account)
    WHERE m.business_id = ${businessId}
    ORDER BY m.contact_id, a.account`;
}

/** Counts entries again, in a business that was filled by other means than the service. */
export async function recountLedger(tx: Connection, businessId: number): Promise<void> {
  const { last_entry_no = 0 } = (await lockLedger(tx, businessId)) ?? {};
  await tx`DELETE FROM entry_count WHERE business_id = ${businessId}`;
  await tx`DELETE FROM ledger_count WHERE business_id = ${businessId} AND contact_id <> 0`;
  await tx`
    UPDATE ledger_count SET counted_entries = DEFAULT, blocks_end_at = DEFAULT, blocks_end_no = DEFAULT,
      groups_end_at = DEFAULT, groups_end_no = DEFAULT
    WHERE business_id = ${businessId}`;
  await countRecorded(tx, businessId, last_entry_no, last_entry_no);
}

/** Counts members again. */
export async function recountMembers(tx: Connection, businessId: number): Promise<void> {
  await tx`DELETE FROM member_block WHERE business_id = ${businessId}`;
  await tx`
    INSERT INTO member_block (business_id, block, members, active)
    SELECT l.business_id, counted.block, counted.members, counted.active
    FROM ledger l, (
      SELECT member_id / ${memberIdsInBlock} AS block, count(*) AS members,
        count(*) FILTER (WHERE active) AS active
      FROM member WHERE business_id = ${businessId} GROUP BY 1
    ) AS counted
    WHERE l.business_id = ${businessId}`;
}
