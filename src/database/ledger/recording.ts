/** Records a group of postings: one statement for each table, for all businesses of the group. */
import type { Account, EventType } from "../../domain/ledger.ts";
import type { Connection } from "../connection.ts";
import { type EngineRecording, recordEngine } from "../engine/recording.ts";
import { insertOf, tableOf } from "../sql.ts";
import type { AccountRow, KeptKey } from "./ledger.ts";

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

export type BalanceRow = Omit<AccountRow, "active">;

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
  /** Undefined for history without lots, such as that of the demo business. */
  readonly engine: EngineRecording | undefined;
}

/**
 * Records a group. The statements are sent before the function returns, so that the commit can be sent behind them. The
 * caller holds the ledgers' locks.
 * @throws unique_violation when a write has used one of the keys since they were looked up
 * @throws Error when rows are missing, which tells of a mistake in the code: the commit may have been sent by then
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
  const columns = `business_id bigint, entry_no bigint, contact_id bigint, account account_name, event_type event_type,
    amount bigint, balance_after bigint, location_id bigint, integration_id bigint, reference_id text, reason text,
    created_at timestamptz`;
  return tx`${insertOf("ledger_entry", entries, columns)}`;
}

/**
 * The accounts exist. An upsert finds each by its key; an update from a list may compare each row with each.
 */
function updateBalances(tx: Connection, balances: readonly BalanceRow[]) {
  const columns = "business_id bigint, contact_id bigint, account account_name, balance bigint";
  return tx`
    ${insertOf("account", balances, columns)}
    ON CONFLICT (business_id, contact_id, account) DO UPDATE SET balance = excluded.balance`;
}

function insertKeys(tx: Connection, keys: readonly KeptKey[]) {
  const columns = `business_id bigint, integration_id bigint, idempotency_key text, fingerprint text, status smallint,
    body text`;
  return tx`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
    SELECT business_id, integration_id, idempotency_key, decode(fingerprint, 'hex'), status, body
    FROM ${tableOf("used", keys, columns)}`;
}

function updateHeads(tx: Connection, heads: readonly HeadRow[]) {
  const columns = "business_id bigint, last_entry_no bigint, last_recorded_at timestamptz";
  return tx`
    UPDATE ledger SET last_entry_no = h.last_entry_no,
      last_recorded_at = greatest(ledger.last_recorded_at, h.last_recorded_at)
    FROM ${tableOf("h", heads, columns)}
    WHERE ledger.business_id = h.business_id
      AND ledger.business_id = ANY (${heads.map(({ business_id }) => business_id)}::bigint[])`;
}
