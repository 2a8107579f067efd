import { eventTypeNames, eventTypes } from "../domain/ledger.ts";
import type { Connection } from "./connection.ts";

/** Something in the books that is not as the rest of them says it must be. */
export interface Mismatch {
  readonly kind: string;
  readonly contact_id: number | null;
  readonly account: string | null;
  readonly entry_no: number | null;
  /** Of a count: the block that it is kept for, and what it counts there. */
  readonly place: string | null;
  readonly expected: string | null;
  readonly found: string | null;
}

/** What a slice of the books holds, and what is wrong in it. */
export interface VerifiedSlice {
  readonly members: number;
  readonly accounts: number;
  readonly entries: number;
  readonly blocks: number;
  readonly mismatch_count: number;
  /** Up to `mostMismatches` of them. */
  readonly mismatches: readonly Mismatch[];
  /** Where the next slice begins; null when this was the last. */
  readonly next: number | null;
}

/** More of one slice are only counted: whoever has so many needs no longer list. */
export const mostMismatches = 100;

const accountOfEventType = eventTypeNames
  .map((name) => `WHEN '${name}' THEN '${eventTypes[name].account}'`)
  .join(" ");

/**
 * Recomputes the accounts of up to `limit` members, in the order of contact_id, from the ledger: that each
 * member has its four and nobody else any, that each balance is the sum of its entries, that each entry's balance_after is the one
 * before it plus the amount, and that it is in the account of its event type. What follows from these, such as
 * that the last balance_after is the balance, needs no look. One statement, so one snapshot: writes beside it are
 * either all in it or not at all.
 */
export async function verifyAccounts(
  sql: Connection,
  businessId: number,
  afterContactId: number,
  limit: number,
): Promise<VerifiedSlice> {
  const within = sql`business_id = ${businessId} AND contact_id > ${afterContactId}
    AND contact_id <= (SELECT upto FROM bound)`;
  const [row] = await sql<VerifiedSlice[]>`
    WITH slice AS MATERIALIZED (
      SELECT contact_id, active FROM member WHERE business_id = ${businessId} AND contact_id > ${afterContactId}
      ORDER BY contact_id LIMIT ${limit}
    ), bound AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ${limit} THEN max(contact_id) END AS next,
        CASE WHEN count(*) = ${limit} THEN max(contact_id) ELSE 9223372036854775807 END AS upto
      FROM slice
    ), summed AS MATERIALIZED (
      SELECT contact_id, account, count(*) AS entries, sum(amount) AS balance,
        bool_and(balance_after - before = amount AND account = should) AS sound
      FROM (
        SELECT contact_id, account, amount, balance_after,
          (CASE event_type ${sql.unsafe(accountOfEventType)} END)::account_name AS should,
          lag(balance_after, 1, 0::bigint) OVER (PARTITION BY contact_id, account ORDER BY entry_no) AS before
        FROM ledger_entry WHERE ${within}
      ) AS entry
      GROUP BY contact_id, account
    ), present AS MATERIALIZED (
      SELECT contact_id, account, active, balance FROM account WHERE ${within}
    ), detail AS (
      SELECT e.contact_id, e.account, e.entry_no, e.amount, e.balance_after,
        (CASE e.event_type ${sql.unsafe(accountOfEventType)} END)::account_name AS should,
        lag(e.balance_after, 1, 0::bigint) OVER (PARTITION BY e.contact_id, e.account ORDER BY e.entry_no) AS before
      FROM summed s JOIN ledger_entry e ON e.business_id = ${businessId} AND e.contact_id = s.contact_id
        AND e.account = s.account
      WHERE NOT s.sound
    ), mismatch AS MATERIALIZED (
      SELECT 'balance' AS kind, p.contact_id, p.account::text, NULL::bigint AS entry_no,
        coalesce(s.balance, 0)::text AS expected, p.balance::text AS found
      FROM present p LEFT JOIN summed s USING (contact_id, account) WHERE p.balance <> coalesce(s.balance, 0)
      UNION ALL
      SELECT 'balance_after', contact_id, account::text, entry_no, (before::numeric + amount)::text,
        balance_after::text
      FROM detail WHERE balance_after - before <> amount
      UNION ALL
      SELECT 'account_of_entry', contact_id, account::text, entry_no, should::text, account::text
      FROM detail WHERE account <> should
      UNION ALL
      SELECT 'account_missing', m.contact_id, a.account::text, NULL, '0', NULL
      FROM slice m CROSS JOIN unnest(enum_range(NULL::account_name)) AS a (account)
      LEFT JOIN present p USING (contact_id, account) WHERE p.contact_id IS NULL
      UNION ALL
      SELECT 'entries_without_account', contact_id, account::text, NULL, NULL, s.entries::text
      FROM summed s LEFT JOIN present p USING (contact_id, account) WHERE p.contact_id IS NULL
      UNION ALL
      SELECT 'account_without_member', p.contact_id, p.account::text, NULL, NULL, p.balance::text
      FROM present p LEFT JOIN slice m USING (contact_id) WHERE m.contact_id IS NULL
      UNION ALL
      SELECT 'account_active', contact_id, p.account::text, NULL, m.active::text, p.active::text
      FROM present p JOIN slice m USING (contact_id) WHERE p.active <> m.active
    )
    SELECT (SELECT count(*) FROM slice) AS members, (SELECT count(*) FROM present) AS accounts,
      (SELECT coalesce(sum(entries), 0)::bigint FROM summed) AS entries, 0 AS blocks,
      (SELECT count(*) FROM mismatch) AS mismatch_count, (SELECT next FROM bound) AS next,
      (SELECT coalesce(jsonb_agg(m), '[]') FROM (
        SELECT *, NULL AS place FROM mismatch ORDER BY contact_id, account, entry_no, kind LIMIT ${mostMismatches}) AS m
      ) AS mismatches`;
  return row as VerifiedSlice;
}
