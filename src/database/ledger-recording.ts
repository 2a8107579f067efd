/** What a batch of postings records: entries, balances, answers under keys and the ledger's new head. */

import type { Account, EventType } from "../domain/ledger.ts";
import { plainArray, separatedTexts } from "./array-text.ts";
import type { Connection } from "./connection.ts";
import type { AccountRow, KeptKey, LedgerHead } from "./ledger.ts";
import { FixedStatement } from "./parameters.ts";

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

export interface Recording {
  /** What the batch was decided on. */
  readonly head: LedgerHead;
  /** What the ledger's version becomes. */
  readonly version: number;
  readonly entries: readonly EntryRow[];
  /** The accounts that moved, as they stand afterwards. */
  readonly balances: readonly Omit<AccountRow, "active">[];
  /** One for each entry, in their order. */
  readonly keys: readonly KeptKey[];
}

/** A recording, and whose it is. */
interface Batch {
  readonly businessId: number;
  readonly recording: Recording;
}

/** How the rows of a batch get into a statement. */
interface RowForm {
  /** What stands in its text for a column of numbers or names. */
  readonly value: (parameter: string, type: string) => string;
  /** And for one of texts. */
  readonly text: (parameter: string) => string;
  /** What is sent for a column of numbers or names. */
  readonly values: (rows: readonly (number | string | null)[]) => string | number | null;
  /** And for one of texts. */
  readonly texts: (rows: readonly (string | null)[]) => string | null;
}

/** As columns, which the server takes apart. */
const columns: RowForm = {
  value: (parameter, type) => `unnest(${parameter}::${type}[])`,
  text: (parameter) => `unnest(string_to_array(${parameter}, chr(31), chr(30)))`,
  values: plainArray,
  texts: separatedTexts,
};
/**
 * As the one row that there is: taking columns of one apart would be a fifth of what the server does for it. (It also
 * takes texts that columns refuse, empty ones and separators; no field may hold these.)
 */
const oneRow: RowForm = {
  value: (parameter, type) => `${parameter}::${type}`,
  text: (parameter) => `${parameter}::text`,
  values: ([value = null]) => value,
  texts: ([text = null]) => text,
};

const many = { form: columns, statement: new FixedStatement<RecordingParameter>(recordingAs(columns)) };
const one = { form: oneRow, statement: new FixedStatement<RecordingParameter>(recordingAs(oneRow)) };

function recordingAs({ value, text }: RowForm): string {
  return `
    WITH head AS (
      SELECT business_id, greatest(clock_timestamp(), last_recorded_at) AS now FROM ledger
      WHERE business_id = :business_id AND version = :known_version AND last_entry_no = :last_entry_no
      FOR UPDATE SKIP LOCKED
    ), entry AS (
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        location_id, integration_id, reference_id, reason, created_at)
      SELECT h.business_id, ${value(":entry_nos", "bigint")},
        ${value(":contact_ids", "bigint")}, ${value(":accounts", "account_name")},
        ${value(":event_types", "event_type")}, ${value(":amounts", "bigint")},
        ${value(":balances_after", "bigint")}, ${value(":location_ids", "bigint")},
        ${value(":integration_ids", "bigint")}, ${text(":reference_ids")}, ${text(":reasons")}, h.now
      FROM head h
      RETURNING 1
    ), balance AS (
      -- The accounts are there: an upsert looks each up by its key, where an update from a list may be planned
      -- to compare each with each.
      INSERT INTO account (business_id, contact_id, account, balance)
      SELECT h.business_id, ${value(":moved_contact_ids", "bigint")},
        ${value(":moved_accounts", "account_name")}, ${value(":balances", "bigint")}
      FROM head h
      ON CONFLICT (business_id, contact_id, account) DO UPDATE SET balance = excluded.balance
      RETURNING xmax <> 0 AS found
    ), key AS (
      INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer)
      SELECT h.business_id, ${value(":integration_ids", "bigint")}, ${text(":idempotency_keys")},
        decode(${text(":fingerprints")}, 'hex'), ${value(":statuses", "smallint")}, ${text(":answers")}
      FROM head h
      RETURNING 1
    )
    UPDATE ledger l
    SET last_entry_no = l.last_entry_no + :entries, last_recorded_at = head.now, version = :version
    FROM head WHERE l.business_id = :business_id
    RETURNING coalesce((SELECT counted_through FROM ledger_count WHERE business_id = :business_id), 0) / (
      (SELECT count(*) FROM entry) = :entries AND (SELECT count(*) FROM key) = :entries
      AND (SELECT count(*) FROM balance WHERE found) = :moved
    )::integer AS counted_through`;
}

function parametersOf(
  businessId: number,
  { head, version, entries, balances, keys }: Recording,
  { values, texts }: RowForm,
) {
  return {
    business_id: businessId,
    known_version: head.version,
    last_entry_no: head.last_entry_no,
    version,
    entries: entries.length,
    entry_nos: values(entries.map((entry) => entry.entry_no)),
    contact_ids: values(entries.map((entry) => entry.contact_id)),
    accounts: values(entries.map((entry) => entry.account)),
    event_types: values(entries.map((entry) => entry.event_type)),
    amounts: values(entries.map((entry) => entry.amount)),
    balances_after: values(entries.map((entry) => entry.balance_after)),
    location_ids: values(entries.map((entry) => entry.location_id)),
    integration_ids: values(entries.map((entry) => entry.integration_id)),
    reference_ids: texts(entries.map((entry) => entry.reference_id)),
    reasons: texts(entries.map((entry) => entry.reason)),
    moved: balances.length,
    moved_contact_ids: values(balances.map((moved) => moved.contact_id)),
    moved_accounts: values(balances.map((moved) => moved.account)),
    balances: values(balances.map((moved) => moved.balance)),
    idempotency_keys: texts(keys.map((key) => key.idempotency_key)),
    fingerprints: texts(keys.map((key) => key.fingerprint)),
    statuses: values(keys.map((key) => key.status)),
    answers: texts(keys.map((key) => key.body)),
  };
}

type RecordingParameter = keyof ReturnType<typeof parametersOf>;

const isOfOne = ({ entries, balances, keys }: Recording) =>
  entries.length === 1 && balances.length === 1 && keys.length === 1;

/**
 * The statement that records batches, and its parameters for each of them. A message runs one statement, so all go as
 * rows or all as columns.
 */
function recordingOf(batches: readonly Batch[]) {
  const { form, statement } = batches.every(({ recording }) => isOfOne(recording)) ? one : many;
  const sets = batches.map(({ businessId, recording }) => parametersOf(businessId, recording, form));
  return { statement, sets };
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
  const { statement, sets } = recordingOf([{ businessId, recording }]);
  const [recorded] = await statement.send<Recorded>(tx, sets[0] as (typeof sets)[number]);
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
  batches: readonly Batch[],
): Promise<(number | undefined)[]> {
  const { statement, sets } = recordingOf(batches);
  const results = await statement.sendAll<Recorded>(tx, sets);
  return results.map(([recorded]) => recorded?.counted_through);
}

interface Recorded {
  readonly counted_through: number;
}
