import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { freePort } from "../../test/support/service-process.ts";
import { type ConnectionSettings, openDatabase } from "./connection.ts";
import { checkPooler, findUnsafeSettings } from "./server.ts";

const program = process.env.PGBOUNCER ?? "/usr/sbin/pgbouncer";
const database = useDatabase();
let pooler: ChildProcess | undefined;
let directory: string | undefined;

afterEach(async () => {
  if (pooler?.exitCode === null) {
    pooler.kill("SIGKILL");
    await once(pooler, "exit");
  }
  if (directory !== undefined) await rm(directory, { recursive: true });
  [pooler, directory] = [undefined, undefined];
});

/** An account that may use the server's socket: PgBouncer does not run as root. */
async function accountFor(host: string): Promise<{ uid: number; gid: number }> {
  if (!host.startsWith("/")) return { uid: 65_534, gid: 65_534 };
  await chmod(dirname(host), 0o711);
  return stat(host);
}

/** Starts PgBouncer before the test's database. */
async function startPooler(mode: string, poolSize: number): Promise<ConnectionSettings> {
  const { host, port, user, password, database: name } = database.connection;
  directory = await mkdtemp(join(tmpdir(), "loyalty-pgbouncer-"));
  await chmod(directory, 0o755);
  const listen = await freePort();
  const file = join(directory, "pgbouncer.ini");
  // PgBouncer rejects an empty password, which a server without passwords has.
  const secret = password === "" ? "" : `password=${password} `;
  await writeFile(
    file,
    `[databases]
pooled = host=${host} port=${port} user=${user} ${secret}dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
`,
    { mode: 0o644 },
  );
  const account = process.getuid?.() === 0 ? await accountFor(host) : { uid: undefined, gid: undefined };
  pooler = spawn(program, ["-q", file], { uid: account.uid, gid: account.gid, stdio: "ignore" });
  const settings = { host: "127.0.0.1", port: listen, user: "anyone", password: "", database: "pooled" };
  const sql = openDatabase(settings, {
    connections: 1,
    statementTimeoutMilliseconds: 0,
    applicationName: "waiting for PgBouncer",
  });
  const isReady = () =>
    sql.query("SELECT 1").then(
      () => true,
      () => false,
    );
  const deadline = performance.now() + 30_000;
  while (!(await isReady())) {
    if (performance.now() > deadline) throw new Error("PgBouncer was not ready within 30 seconds");
    await sleep(25);
  }
  await sql.end();
  return settings;
}

it("takes a database without a pooler", async () => {
  await expect(checkPooler(database.connection)).resolves.toBeUndefined();
});

describe.skipIf(!existsSync(program))("PgBouncer", () => {
  it("is taken in session mode, in which statements work as without it", async () => {
    const settings = await startPooler("session", 5);
    await expect(checkPooler(settings)).resolves.toBeUndefined();
    const sql = openDatabase(settings, {
      connections: 3,
      statementTimeoutMilliseconds: 5000,
      applicationName: "pooled",
    });
    const numbers = await Promise.all(
      [1, 2, 3, 4].map((number) => sql<{ number: number }[]>`SELECT ${number}::int AS number`),
    );
    expect(numbers.flat()).toEqual([1, 2, 3, 4].map((number) => ({ number })));
    expect(await sql.begin((tx) => tx`SHOW jit`)).toEqual([{ jit: "off" }]);
    await sql.end();
  });

  it.each([1, 5])("is rejected in transaction mode, with %i connections of its own", async (poolSize) => {
    const settings = await startPooler("transaction", poolSize);
    await expect(checkPooler(settings)).rejects.toThrow("set its pool mode to session");
  });
});

it("tells of settings by which a crash takes what was acknowledged", async () => {
  const warningsWith = async (synchronous_commit: string) => {
    const sql = openDatabase(database.connection, {
      connections: 1,
      statementTimeoutMilliseconds: 10_000,
      applicationName: "lossy",
      serverSettings: { synchronous_commit },
    });
    const warnings = await findUnsafeSettings(sql);
    await sql.end();
    return warnings.filter((line) => line.includes("synchronous_commit"));
  };
  expect(await warningsWith("on")).toEqual([]);
  expect(await warningsWith("local")).toEqual([]);
  expect(await warningsWith("off")).toEqual([
    "Warning: synchronous_commit is off in this database: a crash of its machine may take what was acknowledged. " +
      "Set it to on.",
  ]);
});

it("tells of a language in which an address in capitals is another one", async () => {
  const name = `turkish_${process.pid}`;
  await database.sql.query(
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C' ENCODING 'UTF8'`,
  );
  const sql = openDatabase(
    { ...database.connection, database: name },
    { connections: 1, statementTimeoutMilliseconds: 10_000, applicationName: "turkish" },
  );
  const warnings = await findUnsafeSettings(sql);
  await sql.end();
  await database.sql.query(`DROP DATABASE ${name}`);
  expect(warnings.filter((line) => line.includes("lower case of I"))).toHaveLength(1);
  const here = await findUnsafeSettings(database.sql);
  expect(here.filter((line) => line.includes("lower case of I"))).toEqual([]);
});
