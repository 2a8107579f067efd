/** Later releases on the data of this one. A later release is this build with more migrations. */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, it } from "vitest";
import { useDatabase } from "../support/database.ts";
import { useInstallation } from "../support/installation.ts";
import { post, readDemo, type ServiceProcess, startService, tokenOf } from "../support/service-process.ts";
import { tableDigests } from "../support/table-digests.ts";
import { testOperatorKey, testSecret } from "../support/world.ts";

const execute = promisify(execFile);
const database = useDatabase();
const installation = useInstallation();
const migrations = () => join(installation.directory, "migrations");
const second = () => join(migrations(), "0002_notes.sql");
const running = new Set<ServiceProcess>();

afterEach(async () => {
  await Promise.all([...running].map((service) => service.stop()));
  running.clear();
  await rm(second(), { force: true });
});

function start(environment: Record<string, string>): ServiceProcess {
  const service = startService({ directory: installation.directory, environment });
  running.add(service);
  return service;
}

/** A service on the database of this file. */
function startOnDatabase(): ServiceProcess {
  const { host, port, user, password, database: name } = database.connection;
  return start({
    DATABASE_URL: `postgres:///${name}?host=${encodeURIComponent(String(host))}`,
    PGUSER: String(user),
    PGPASSWORD: String(password ?? ""),
    PGPORT: String(port),
    LOYALTY_SECRET: testSecret,
    LOYALTY_OPERATOR_KEY: testOperatorKey,
    LOYALTY_DEMO: "off",
  });
}

/** Starts a service that must not start. @returns what it said */
async function rejection(service: ServiceProcess): Promise<string> {
  expect(await service.ended()).toBe(1);
  return service.said;
}

const run = (words: readonly string[], environment: Record<string, string>) =>
  execute(process.execPath, [join(installation.directory, "dist/cli/main.js"), ...words], {
    env: { PATH: String(process.env.PATH), ...environment },
    cwd: installation.directory,
  });

it("migrates the data of the release before, and restores its backups; that release then rejects the data", async () => {
  const data = await installation.dataDirectory(installation.directory);
  const environment = { LOYALTY_DATA_DIR: data };
  const backup = join(installation.directory, "kept/backup");
  const credit = async (baseUrl: string) => {
    const demo = await readDemo(data);
    const [contact_id] = demo.contact_ids;
    const body = { contact_id, adjustment_type: "credit", points: 5, idempotency_key: "before" };
    return (await post(`${baseUrl}/sp/reward-points/adjust`, body, await tokenOf(demo, baseUrl))).body;
  };
  const first = start(environment);
  const credited = await credit(await first.ready());
  expect(credited.success).toBe(true);
  await first.stop();
  await run(["backup", backup], environment);

  await writeFile(
    second(),
    "CREATE TABLE notes (business_id bigint PRIMARY KEY, note text NOT NULL DEFAULT 'none');\n" +
      "INSERT INTO notes (business_id) SELECT business_id FROM business;\n",
  );
  const restored = { LOYALTY_DATA_DIR: join(installation.directory, "restored") };
  await run(["restore", backup], restored);
  const later = start(environment);
  expect((await credit(await later.ready())).data).toEqual(credited.data);
  expect(later.said).toContain("Migrated the database: 0002_notes.sql");
  await run(["verify"], environment);
  await later.stop();
  const onRestored = start(restored);
  await onRestored.ready();
  expect(onRestored.said).not.toContain("Migrated");
  await onRestored.stop();

  await rm(second());
  const message =
    /The database has schema version 2, newer than this build's 1: start the build that migrated it/;
  expect(await rejection(start(environment))).toMatch(message);
});

it("rejects the database of other migrations, and leaves it as it is", async () => {
  const name = join(migrations(), "0001_first_release.sql");
  const released = await readFile(name, "utf8");
  try {
    await writeFile(name, `${released}-- A comment.\n`);
    const same = startOnDatabase();
    await same.ready();
    await same.stop();
    const before = await tableDigests(database.sql);
    await writeFile(name, `${released}CREATE TABLE note (business_id bigint);\n`);
    const said = await rejection(startOnDatabase());
    expect(said).toMatch(/^The database was made with other migrations .*Use the build that made it\.$/m);
    expect(await tableDigests(database.sql)).toEqual(before);
  } finally {
    await writeFile(name, released);
  }
});

it("rejects a breaking migration while a service is connected, and applies it after", async () => {
  const old = startOnDatabase();
  const ready = new URL("/health/ready", await old.ready());
  // It is ready only if the database responds within two seconds.
  const isReady = () => expect.poll(async () => (await fetch(ready)).status).toBe(200);
  // A service connects when it first needs the database.
  await isReady();
  await writeFile(
    second(),
    "-- Breaking: it takes a column away.\nALTER TABLE voucher DROP COLUMN archived;\n",
  );
  expect(await rejection(startOnDatabase())).toMatch(
    /An earlier release .* 0002_notes\.sql: stop all its processes first\.$/m,
  );
  await isReady();
  expect(await database.sql`SELECT version FROM migration`).toEqual([{ version: 1 }]);
  await old.stop();
  const later = startOnDatabase();
  await later.ready();
  expect(later.said).toContain("Migrated the database: 0002_notes.sql");
});
