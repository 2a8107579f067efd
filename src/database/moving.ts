/** The state of a business that moves to another database, and the comparison of its rows. */

import type { MoveState, Standing } from "../domain/moving.ts";
import { OperatorError } from "../domain/operator-error.ts";
import type { Installation } from "./cell.ts";
import type { Connection } from "./connection.ts";
import { firstRow, requiredRow } from "./rows.ts";
import { list, nameInSql, quotedName } from "./sql.ts";

/** @returns undefined when there is no such business */
export function findStanding(sql: Connection, businessId: number): Promise<Standing | undefined> {
  return firstRow(sql<Standing[]>`
    SELECT move_state AS state, move_database AS database FROM ledger WHERE business_id = ${businessId}`);
}

/** Sets the state of a move with another database. The lock of the ledger makes it wait for a posting under way. */
export async function setMoveState(
  tx: Connection,
  businessId: number,
  [before, after]: readonly [MoveState | null, MoveState | null],
  { database_id }: Pick<Installation, "database_id">,
): Promise<void> {
  const set = await tx`
    UPDATE ledger SET move_state = ${after}, move_database = ${after === null ? null : database_id}::uuid
    WHERE business_id = ${businessId} AND move_state IS NOT DISTINCT FROM ${before}`;
  if (set.count === 1) return;
  throw new OperatorError("Another command is moving this business. Wait for it, and then repeat this one.");
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

interface RunningTransaction {
  readonly transaction: string;
  readonly application: string;
  /** The process of PostgreSQL that runs it. */
  readonly pid: number;
  readonly since: string;
}

/**
 * The transactions that run now. Each may have read the state of a business before it was set, and write later. Backups only read.
 */
export function listRunningTransactions(sql: Connection): Promise<RunningTransaction[]> {
  return sql<RunningTransaction[]>`
    SELECT l.virtualxid AS transaction, a.application_name AS application, a.pid,
      to_char(a.xact_start, 'YYYY-MM-DD HH24:MI:SS TZ') AS since
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

/** The number of rows, and a sum of hashes that does not depend on their order. @param condition of the rows */
export function digestRows(
  sql: Connection,
  { table, columns, condition }: { table: string; columns: readonly string[]; condition: string },
): Promise<RowsDigest> {
  return requiredRow(
    sql.query<RowsDigest[]>(
      "SELECT count(*) AS rows, coalesce(sum(hashtextextended(" +
        `ROW(${columns.map(quotedName).join(", ")})::text, 0)::numeric), 0)::text AS digest ` +
        `FROM ${quotedName(table)} WHERE ${condition}`,
    ),
  );
}

/** The condition for the keys of operators whose writes name a business. */
export const operatorsKeysOf = (businessId: number) =>
  `business_id = 0 AND named_business_id = ${businessId}`;

/** Makes a temporary table for rows of a table. */
export async function makeIncoming(tx: Connection, table: string, columns: readonly string[]): Promise<void> {
  const selected = columns.map(quotedName).join(", ");
  await tx.query(
    `CREATE TEMP TABLE ${quotedName(`incoming_${table}`)} ON COMMIT DROP AS SELECT ${selected} FROM ${quotedName(table)} LIMIT 0`,
  );
}

/** Adds copied keys of operators, except those that operators have used here for another write. */
export function addKeysOfOperators(tx: Connection) {
  return tx`INSERT INTO idempotency_key SELECT * FROM incoming_idempotency_key ON CONFLICT DO NOTHING`;
}

/** Adds copied entries of the audit log. If the business was here before, the log still has the entries of that time. */
export async function addAuditEntries(tx: Connection, names: readonly string[]): Promise<void> {
  const columns = list(names.map(nameInSql));
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

export interface BusinessSums {
  readonly members: number;
  readonly entries: number;
  /** Accounts whose balance is not the sum of their entries. */
  readonly wrong: number;
}

export function sumLedger(sql: Connection, businessId: number): Promise<BusinessSums> {
  return requiredRow(sql<BusinessSums[]>`
    SELECT (SELECT count(*) FROM member WHERE business_id = ${businessId}) AS members,
      coalesce(sum(e.entries), 0)::bigint AS entries,
      count(*) FILTER (WHERE a.balance <> coalesce(e.amount, 0)) AS wrong
    FROM account a
    LEFT JOIN (
      SELECT contact_id, account, sum(amount) AS amount, count(*) AS entries FROM ledger_entry
      WHERE business_id = ${businessId} GROUP BY contact_id, account
    ) AS e ON e.contact_id = a.contact_id AND e.account = a.account
    WHERE a.business_id = ${businessId}`);
}
