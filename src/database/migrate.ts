import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../domain/access/operator-error.ts";
import { packageRoot } from "../package.ts";
import type { Connection, Database } from "./connection.ts";
import { codeOf } from "./faults.ts";
import { serviceConnectionName } from "./pools.ts";
import { firstRow, requiredRow } from "./rows.ts";

/** The schema can't be migrated. */
class MigrationError extends OperatorError {}

const folder = join(packageRoot, "migrations");
const fileName = /^\d{4}_[a-z0-9_]+\.sql$/;
const oldestServer = 15;

/** A file of migrations/. The first has version 1. */
interface Migration {
  readonly name: string;
  readonly text: string;
  /** Of the statements of this migration and of all earlier ones, without comments and layout. */
  readonly digest: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name)).sort();
  const misplaced = names.find((name, index) => Number.parseInt(name, 10) !== index + 1);
  if (misplaced !== undefined) {
    throw new MigrationError(`Migration ${misplaced} breaks the sequence of numbers.`);
  }
  const statements = createHash("sha256");
  const migrations: Migration[] = [];
  for (const name of names) {
    const text = await readFile(join(folder, name), "utf8");
    statements.update(text.replace(/--.*/g, "").replace(/\s+/g, " "));
    migrations.push({ name, text, digest: statements.copy().digest("hex") });
  }
  return migrations;
}

export interface MigrateOptions {
  /** Called once, with a line for the operator, when another process holds the lock. */
  readonly onWait?: (line: string) => void;
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignal;
}

/**
 * Applies the missing migrations, each in its own transaction, which locks the table of migrations. Several processes can do
 * this at the same time.
 * @returns the names of the migrations that were applied now
 * @throws MigrationError when the server is too old, this build can't migrate the schema, or a running service of an earlier
 *   release can't work after a migration
 */
export async function migrate(sql: Database, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations();
  await checkServer(sql);
  await makeMigrationTable(sql);
  const applied: string[] = [];
  let isWaiting = false;
  while ((await currentVersion(sql, migrations)) < migrations.length) {
    options.signal?.throwIfAborted();
    try {
      applied.push(...(await sql.begin((tx) => applyNext(tx, migrations))));
    } catch (error) {
      // Another process held the lock for too long.
      if (codeOf(error) !== "55P03") throw error;
      if (!isWaiting)
        options.onWait?.(
          "Waiting for a process that migrates or backs up the database, or moves a business …",
        );
      isWaiting = true;
    }
  }
  // New tables have no statistics. Plans without statistics can be ten times slower.
  if (applied.length > 0) await sql`ANALYZE`;
  return applied;
}

export interface SchemaOfBackup {
  readonly schema_version: number;
  readonly schema_digest: string;
}

/**
 * Applies migrations within a transaction of the caller, in a database that no other process uses.
 * @param backup applies migrations up to the schema of this backup; without it, all
 * @throws MigrationError when the server is too old or this build does not know the backup's schema
 */
export async function migrateWithin(tx: Connection, backup?: SchemaOfBackup): Promise<void> {
  const migrations = await readMigrations();
  const last = backup?.schema_version ?? migrations.length;
  if (backup !== undefined) rejectUnknown(backup, migrations);
  await checkServer(tx);
  await makeMigrationTable(tx);
  const current = await currentVersion(tx, migrations);
  for (const migration of migrations.slice(current, last)) await apply(tx, migration);
}

function rejectUnknown({ schema_version, schema_digest }: SchemaOfBackup, migrations: readonly Migration[]) {
  if (schema_version > migrations.length) {
    throw new MigrationError(
      `The backup has schema version ${schema_version}, newer than this build's ${migrations.length}: ` +
        "restore it with the build that made it, or a later one.",
    );
  }
  if (migrations[schema_version - 1]?.digest !== schema_digest) throw otherMigrations("The backup");
}

/** Returns the names of all tables that migrations create, in all versions of the schema. */
export async function tablesOfMigrations(): Promise<string[]> {
  return (await readMigrations()).flatMap(({ text }) =>
    Array.from(text.matchAll(/^CREATE TABLE (\w+)/gm), ([, table = ""]) => table),
  );
}

/** @throws MigrationError when the server is too old */
async function checkServer(sql: Connection): Promise<void> {
  const { version } = await requiredRow(sql<{ version: number }[]>`
    SELECT current_setting('server_version_num')::int / 10000 AS version`);
  if (version >= oldestServer) return;
  throw new MigrationError(`PostgreSQL ${oldestServer} or newer is required; this server is ${version}.`);
}

async function makeMigrationTable(sql: Connection): Promise<void> {
  try {
    await sql`
      CREATE TABLE IF NOT EXISTS migration (
        version integer PRIMARY KEY,
        name text NOT NULL,
        digest text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`;
  } catch (error) {
    // Another process has made it at the same moment.
    if (!["23505", "42P07"].includes(codeOf(error))) throw error;
  }
}

/**
 * Returns the version of the schema and its digest; version 0 when the database has no tables of the service.
 * @throws MigrationError when this build can't migrate the schema
 */
export async function readSchema(sql: Connection): Promise<{ version: number; digest: string }> {
  const migrations = await readMigrations();
  const [found] = await sql`SELECT FROM pg_class WHERE oid = to_regclass('migration')`;
  const version = found === undefined ? 0 : await currentVersion(sql, migrations);
  return { version, digest: migrations[version - 1]?.digest ?? "" };
}

/** @throws MigrationError when the rows of one database don't fit into the other one */
export async function requireEqualSchemas(one: Connection, other: Connection): Promise<void> {
  if ((await readSchema(one)).digest === (await readSchema(other)).digest) return;
  throw new MigrationError(
    "The databases have different schema versions. Start services of the same release on both.",
  );
}

async function currentVersion(sql: Connection, migrations: readonly Migration[]): Promise<number> {
  const applied = await sql<{ digest: string }[]>`SELECT digest FROM migration ORDER BY version`;
  const newestKnown = Math.min(applied.length, migrations.length);
  if (applied[newestKnown - 1]?.digest !== migrations[newestKnown - 1]?.digest) {
    throw otherMigrations("The database");
  }
  if (applied.length === newestKnown) return newestKnown;
  throw new MigrationError(
    `The database has schema version ${applied.length}, newer than this build's ${newestKnown}: ` +
      "start the build that migrated it, or a later one.",
  );
}

function otherMigrations(what: string): MigrationError {
  return new MigrationError(
    `${what} was made with other migrations than this build has, so this build can't use it. Nothing was changed. ` +
      "Use the build that made it.",
  );
}

/** Applies the next migration under the lock. @returns its name, if there is one */
async function applyNext(tx: Connection, migrations: readonly Migration[]): Promise<string[]> {
  await tx`SET LOCAL lock_timeout = '500ms'`;
  // This lock permits reads, so that other processes see the version without waiting.
  await tx`LOCK TABLE migration IN EXCLUSIVE MODE`;
  // A migration may take long. The server's default must not end it.
  await tx`SET LOCAL lock_timeout = 0`;
  const current = await currentVersion(tx, migrations);
  const next = migrations.slice(current, current + 1);
  for (const migration of next) {
    if (breaking.test(migration.text)) await rejectRunning(tx, migration);
    await apply(tx, migration);
  }
  return next.map(({ name }) => name);
}

/** The first line of a migration after which a running service of an earlier release can't work. */
const breaking = /^-- Breaking\b/;

async function rejectRunning(tx: Connection, { name }: Migration): Promise<void> {
  const running = await firstRow(tx<{ address: string }[]>`
    SELECT coalesce(host(client_addr), 'this machine') AS address FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = ${serviceConnectionName}`);
  if (running === undefined) return;
  throw new MigrationError(
    `An earlier release of the service is connected to the database, from ${running.address}, and can't work after the ` +
      `migration ${name}: stop all its processes first.`,
  );
}

async function apply(tx: Connection, { name, text, digest }: Migration): Promise<void> {
  await tx.query(text);
  await tx`INSERT INTO migration (version, name, digest) VALUES (${Number.parseInt(name, 10)}, ${name}, ${digest})`;
}
