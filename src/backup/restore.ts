/** Restores a backup into an empty database, in one transaction. */
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { syncDirectory } from "../credentials/secret-files.ts";
import type { Connection, ConnectionSettings } from "../database/connection.ts";
import { migrateWithin, tablesOfMigrations } from "../database/migrate.ts";
import { firstRow } from "../database/rows.ts";
import { forgetPhones } from "../database/wallets/issuers.ts";
import { disableCopiedEndpoints } from "../database/webhooks/endpoints.ts";
import { readWebhookHealth } from "../database/webhooks/leases.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { openDataDirectory } from "../postgres/cluster.ts";
import { startEmbeddedDatabase } from "../postgres/embedded.ts";
import { explainFailure } from "../postgres/error.ts";
import { acquireLock } from "../postgres/lock.ts";
import { stopLeftover } from "../postgres/postmaster.ts";
import {
  copyOf,
  explained,
  findTables,
  inCopyTransaction,
  type LoadOptions,
  loadTables,
  requireTables,
} from "./copy.ts";
import { keptOf, type Manifest, tablesOf, verifyBackup } from "./manifest.ts";

/** The directory of the database until it is complete. A restore that was killed leaves it, and no service starts on it. */
const draftName = ".restore";
const leftovers = /^(?:\.restore|postgres\.lock.*)$/;

export interface RestoreOptions extends LoadOptions {
  /** Whether the webhook endpoints are disabled, because the service that was backed up still runs. */
  readonly isCopy: boolean;
}

/**
 * Restores a backup into the embedded database of an empty data directory, or into the database of databaseUrl, which
 * must have no tables of the service. All files are compared with the manifest first.
 * @returns the manifest, the data directory, and how many webhook endpoints will get events
 * @throws OperatorError with a line for the operator; nothing is restored then
 */
export async function restoreBackup(given: RestoreOptions) {
  const { databaseUrl, dataDirectory, onProgress, signal } = given;
  const options = { ...given, source: resolve(given.source) };
  onProgress("Checking the files of the backup …");
  const manifest = await verifyBackup(options.source, signal);
  try {
    if (databaseUrl === undefined) {
      return { manifest, ...(await restoreEmbedded(options, manifest)) };
    }
    return { manifest, dataDirectory, endpoints: await load(databaseUrl, options, manifest) };
  } catch (error) {
    const isOfFiles = databaseUrl === undefined && (error as NodeJS.ErrnoException).syscall !== undefined;
    const failure = isOfFiles ? explainFailure(error, dataDirectory) : error;
    throw explained(failure, signal, "The backup can't be restored");
  }
}

/** @returns the canonical path of the data directory, and how many webhook endpoints will get events */
async function restoreEmbedded(options: RestoreOptions, manifest: Manifest) {
  const { source, onProgress } = options;
  const kept = keptOf(manifest);
  const { dataDirectory } = await openDataDirectory(options.dataDirectory);
  await rejectData(dataDirectory);
  const unlock = await acquireLock(dataDirectory);
  const draft = join(dataDirectory, draftName);
  try {
    // Another process may have used the directory before the lock was taken.
    await rejectData(dataDirectory);
    await stopLeftover(join(draft, "postgres"), () => undefined);
    await rm(draft, { recursive: true, force: true });
    // With these settings, tables that the transaction creates need no log. They are on disk when it commits.
    const settings = { wal_level: "minimal", max_wal_senders: "0" };
    const embedded = await startEmbeddedDatabase({ dataDirectory: draft, onProgress, settings });
    const endpoints = await load(embedded.connection, options, manifest).finally(() => embedded.stop());
    for (const name of kept) {
      await writeFile(join(draft, name), await readFile(join(source, name)), { mode: 0o600, flush: true });
    }
    await syncDirectory(draft);
    // The database is last. Without it, a start finds an empty data directory.
    for (const name of [...kept, "postgres"]) await rename(join(draft, name), join(dataDirectory, name));
    await syncDirectory(dataDirectory);
    return { dataDirectory, endpoints };
  } finally {
    await rm(draft, { recursive: true, force: true });
    await unlock();
  }
}

async function rejectData(dataDirectory: string): Promise<void> {
  const found = (await readdir(dataDirectory)).filter((name) => !leftovers.test(name));
  if (found.length === 0) return;
  throw new OperatorError(
    `${dataDirectory} is not empty (${found.slice(0, 3).join(", ")}): move its content away, or set ` +
      "LOYALTY_DATA_DIR to another directory.",
  );
}

/**
 * Loads the rows in one transaction. After a failure, the database is as it was before.
 * @returns how many webhook endpoints will get events
 */
function load(database: string | ConnectionSettings, options: RestoreOptions, manifest: Manifest) {
  const { onProgress, signal } = options;
  // With the usual 64 MB, the index for searches takes 1.5 times as long.
  const serverSettings = { maintenance_work_mem: "256MB" };
  const transaction = { applicationName: "loyalty restore", signal, serverSettings };
  return inCopyTransaction(database, transaction, async (tx) => {
    await requireEmpty(tx);
    await migrateWithin(tx, manifest);
    requireTables(manifest, await findTables(tx));
    const indexes = await findIndexes(tx);
    for (const { drop } of indexes) await tx.query(drop);
    await loadTables(tx, options, manifest, (record) => `${copyOf(record)} FROM STDIN (FREEZE)`);
    await setIdentities(tx, manifest);
    onProgress("Creating indexes …");
    for (const { create } of indexes.reverse()) await tx.query(create);
    await migrateWithin(tx);
    if (options.isCopy) {
      await disableCopiedEndpoints(tx);
      await forgetPhones(tx);
    }
    await tx`ANALYZE`;
    const { enabled, failing } = await readWebhookHealth(tx);
    return enabled + failing;
  });
}

async function requireEmpty(tx: Connection): Promise<void> {
  const found = await firstRow(tx<{ name: string }[]>`
    SELECT name FROM unnest(${["migration", ...(await tablesOfMigrations())]}::text[]) AS name
    WHERE to_regclass(quote_ident(name)) IS NOT NULL`);
  if (found === undefined) return;
  throw new OperatorError(
    `The database of DATABASE_URL is not empty (it has a table ${found.name}): name a database without tables of ` +
      "the service.",
  );
}

/** The statements that drop and create foreign keys and secondary indexes. Rows load several times as fast without them. */
async function findIndexes(tx: Connection) {
  return tx<{ drop: string; create: string }[]>`
    WITH tables AS (
      SELECT to_regclass(quote_ident(name))::oid AS oid FROM unnest(${await tablesOfMigrations()}::text[]) AS name)
    SELECT format('DROP INDEX %s', indexrelid::regclass) AS drop, pg_get_indexdef(indexrelid) AS create, 2 AS step
    FROM pg_index JOIN tables ON indrelid = tables.oid
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    UNION ALL
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid)), 1
    FROM pg_constraint JOIN tables ON conrelid = tables.oid
    WHERE contype = 'f'
    ORDER BY step`;
}

async function setIdentities(tx: Connection, manifest: Manifest): Promise<void> {
  for (const { table, identities } of tablesOf(manifest)) {
    for (const [column, value] of Object.entries(identities)) {
      if (value === null) continue;
      await tx`SELECT setval(pg_get_serial_sequence(quote_ident(${table}), ${column}), ${value})`;
    }
  }
}
