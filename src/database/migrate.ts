import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { OperatorError } from "../domain/operator-error.ts";
import type { Database } from "./connection.ts";

/** The schema can't be brought to what this build needs; the message says why, in one line. */
export class MigrationError extends OperatorError {}

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url));
const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** Any number that only this service uses: the lock that keeps two starting processes apart. */
const migrationLock = 7_203_145_001;
const oldestServer = 15;

interface Migration {
  readonly version: number;
  readonly name: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name)).sort();
  return names.map((name, index) => {
    const version = Number(fileName.exec(name)?.[1]);
    if (version !== index + 1) throw new MigrationError(`Migration ${name} breaks the sequence of numbers.`);
    return { version, name };
  });
}

/**
 * Brings the schema to what this build needs, forward only, each migration in a transaction of its own.
 * Safe when several processes start at once.
 * @returns the names of the migrations that were applied now
 * @throws MigrationError when the server is too old or the schema is newer than this build
 */
export async function migrate(sql: Database): Promise<string[]> {
  const migrations = await readMigrations();
  const connection = await sql.reserve();
  try {
    const [server] = await connection<{ version: number }[]>`
      SELECT current_setting('server_version_num')::int / 10000 AS version`;
    if ((server?.version ?? 0) < oldestServer) {
      throw new MigrationError(
        `PostgreSQL ${oldestServer} or newer is needed; this server is ${server?.version}.`,
      );
    }
    await connection`SELECT pg_advisory_lock(${migrationLock})`;
    try {
      await connection`
        CREATE TABLE IF NOT EXISTS migration (
          version integer PRIMARY KEY,
          name text NOT NULL,
          applied_at timestamptz NOT NULL DEFAULT now()
        )`;
      const rows = await connection<{ version: number }[]>`SELECT version FROM migration ORDER BY version`;
      const current = rows.at(-1)?.version ?? 0;
      if (current > migrations.length) {
        throw new MigrationError(
          `The database has schema version ${current}, newer than this build's ${migrations.length}: ` +
            "start the build that migrated it, or a later one.",
        );
      }
      const pending = migrations.slice(current);
      for (const { version, name } of pending) {
        const text = await readFile(new URL(name, new URL("../../migrations/", import.meta.url)), "utf8");
        try {
          await connection.unsafe(`BEGIN; ${text}`);
          await connection`INSERT INTO migration (version, name) VALUES (${version}, ${name})`;
          await connection`COMMIT`;
        } catch (error) {
          await connection`ROLLBACK`;
          throw error;
        }
      }
      // Fresh tables have no statistics, and plans made without them can be ten times slower.
      if (pending.length > 0) await connection`ANALYZE`;
      return pending.map(({ name }) => name);
    } finally {
      await connection`SELECT pg_advisory_unlock(${migrationLock})`;
    }
  } finally {
    connection.release();
  }
}
