import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../domain/operator-error.ts";
import { packageRoot } from "../package.ts";
import type { Connection, Database } from "./connection.ts";
import { codeOf } from "./faults.ts";
import { requiredRow } from "./rows.ts";

/** The schema can't be migrated. The message says why, in one line. */
class MigrationError extends OperatorError {}

const folder = join(packageRoot, "migrations");
const fileName = /^\d{4}_[a-z0-9_]+\.sql$/;
const oldestServer = 15;

/** The names of all migrations: the first has version 1. */
async function readMigrations(): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name)).sort();
  const misplaced = names.find((name, index) => Number.parseInt(name, 10) !== index + 1);
  if (misplaced === undefined) return names;
  throw new MigrationError(`Migration ${misplaced} breaks the sequence of numbers.`);
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
 * @throws MigrationError when the server is too old or the schema is newer than this build
 */
export async function migrate(sql: Database, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations();
  await checkServer(sql);
  await makeMigrationTable(sql);
  const applied: string[] = [];
  let isWaiting = false;
  while ((await currentVersion(sql, migrations.length)) < migrations.length) {
    options.signal?.throwIfAborted();
    try {
      applied.push(...(await sql.begin((tx) => applyNext(tx, migrations))));
    } catch (error) {
      // Another process held the lock for too long.
      if (codeOf(error) !== "55P03") throw error;
      if (!isWaiting) options.onWait?.("Waiting for another process to finish migrating the database …");
      isWaiting = true;
    }
  }
  // Fresh tables have no statistics, and plans made without them can be ten times slower.
  if (applied.length > 0) await sql`ANALYZE`;
  return applied;
}

/**
 * Applies migrations within a transaction of the caller, in a database that no other process uses.
 * @param version the schema version of a backup to stop at; without it, what this build needs
 * @throws MigrationError when the server is too old or the backup's schema is newer than this build
 */
export async function migrateWithin(tx: Connection, version?: number): Promise<void> {
  const migrations = await readMigrations();
  const last = version ?? migrations.length;
  if (last > migrations.length) {
    throw new MigrationError(
      `The backup has schema version ${last}, newer than this build's ${migrations.length}: ` +
        "restore it with the build that made it, or a later one.",
    );
  }
  await checkServer(tx);
  await makeMigrationTable(tx);
  const current = await currentVersion(tx, migrations.length);
  for (const [index, name] of migrations.entries()) {
    if (index >= current && index < last) await apply(tx, index + 1, name);
  }
}

/** Returns the names of all tables that migrations create, in all versions of the schema. */
export async function tablesOfMigrations(): Promise<string[]> {
  const tables: string[] = [];
  for (const name of await readMigrations()) {
    const text = await readFile(join(folder, name), "utf8");
    for (const [, table = ""] of text.matchAll(/^CREATE TABLE (\w+)/gm)) tables.push(table);
  }
  return tables;
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
        applied_at timestamptz NOT NULL DEFAULT now()
      )`;
  } catch (error) {
    // Another process has made it at the same moment.
    if (!["23505", "42P07"].includes(codeOf(error))) throw error;
  }
}

/**
 * Returns the version of the schema; 0 when the database has no tables of the service.
 * @throws MigrationError when the schema is newer than this build
 */
export async function schemaVersion(sql: Connection): Promise<number> {
  const [found] = await sql`SELECT FROM pg_class WHERE oid = to_regclass('migration')`;
  return found === undefined ? 0 : currentVersion(sql, (await readMigrations()).length);
}

async function currentVersion(sql: Connection, newest: number): Promise<number> {
  const { current } = await requiredRow(sql<{ current: number }[]>`
    SELECT coalesce(max(version), 0) AS current FROM migration`);
  if (current <= newest) return current;
  throw new MigrationError(
    `The database has schema version ${current}, newer than this build's ${newest}: ` +
      "start the build that migrated it, or a later one.",
  );
}

/** Applies the next migration under the lock. @returns its name, if there is one */
async function applyNext(tx: Connection, migrations: readonly string[]): Promise<string[]> {
  await tx`SET LOCAL lock_timeout = '500ms'`;
  // Reads pass, so that others see the version without waiting.
  await tx`LOCK TABLE migration IN EXCLUSIVE MODE`;
  // A migration may take long. The server's default must not end it.
  await tx`SET LOCAL lock_timeout = 0`;
  const current = await currentVersion(tx, migrations.length);
  const next = migrations.slice(current, current + 1);
  for (const name of next) await apply(tx, current + 1, name);
  return next;
}

async function apply(tx: Connection, version: number, name: string): Promise<void> {
  await tx.query(await readFile(join(folder, name), "utf8"));
  await tx`INSERT INTO migration (version, name) VALUES (${version}, ${name})`;
}
