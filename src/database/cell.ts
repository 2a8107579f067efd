/**
 * The cell of a database, and its range of ids. Ids of different cells never collide, so a business keeps all its ids when it
 * moves. Cell 3 makes ids from 3,000,000,001 to 3,999,999,999. If records with higher ids move in, it continues in its range
 * after the next multiple of 10^12, so that newer records always have higher ids. An installation without a number has the range
 * of 0. No list is in the order of contact_id, which people read and type, so it stays short: it only has to be another one than
 * all before. All ids stay below 2^53.
 */
import { OperatorError } from "../domain/access/operator-error.ts";
import type { Connection, Database } from "./connection.ts";
import { tablesOfMigrations } from "./migrate.ts";
import { firstRow, requiredRow, wallClock } from "./rows.ts";
import { quotedName } from "./sql.ts";

const idsOfCell = 1_000_000_000;
const idsOfAllCells = 1000 * idsOfCell;

export interface Installation {
  readonly cell: number;
  readonly database_id: string;
  readonly secret_check: string;
}

/** @returns undefined when no service has started on the database yet */
export function findInstallation(sql: Connection): Promise<Installation | undefined> {
  return firstRow(sql<Installation[]>`SELECT cell, database_id, secret_check FROM installation`);
}

type SealedText = { readonly sealed: string } & (
  | { readonly endpoint_id: number }
  | { readonly business_id: number; readonly kind: string }
);

export interface SecretChange {
  /** In UTC, YYYY-MM-DD HH:MM:SS; null: the database has always had this secret. */
  readonly since: string | null;
  /** The day in UTC when the last key that was stored with the secret before it expires, and whether that has passed. */
  readonly expires_on: string | null;
  readonly is_expired: boolean | null;
  /** The secrets and headers of webhook endpoints, encrypted, and what signs passes. */
  readonly sealed: readonly SealedText[];
  /** Whether members have pages whose address was made before. */
  readonly has_pages: boolean;
}

/** Finds until when the secret before the present one is needed. @param keyDays LOYALTY_IDEMPOTENCY_DAYS */
export function findSecretChange(sql: Connection, keyDays: number): Promise<SecretChange | undefined> {
  return firstRow(sql<SecretChange[]>`
    SELECT ${wallClock("secret_since", "UTC")} AS since, to_char(expiry AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS expires_on,
      expiry < now() AS is_expired,
      coalesce((SELECT json_agg(text) FROM (
        SELECT json_build_object('endpoint_id', endpoint_id, 'sealed', sealed) AS text FROM webhook_secret
        UNION ALL
        SELECT json_build_object('endpoint_id', endpoint_id, 'sealed', headers) FROM webhook_endpoint WHERE headers IS NOT NULL
        UNION ALL
        SELECT json_build_object('business_id', business_id, 'kind', kind, 'sealed', sealed) FROM wallet_issuer
      ) AS t), '[]') AS sealed,
      EXISTS (SELECT FROM member_page WHERE created_at < secret_since) AS has_pages
    FROM installation CROSS JOIN LATERAL (SELECT secret_since + make_interval(days => ${keyDays}) AS expiry) AS e`);
}

/**
 * Records at the first start which cell the database is, and checks it at later ones.
 * @param cell LOYALTY_CELL, or 0
 * @throws OperatorError when the database is another cell
 */
export async function prepareInstallation(sql: Database, cell: number, secret_check: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE`;
    const known = await findInstallation(tx);
    if (known === undefined) {
      const { isUsed } = await requiredRow(tx<{ isUsed: boolean }[]>`
        SELECT EXISTS (SELECT FROM business) AS "isUsed"`);
      if (isUsed && cell !== 0) throw otherCell(0, cell);
      await tx`INSERT INTO installation (cell, secret_check) VALUES (${cell}, ${secret_check})`;
    } else if (known.cell !== cell) throw otherCell(known.cell, cell);
    else if (known.secret_check !== secret_check)
      await tx`UPDATE installation SET secret_check = ${secret_check}, secret_since = now()`;
    if (cell !== 0) await beginSequences(tx, cell);
  });
}

function otherCell(known: number, given: number): OperatorError {
  const [is, should] = [known, given].map((cell) =>
    cell === 0 ? "without LOYALTY_CELL" : `with LOYALTY_CELL=${cell}`,
  );
  return new OperatorError(
    `The database was made ${is}, and this start is ${should}. The number of a cell never changes: set ` +
      `${known === 0 ? "no LOYALTY_CELL" : `LOYALTY_CELL=${known}`}, or use the database of the other cell.`,
  );
}

interface Sequence {
  readonly sequence: string;
  readonly start_value: number;
  /** null: it has made no id yet. */
  readonly last_value: number | null;
  readonly max_value: string;
}

/** Finds the sequences of ids. The audit log is numbered anew in each database, so its sequence has no range. */
async function findSequences(tx: Connection): Promise<Sequence[]> {
  return tx<Sequence[]>`
    SELECT s.sequence, p.start_value, p.last_value, p.max_value::text
    FROM unnest(${await tablesOfMigrations()}::text[]) AS name
    JOIN pg_attribute a ON a.attrelid = to_regclass(quote_ident(name)) AND a.attidentity <> ''
    CROSS JOIN LATERAL (SELECT pg_get_serial_sequence(quote_ident(name), a.attname) AS sequence) AS s
    JOIN pg_sequences p ON quote_ident(p.schemaname) || '.' || quote_ident(p.sequencename) = s.sequence
    WHERE a.attname <> 'audit_id'`;
}

/** Lets sequences begin in the range of the cell. A restore makes them anew, and continues those that had made ids. */
async function beginSequences(tx: Connection, cell: number): Promise<void> {
  for (const { sequence, start_value, last_value, max_value } of await findSequences(tx)) {
    const last = last_value ?? cell * idsOfCell;
    const end = lastIdOf(cell, roundOf(last));
    if (last_value === null && start_value < idsOfCell) {
      const first = cell * idsOfCell + start_value;
      await tx.query(`ALTER SEQUENCE ${sequence} MAXVALUE ${end} START WITH ${first} RESTART WITH ${first}`);
    } else if (Number(max_value) !== end) await tx.query(`ALTER SEQUENCE ${sequence} MAXVALUE ${end}`);
  }
}

const roundOf = (id: number) => Math.floor(id / idsOfAllCells);
const cellOf = (id: number) => Math.floor((id % idsOfAllCells) / idsOfCell);
const lastIdOf = (cell: number, round: number) => round * idsOfAllCells + (cell + 1) * idsOfCell - 1;

/**
 * The next id that a cell may make, so that it is higher than those that moved in.
 * @param last the last id that the cell has made
 * @param highest of the ids that moved in
 */
export function nextIdAfter(cell: number, last: number, highest: number): number {
  if (highest <= last) return last + 1;
  if (cellOf(highest) === cell) return highest + 1;
  const round = roundOf(highest) + (cellOf(highest) > cell ? 1 : 0);
  return round * idsOfAllCells + cell * idsOfCell + 1;
}

/** Moves a sequence past an id that was added. Others wait for its next id until the commit. */
export async function advanceSequence(
  tx: Connection,
  { table, column, highest }: { readonly table: string; readonly column: string; readonly highest: number },
): Promise<void> {
  const { cell, sequence, last } = await requiredRow(tx<{ cell: number; sequence: string; last: number }[]>`
    SELECT coalesce((SELECT cell FROM installation), 0) AS cell, s.sequence,
      coalesce(pg_sequence_last_value(q.seqrelid), q.seqstart - 1) AS last
    FROM (SELECT pg_get_serial_sequence(quote_ident(${table}), ${column}) AS sequence) AS s
    JOIN pg_sequence q ON q.seqrelid = s.sequence::regclass`);
  const next = nextIdAfter(cell, last, highest);
  if (next === last + 1) return;
  const maximum = cell === 0 ? "" : `MAXVALUE ${lastIdOf(cell, roundOf(next))}`;
  // Its lock makes others wait for an id until the commit.
  await tx.query(`ALTER SEQUENCE ${sequence} CACHE 1 ${maximum} RESTART WITH ${next}`);
}

/** Moves the sequences of columns past the ids that were added. @param from a table, or its rows that meet a condition */
export async function advancePast(tx: Connection, table: string, columns: readonly string[], from: string) {
  // Writes of others wait for an id until the commit, but not for a command that hangs.
  await tx`SET LOCAL idle_in_transaction_session_timeout = '10s'`;
  for (const column of columns) {
    const id = quotedName(column);
    const all = `SELECT max(${id}) FROM (SELECT ${id} FROM ${from}) AS t`;
    // Those of the cell, round by round, so that an index has the answer.
    const own = `SELECT max(id) FROM (SELECT coalesce((SELECT cell FROM installation), 0) * ${idsOfCell}::bigint AS cell) AS c
      CROSS JOIN generate_series(0, (${all}) / ${idsOfAllCells}) AS round CROSS JOIN LATERAL (
        ${all} WHERE ${id} BETWEEN round * ${idsOfAllCells} + cell AND round * ${idsOfAllCells} + cell + ${idsOfCell - 1}
      ) AS highest (id)`;
    const { highest } = await requiredRow(
      tx.query<{ highest: number | null }[]>(`SELECT (${column === "contact_id" ? own : all}) AS highest`),
    );
    if (highest !== null) await advanceSequence(tx, { table, column, highest });
  }
}
