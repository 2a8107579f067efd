/**
 * The write side of the ledger: what a batch reads under the ledger's lock, and what it records. Each statement
 * is sent when its function is called (`execute`), not when its result is first awaited: callers pipeline them,
 * and the lock has to come after the transaction's begin and before what it protects.
 *
 * Arrays come through a subquery, where the planner doesn't see them: of plain parameters it sees how few they
 * are, takes a plan made for them to be worth its while, and plans each time, which costs more than the look-up.
 */

import { randomInt } from "node:crypto";
import type { KeptAnswer } from "../domain/idempotency.ts";
import type { Account, EventType } from "../domain/ledger.ts";
import { plainArray, separatedTexts } from "./array-text.ts";
import type { Connection } from "./connection.ts";
import { FixedStatement } from "./parameters.ts";

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
 * Says that the accounts change in this transaction, other than by new entries: whoever remembers them must look
 * again. The caller holds the ledger's lock.
 */
export async function markAccountsChanged(tx: Connection, businessId: number): Promise<void> {
  await tx`UPDATE ledger SET version = ${newVersion()} WHERE business_id = ${businessId}`;
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
  /** What the batch was decided on. */
  readonly head: LedgerHead;
  /** What the ledger's version becomes. */
  readonly version: number;
  readonly entries: readonly EntryRow[];
  /** The accounts that moved, as they stand afterwards. */
  readonly balances: readonly Omit<AccountRow, "active">[];
  /** One for each entry, in their order. */
  readonly keys: readonly KeyRow[];
}

/** Texts that `separatedTexts` put together. */
const texts = (parameter: string) => `string_to_array(${parameter}, chr(31), chr(30))`;

const recordingStatement = new FixedStatement<RecordingParameter>(`
    WITH head AS (
      SELECT business_id, greatest(clock_timestamp(), last_recorded_at) AS now FROM ledger
      WHERE business_id = :business_id AND version = :known_version AND last_entry_no = :last_entry_no
      FOR UPDATE SKIP LOCKED
    ), entry AS (
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        location_id, integration_id, reference_id, reason, created_at)
      SELECT h.business_id, unnest(:entry_nos::bigint[]),
        unnest(:contact_ids::bigint[]), unnest(:accounts::account_name[]), unnest(:event_types::event_type[]),
        unnest(:amounts::bigint[]), unnest(:balances_after::bigint[]),
        unnest(:location_ids::bigint[]), unnest(:integration_ids::bigint[]),
        unnest(${texts(":reference_ids")}), unnest(${texts(":reasons")}), h.now
      FROM head h
      RETURNING 1
    ), balance AS (
      -- The accounts are there: an upsert looks each up by its key, where an update from a list may be planned
      -- to compare each with each.
      INSERT INTO account (business_id, contact_id, account, balance)
      SELECT h.business_id, unnest(:moved_contact_ids::bigint[]), unnest(:moved_accounts::account_name[]),
        unnest(:balances::bigint[])
      FROM head h
      ON CONFLICT (business_id, contact_id, account) DO UPDATE SET balance = excluded.balance
      RETURNING xmax <> 0 AS found
    ), key AS (
      INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
      SELECT h.business_id, unnest(:integration_ids::bigint[]), unnest(${texts(":idempotency_keys")}),
        decode(unnest(:fingerprints::text[]), 'hex'), unnest(:statuses::smallint[]), unnest(${texts(":answers")})
      FROM head h
      RETURNING 1
    )
    UPDATE ledger l
    SET last_entry_no = l.last_entry_no + :entries, last_recorded_at = head.now, version = :version
    FROM head WHERE l.business_id = :business_id
    RETURNING coalesce((SELECT counted_through FROM ledger_count WHERE business_id = :business_id), 0) / (
      (SELECT count(*) FROM entry) = :entries AND (SELECT count(*) FROM key) = :entries
      AND (SELECT count(*) FROM balance WHERE found) = :moved
    )::integer AS counted_through`);

type RecordingParameter =
  | "business_id"
  | "known_version"
  | "last_entry_no"
  | "version"
  | "entries"
  | "entry_nos"
  | "contact_ids"
  | "accounts"
  | "event_types"
  | "amounts"
  | "balances_after"
  | "location_ids"
  | "integration_ids"
  | "reference_ids"
  | "reasons"
  | "moved"
  | "moved_contact_ids"
  | "moved_accounts"
  | "balances"
  | "idempotency_keys"
  | "fingerprints"
  | "statuses"
  | "answers";

function parametersOf(businessId: number, { head, version, entries, balances, keys }: Recording) {
  return {
    business_id: businessId,
    known_version: head.version,
    last_entry_no: head.last_entry_no,
    version,
    entries: entries.length,
    entry_nos: plainArray(entries.map((entry) => entry.entry_no)),
    contact_ids: plainArray(entries.map((entry) => entry.contact_id)),
    accounts: plainArray(entries.map((entry) => entry.account)),
    event_types: plainArray(entries.map((entry) => entry.event_type)),
    amounts: plainArray(entries.map((entry) => entry.amount)),
    balances_after: plainArray(entries.map((entry) => entry.balance_after)),
    location_ids: plainArray(entries.map((entry) => entry.location_id)),
    integration_ids: plainArray(entries.map((entry) => entry.integration_id)),
    reference_ids: separatedTexts(entries.map((entry) => entry.reference_id)),
    reasons: separatedTexts(entries.map((entry) => entry.reason)),
    moved: balances.length,
    moved_contact_ids: plainArray(balances.map((moved) => moved.contact_id)),
    moved_accounts: plainArray(balances.map((moved) => moved.account)),
    balances: plainArray(balances.map((moved) => moved.balance)),
    idempotency_keys: separatedTexts(keys.map((key) => key.idempotency_key)),
    fingerprints: plainArray(keys.map((key) => key.fingerprint)),
    statuses: plainArray(keys.map((key) => key.status)),
    answers: separatedTexts(keys.map((key) => key.body)),
  };
}

/**
 * Records a batch in one statement: entries, balances, answers and the new head. It can stand alone, outside a
 * transaction, for it does nothing unless the ledger is as the batch was decided on: everything hangs on the row that
 * the head gives. It never waits for another's lock; a ledger that is locked counts as changed. A key that was used
 * before fails the statement with unique_violation, and so the whole batch; an account that is not there, or anything
 * else that is not recorded whole, with division_by_zero.
 * @returns up to which entry the ledger is counted in blocks; undefined when nothing was recorded
 */
export async function recordBatch(
  tx: Connection,
  businessId: number,
  recording: Recording,
): Promise<number | undefined> {
  const parameters = parametersOf(businessId, recording);
  const [recorded] = await recordingStatement.send<Recorded>(tx, parameters);
  return recorded?.counted_through;
}

/**
 * Records batches, each as `recordBatch` does, in one transaction. A batch may go on from one before it.
 * @param tx a connection that is in no transaction
 * @param batches at least one
 * @returns what `recordBatch` does, of each
 * @throws when one of them fails: then none is recorded
 */
export async function recordBatches(
  tx: Connection,
  batches: readonly { readonly businessId: number; readonly recording: Recording }[],
): Promise<(number | undefined)[]> {
  const sets = batches.map(({ businessId, recording }) => parametersOf(businessId, recording));
  const results = await recordingStatement.sendAll<Recorded>(tx, sets);
  return results.map(([recorded]) => recorded?.counted_through);
}

interface Recorded {
  readonly counted_through: number;
}
