import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { type Database, openDatabase } from "./connection.ts";
import { migrate, migrateWithin } from "./migrate.ts";

const database = useDatabase();
const name = `loyalty_${randomBytes(6).toString("hex")}`;
/** An empty database, as each of several processes that start at once opens it. */
const open = (): Database =>
  openDatabase(
    { ...database.connection, database: name },
    { connections: 1, statementTimeoutMilliseconds: 0, applicationName: "migration" },
  );
const namesOf = (rows: readonly Record<string, unknown>[]) => rows.map(({ name }) => name);
beforeAll(() => database.sql.query(`CREATE DATABASE ${name}`));
afterAll(() => database.sql.query(`DROP DATABASE ${name} WITH (FORCE)`));

it("says once that it waits for another process, stops when told to, and leaves no lock behind", async () => {
  const [first, second, blocker] = [open(), open(), open()];
  // The first migration makes this table: it waits until this transaction is rolled back.
  const blocking = await blocker.reserve();
  await blocking.begin();
  await blocking`CREATE TABLE business ()`;
  const applied = migrate(first);

  const isAtWork = () => database.sql`
    SELECT FROM pg_stat_activity WHERE datname = ${name} AND wait_event_type = 'Lock' AND query LIKE '%business%'`;
  await expect.poll(async () => (await isAtWork()).length).toBe(1);
  const stopping = new AbortController();
  const said: string[] = [];
  const onWait = (line: string) => said.push(line);
  const outcome = migrate(second, { signal: stopping.signal, onWait }).catch((error: Error) => error.name);
  await expect.poll(() => said.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 700));
  stopping.abort();
  expect(await outcome).toBe("AbortError");
  expect(said).toEqual([
    "Waiting for a process that migrates or backs up the database, or moves a business …",
  ]);

  const resumed = migrate(second);
  await blocking.rollBack();
  blocking.release();
  const names = [...(await applied), ...(await resumed)].sort();
  expect(names).toEqual(await database.sql`SELECT name FROM migration ORDER BY version`.then(namesOf));
  const locks =
    await second`SELECT FROM pg_locks WHERE (relation = 'migration'::regclass OR locktype = 'advisory')
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  expect(locks).toEqual([]);
  await Promise.all([first, second, blocker].map((pool) => pool.end()));
});

it("rejects the database and the backup of other migrations, and changes nothing", async () => {
  const own = `loyalty_${randomBytes(6).toString("hex")}`;
  await database.sql.query(`CREATE DATABASE ${own}`);
  const sql = openDatabase(
    { ...database.connection, database: own },
    { connections: 1, statementTimeoutMilliseconds: 0, applicationName: "migration" },
  );
  try {
    const rejection = /^The \w+ was made with other migrations .*Use the build that made it\.$/;
    const backup = { schema_version: 1, schema_digest: "another" };
    await expect(sql.begin((tx) => migrateWithin(tx, backup))).rejects.toThrow(rejection);
    await sql.query(`
      CREATE TABLE migration (version integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL);
      INSERT INTO migration VALUES (1, '0001_foundation.sql', 'another')`);
    const tables = () => sql`
      SELECT relname, (SELECT count(*) FROM migration) AS migrations FROM pg_class
      WHERE relnamespace = 'public'::regnamespace ORDER BY 1`;
    const before = await tables();
    await expect(migrate(sql)).rejects.toThrow(rejection);
    await sql`INSERT INTO migration SELECT n, 'later', 'another' FROM generate_series(2, 14) AS n`;
    await expect(migrate(sql)).rejects.toThrow(rejection);
    expect(await tables()).toMatchObject(before.map(({ relname }) => ({ relname, migrations: 14 })));
  } finally {
    await sql.end();
    await database.sql.query(`DROP DATABASE ${own} WITH (FORCE)`);
  }
});
