/**
 * What a batch of postings goes on from: the ledger's head, kept answers and accounts. Each statement is sent when its
 * function is called (`execute`), not when its result is first awaited: callers pipeline them, and the lock has to come
 * after the transaction's begin and before what it protects.
 *
 * Arrays come through a subquery, where the planner doesn't see them: of plain parameters it sees how few they
 * are, takes a plan made for them to be worth its while, and plans each time, which costs more than the look-up.
 */

import { randomInt } from "node:crypto";
import type { KeptAnswer } from "../domain/idempotency.ts";
import type { Account } from "../domain/ledger.ts";
import { plainArray, separatedTexts } from "./array-text.ts";
import type { Connection } from "./connection.ts";

/** What every batch goes on from. */
export interface LedgerHead {
  readonly last_entry_no: number;
  /** Another one each time the accounts change. */
  readonly version: number;
}

export interface LockedLedger extends LedgerHead {
  /** When entries of this transaction happen: now, or a moment later when the clock went back. */
  readonly now: string;
}

/**
 * Locks the business's ledger to the end of the transaction.
 * @returns undefined when there is no such business
 */
export async function lockLedger(tx: Connection, businessId: number): Promise<LockedLedger | undefined> {
  const [head] = await tx<LockedLedger[]>`
    SELECT last_entry_no, version, greatest(clock_timestamp(), last_recorded_at) AS now
    FROM ledger WHERE business_id = ${businessId} FOR UPDATE`.execute();
  return head;
}

/**
 * Whether a ledger is as it is known, and nobody is changing it. What another transaction has written and not committed
 * is not to be seen without its lock; that it holds the row is (`xmax`). Who made this version of the row held it, too,
 * and has committed; who once locked it without changing it is taken for somebody who still does.
 */
export async function isUntouched(tx: Connection, businessId: number, known: LedgerHead): Promise<boolean> {
  const rows = await tx`
    SELECT FROM ledger
    WHERE business_id = ${businessId} AND last_entry_no = ${known.last_entry_no} AND version = ${known.version}
      AND (xmax = '0' OR xmax = xmin)`.execute();
  return rows.length > 0;
}

/**
 * Says that the accounts change in this transaction, other than by new entries: whoever remembers them must look
 * again. The caller holds the ledger's lock.
 * @returns the version that the ledger has from then on
 */
export async function markAccountsChanged(tx: Connection, businessId: number): Promise<number> {
  const version = newVersion();
  await tx`UPDATE ledger SET version = ${version} WHERE business_id = ${businessId}`.execute();
  return version;
}

/** A version that no ledger ever had, all but surely: 48 random bits. */
export function newVersion(): number {
  return randomInt(2 ** 48 - 1);
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
      AND integration_id = ANY (ARRAY(SELECT unnest(${plainArray(integrationIds)}::bigint[])))
      AND idempotency_key = ANY (ARRAY(SELECT unnest(string_to_array(${separatedTexts(keys)}, chr(31)))))`.execute();
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
      AND contact_id = ANY (ARRAY(SELECT unnest(${plainArray(contactIds)}::bigint[])))
      AND account = ANY (ARRAY(SELECT unnest(${plainArray(accounts)}::account_name[])))`.execute();
}
