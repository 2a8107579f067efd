/** What the pool promises when its server goes away under it, and how failures are sorted. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { startDatabaseProxy } from "../../test/support/database-proxy.ts";
import { type Database, describeFault, faultOf, openDatabase, plannedOnce } from "./connection.ts";

const database = useDatabase();
const connections = 4;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

it("leaves a clean connection behind a statement that fails among others", async () => {
  const own = openDatabase(database.connection, {
    connections: 1,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "own",
  });
  const divide = (by: number) =>
    plannedOnce(own, (tx) => tx<{ quotient: number }[]>`SELECT 6 / ${by}::int AS quotient`);
  await expect(divide(0)).rejects.toMatchObject({ code: "22012" });
  expect(await own`SHOW plan_cache_mode`).toMatchObject([{ plan_cache_mode: "auto" }]);
  expect(await divide(2)).toMatchObject([{ quotient: 3 }]);
  expect(await database.sql`SELECT state FROM pg_stat_activity WHERE application_name = 'own'`).toMatchObject(
    [{ state: "idle" }],
  );
  await own.end();
});

describe("a pool whose connections are lost", () => {
  let pool: Database;
  beforeAll(() => {
    pool = openDatabase(database.connection, {
      connections,
      statementTimeoutMilliseconds: 10_000,
      applicationName: "lost",
    });
  });
  afterAll(() => pool.end({ timeout: 1 }));

  const terminate = (pid: number) => database.sql`SELECT pg_terminate_backend(${pid})`;
  const terminateAll = () =>
    database.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost'`;
  /** How many connections work at the same time; those still on their way to the server don't. */
  const atWork = async () => {
    const pids = await Promise.all(
      Array.from({ length: connections }, () =>
        pool<{ pid: number }[]>`SELECT pg_backend_pid() AS pid, pg_sleep(0.1)`.then(([row]) => row?.pid),
      ),
    );
    return new Set(pids).size;
  };
  /** A connection that is wedged or leaked would be missed for ever. */
  const expectWhole = () => expect.poll(atWork, { timeout: 10_000 }).toBe(connections);
  const pidOf = async (connection: Database) => {
    const [row] = await connection<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    return (row as { pid: number }).pid;
  };

  it("refuses what a reserved connection still wants, and is whole afterwards", async () => {
    const connection = await pool.reserve();
    await connection`BEGIN`;
    await terminate(await pidOf(connection));
    await pause(50);
    const late = await Promise.allSettled([connection`SELECT 1`, connection`ROLLBACK`]);
    connection.release();
    for (const result of late) expect(result).toMatchObject({ reason: { code: "CONNECTION_CLOSED" } });
    await expectWhole();
  });

  it("fails a transaction as a whole, in a statement or between two", async () => {
    for (const seconds of [0, 1]) {
      const transaction = pool.begin(async (tx) => {
        const [row] = await tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
        const sleeping = tx`SELECT pg_sleep(${seconds})`.catch(() => "lost");
        await pause(30);
        await terminate((row as { pid: number }).pid);
        await sleeping;
        await pause(30);
        await tx`SELECT 'reached another connection'`;
      });
      await expect(transaction).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    }
    await expectWhole();
  });

  it("settles everything under load and heals, however often all are lost", async () => {
    let working = true;
    const faults = new Set<string>();
    const run = async (work: () => Promise<unknown>) => {
      while (working) await work().catch((error: unknown) => faults.add(faultOf(error)));
    };
    const work = [
      () => pool`SELECT ${1}::int AS one`,
      () => pool.begin(async (tx) => [await tx`SELECT 1`, await tx`SELECT ${"x".repeat(2000)}`]),
      async () => {
        const connection = await pool.reserve();
        try {
          await Promise.all([connection`BEGIN`, connection`SELECT ${[1, 2]}::int[]`, connection`COMMIT`]);
        } finally {
          connection.release();
        }
      },
    ];
    const workers = Array.from({ length: 30 }, (_, index) =>
      run(work[index % work.length] as () => Promise<unknown>),
    );
    for (let round = 0; round < 20; round++) {
      await pause(20 + 7 * round);
      await terminateAll();
    }
    working = false;
    await Promise.all(workers);
    expect([...faults]).toEqual(["unavailable"]);
    await expectWhole();
  }, 60_000);
});

it("rejects while nobody listens, and connects once somebody does", async () => {
  const nowhere = openDatabase(
    { ...inject("server"), host: "127.0.0.1", port: 1 },
    { connections: 1, statementTimeoutMilliseconds: 1000, applicationName: "nowhere" },
  );
  for (let i = 0; i < 2; i++) {
    await expect(nowhere`SELECT 1`).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
    await expect(nowhere.reserve()).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
  }
  await nowhere.end({ timeout: 1 });
});

it("gives up a server that has fallen silent, for all that wait, and is whole when it speaks again", async () => {
  const proxy = await startDatabaseProxy(database.connection);
  const pool = openDatabase(proxy.connection, {
    connections: 2,
    statementTimeoutMilliseconds: 300,
    applicationName: "silent",
  });
  const wants = () => [
    pool`SELECT 1`,
    pool.begin((tx) => tx`SELECT 1`),
    pool.reserve().then((connection) => connection`SELECT 1`.finally(() => connection.release())),
  ];
  await Promise.all(wants());
  proxy.freeze();
  // More than there are connections: some wait for one.
  const results = await Promise.allSettled([...wants(), ...wants(), ...wants()]);
  for (const result of results) {
    expect(result).toMatchObject({ status: "rejected" });
    expect(faultOf((result as PromiseRejectedResult).reason)).toBe("unavailable");
  }
  proxy.giveBack();
  await expect.poll(() => Promise.all(wants()).then(() => "whole"), { timeout: 10_000 }).toBe("whole");
  // A statement that is only slow is the server's to end, and nothing else is lost by it.
  await expect(pool`SELECT pg_sleep(1)`).rejects.toMatchObject({ code: "57014" });
  await pool.end({ timeout: 1 });
  await proxy.close();
}, 60_000);

it("lets go of its idle connections too when the server has fallen silent", async () => {
  const proxy = await startDatabaseProxy(database.connection);
  const pool = openDatabase(proxy.connection, {
    connections: 8,
    statementTimeoutMilliseconds: 300,
    applicationName: "idle",
  });
  await Promise.all(Array.from({ length: 8 }, () => pool`SELECT pg_sleep(0.1)`));
  const established = () =>
    database.sql`SELECT FROM pg_stat_activity WHERE application_name = 'idle'`.then((rows) => rows.length);
  expect(await established()).toBe(8);
  proxy.freeze();
  await expect(pool`SELECT 1`).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await expect.poll(established, { timeout: 10_000 }).toBe(0);
  proxy.giveBack();
  expect(await pool`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  await pool.end({ timeout: 1 });
  await proxy.close();
}, 60_000);

describe("several hosts", () => {
  const open = (...ports: readonly number[]) => {
    const { user, password, database: name } = database.connection;
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
    return openDatabase(`postgres://${user}:${encodeURIComponent(password)}@${hosts}/${name}`, {
      connections: 2,
      statementTimeoutMilliseconds: 1000,
      applicationName: "hosts",
    });
  };

  it("are tried one after the other, whichever is there", async () => {
    const proxy = await startDatabaseProxy(database.connection);
    const port = Number(proxy.connection.port);
    for (const pool of [open(1, port), open(port, 1)]) {
      expect(await Promise.all([pool`SELECT 1 AS one`, pool`SELECT 1 AS one`])).toEqual([
        [{ one: 1 }],
        [{ one: 1 }],
      ]);
      await pool.end({ timeout: 1 });
    }
    await proxy.close();
  });

  it("reject while none is there", async () => {
    const pool = open(1, 2);
    await expect(pool`SELECT 1`).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
    await expect(pool.reserve()).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
    await pool.end({ timeout: 1 });
  });
});

it("reads bigint as a safe integer or not at all, and times as the server wrote them", async () => {
  const [row] = await database.sql`
    SELECT 9007199254740991::bigint AS largest, '2026-01-02 03:04:05.123456+00'::timestamptz AS at`;
  expect(row).toEqual({ largest: Number.MAX_SAFE_INTEGER, at: "2026-01-02 03:04:05.123456+00" });
  await expect(database.sql`SELECT 9007199254740992::bigint`).rejects.toThrow("not a safe integer");
});

it("sees what others have committed, whatever the database's default is", async () => {
  const [row] = await database.sql`
    SELECT setting, source FROM pg_settings WHERE name = 'default_transaction_isolation'`;
  expect(row).toEqual({ setting: "read committed", source: "client" });
});

it("sorts failures by what can be done about them", () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });
  for (const code of ["40001", "40P01", "0A000", "26000"]) {
    expect([code, faultOf(failure(code))]).toEqual([code, "retry"]);
  }
  expect(faultOf(failure("23505"))).toBe("conflict");
  for (const code of ["57P01", "57014", "08006", "ECONNREFUSED", "CONNECTION_CLOSED", "53300", "53400"]) {
    expect([code, faultOf(failure(code))]).toEqual([code, "unavailable"]);
  }
  for (const code of ["ENETUNREACH", "EAI_AGAIN", "EMFILE", "EADDRNOTAVAIL"]) {
    const lost = Object.assign(failure(code), { syscall: "connect" });
    expect([code, faultOf(lost)]).toEqual([code, "unavailable"]);
  }
  expect([faultOf(failure("23514")), faultOf(new Error("no code")), faultOf("text")]).toEqual([
    "other",
    "other",
    "other",
  ]);
});

it("describes a failure without the values that a server quotes", async () => {
  const quoted = await database.sql`SELECT ${"Ana López"}::text::int`.catch((error: unknown) => error);
  const row = await database.sql`
    INSERT INTO location (business_id, name) VALUES (-1, 'Ana López')`.catch((error: unknown) => error);
  expect(String(quoted)).toContain("Ana López");
  expect(describeFault(quoted)).toMatchObject({ code: "22P02", stack: expect.stringContaining(" at ") });
  expect(describeFault(row)).toMatchObject({ code: "23503", stack: expect.stringContaining(" at ") });
  expect(JSON.stringify([describeFault(quoted), describeFault(row)])).not.toContain("Ana");
  expect(describeFault("text")).toEqual({ message: "text" });
});
