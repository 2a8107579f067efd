/**
 * The write side of the ledger: what a batch reads under the ledger's lock, and what it records. Each statement
 * is sent when its function is called (`execute`), not when its result is first awaited: callers pipeline them,
 * and the lock has to come after the transaction's begin and before what it protects.
 *
 * Arrays come through a subquery, where the planner doesn't see them: of plain parameters it sees how few they
 * are, takes a plan made for them to be worth its while, and plans each time, which costs more than the look-up.
 */

import type { KeptAnswer } from "../domain/idempotency.ts";
import type { Account, EventType } from "../domain/ledger.ts";
import type { Connection } from "./connection.ts";

export interface LedgerHead {
  readonly last_entry_no: number;
  /** Up to this one, entries are counted in blocks. */
  readonly counted_through: number;
  /** When entries of this batch happen: now, or a moment later when the clock went back. */
  readonly now: string;
}

/**
 * Locks the business's ledger to the end of the transaction.
 * @returns undefined when there is no such business
 */
export async function lockLedger(tx: Connection, businessId: number): Promise<LedgerHead | undefined> {
  const [head] = await tx<LedgerHead[]>`
    SELECT last_entry_no, counted_through, greatest(clock_timestamp(), last_recorded_at) AS now
    FROM ledger WHERE business_id = ${businessId} FOR UPDATE`.execute();
  return head;
}

export interface KeptKey extends KeptAnswer {
  readonly integration_id: number;
  readonly idempotency_key: string;
}

/**
 * The answers kept under those of the keys that were used before. Keys of other integrations that are called the
 * same come along: the caller tells them apart.
 */
export function findKeptAnswers(
  tx: Connection,
  businessId: number,
  integrationIds: readonly number[],
  keys: readonly string[],
): Promise<KeptKey[]> {
  return tx<KeptKey[]>`
    SELECT integration_id, idempotency_key, encode(fingerprint, 'hex') AS fingerprint, status, answer AS body
    FROM idempotency_key
    WHERE business_id = ${businessId}
      AND integration_id = ANY (ARRAY(SELECT unnest(${integrationIds as number[]}::bigint[])))
      AND idempotency_key = ANY (ARRAY(SELECT unnest(${keys as string[]}::text[])))`.execute();
}

export interface AccountRow {
  readonly contact_id: number;
  readonly account: Account;
  readonly balance: number;
  readonly active: boolean;
}

/** The accounts of some members as they stand. The caller holds the ledger's lock. */
export function findAccounts(
  tx: Connection,
  businessId: number,
  contactIds: readonly number[],
  accounts: readonly Account[],
): Promise<AccountRow[]> {
  return tx<AccountRow[]>`
    SELECT contact_id, account, balance, active FROM account
    WHERE business_id = ${businessId}
      AND contact_id = ANY (ARRAY(SELECT unnest(${contactIds as number[]}::bigint[])))
      AND account = ANY (ARRAY(SELECT unnest(${accounts as string[]}::account_name[])))`.execute();
}

export interface EntryRow {
  readonly entry_no: number;
  readonly contact_id: number;
  readonly account: Account;
  readonly event_type: EventType;
  readonly amount: number;
  readonly balance_after: number;
  readonly location_id: number | null;
  readonly integration_id: number | null;
  readonly reference_id: string;
  readonly reason: string | null;
}

export interface KeyRow extends KeptKey {}

export interface Recording {
  readonly head: LedgerHead;
  readonly entries: readonly EntryRow[];
  /** The accounts that moved, as they stand afterwards. */
  readonly balances: readonly Omit<AccountRow, "active">[];
  readonly keys: readonly KeyRow[];
}

/**
 * Records a batch in one statement: entries, balances, answers and the new head. A key that another
 * transaction took in the meantime fails the statement with unique_violation, and so the whole batch.
 */
export async function recordBatch(tx: Connection, businessId: number, batch: Recording): Promise<void> {
  const { head, entries, balances, keys } = batch;
  const column = <Row, Name extends keyof Row>(rows: readonly Row[], name: Name) =>
    rows.map((row) => row[name]) as never[];
  const [recorded] = await tx<{ entries: number; balances: number; keys: number }[]>`
    WITH entry AS (
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        location_id, integration_id, reference_id, reason, created_at)
      SELECT l.business_id, e.entry_no, e.contact_id, e.account, e.event_type, e.amount, e.balance_after,
        e.location_id, e.integration_id, e.reference_id, e.reason, ${head.now}::timestamptz
      FROM ledger l, unnest(
        ${column(entries, "entry_no")}::bigint[], ${column(entries, "contact_id")}::bigint[],
        ${column(entries, "account")}::account_name[], ${column(entries, "event_type")}::event_type[],
        ${column(entries, "amount")}::bigint[], ${column(entries, "balance_after")}::bigint[],
        ${column(entries, "location_id")}::bigint[], ${column(entries, "integration_id")}::bigint[],
        ${column(entries, "reference_id")}::text[], ${column(entries, "reason")}::text[]
      ) AS e (entry_no, contact_id, account, event_type, amount, balance_after, location_id, integration_id,
        reference_id, reason)
      WHERE l.business_id = ${businessId}
      RETURNING 1
    ), balance AS (
      UPDATE account a SET balance = b.balance
      FROM unnest(
        ${column(balances, "contact_id")}::bigint[], ${column(balances, "account")}::account_name[],
        ${column(balances, "balance")}::bigint[]
      ) AS b (contact_id, account, balance)
      WHERE a.business_id = ${businessId} AND a.contact_id = b.contact_id AND a.account = b.account
        AND a.contact_id = ANY (${column(balances, "contact_id")}::bigint[])
      RETURNING 1
    ), key AS (
      INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
      SELECT l.business_id, k.integration_id, k.idempotency_key, decode(k.fingerprint, 'hex'), k.status, k.body
      FROM ledger l, unnest(
        ${column(keys, "integration_id")}::bigint[], ${column(keys, "idempotency_key")}::text[],
        ${column(keys, "fingerprint")}::text[], ${column(keys, "status")}::smallint[],
        ${column(keys, "body")}::text[]
      ) AS k (integration_id, idempotency_key, fingerprint, status, body)
      WHERE l.business_id = ${businessId}
      RETURNING 1
    )
    UPDATE ledger
    SET last_entry_no = last_entry_no + ${entries.length}, last_recorded_at = ${head.now}::timestamptz
    WHERE business_id = ${businessId}
    RETURNING (SELECT count(*) FROM entry) AS entries, (SELECT count(*) FROM balance) AS balances,
      (SELECT count(*) FROM key) AS keys`.execute();
  if (
    recorded?.entries !== entries.length ||
    recorded.balances !== balances.length ||
    recorded.keys !== keys.length
  ) {
    throw new Error(`a batch of ${entries.length} entries was not recorded whole`);
  }
}
