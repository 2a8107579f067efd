/** The state of a business that moves to another database, and the comparison of its rows. */

import { OperatorError } from "../domain/access/operator-error.ts";
import type { MoveState, Standing } from "../domain/moving.ts";
import type { Installation } from "./cell.ts";
import type { Connection } from "./connection.ts";
import { firstRow, requiredRow } from "./rows.ts";
import { fragment, list, nameInSql, quotedName } from "./sql.ts";
import { numberOfNobody } from "./tables.ts";

/** @returns undefined when there is no such business */
export function findStanding(sql: Connection, businessId: number): Promise<Standing | undefined> {
  return firstRow(sql<Standing[]>`
    SELECT move_state AS state, move_database AS database FROM ledger WHERE business_id = ${businessId}`);
}

export type States = readonly [before: MoveState | null, after: MoveState | null];

/** Sets the state of a move with another database. The lock of the ledger makes it wait for a posting under way. */
export async function setMoveState(
  tx: Connection,
  businessId: number,
  [before, after]: States,
  { database_id }: Pick<Installation, "database_id">,
): Promise<void> {
  const set = await tx`
    UPDATE ledger SET move_state = ${after}, move_database = ${after === null ? null : database_id}::uuid
    WHERE business_id = ${businessId} AND move_state IS NOT DISTINCT FROM ${before}`;
  if (set.count === 1) return;
  throw new OperatorError(
    "The move has changed meanwhile: another command moves this business, or a service has accepted its writes again. Repeat the command.",
  );
}

/** The locks of a command: for the whole move, and for the pause, in a session that PostgreSQL ends when that takes too long. */
type MoveLock = "move" | "pause";

/** Waits for a lock of a business, and holds it until the session ends. */
export function holdMoveLock(session: Connection, lock: MoveLock, businessId: number) {
  return session`SELECT pg_advisory_lock(hashtext(${`loyalty ${lock}`}), hashtext(${String(businessId)}))`;
}

/** The businesses whose move is in one of these states, and for which no command holds a lock. */
export async function listAbandonedMoves(
  sql: Connection,
  lock: MoveLock,
  states: readonly MoveState[],
): Promise<number[]> {
  const rows = await sql<{ business_id: number }[]>`
    SELECT business_id FROM ledger l
    WHERE move_state = ANY (${[...states]}) AND NOT EXISTS (
      SELECT FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND objsubid = 2 AND (classid::bigint, objid::bigint) = (hashtext(${`loyalty ${lock}`})::oid::bigint, hashtext(l.business_id::text)::oid::bigint))`;
  return rows.map(({ business_id }) => business_id);
}

/**
 * Undoes the rejection of writes. If the command that moves the business lives after all, it fails in its next step, or copies anew.
 * @returns whether it was undone
 */
export async function acceptWritesAgain(sql: Connection, businessId: number): Promise<boolean> {
  const { count } = await sql`
    UPDATE ledger SET move_state = 'copying' WHERE business_id = ${businessId} AND move_state = 'leaving'`;
  return count === 1;
}

export interface RoutedBusiness {
  readonly business_id: number;
  readonly client_ids: readonly string[];
  readonly move_state: MoveState | null;
}

/** All businesses, or one, with the client_ids of their integrations. */
export function listRoutedBusinesses(
  sql: Connection,
  businessId: number | undefined,
): Promise<RoutedBusiness[]> {
  return sql<RoutedBusiness[]>`
    SELECT l.business_id, l.move_state, coalesce(array_agg(i.client_id) FILTER (WHERE i.client_id IS NOT NULL), '{}') AS client_ids
    FROM ledger l LEFT JOIN integration i ON i.business_id = l.business_id
    WHERE ${businessId ?? null}::bigint IS NULL OR l.business_id = ${businessId ?? null}
    GROUP BY l.business_id, l.move_state ORDER BY l.business_id`;
}

/** A session for which others wait. */
export interface Holder {
  readonly application: string;
  /** Its process of PostgreSQL. */
  readonly pid: number;
  /** Null: it does not show this role when it began. */
  readonly since: string | null;
}

const holder = fragment`a.application_name AS application, a.pid,
  to_char(coalesce(a.xact_start, a.backend_start), 'YYYY-MM-DD HH24:MI:SS TZ') AS since`;

/** @returns a session whose lock another session with the name of this one waits for */
export function findHolder(sql: Connection): Promise<Holder | undefined> {
  return firstRow(sql<Holder[]>`
    SELECT ${holder} FROM pg_stat_activity waiting
    CROSS JOIN LATERAL unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid) JOIN pg_stat_activity a ON a.pid = blocking.pid
    WHERE waiting.wait_event_type = 'Lock' AND waiting.datname = current_database()
      AND waiting.application_name = current_setting('application_name') LIMIT 1`);
}

interface RunningTransaction extends Holder {
  readonly transaction: string;
  /**
   * Whether it may have read what a business accepts to write something. Such a statement locks its tables before it reads. VACUUM, ANALYZE
   * and CREATE INDEX CONCURRENTLY write no rows.
   */
  readonly writes: boolean;
}

/** The transactions that run now. Backups only read. */
export function listRunningTransactions(sql: Connection): Promise<RunningTransaction[]> {
  return sql<RunningTransaction[]>`
    SELECT l.virtualxid AS transaction, ${holder},
      EXISTS (
        SELECT FROM pg_locks w WHERE w.pid = l.pid AND w.locktype = 'relation'
          AND w.mode NOT IN ('AccessShareLock', 'ShareUpdateExclusiveLock')
      ) AS writes
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'virtualxid' AND a.pid <> pg_backend_pid() AND a.datname = current_database()
      AND a.usesysid IS NOT NULL AND a.application_name <> 'loyalty backup'`;
}

/** The records of a business that must have the same ids in the other database. */
export async function findIntegrationsToMove(sql: Connection, businessId: number) {
  return sql<{ integration_id: number; client_id: string }[]>`
    SELECT integration_id, client_id FROM integration WHERE business_id = ${businessId} ORDER BY integration_id`;
}

/** Finds an integration that has the id or the client_id of one that is to be added. */
export function findTakenIntegration(
  sql: Connection,
  integrations: readonly { readonly integration_id: number; readonly client_id: string }[],
) {
  return firstRow(sql<{ integration_id: number }[]>`
    SELECT integration_id FROM integration
    WHERE integration_id = ANY (${integrations.map(({ integration_id }) => integration_id)}::bigint[])
      OR client_id = ANY (${integrations.map(({ client_id }) => client_id)}::text[]) LIMIT 1`);
}

export interface RowsDigest {
  readonly rows: number;
  readonly digest: string;
}

interface RowsOf {
  readonly table: string;
  readonly columns: readonly string[];
  readonly condition: string;
}

const namesOf = (columns: readonly string[]) => columns.map(quotedName).join(", ");
const digestOf = (columns: readonly string[]) =>
  `sum(hashtextextended(ROW(${namesOf(columns)})::text, 0)::numeric)`;

/** The number of rows, and a sum of hashes that does not depend on their order. @param condition of the rows */
export function digestRows(sql: Connection, { table, columns, condition }: RowsOf): Promise<RowsDigest> {
  return requiredRow(
    sql.query<RowsDigest[]>(
      `SELECT count(*) AS rows, coalesce(${digestOf(columns)}, 0)::text AS digest FROM ${quotedName(table)} WHERE ${condition}`,
    ),
  );
}

/**
 * Begins to read a snapshot of changes.
 * @returns the oldest transaction that was running. A later snapshot may see changes of this one and of later ones. Transactions in
 *   other databases change nothing here, such as the one that copies the rows into another database of the same server.
 */
export async function beginPass(tx: Connection): Promise<string> {
  // Changed rows are found by reading all of them.
  await tx`SET LOCAL enable_seqscan = on`;
  const { oldest } = await requiredRow(tx<{ oldest: string }[]>`
    SELECT coalesce((
      SELECT running FROM pg_snapshot_xip(s) AS running
      WHERE NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.backend_xid = running::xid AND a.datname <> current_database())
      ORDER BY running LIMIT 1
    ), pg_snapshot_xmax(s))::text AS oldest
    FROM pg_current_snapshot() AS s`);
  return oldest;
}

/**
 * The condition for the rows that a snapshot sees and an earlier one may not have seen. Transaction numbers are compared by their age,
 * because they begin again after 2^32. Rows that are older than 2^31 transactions may have a number that seems to come later.
 * @param oldest of the earlier snapshot
 */
export const changedSince = (oldest: string) => `age(xmin) BETWEEN 0 AND age('${oldest}'::xid8::xid)`;

export interface Changes extends RowsDigest {
  /** The number of all rows. */
  readonly all: number;
  /** The condition for the changed rows in the same snapshot. */
  readonly condition: string;
}

/** With more rows, they are found again by reading all of them. */
const mostPlaces = 50_000;

/** Counts rows, and finds those that have changed. */
export async function findChanges(
  tx: Connection,
  { table, columns, condition, changed }: RowsOf & { readonly changed: string },
): Promise<Changes> {
  const { places, ...found } = await requiredRow(
    tx.query<(Omit<Changes, "condition"> & { places: string | null })[]>(
      `SELECT count(*) AS all, count(*) FILTER (WHERE is_changed) AS rows,
        coalesce(${digestOf(columns)} FILTER (WHERE is_changed), 0)::text AS digest,
        ((array_agg(ctid) FILTER (WHERE is_changed))[:${mostPlaces}])::text AS places
      FROM (SELECT *, ctid, ${changed} AS is_changed FROM ${quotedName(table)} WHERE ${condition}) AS t`,
    ),
  );
  const atPlaces = places !== null && found.rows <= mostPlaces ? ` AND ctid = ANY ('${places}'::tid[])` : "";
  return { ...found, condition: `${condition} AND ${changed}${atPlaces}` };
}

/** The columns of the primary key of each table. */
export async function findPrimaryKeys(sql: Connection): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await sql<{ table: string; key: readonly string[] }[]>`
    SELECT c.relname::text AS table, array_agg(a.attname::text ORDER BY a.attnum) AS key
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
    WHERE i.indisprimary AND c.relnamespace = current_schema()::regnamespace GROUP BY c.relname`;
  return new Map(rows.map(({ table, key }) => [table, key]));
}

/** The condition for the keys of operators whose writes name a business. */
export const operatorsKeysOf = (businessId: number) =>
  `business_id = 0 AND named_business_id = ${businessId}`;

/** Makes a temporary table for rows of a table, or empties it. */
export async function makeIncoming(tx: Connection, table: string, columns: readonly string[]): Promise<void> {
  const incoming = quotedName(`incoming_${table}`);
  await tx.query(
    `CREATE TEMP TABLE IF NOT EXISTS ${incoming} ON COMMIT DROP AS SELECT ${namesOf(columns)} FROM ${quotedName(table)} LIMIT 0;
    TRUNCATE ${incoming}`,
  );
}

interface KeyedTable {
  readonly table: string;
  readonly key: readonly string[];
}

const sameKey = (key: readonly string[]) =>
  key.map((column) => `t.${quotedName(column)} = incoming.${quotedName(column)}`).join(" AND ");

/** What stands for a unique value of a row that changes, while another row may get it. */
const freed: Readonly<Record<string, string>> = {
  member: `phone_number = ${numberOfNobody}, email = NULL, external_ref = NULL, referral_code = NULL`,
  voucher: "public_key = NULL",
};

/** A unique value that a new row may have, after the row that had it was deleted. */
const handedOn: Readonly<Record<string, string>> = { card: "card_code" };

/**
 * Changes rows as the incoming ones are, and adds new ones. Changes come first, because a new row may have the unique value that another
 * row had before. Rows that change may have exchanged theirs.
 * @returns how many rows there are more
 */
export async function applyIncoming(
  tx: Connection,
  { table, columns, key }: KeyedTable & { readonly columns: readonly string[] },
): Promise<number> {
  const [name, incoming] = [quotedName(table), quotedName(`incoming_${table}`)];
  if (freed[table] !== undefined)
    await tx.query(
      `UPDATE ${name} AS t SET ${freed[table]} WHERE EXISTS (SELECT FROM ${incoming} AS incoming WHERE ${sameKey(key)})`,
    );
  let gone = 0;
  if (handedOn[table] !== undefined) {
    const had = await tx.query(
      `DELETE FROM ${name} AS t USING ${incoming} AS incoming
      WHERE ${sameKey(["business_id", handedOn[table]])} AND NOT (${sameKey(key)})`,
    );
    gone = had.count;
  }
  const others = columns.filter((column) => !key.includes(column)).map(quotedName);
  const set = others.map((column) => `${column} = incoming.${column}`).join(", ");
  if (set !== "")
    await tx.query(`UPDATE ${name} AS t SET ${set} FROM ${incoming} AS incoming WHERE ${sameKey(key)}`);
  const added = await tx.query(
    `INSERT INTO ${name} (${namesOf(columns)}) SELECT ${namesOf(columns)} FROM ${incoming} AS incoming
    WHERE NOT EXISTS (SELECT FROM ${name} AS t WHERE ${sameKey(key)})`,
  );
  return added.count - gone;
}

/** Deletes rows that are not among the incoming ones. @returns how many */
export async function deleteOthers(
  tx: Connection,
  { table, key, condition }: KeyedTable & { readonly condition: string },
): Promise<number> {
  const deleted = await tx.query(
    `DELETE FROM ${quotedName(table)} AS t WHERE ${condition}
      AND NOT EXISTS (SELECT FROM ${quotedName(`incoming_${table}`)} AS incoming WHERE ${sameKey(key)})`,
  );
  return deleted.count;
}

/** Adds copied keys of operators, except those that operators have used here for another write. */
export function addKeysOfOperators(tx: Connection) {
  return tx`
    INSERT INTO idempotency_key AS kept SELECT * FROM incoming_idempotency_key
    ON CONFLICT (business_id, integration_id, idempotency_key)
      DO UPDATE SET response = excluded.response, erased_response = excluded.erased_response, contact_id = excluded.contact_id
      WHERE kept.named_business_id = excluded.named_business_id`;
}

/** Adds copied entries of the audit log. If the business was here before, the log still has the entries of that time. */
export async function addAuditEntries(tx: Connection, names: readonly string[]): Promise<void> {
  const columns = list(names.filter((name) => name !== "audit_id").map(nameInSql));
  await tx`
    INSERT INTO audit_entry (${columns})
    SELECT ${columns} FROM incoming_audit_entry AS incoming
    WHERE NOT EXISTS (
      SELECT FROM audit_entry kept
      WHERE kept.business_id = incoming.business_id AND kept.recorded_at = incoming.recorded_at
        AND kept.request_id = incoming.request_id AND kept.event = incoming.event
    )
    ORDER BY audit_id`;
}

/** @returns how many balances are not the sums of their entries */
export async function countWrongBalances(sql: Connection, businessId: number): Promise<number> {
  const { wrong } = await requiredRow(sql<{ wrong: number }[]>`
    SELECT count(*) AS wrong FROM account a
    LEFT JOIN (
      SELECT contact_id, account, sum(amount) AS amount FROM ledger_entry
      WHERE business_id = ${businessId} GROUP BY contact_id, account
    ) AS e ON e.contact_id = a.contact_id AND e.account = a.account
    WHERE a.business_id = ${businessId} AND a.balance <> coalesce(e.amount, 0)`);
  return wrong;
}
