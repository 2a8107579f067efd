/**
 * Locks and reads the ledgers and accounts of a group of postings, and records the group. The statements of a group are sent
 * on one connection without waiting for each other. Statements after the lock see the changes of its previous holder.
 */
import type { Currency } from "../../domain/amount-text.ts";
import type { Anonymous } from "../../domain/cards.ts";
import type { Account, EventType } from "../../domain/ledger.ts";
import type { MoveState } from "../../domain/moving.ts";
import type { Connection } from "../connection.ts";
import { type Fragment, fragment, insertOf, raw, tableOf } from "../sql.ts";
import { insertKeys, type NewKey } from "./idempotency-keys.ts";

export interface LockedLedger extends Currency {
  readonly business_id: number;
  /** 0 before the first entry. */
  readonly last_entry_no: number;
  /** The number of the last voucher that was issued, or 0. */
  readonly last_voucher_no: number;
  /** The time of the entries of this transaction, as PostgreSQL writes it. */
  readonly now: string;
  /** The day of `now` in the business's time zone, YYYY-MM-DD. */
  readonly today: string;
  /** `now` in the business's time zone, YYYY-MM-DD HH:MM:SS. */
  readonly local_time: string;
  /** Whether the last entry is dated later than `now`, because the database's clock was ahead. */
  readonly behind: boolean;
  /** Whether changes are recorded as events, too. */
  readonly events_enabled: boolean;
  readonly move_state: MoveState | null;
}

/**
 * After the clock was set back, new entries get the time of the last entry, to keep the order of recording. If the last entry is
 * more than this ahead, they get the time of the clock, so that a wrong time does not stay forever.
 */
export const mostLeadSeconds = 10;

/** The number of the last entry of a ledger, or 0. @param businessId an expression, or a value */
export const lastEntryNo = (businessId: Fragment | number) => fragment`coalesce(
  (SELECT max(entry_no) FROM ledger_entry WHERE ledger_entry.business_id = ${businessId}), 0
)`;

/** The latest time of the entries of a ledger; NULL before the first. @param businessId an expression */
export const lastRecordedAt = (businessId: Fragment) =>
  fragment`(SELECT max(created_at) FROM ledger_entry WHERE ledger_entry.business_id = ${businessId})`;

const timeAfter = (lastRecorded: Fragment) => fragment`coalesce(l.clock_at, (
  SELECT CASE WHEN clock.last > clock.now + make_interval(secs => ${raw(String(mostLeadSeconds))}) THEN clock.now
    ELSE greatest(clock.now, clock.last) END
  FROM (SELECT clock_timestamp() AS now, ${lastRecorded} AS last OFFSET 0) AS clock
))`;

/** The time of a ledger `l`: that of its sandbox, or of the database. */
export const ledgerTime = timeAfter(lastRecordedAt(raw("l.business_id")));

/**
 * Locks ledgers to the end of the transaction. A transaction may wait for only one ledger, so that no two transactions wait for
 * each other.
 * @param whenLocked what to do about a ledger that another transaction has locked
 * @returns the ledgers that this transaction has locked
 */
export async function lockLedgers(
  tx: Connection,
  businessIds: readonly number[],
  whenLocked: "wait" | "skip",
): Promise<LockedLedger[]> {
  const [locked, ledgers] = await Promise.all([
    tx<Pick<LockedLedger, "business_id">[]>`
      SELECT l.business_id FROM unnest(${businessIds}::bigint[]) AS wanted (business_id) CROSS JOIN LATERAL (
        SELECT business_id FROM ledger WHERE business_id = wanted.business_id
        FOR UPDATE ${raw(whenLocked === "skip" ? "SKIP LOCKED" : "")}
      ) AS l`,
    // A statement of its own, because a statement does not see the entries that were committed while it waited for a lock.
    readLedgers(tx, businessIds),
  ]);
  const isLocked = new Set(locked.map(({ business_id }) => business_id));
  return ledgers.filter(({ business_id }) => isLocked.has(business_id));
}

function readLedgers(tx: Connection, businessIds: readonly number[]) {
  return tx<LockedLedger[]>`
    SELECT l.business_id, ${lastEntryNo(raw("l.business_id"))} AS last_entry_no,
      coalesce((SELECT max(held_voucher_id) FROM held_voucher v WHERE v.business_id = l.business_id), 0) AS last_voucher_no,
      moment.now, coalesce(moment.now < last.at, false) AS behind,
      l.events_enabled, l.move_state,
      to_char(moment.now AT TIME ZONE b.time_zone, 'YYYY-MM-DD') AS today,
      to_char(moment.now AT TIME ZONE b.time_zone, 'YYYY-MM-DD HH24:MI:SS') AS local_time,
      b.currency, b.currency_decimals
    FROM ledger l JOIN business b ON b.business_id = l.business_id
    CROSS JOIN LATERAL (SELECT ${lastRecordedAt(raw("l.business_id"))} AS at OFFSET 0) AS last
    CROSS JOIN LATERAL (SELECT ${timeAfter(raw("last.at"))} AS now OFFSET 0) AS moment
    WHERE l.business_id = ANY (${businessIds}::bigint[])`;
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
  readonly anonymous: Anonymous | null;
  /** The first day on which its money can no longer be used; null: it does not lapse. */
  readonly lapses_on: string | null;
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
      SELECT business_id, contact_id, account, balance, active, anonymous, lapses_on::text FROM account a
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
export interface BalanceRow extends Omit<AccountRow, "active" | "anonymous" | "lapses_on"> {
  readonly entries: number;
}

export interface Recording {
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
  const { entries, balances, keys } = recording;
  const [entered, moved, kept] = await Promise.all([
    insertEntries(tx, entries),
    updateAccounts(tx, balances),
    insertKeys(tx, keys),
  ]);
  if (entered.count !== entries.length || moved.count !== balances.length || kept.count !== keys.length) {
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

/** Forgets the dates of gift cards whose money has lapsed, so that what refunds give back stays. */
export function endLapsing(
  tx: Connection,
  accounts: readonly Pick<AccountRow, "business_id" | "contact_id">[],
) {
  return tx`
    UPDATE account SET lapses_on = NULL FROM ${tableOf("lapsed", accounts, "business_id bigint, contact_id bigint")}
    WHERE account.business_id = lapsed.business_id AND account.contact_id = lapsed.contact_id AND account.account = 'wallet'`;
}
