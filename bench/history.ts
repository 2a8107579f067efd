/** Fills a business with members and entries by a few statements. All balances are the sums of their entries. */

import type { Connection, Database } from "../src/database/connection.ts";
import { raw } from "../src/database/sql.ts";
import { recountLedger, recountMembers } from "../test/support/bulk.ts";
import type { Business } from "../test/support/runs/operator.ts";

export interface HistorySize {
  readonly members: number;
  readonly entries: number;
  /** All entries happened within ten minutes, as after an import. By default, they happened over three years. */
  readonly bulkImport?: boolean;
}

/** The active members. */
export interface History {
  readonly firstContactId: number;
  readonly members: number;
}

const inactiveShare = 0.03;
/** From this size on, indexes and constraints are made after the rows, and the tables are vacuumed and analysed, as autovacuum does in time. */
const largeSize = 50_000;

const firstNames = (
  "Ana Maria Carmen Lucia Sofia Elena Laura Marta Paula Irene Julia Nuria Rosa Ines Clara Antonio Jose Manuel David " +
  "Javier Carlos Miguel Pablo Alvaro Sergio Jorge Luis Diego Emma Noah"
).split(" ");
const lastNames = (
  "Garcia Fernandez Gonzalez Rodriguez Lopez Martinez Sanchez Perez Gomez Martin Jimenez Hernandez Ruiz Diaz Moreno " +
  "Munoz Alvarez Romero Alonso Gutierrez Navarro Torres Dominguez Vazquez Ramos Gil Ramirez Serrano Blanco Molina"
).split(" ");
const secondNames = (
  "Morales Suarez Ortega Delgado Castro Ortiz Rubio Marin Sanz Nunez Iglesias Medina Garrido Cortes Castillo Santos " +
  "Lozano Guerrero Cano Prieto Muller Schmidt Dubois Rossi Smith Jones Taylor Brown Weber Silva"
).split(" ");

export async function fillHistory(sql: Database, business: Business, size: HistorySize): Promise<History> {
  const { businessId } = business;
  const isLarge = size.members + size.entries >= largeSize;
  const firstContactId = await sql.begin(async (tx) => {
    await tx`SET LOCAL work_mem = '512MB'`;
    await tx`SET LOCAL maintenance_work_mem = '1GB'`;
    // The statistics don't know the business yet.
    await tx`SET LOCAL enable_nestloop = off`;
    await tx`SELECT setseed(0.4)`;
    const makeIndexes = isLarge ? await dropIndexes(tx) : () => {};
    const first = await insertMembers(tx, businessId, size.members);
    if (size.entries > 0) await insertEntries(tx, business, first, size);
    await insertAccounts(tx, businessId);
    await makeIndexes();
    await recountLedger(tx, businessId);
    await recountMembers(tx, businessId);
    return first;
  });
  if (isLarge) await sql`VACUUM ANALYZE`;
  const inactive = Math.floor(size.members * inactiveShare);
  return { firstContactId: firstContactId + inactive, members: size.members - inactive };
}

/**
 * Drops the indexes of members and entries that are no keys, and the foreign key of accounts. To look at them for each row takes most
 * of the time for ten million entries.
 * @returns a function that makes them again
 */
async function dropIndexes(tx: Connection): Promise<() => Promise<void>> {
  const dropped = await tx<{ drop: string; make: string }[]>`
    SELECT 'DROP INDEX ' || indexrelid::regclass AS drop, pg_get_indexdef(indexrelid) AS make
    FROM pg_index WHERE indrelid IN ('member'::regclass, 'ledger_entry'::regclass) AND NOT indisprimary
    UNION ALL
    SELECT 'ALTER TABLE account DROP CONSTRAINT ' || conname,
      'ALTER TABLE account ADD CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE conrelid = 'account'::regclass AND contype = 'f'`;
  for (const { drop } of dropped) await tx`${raw(drop)}`;
  return async () => {
    for (const { make } of dropped) await tx`${raw(make)}`;
  };
}

/** Those who joined first are inactive. @returns the first contact_id */
async function insertMembers(tx: Connection, businessId: number, members: number): Promise<number> {
  await tx`
    INSERT INTO member (business_id, first_name, last_name, phone_number, email, active, searchable_text)
    SELECT ${businessId}, first_name, last_name, phone_number, email, active,
      lower(first_name || ' ' || last_name || E'\n' || phone_number || E'\n' || coalesce(email, ''))
    FROM (
      SELECT n, (${firstNames}::text[])[1 + floor(random() * 30)] AS first_name,
        (${lastNames}::text[])[1 + floor(random() * 30)] || ' ' || (${secondNames}::text[])[1 + floor(random() * 30)]
          AS last_name,
        '+34' || (600000000 + n) AS phone_number,
        CASE WHEN random() < 0.8 THEN 'member.' || n || '@example.com' END AS email,
        n >= ${Math.floor(members * inactiveShare)}::integer AS active
      FROM generate_series(0, ${members - 1}::integer) AS n
      OFFSET 0
    ) AS made
    ORDER BY n`;
  const [first] = await tx<{ contact_id: number }[]>`
    SELECT min(contact_id) AS contact_id FROM member WHERE business_id = ${businessId}`;
  return first?.contact_id ?? 0;
}

/**
 * A member's share of the entries falls with its rank to the power of 0.8 (Zipf), and ranks are scattered over the ids.
 * A debit takes at most what the credit right before it in the same account has brought, so no balance is below zero.
 */
async function insertEntries(
  tx: Connection,
  { businessId, locationIds, credentials: { integration_id } }: Business,
  firstContactId: number,
  { members, entries, bulkImport = false }: HistorySize,
): Promise<void> {
  await tx`
    INSERT INTO ledger_entry (business_id, entry_no, contact_id, amount, balance_after, location_id, integration_id,
      created_at, account, event_type, reference_id, reason)
    WITH drawn AS MATERIALIZED (
      SELECT n, random() AS of_member, random() AS of_account, random() AS of_debit, random() AS of_event,
        100 + floor(15000 * random() ^ 3) AS size, random() AS share, random() AS of_location
      FROM generate_series(1, ${entries}::integer) AS n
    ), placed AS (
      SELECT *, ${firstContactId}::bigint + 618033 * (floor((of_member * ((${members}::integer + 1) ^ 0.2 - 1) + 1) ^ 5)
          ::bigint - 1) % ${members}::integer AS contact_id,
        CASE WHEN of_account < 0.39 THEN 'sales' WHEN of_account < 0.77 THEN 'points'
          WHEN of_account < 0.94 THEN 'wallet' ELSE 'vouchers' END AS account
      FROM drawn
    ), turned AS (
      SELECT *, row_number() OVER w % 2 = 0 AND of_debit < CASE account WHEN 'sales' THEN 0.04 WHEN 'points' THEN 0.3
          ELSE 0.9 END AS debits, lag(size) OVER w AS before
      FROM placed WINDOW w AS (PARTITION BY contact_id, account ORDER BY n)
    ), moved AS (
      SELECT *, CASE WHEN debits THEN -greatest(1, floor(before * share)) ELSE size END::bigint AS amount,
        CASE account
          WHEN 'sales' THEN CASE WHEN debits THEN 'sale_refund' ELSE 'sale' END
          WHEN 'points' THEN CASE WHEN debits AND of_event < 0.8 THEN 'reward_points_redeemed'
            WHEN debits THEN 'reward_points_expired' WHEN of_event < 0.96 THEN 'reward_points_earned'
            ELSE 'reward_points_adjustment' END
          WHEN 'wallet' THEN CASE WHEN debits THEN 'wallet_payment' WHEN of_event < 0.8 THEN 'wallet_topup'
            ELSE 'wallet_adjustment' END
          ELSE CASE WHEN debits THEN 'voucher_redeemed' ELSE 'voucher_issued' END
        END AS event_type
      FROM turned
    )
    SELECT ${businessId}, n, contact_id, amount,
      sum(amount) OVER (PARTITION BY contact_id, account ORDER BY n),
      CASE WHEN of_location < 0.95 THEN (${locationIds}::bigint[])[1 + floor(${locationIds.length}::integer * of_location ^ 2)] END,
      ${integration_id},
      CASE WHEN ${bulkImport} THEN now() - interval '1 minute' - interval '10 minutes' * (1 - n / ${entries}::float8)
        ELSE date_trunc('day', now()) - interval '3 years' * (1 - n / ${entries}::float8) END,
      account::account_name, event_type::event_type, 'R-' || n,
      CASE WHEN event_type LIKE '%adjustment' THEN 'Goodwill after a late delivery' END
    FROM moved ORDER BY n`;
}

async function insertAccounts(tx: Connection, businessId: number): Promise<void> {
  await tx`
    INSERT INTO account (business_id, contact_id, account, active, balance, entries)
    SELECT m.business_id, m.contact_id, a.account, m.active, coalesce(s.balance, 0), coalesce(s.entries, 0)
    FROM member m CROSS JOIN unnest(enum_range(NULL::account_name)) AS a (account)
    LEFT JOIN (
      SELECT contact_id, account, sum(amount) AS balance, count(*) AS entries
      FROM ledger_entry WHERE business_id = ${businessId} GROUP BY 1, 2
    ) AS s USING (contact_id, account)
    WHERE m.business_id = ${businessId}
    ORDER BY m.contact_id, a.account`;
}

/** Adds idempotency keys that were used some days ago. */
export async function fillKeys(
  sql: Database,
  { businessId, credentials }: Business,
  { keys, daysAgo }: { readonly keys: number; readonly daysAgo: number },
): Promise<void> {
  await sql`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, response, created_at)
    SELECT ${businessId}::bigint, ${credentials.integration_id}::bigint, 'receipt-' || md5(number::text),
      sha256(number::text::bytea), 200,
      '{"success":true,"message":"Wallet adjusted.","data":{"contact_id":100001,"amount":100,' ||
      '"adjustment_type":"credit","balance_after":' || number || '},"meta":{}}',
      now() - make_interval(days => ${daysAgo}::int) + make_interval(secs => number / 1000.0)
    FROM generate_series(1, ${keys}::int) AS number`;
  await sql`VACUUM ANALYZE idempotency_key`;
}
