/**
 * Reads for a group of postings: the ledgers, which it locks, kept responses and accounts. All statements of
 * a group are sent on one connection without waiting for each other. Those after the lock see what its
 * previous holder committed.
 *
 * Each ledger, key and account is one index probe. LATERAL with OFFSET 0 keeps the planner from another join
 * order, which it would choose for a business that its statistics don't know yet.
 */
import type { KeptResponse } from "../../domain/idempotency.ts";
import type { Account } from "../../domain/ledger.ts";
import type { Connection } from "../connection.ts";
import { raw } from "../sql.ts";

export interface LockedLedger {
  readonly business_id: number;
  readonly last_entry_no: number;
  /** When entries of this transaction happen, as PostgreSQL writes it. */
  readonly now: string;
  /** The day of `now` in the business's time zone, YYYY-MM-DD. */
  readonly today: string;
  /** Whether the last entry is dated later than `now`: the database's clock was ahead when it was recorded. */
  readonly behind: boolean;
  /** How many of its entries are counted (counts.ts). */
  readonly counted_entries: number;
}

/**
 * When the clock is set back, new entries get the time of the last one, to keep the order of recording, but
 * only if that is at most this far ahead. Otherwise, a clock that was wrong for a while would date everything
 * after it.
 */
export const mostLeadSeconds = 10;

/**
 * Locks ledgers to the end of the transaction. Only one of a transaction may be waited for: no two then wait for each other.
 * @param whenLocked what to do about a ledger that another transaction has locked
 * @returns those that are locked now
 */
export function lockLedgers(tx: Connection, businessIds: readonly number[], whenLocked: "wait" | "skip") {
  return tx<LockedLedger[]>`
    SELECT l.business_id, l.last_entry_no, moment.now, moment.now < l.last_recorded_at AS behind, c.counted_entries,
      to_char(moment.now AT TIME ZONE b.time_zone, 'YYYY-MM-DD') AS today
    FROM unnest(${businessIds}::bigint[]) AS wanted (business_id)
    CROSS JOIN LATERAL (
      SELECT business_id, last_entry_no, last_recorded_at, clock_at, clock_timestamp() AS clock
      FROM ledger WHERE business_id = wanted.business_id
      FOR UPDATE ${raw(whenLocked === "skip" ? "SKIP LOCKED" : "")}
    ) AS l
    JOIN business b ON b.business_id = l.business_id
    CROSS JOIN LATERAL (
      SELECT CASE WHEN l.clock_at IS NOT NULL THEN l.clock_at
        WHEN l.last_recorded_at > l.clock + make_interval(secs => ${mostLeadSeconds}) THEN l.clock
        ELSE greatest(l.clock, l.last_recorded_at) END AS now
    ) AS moment
    JOIN ledger_count c ON c.business_id = l.business_id`;
}

/**
 * Locks the business's ledger to the end of the transaction, and waits for it.
 * @returns undefined when there is no such business
 */
export async function lockLedger(tx: Connection, businessId: number): Promise<LockedLedger | undefined> {
  const [ledger] = await lockLedgers(tx, [businessId], "wait");
  return ledger;
}

/** Names of idempotency keys, as columns. */
export interface KeyColumns {
  readonly businessIds: readonly number[];
  readonly integrationIds: readonly number[];
  readonly keys: readonly string[];
}

export interface KeptKey extends KeptResponse {
  readonly business_id: number;
  readonly integration_id: number;
  readonly idempotency_key: string;
}

/** The responses kept under those of the keys that were used before. */
export function findKeptResponses(tx: Connection, { businessIds, integrationIds, keys }: KeyColumns) {
  return tx<KeptKey[]>`
    SELECT kept.*
    FROM unnest(${businessIds}::bigint[], ${integrationIds}::bigint[], ${keys}::text[])
      AS wanted (business_id, integration_id, idempotency_key)
    CROSS JOIN LATERAL (
      SELECT business_id, integration_id, idempotency_key, encode(fingerprint, 'hex') AS fingerprint, status,
        answer AS body
      FROM idempotency_key k
      WHERE k.business_id = wanted.business_id AND k.integration_id = wanted.integration_id
        AND k.idempotency_key = wanted.idempotency_key
      OFFSET 0
    ) AS kept`;
}

/** Names of accounts, as columns. */
export interface AccountColumns {
  readonly businessIds: readonly number[];
  readonly contactIds: readonly number[];
  readonly accounts: readonly Account[];
}

export interface AccountRow {
  readonly business_id: number;
  readonly contact_id: number;
  readonly account: Account;
  readonly balance: number;
  /** Whether its member is active. */
  readonly active: boolean;
}

/** Those of the accounts that exist. The caller holds the ledgers' locks. */
export function findAccounts(tx: Connection, { businessIds, contactIds, accounts }: AccountColumns) {
  return tx<AccountRow[]>`
    SELECT found.*
    FROM unnest(${businessIds}::bigint[], ${contactIds}::bigint[], ${accounts}::account_name[])
      AS wanted (business_id, contact_id, account)
    CROSS JOIN LATERAL (
      SELECT business_id, contact_id, account, balance, active FROM account a
      WHERE a.business_id = wanted.business_id AND a.contact_id = wanted.contact_id AND a.account = wanted.account
      OFFSET 0
    ) AS found`;
}
