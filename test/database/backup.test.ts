/** Backups: made while the database is written to, restored elsewhere, and compared. */
import { randomBytes } from "node:crypto";
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type BackupOptions, makeBackup } from "../../src/backup/make.ts";
import { listBackups, type Manifest, summaryOf, verifyBackup } from "../../src/backup/manifest.ts";
import { type RestoreOptions, restoreBackup } from "../../src/backup/restore.ts";
import type { DemoFile } from "../../src/data-directory.ts";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { migrate, tablesOfMigrations } from "../../src/database/migrate.ts";
import { useDatabase } from "../support/database.ts";
import { useInstallation } from "../support/installation.ts";
import { placeOf } from "../support/places.ts";
import { post, readDemo, type ServiceProcess, startService, tokenOf } from "../support/service-process.ts";
import { tableDigests } from "../support/table-digests.ts";
import { untilServed } from "../support/world.ts";

const installation = useInstallation();
const { signal } = new AbortController();
let directory: string;
let data: string;
let backup: string;
let service: ServiceProcess | undefined;
/** What was acknowledged before the backup began: responses by idempotency key. */
const acknowledged = new Map<string, unknown>();

const quiet = { signal, onProgress: () => undefined, onRows: () => undefined, productVersion: "1.2.3" };
const backUp = (target: string, dataDirectory = data, options: Partial<BackupOptions> = {}) =>
  makeBackup({ ...quiet, dataDirectory, databaseUrl: undefined, target, ...options });
const restore = (source: string, dataDirectory: string, options: Partial<RestoreOptions> = {}) =>
  restoreBackup({ ...quiet, source, dataDirectory, databaseUrl: undefined, isCopy: false, ...options });

const server = useDatabase();
const databases: string[] = [];

/** Makes an empty database. @returns its URL, and a pool of connections to it */
async function emptyDatabase(): Promise<{ databaseUrl: string; sql: Database }> {
  const name = `loyalty_${randomBytes(6).toString("hex")}`;
  await server.sql.query(`CREATE DATABASE ${name}`);
  databases.push(name);
  const { databaseUrl } = placeOf({ connection: { ...server.connection, database: name } });
  const pool = { connections: 2, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" };
  return { databaseUrl, sql: openDatabase(databaseUrl, pool) };
}

async function start(dataDirectory: string): Promise<{ demo: DemoFile; baseUrl: string }> {
  service = startService({
    directory: installation.directory,
    environment: { LOYALTY_DATA_DIR: dataDirectory, LOYALTY_RATE_LIMIT: "0" },
  });
  const baseUrl = await service.ready();
  return { demo: await readDemo(dataDirectory), baseUrl };
}

async function stop(): Promise<void> {
  await service?.stop();
  service = undefined;
}

async function creditsIn(baseUrl: string, token: string): Promise<number> {
  const filter = { event_types: ["reward_points_adjustment"] };
  return (await post(`${baseUrl}/sp/transactions/list`, filter, token)).body.meta.pagination.total;
}

const credit = (demo: DemoFile, nth: number) => ({
  idempotency_key: `credit-${nth}`,
  contact_id: demo.contact_ids[nth % demo.contact_ids.length],
  points: 1 + (nth % 7),
  adjustment_type: "credit",
  reference_id: `credit-${nth}`,
});

/** Credits points from several callers at once, until it is told to stop. */
function startCredits(demo: DemoFile, baseUrl: string, token: string) {
  let going = true;
  let next = 0;
  const responses = new Map<string, unknown>();
  const work = async () => {
    while (going) {
      const body = credit(demo, next++);
      const reply = await untilServed(() => post(`${baseUrl}/sp/reward-points/adjust`, body, token));
      expect(reply.status).toBe(200);
      responses.set(body.idempotency_key, reply.body);
    }
  };
  const callers = Array.from({ length: 3 }, work);
  return {
    responses,
    async stop() {
      going = false;
      await Promise.all(callers);
    },
  };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-backup-"));
  await chmod(directory, 0o755);
  data = await installation.dataDirectory(directory);
  backup = join(directory, "backup");
  const { demo, baseUrl } = await start(data);
  const credits = startCredits(demo, baseUrl, await tokenOf(demo, baseUrl));
  await vi.waitUntil(() => credits.responses.size > 200, { timeout: 60_000 });
  for (const [key, response] of credits.responses) acknowledged.set(key, response);
  await backUp(backup);
  // The load went on while the files were copied, or the backup would show nothing.
  expect(credits.responses.size).toBeGreaterThan(acknowledged.size);
  await credits.stop();
  await stop();
});
afterAll(async () => {
  await stop();
  for (const name of databases) await server.sql.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await rm(directory, { recursive: true, force: true });
});

it("brings back all that was acknowledged before, in a ledger without a fault, and knows its keys", async () => {
  const restored = join(directory, "restored");
  await restore(backup, restored);
  const { demo, baseUrl } = await start(restored);
  const operatorKey = (await readFile(join(restored, "operator.key"), "utf8")).trim();
  const { business_id } = demo;
  for (const part of ["accounts", "points", "entries", "entry_counts", "member_counts", "reports"]) {
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await post(`${baseUrl}/op/ledger/verify`, { business_id, part, after }, operatorKey);
      expect(body).toMatchObject({ success: true, data: { mismatch_count: 0 } });
      after = body.data.next;
    }
  }
  // The key that signs tokens came with it.
  const token = await tokenOf(demo, baseUrl);
  const total = await creditsIn(baseUrl, token);
  for (const [key, response] of acknowledged) {
    const again = await post(
      `${baseUrl}/sp/reward-points/adjust`,
      credit(demo, Number(key.slice("credit-".length))),
      token,
    );
    expect(again.body).toEqual(response);
  }
  // Had one been lost, it would have been done anew.
  expect(await creditsIn(baseUrl, token)).toBe(total);
  await stop();
});

it("is remembered in the database of a running service, but an export of a business is not", async () => {
  const { databaseUrl, sql } = await emptyDatabase();
  await migrate(sql);
  await sql`INSERT INTO installation (cell, secret_check) VALUES (0, '')`;
  const [{ business_id } = { business_id: 0 }] = await sql<{ business_id: number }[]>`
    INSERT INTO business (name, currency, currency_decimals) VALUES ('One', 'EUR', 2) RETURNING business_id`;
  const isRemembered = async () =>
    (await sql<{ known: boolean }[]>`SELECT backed_up_at IS NOT NULL AS known FROM installation`)[0]?.known;
  await backUp(join(directory, "one-business"), data, { databaseUrl, businessId: business_id });
  expect(await isRemembered()).toBe(false);
  await backUp(join(directory, "remembered"), data, { databaseUrl });
  expect(await isRemembered()).toBe(true);
  await sql.end();
});

it("is readable by its owner only", async () => {
  const modeOf = async (path: string) => (await stat(join(backup, path))).mode & 0o777;
  expect(await modeOf(".")).toBe(0o700);
  const names = await readdir(backup);
  expect(names).toEqual(expect.arrayContaining(["backup.json", "secret", "operator.key", "demo.json"]));
  for (const name of names) expect(await modeOf(name)).toBe(0o600);
  expect((await readdir(directory)).filter((name) => name.includes(".part"))).toEqual([]);
});

it("says which secrets it does not have", async () => {
  const restored = join(directory, "restored");
  await rm(join(restored, "secret"));
  const { manifest } = await backUp(join(directory, "backup-partial"), restored);
  expect(summaryOf(manifest).missing).toEqual(["secret"]);
});

it("overwrites nothing", async () => {
  await expect(backUp(backup)).rejects.toThrow(/is not empty/);
  await expect(backUp(join(data, "backup"))).rejects.toThrow(/lies in the data directory/);
  await expect(restore(backup, data)).rejects.toThrow(/is not empty \(.*LOYALTY_DATA_DIR/);
  const taken = join(directory, "taken");
  await mkdir(taken);
  await writeFile(join(taken, "notes.txt"), "mine");
  await expect(restore(backup, taken)).rejects.toThrow(/is not empty \(notes\.txt\)/);
  expect(await readdir(taken)).toEqual(["notes.txt"]);
});

it("rejects a directory that is not a backup, a missing database, and other formats", async () => {
  await expect(restore(directory, join(directory, "x1"))).rejects.toThrow(/is not a backup/);
  await expect(backUp(join(directory, "x2"), join(directory, "nothing"))).rejects.toThrow(
    /holds no database/,
  );
  const empty = await emptyDatabase();
  await expect(backUp(join(directory, "x4"), data, empty)).rejects.toThrow(/holds no tables/);
  await empty.sql.end();
  const faults: [object, RegExp][] = [
    [{ format: 2 }, /another format: use the release of the service that made it/],
    [{ schema_version: 9999 }, /newer than this build's/],
    [{ schema_digest: undefined }, /backup\.json is damaged: .*schema_digest.*Use another backup/],
    [{ schema_digest: "0".repeat(64) }, /The backup was made with other migrations/],
    [{ files: [{ path: "secret" }] }, /backup\.json is damaged: files\.0/],
    [{ notes: "mine" }, /backup\.json is damaged: .*Use another backup/],
    ...["../x", "/etc/x", "a/../../x", "a//b", ".."].map((path): [object, RegExp] => [
      { files: [{ path, size: 0, sha256: "0".repeat(64) }] },
      /don't trust it/,
    ]),
  ];
  for (const [changes, message] of faults) {
    await withManifest(changes, async () => {
      await expect(restore(backup, join(directory, "x3"))).rejects.toThrow(message);
    });
  }
  await expectNothingIn(join(directory, "x3"));
});

it("notices a file that was changed, cut off or lost, and then restores nothing", async () => {
  await verifyBackup(backup, signal);
  const file = join(backup, "ledger_entry.copy.gz");
  const content = await readFile(file);
  const target = join(directory, "damaged");
  const damages: [() => Promise<void>, RegExp][] = [
    [() => appendFile(file, "x"), /ledger_entry.* has changed/],
    [() => writeFile(file, Buffer.from(content).fill(1, 10, 11)), /ledger_entry.* has changed/],
    [() => rm(file), /ledger_entry.* is missing/],
  ];
  for (const [damage, message] of damages) {
    await damage();
    await expect(verifyBackup(backup, signal)).rejects.toThrow(message);
    await expect(restore(backup, target)).rejects.toThrow(message);
    await writeFile(file, content);
  }
  await expect(readdir(target)).rejects.toThrow(/ENOENT/);
});

it("leaves nothing behind when it fails or is given up", async () => {
  const { databaseUrl, sql } = await emptyDatabase();
  const target = join(directory, "failed");
  const giveUp = (at: string) => {
    const controller = new AbortController();
    const onProgress = (line: string) => line.startsWith(at) && controller.abort();
    return { signal: controller.signal, onProgress: onProgress as (line: string) => void };
  };
  await expect(backUp(target, data, giveUp("Copying"))).rejects.toThrow(/abort/i);
  expect((await readdir(directory)).filter((name) => name.startsWith("failed"))).toEqual([]);
  for (const step of ["Checking", "Loading", "Creating indexes"]) {
    await expect(restore(backup, target, { databaseUrl, ...giveUp(step) })).rejects.toThrow(/abort/i);
  }
  await expect(restore(backup, target, giveUp("Loading"))).rejects.toThrow(/abort/i);
  const { files } = JSON.parse(await readFile(join(backup, "backup.json"), "utf8")) as Manifest;
  const fewer = files.map((file) => (file.path.startsWith("member.") ? { ...file, rows: 1 } : file));
  await withManifest({ files: fewer }, async () => {
    await expect(restore(backup, target, { databaseUrl })).rejects.toThrow(/member.* rows instead of 1/);
  });
  await expectNothingIn(target);
  expect(await tableDigests(sql)).toEqual({});
  await sql.end();
});

it("can be made while the service is stopped, and moves the data to your own PostgreSQL and back", async () => {
  const { databaseUrl, sql } = await emptyDatabase();
  const other = await emptyDatabase();
  const stopped = join(directory, "backup-stopped");
  const made = await backUp(stopped);
  expect(summaryOf(made.manifest).missing).toEqual([]);
  expect((await restore(stopped, data, { databaseUrl })).manifest).toEqual(made.manifest);
  const credits = await sql`SELECT FROM ledger_entry WHERE reference_id LIKE 'credit-%'`;
  expect(credits.length).toBeGreaterThan(acknowledged.size);
  const digests = await tableDigests(sql, ["migration"]);
  // Migrations drop tables, too: those that are there must all be known.
  expect(await tablesOfMigrations()).toEqual(expect.arrayContaining(Object.keys(digests)));
  // A table that is not the service's stays where it is.
  await sql`CREATE TABLE notes (note text)`;
  const out = join(directory, "from-own");
  // The secret in a data directory beside DATABASE_URL is not that of its service.
  expect(summaryOf((await backUp(out, data, { databaseUrl })).manifest).missing).toEqual(["secret"]);
  await restore(out, data, { databaseUrl: other.databaseUrl });
  expect(await tableDigests(other.sql, ["migration"])).toEqual(digests);
  await restore(out, join(directory, "embedded-again"));

  const schemaOf = async (sql: Database) =>
    sql`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' UNION ALL
      SELECT conrelid::regclass || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid > 0 ORDER BY 1`;
  const fresh = await emptyDatabase();
  await migrate(fresh.sql);
  expect(await schemaOf(other.sql)).toEqual(await schemaOf(fresh.sql));
  const insert = (sql: Database) => sql<{ id: number }[]>`
    INSERT INTO business (name, currency, currency_decimals) VALUES ('Next', 'EUR', 2) RETURNING business_id AS id`;
  expect(await insert(other.sql)).toEqual(await insert(sql));
  await expect(restore(backup, data, { databaseUrl })).rejects.toThrow(/is not empty/);
  await Promise.all([sql, other.sql, fresh.sql].map((pool) => pool.end()));
});

it("lets webhook endpoints go on, but not those of a copy", async () => {
  const { databaseUrl, sql } = await emptyDatabase();
  await migrate(sql);
  const [business] = await sql<{ id: number }[]>`
    INSERT INTO business (name, currency, currency_decimals) VALUES ('Next', 'EUR', 2) RETURNING business_id AS id`;
  await sql`
    INSERT INTO webhook_endpoint
      (business_id, url, types, status, disabled_reason, failing_since, cursor_event_no, leased_by, leased_until)
    SELECT ${business?.id ?? 0}, 'https://example.com', '{*}', status, reason, since, 7, 'a process', now()
    FROM (VALUES ('enabled', NULL, NULL), ('failing', NULL, now()), ('disabled', 'requested', NULL))
      AS given (status, reason, since)`;
  const source = join(directory, "webhooks");
  await backUp(source, data, { databaseUrl });
  for (const isCopy of [false, true]) {
    const restored = await emptyDatabase();
    const { endpoints } = await restore(source, data, { databaseUrl: restored.databaseUrl, isCopy });
    expect(endpoints).toBe(isCopy ? 0 : 2);
    const states = await restored.sql`
      SELECT status, disabled_reason, cursor_event_no FROM webhook_endpoint ORDER BY endpoint_id`;
    const copied = { status: "disabled", disabled_reason: "copied", cursor_event_no: 7 };
    expect(states).toMatchObject([
      isCopy ? copied : { status: "enabled" },
      isCopy ? copied : { status: "failing" },
      { status: "disabled", disabled_reason: "requested" },
    ]);
    await restored.sql.end();
  }
  await sql.end();
});

it("keeps the newest backups, and removes nothing else", async () => {
  const { databaseUrl, sql } = await emptyDatabase();
  await migrate(sql);
  const folder = join(directory, "kept");
  await mkdir(join(folder, "notes"), { recursive: true });
  for (const name of ["c", "b", "a"]) await backUp(join(folder, name), data, { databaseUrl });
  expect((await listBackups(folder)).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  const made = await backUp(join(folder, "d"), data, { databaseUrl, keep: 2 });
  expect(made.removed).toEqual(["b", "c"]);
  expect((await readdir(folder)).sort()).toEqual(["a", "d", "notes"]);
  await sql.end();
});

async function expectNothingIn(dataDirectory: string): Promise<void> {
  expect((await readdir(dataDirectory)).filter((name) => !name.startsWith("postgres.lock"))).toEqual([]);
}

/** Changes the manifest for a while. */
async function withManifest(changes: object, check: () => Promise<void>): Promise<void> {
  const file = join(backup, "backup.json");
  const original = await readFile(file, "utf8");
  await writeFile(file, JSON.stringify({ ...JSON.parse(original), ...changes }));
  await check().finally(() => writeFile(file, original));
}
