/** Records a group of postings: one statement for each table, for all businesses of the group. */
import type { Account, EventType } from "../../domain/ledger.ts";
import type { Connection } from "../connection.ts";
import { type EngineRecording, recordEngine } from "../engine/recording.ts";
import type { KeptKey } from "./ledger.ts";

export interface EntryRow {
  readonly business_id: number;
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
  readonly created_at: string;
}

export interface BalanceRow {
  readonly business_id: number;
  readonly contact_id: number;
  readonly account: Account;
  readonly balance: number;
}

/** A ledger as it stands after the group. */
export interface HeadRow {
  readonly business_id: number;
  readonly last_entry_no: number;
  readonly last_recorded_at: string;
}

export interface Recording {
  readonly heads: readonly HeadRow[];
  readonly entries: readonly EntryRow[];
  /** The accounts that moved. */
  readonly balances: readonly BalanceRow[];
  readonly keys: readonly KeptKey[];
  /** Undefined when no table of the engine changes. */
  readonly engine: EngineRecording | undefined;
}

function column<Row, Name extends keyof Row>(rows: readonly Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name]);
}

/**
 * Records a group. The statements are sent before the function returns, so that the commit can be sent behind them. The
 * caller holds the ledgers' locks.
 * @throws unique_violation when a write has used one of the keys since they were looked up
 */
export async function record(tx: Connection, recording: Recording): Promise<void> {
  const { heads, entries, balances, keys, engine } = recording;
  const [entered, moved, kept, advanced] = await Promise.all([
    insertEntries(tx, entries),
    updateBalances(tx, balances),
    insertKeys(tx, keys),
    updateHeads(tx, heads),
    engine && recordEngine(tx, engine),
  ]);
  if (
    entered.count !== entries.length ||
    moved.count !== balances.length ||
    kept.count !== keys.length ||
    advanced.count !== heads.length
  ) {
    throw new Error("a group of postings was not recorded whole");
  }
}

function insertEntries(tx: Connection, entries: readonly EntryRow[]) {
  return tx`
    INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
      location_id, integration_id, reference_id, reason, created_at)
    SELECT e.* FROM unnest(
      ${column(entries, "business_id")}::bigint[], ${column(entries, "entry_no")}::bigint[],
      ${column(entries, "contact_id")}::bigint[], ${column(entries, "account")}::account_name[],
      ${column(entries, "event_type")}::event_type[], ${column(entries, "amount")}::bigint[],
      ${column(entries, "balance_after")}::bigint[], ${column(entries, "location_id")}::bigint[],
      ${column(entries, "integration_id")}::bigint[], ${column(entries, "reference_id")}::text[],
      ${column(entries, "reason")}::text[], ${column(entries, "created_at")}::timestamptz[]
    ) AS e`;
}

/**
 * The accounts exist. An upsert finds each by its key; an update from a list may compare each row with each.
 */
function updateBalances(tx: Connection, balances: readonly BalanceRow[]) {
  return tx`
    INSERT INTO account (business_id, contact_id, account, balance)
    SELECT b.* FROM unnest(
      ${column(balances, "business_id")}::bigint[], ${column(balances, "contact_id")}::bigint[],
      ${column(balances, "account")}::account_name[], ${column(balances, "balance")}::bigint[]
    ) AS b
    ON CONFLICT (business_id, contact_id, account) DO UPDATE SET balance = excluded.balance`;
}

function insertKeys(tx: Connection, keys: readonly KeptKey[]) {
  return tx`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
    SELECT k.business_id, k.integration_id, k.idempotency_key, decode(k.fingerprint, 'hex'), k.status, k.answer
    FROM unnest(
      ${column(keys, "business_id")}::bigint[], ${column(keys, "integration_id")}::bigint[],
      ${column(keys, "idempotency_key")}::text[], ${column(keys, "fingerprint")}::text[],
      ${column(keys, "status")}::smallint[], ${column(keys, "body")}::text[]
    ) AS k (business_id, integration_id, idempotency_key, fingerprint, status, answer)`;
}

function updateHeads(tx: Connection, heads: readonly HeadRow[]) {
  const businessIds = column(heads, "business_id");
  return tx`
    UPDATE ledger SET last_entry_no = h.last_entry_no,
      last_recorded_at = greatest(ledger.last_recorded_at, h.last_recorded_at)
    FROM unnest(${businessIds}::bigint[], ${column(heads, "last_entry_no")}::bigint[],
      ${column(heads, "last_recorded_at")}::timestamptz[]) AS h (business_id, last_entry_no, last_recorded_at)
    WHERE ledger.business_id = h.business_id AND ledger.business_id = ANY (${businessIds}::bigint[])`;
}
