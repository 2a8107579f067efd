/**
 * Locks and reads the ledgers and accounts of a group of postings, and records the group. The statements of a group are sent
 * on one connection without waiting for each other. Statements after the lock see the changes of its previous holder.
 */
import type { Account, EventType } from "../../domain/ledger.ts";
import type { MoveState } from "../../domain/moving.ts";
import type { Connection } from "../connection.ts";
import { type Fragment, fragment, insertOf, raw, tableOf } from "../sql.ts";
import { allMembers } from "./day-totals.ts";
import { insertKeys, type NewKey } from "./idempotency-keys.ts";

export interface LockedLedger {
  readonly business_id: number;
  readonly last_entry_no: number;
  readonly last_voucher_no: number;
  /** The time of the entries of this transaction, as PostgreSQL writes it. */
  readonly now: string;
  /** The day of `now` in the business's time zone, YYYY-MM-DD. */
  readonly today: string;
  /** `now` in the business's time zone, YYYY-MM-DD HH:MM:SS. */
  readonly local_time: string;
  /** Whether the last entry is dated later than `now`, because the database's clock was ahead. */
  readonly behind: boolean;
  /** How many of its entries are in blocks (counts.ts). */
  readonly counted_entries: number;
  /** Whether changes are recorded as events, too. */
  readonly events_enabled: boolean;
  readonly move_state: MoveState | null;
}

/**
 * After the clock was set back, new entries get the time of the last entry, to keep the order of recording. If the last entry is
 * more than this ahead, they get the time of the clock, so that a wrong time does not stay forever.
 */
export const mostLeadSeconds = 10;

/** The time of a ledger `l`: that of its sandbox, or of the database. @param clock an expression */
export function ledgerTime(clock: string): Fragment {
  return fragment`CASE WHEN l.clock_at IS NOT NULL THEN l.clock_at
    WHEN l.last_recorded_at > ${raw(clock)} + make_interval(secs => ${mostLeadSeconds}) THEN ${raw(clock)}
    ELSE greatest(${raw(clock)}, l.last_recorded_at) END`;
}

/**
 * Locks ledgers to the end of the transaction. A transaction may wait for only one ledger, so that no two transactions wait for
 * each other.
 * @param whenLocked what to do about a ledger that another transaction has locked
 * @returns the ledgers that this transaction has locked
 */
export function lockLedgers(tx: Connection, businessIds: readonly number[], whenLocked: "wait" | "skip") {
  return tx<LockedLedger[]>`
    SELECT l.business_id, l.last_entry_no, l.last_voucher_no, moment.now, moment.now < l.last_recorded_at AS behind, c.counted_entries,
      l.events_enabled, l.move_state,
      to_char(moment.now AT TIME ZONE b.time_zone, 'YYYY-MM-DD') AS today,
      to_char(moment.now AT TIME ZONE b.time_zone, 'YYYY-MM-DD HH24:MI:SS') AS local_time
    FROM unnest(${businessIds}::bigint[]) AS wanted (business_id)
    CROSS JOIN LATERAL (
      SELECT business_id, last_entry_no, last_voucher_no, last_recorded_at, clock_at, events_enabled, move_state,
        clock_timestamp() AS clock
      FROM ledger WHERE business_id = wanted.business_id
      FOR UPDATE ${raw(whenLocked === "skip" ? "SKIP LOCKED" : "")}
    ) AS l
    JOIN business b ON b.business_id = l.business_id
    CROSS JOIN LATERAL (SELECT ${ledgerTime("l.clock")} AS now) AS moment
    JOIN ledger_count c ON c.business_id = l.business_id AND c.contact_id = ${allMembers}`;
}

/** Locks a ledger to the end of the transaction, and waits for it. @returns undefined when there is no such business */
export async function lockLedger(tx: Connection, businessId: number): Promise<LockedLedger | undefined> {
  const [ledger] = await lockLedgers(tx, [businessId], "wait");
  return ledger;
}

export interface AccountRow {
  readonly business_id: number;
  readonly contact_id: number;
  readonly account: Account;
  readonly balance: number;
  /** Whether its member is active. */
  readonly active: boolean;
}

/**
 * Finds the accounts that exist. The caller holds the locks of the ledgers. OFFSET 0 makes each account one index probe, also in
 * a business that is missing from the statistics.
 */
export function findAccounts(
  tx: Connection,
  accounts: readonly Pick<AccountRow, "business_id" | "contact_id" | "account">[],
) {
  return tx<AccountRow[]>`
    SELECT found.*
    FROM ${tableOf("wanted", accounts, "business_id bigint, contact_id bigint, account account_name")}
    CROSS JOIN LATERAL (
      SELECT business_id, contact_id, account, balance, active FROM account a
      WHERE a.business_id = wanted.business_id AND a.contact_id = wanted.contact_id AND a.account = wanted.account
      OFFSET 0
    ) AS found`;
}

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

/** The balance of an account after new entries, and their number. */
export interface BalanceRow extends Omit<AccountRow, "active"> {
  readonly entries: number;
}

/** The new state of a ledger. */
interface HeadRow {
  readonly business_id: number;
  readonly last_entry_no: number;
  readonly last_voucher_no: number;
  readonly last_recorded_at: string;
}

export interface Recording {
  readonly heads: readonly HeadRow[];
  readonly entries: readonly EntryRow[];
  /** The accounts that have new entries. */
  readonly balances: readonly BalanceRow[];
  readonly keys: readonly NewKey[];
}

/**
 * Records a group. The statements are sent before the function returns, so that the commit can be sent behind them. The
 * caller holds the ledgers' locks.
 * @throws unique_violation when a write has used one of the keys since they were looked up
 * @throws Error when a statement changed fewer rows than it was given. The commit may have been sent by then.
 */
export async function record(tx: Connection, recording: Recording): Promise<void> {
  const { heads, entries, balances, keys } = recording;
  const [entered, moved, kept, advanced] = await Promise.all([
    insertEntries(tx, entries),
    updateAccounts(tx, balances),
    insertKeys(tx, keys),
    updateHeads(tx, heads),
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
 * Sets the balances, and counts the new entries of each account. The accounts exist. An upsert finds each by its key. An update
 * from a list might compare each row with each other row.
 */
function updateAccounts(tx: Connection, balances: readonly BalanceRow[]) {
  const columns =
    "business_id bigint, contact_id bigint, account account_name, balance bigint, entries integer";
  return tx`
    ${insertOf("account", balances, columns)}
    ON CONFLICT (business_id, contact_id, account)
      DO UPDATE SET balance = excluded.balance, entries = account.entries + excluded.entries`;
}

function updateHeads(tx: Connection, heads: readonly HeadRow[]) {
  const columns =
    "business_id bigint, last_entry_no bigint, last_voucher_no bigint, last_recorded_at timestamptz";
  return tx`
    UPDATE ledger SET last_entry_no = h.last_entry_no, last_voucher_no = h.last_voucher_no,
      last_recorded_at = greatest(ledger.last_recorded_at, h.last_recorded_at)
    FROM ${tableOf("h", heads, columns)}
    WHERE ledger.business_id = h.business_id
      AND ledger.business_id = ANY (${heads.map(({ business_id }) => business_id)}::bigint[])`;
}
