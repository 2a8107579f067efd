/** Examines a database: its settings, the rights of the service, and its content. */
import { OperatorError } from "../domain/access/operator-error.ts";
import { amongBusinesses } from "./access/businesses.ts";
import { type Connection, type ConnectionSettings, openDatabase } from "./connection.ts";
import { lastEntryNo, lastRecordedAt } from "./ledger/ledger.ts";
import { firstRow, requiredRow, wallClock } from "./rows.ts";
import { raw } from "./sql.ts";

/** Resolves when the database responds. */
export async function ping(sql: Connection): Promise<void> {
  await sql`SELECT 1`;
}

/** The settings that must be on, and the damage that a crash may do otherwise. */
const lossy: Readonly<Record<string, string>> = {
  fsync: "may ruin the database",
  full_page_writes: "may ruin the database",
  synchronous_commit: "may take what was acknowledged",
};

/**
 * Checks whether a crash can destroy acknowledged writes with the settings of the database, and whether its locale compares
 * `INFO@…` and `info@…` as equal. A Turkish locale does not.
 */
export async function findUnsafeSettings(sql: Connection): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT name FROM pg_settings WHERE name = ANY (${Object.keys(lossy)}::text[]) AND setting = 'off' ORDER BY name`;
  const warnings = rows.map(
    ({ name }) =>
      `Warning: ${name} is off in this database: a crash of its machine ${lossy[name]}. Set it to on.`,
  );
  const [letter] = await sql<{ small: string }[]>`SELECT lower('I') AS small`;
  if (letter?.small !== "i") {
    warnings.push(
      "Warning: in the locale of this database, the lower case of I is not i, so two members can have e-mail addresses that " +
        "differ only in case. Use a database with the locale C.UTF-8.",
    );
  }
  return warnings;
}

export interface DatabaseRights {
  readonly server_version: string;
  /** Such as 150004. */
  readonly server_version_num: number;
  readonly may_create: boolean;
  /** Tables of the schema that belong to somebody else. */
  readonly foreign_tables: number;
  /** Whole milliseconds since the epoch. */
  readonly clock_milliseconds: number;
}

/** Reads the rights of the role. Migrations create tables and change those that the role owns. */
export function readDatabaseRights(sql: Connection) {
  return requiredRow(sql<DatabaseRights[]>`
    SELECT current_setting('server_version') AS server_version,
      current_setting('server_version_num')::integer AS server_version_num,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
      (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()
        AND NOT pg_has_role(current_user, tableowner, 'USAGE')) AS foreign_tables,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock_milliseconds`);
}

/**
 * Reads the version of the server's time zone database, if the server uses that of the operating system and the role may read its
 * files. PostgreSQL does not tell the version of its own one.
 */
export async function findTimeZoneVersion(sql: Connection): Promise<string | undefined> {
  const found = firstRow(sql<{ version: string | null }[]>`
    SELECT substring(pg_read_file(directory || '/tzdata.zi', 0, 100) FROM '^# version (\\S+)') AS version
    FROM (
      SELECT substring(setting FROM '--with-system-tzdata=([^'' ]+)') AS directory FROM pg_config WHERE name = 'CONFIGURE'
    ) AS built
    WHERE directory IS NOT NULL`);
  return (await found.catch(() => undefined))?.version ?? undefined;
}

export interface DatabaseStatus {
  /** The number of the last migration. */
  readonly schema_version: number;
  readonly server_version: string;
  readonly size_bytes: number;
  readonly shared_buffers_bytes: number;
  readonly businesses: number;
  readonly members: number;
  readonly entries: number;
  /** In UTC, YYYY-MM-DD HH:MM:SS; null: never. */
  readonly last_backup_at: string | null;
  readonly last_verified_at: string | null;
  readonly last_mismatch_at: string | null;
  /** Whole seconds by which the last entry of a ledger lies ahead of the database's clock; 0 when none does. */
  readonly ledger_lead_seconds: number;
}

/** Counts records over all businesses, without reading them. @param ids the businesses that are counted; null: all */
export function readDatabaseStatus(sql: Connection, ids: readonly number[] | null) {
  const counted = amongBusinesses(ids);
  return requiredRow(sql<DatabaseStatus[]>`
    SELECT (SELECT max(version) FROM migration) AS schema_version,
      current_setting('server_version') AS server_version,
      pg_database_size(current_database()) AS size_bytes,
      pg_size_bytes(current_setting('shared_buffers')) AS shared_buffers_bytes,
      (SELECT count(*) FROM business WHERE ${counted}) AS businesses,
      (SELECT coalesce(sum(members), 0)::bigint FROM member_block WHERE ${counted}) AS members,
      (SELECT coalesce(sum(${lastEntryNo(raw("ledger.business_id"))}), 0)::bigint FROM ledger WHERE ${counted}) AS entries,
      (SELECT ${wallClock("backed_up_at", "UTC")} FROM installation) AS last_backup_at,
      (SELECT ${wallClock("verified_at", "UTC")} FROM installation) AS last_verified_at,
      (SELECT ${wallClock("mismatch_at", "UTC")} FROM installation) AS last_mismatch_at,
      (SELECT greatest(0, ceil(extract(epoch FROM max(${lastRecordedAt(raw("ledger.business_id"))}) - clock_timestamp())))::bigint
        FROM ledger WHERE clock_at IS NULL) AS ledger_lead_seconds`);
}

/** Remembers that a part of a ledger was verified. */
export async function recordVerification(sql: Connection, mismatches: number): Promise<void> {
  await sql`
    UPDATE installation SET verified_at = now(),
      mismatch_at = CASE WHEN ${mismatches}::bigint > 0 THEN now() ELSE mismatch_at END`;
}

/** Remembers that a backup was completed. */
export async function recordBackup(sql: Connection, madeAt: string): Promise<void> {
  await sql`UPDATE installation SET backed_up_at = greatest(backed_up_at, ${madeAt}::timestamptz)`;
}

/** How often the processes are compared. In transaction mode, two statements may get the same process by chance. */
const rounds = 3;

/**
 * Checks that no pooler shares connections. Prepared statements and settings belong to a server process. A pooler in session mode
 * keeps the process of a connection. In transaction mode, each transaction may get another process, which does not have them.
 * @throws OperatorError when two open connections share a server process, or one connection changes its process
 */
export async function checkPooler(target: string | ConnectionSettings): Promise<void> {
  const sql = openDatabase(target, {
    connections: 2,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "loyalty start",
  });
  const pairs = new Set<string>();
  let isShared = false;
  try {
    const [one, other] = [await sql.reserve(), await sql.reserve()];
    for (let round = 0; round < rounds; round++) {
      const [pid, otherPid] = [await processOf(one), await processOf(other)];
      pairs.add(`${pid} ${otherPid}`);
      isShared ||= pid === otherPid || pairs.size > 1;
    }
    one.release();
    other.release();
  } finally {
    await sql.end();
  }
  if (!isShared) return;
  throw new OperatorError(
    "DATABASE_URL leads to a pooler that shares connections by transaction or statement: set its pool mode to session.",
  );
}

async function processOf(connection: Connection): Promise<number> {
  // The statement is not prepared, because another server process would not know its name.
  const { pid } = await requiredRow(connection.query<{ pid: number }[]>("SELECT pg_backend_pid() AS pid"));
  return pid;
}
