/** What the pool promises when its server goes away under it, and how failures are sorted. */
import { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../test/support/database-proxy.ts";
import { type Connection, type Database, openDatabase, withCustomPlans } from "./connection.ts";
import { describeFault, faultOf } from "./faults.ts";
import { type Host, HostList, targetOf } from "./target.ts";

const database = useDatabase();
const connections = 4;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const open = (connections: number, applicationName: string, more: object = {}): Database =>
  openDatabase(database.connection, {
    connections,
    statementTimeoutMilliseconds: 10_000,
    applicationName,
    ...more,
  });
const pidOf = async (connection: Connection) => {
  const [row] = await connection<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return (row as { pid: number }).pid;
};
/** Ends a connection, and waits until its process has ended. */
const terminate = (pid: number) => database.sql`SELECT pg_terminate_backend(${pid}, 60000)`;

it("sets on each connection what statements rely on", async () => {
  const settings = await database.sql`
    SELECT name, setting FROM pg_settings WHERE source = 'session' OR name = 'jit' ORDER BY name`;
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toMatchObject({
    client_min_messages: "warning",
    default_transaction_isolation: "read committed",
    enable_seqscan: "off",
    idle_in_transaction_session_timeout: "30000",
    jit: "off",
    max_parallel_workers_per_gather: "0",
    plan_cache_mode: "force_generic_plan",
  });
});

it("plans for the parameters where it is asked to, and only there", async () => {
  const modes = await database.sql.begin(async (tx) => {
    const inside = await withCustomPlans(tx, () => tx`SHOW plan_cache_mode`);
    return [inside[0], (await tx`SHOW plan_cache_mode`)[0]];
  });
  expect(modes).toEqual([
    { plan_cache_mode: "force_custom_plan" },
    { plan_cache_mode: "force_generic_plan" },
  ]);
});

describe("a transaction", () => {
  it("is rolled back when its work throws, whatever was sent without waiting", async () => {
    const pool = open(1, "rolled back");
    await pool`CREATE TEMPORARY TABLE kept (number integer)`;
    const failing = pool.begin(async (tx) => {
      tx`INSERT INTO kept VALUES (1)`.catch(() => undefined);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await pool`SELECT * FROM kept`).toEqual([]);
    await pool.end();
  });

  it("is not committed when one of its statements could not be sent", async () => {
    const pool = open(1, "incomplete");
    await pool`CREATE TEMPORARY TABLE kept (number integer)`;
    const incomplete = pool.begin((tx) =>
      Promise.allSettled([
        tx`INSERT INTO kept VALUES (1)`,
        tx`INSERT INTO kept VALUES (${undefined as never})`,
      ]),
    );
    await expect(incomplete).rejects.toThrow("could not be sent");
    expect(await pool`SELECT * FROM kept`).toEqual([]);
    await pool.end();
  });

  it("fails when its work swallowed a failure: the server rolls it back at COMMIT", async () => {
    const swallowing = database.sql.begin((tx) => tx`SELECT 1 / 0`.catch(() => "swallowed"));
    await expect(swallowing).rejects.toThrow("division by zero");
  });

  it("fails with its first failure, in whatever order its work sees them", async () => {
    const failing = database.sql.begin(async (tx) => {
      const first = tx`SELECT 1 / 0`;
      await Promise.all([(async () => await (async () => await first)())(), tx`SELECT 1`, tx`SELECT 2`]);
    });
    await expect(failing).rejects.toThrow("division by zero");
  });

  it("fails with the failure after one that was undone", async () => {
    const failing = database.sql.begin(async (tx) => {
      await tx`SAVEPOINT trial`;
      await tx`SELECT 1 / 0`.catch(() => undefined);
      await tx`ROLLBACK TO SAVEPOINT trial`;
      await Promise.all([tx`SELECT 'no number'::int`.catch(() => undefined), tx`SELECT 1`]);
    });
    await expect(failing).rejects.toThrow("invalid input syntax");
  });

  it("runs no statement outside of itself", async () => {
    const pool = open(1, "ended");
    let kept: Connection | undefined;
    await pool.begin(async (tx) => {
      kept = tx;
    });
    const late = await (kept as Connection)`SELECT 1`.catch(faultOf);
    expect(late).toBe("unavailable");
    await pool.end();
  });
});

it("pipelines statements that are sent without waiting, and fails only the one that fails", async () => {
  const pool = open(1, "pipelined");
  const session = await pool.reserve();
  const number = (value: unknown) => session<{ number: number }[]>`SELECT ${value as number}::int AS number`;
  const sent = [number(1), number("no number"), number(undefined), number({ no: 1 }), number(2)];
  expect(await Promise.allSettled(sent)).toMatchObject([
    { value: [{ number: 1 }] },
    { reason: { code: "22P02" } },
    { reason: { message: "a parameter of a statement is undefined" } },
    { reason: { code: "22P02" } },
    { value: [{ number: 2 }] },
  ]);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  await expect(number(circular)).rejects.toThrow(TypeError);
  await expect(number(Promise.resolve())).rejects.toThrow("make it a fragment");
  expect(await number(3)).toEqual([{ number: 3 }]);
  session.release();
  await pool.end();
});

it("does not acknowledge a commit that the server has warned of, and discards the connection", async () => {
  const pool = open(1, "in doubt");
  // The server warns during COMMIT when it stops waiting for a standby. A deferred trigger warns as well.
  const setUp = `
    CREATE TEMPORARY TABLE replicated (number integer);
    CREATE FUNCTION pg_temp.warn() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON replicated DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION pg_temp.warn()`;
  const session = await pool.reserve();
  await session.query(setUp);
  const pid = await pidOf(session);
  await session.begin();
  await session`INSERT INTO replicated VALUES (1)`;
  const outcome = await session.commit().catch((error: Error) => error);
  expect(outcome).toMatchObject({ code: "COMMIT_IN_DOUBT" });
  expect(faultOf(outcome)).toBe("unavailable");
  session.release();
  expect(await pidOf(pool)).not.toBe(pid);
  // A warning before the commit is none of it.
  await pool.begin((tx) => tx.query("DO $$ BEGIN RAISE WARNING 'something else'; END $$"));
  await pool.end();
});

it("lets nothing through once it is given back, and gives the next user their own rows", async () => {
  const pool = open(1, "given back");
  const session = await pool.reserve();
  const number = (tx: Connection, value: number) => tx`SELECT ${value}::int AS number`;
  const sent = [number(session, 1), number(session, 2)];
  session.release();
  session.release();
  const next = [number(session, 3), number(pool, 4), number(pool, 5)];
  expect(await Promise.allSettled([...sent, ...next])).toMatchObject([
    { value: [{ number: 1 }] },
    { value: [{ number: 2 }] },
    { reason: { code: "CONNECTION_LOST" } },
    { value: [{ number: 4 }] },
    { value: [{ number: 5 }] },
  ]);
  await pool.end();
});

it("keeps rows that came before a failure out of the next result", async () => {
  const pool = open(1, "cut short");
  const rows = pool`SELECT 100 / (5 - number) AS quotient FROM generate_series(1, 9) AS number`;
  await expect(rows).rejects.toMatchObject({ code: "22012" });
  expect(await pool`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  await pool.end();
});

it("has both sides notice a peer that is gone", async () => {
  const keepAlive = vi.spyOn(Socket.prototype, "setKeepAlive");
  const noDelay = vi.spyOn(Socket.prototype, "setNoDelay");
  const pool = open(1, "alive");
  // Over a Unix socket, the server reports 0 for these.
  const isRemote = (await pool`SELECT inet_client_addr()::text AS address`)[0]?.address !== null;
  expect(keepAlive.mock.calls).toEqual([[true, 15_000]]);
  expect(noDelay.mock.calls).toEqual([[true]]);
  vi.restoreAllMocks();
  const settings = await pool`
    SELECT current_setting('tcp_keepalives_idle') AS idle, current_setting('tcp_keepalives_interval') AS interval,
      current_setting('tcp_keepalives_count') AS count`;
  expect(settings).toEqual([
    isRemote ? { idle: "15", interval: "5", count: "3" } : { idle: "0", interval: "0", count: "0" },
  ]);
  await pool.end();
});

it("rejects when no connection becomes free in time, and stays with its host", async () => {
  const [host] = targetOf(database.connection) as [Host];
  // Nothing listens on the second host's port: a pool that moved on would have to find its way back.
  const hosts = new HostList([host, { ...host, port: 1 }]);
  const settings = { connections: 1, statementTimeoutMilliseconds: 10_000, applicationName: "busy" };
  const pool = openDatabase(hosts, settings);
  const session = await pool.reserve();
  await expect(pool`SELECT 1`).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
  expect(hosts.current).toBe(host);
  session.release();
  expect(await pool`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  await pool.end();
});

it("lets a pool end although its connection is lost meanwhile", async () => {
  const pool = open(2, "losing");
  const session = await pool.reserve();
  const pid = await pidOf(session);
  const ended = pool.end();
  await terminate(pid);
  await expect(session`SELECT 1`).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
  session.release();
  await ended;
});

it("discards a connection with a plan that no longer fits, and goes on with another one", async () => {
  await database.sql`CREATE TABLE shifting AS SELECT 1 AS value`;
  const pool = open(1, "shifting");
  const shifting = () => pool`SELECT value FROM shifting WHERE value < ${100}`;
  await shifting();
  await database.sql`ALTER TABLE shifting ALTER COLUMN value TYPE bigint`;
  await expect(shifting()).rejects.toSatisfy((error) => faultOf(error) === "retry");
  expect(await shifting()).toEqual([{ value: 1 }]);
  await pool.end();
});

it("gives each caller of a shared connection its own rows, and survives its loss", async () => {
  const pool = open(1, "shared", { shared: true, statementTimeoutMilliseconds: 60_000 });
  const number = (value: number) => pool<{ number: number }[]>`SELECT ${value}::int AS number`;
  const numbers = Array.from({ length: 50 }, (_, value) => value);
  expect((await Promise.all(numbers.map(number))).flat()).toEqual(
    numbers.map((value) => ({ number: value })),
  );
  const pid = await pidOf(pool);
  expect(await pidOf(pool)).toBe(pid);
  const lost = pool`SELECT pg_sleep(60)`.catch(faultOf);
  await terminate(pid);
  expect(await lost).toBe("unavailable");
  expect(await number(1)).toEqual([{ number: 1 }]);
  expect(await pidOf(pool)).not.toBe(pid);
  await pool.end();
});

it("shares no connection that the server has closed since it was used", async () => {
  const pool = open(1, "closed", { shared: true });
  for (let round = 0; round < 3; round += 1) {
    await terminate(await pidOf(pool));
    // The server has closed it before this response.
    await pidOf(database.sql);
    await pause(50);
    expect(await pool`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  }
  await pool.end();
});

it("leaves no connection open behind a pool that has ended", async () => {
  const pool = open(1, "ending");
  const statements = [pool`SELECT pg_sleep(0.05)`, pool`SELECT 1`].map((sent) => sent.catch(() => undefined));
  await pause(10);
  await pool.end();
  await Promise.all(statements);
  const left = () => database.sql`SELECT FROM pg_stat_activity WHERE application_name = 'ending'`;
  await expect.poll(async () => (await left()).length).toBe(0);
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
  afterAll(() => pool.end());

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
  const expectWhole = () => expect.poll(atWork).toBe(connections);
  it("rejects what a reserved connection still wants, and is whole afterwards", async () => {
    const connection = await pool.reserve();
    await connection`BEGIN`;
    await terminate(await pidOf(connection));
    const late = await Promise.allSettled([connection`SELECT 1`, connection`ROLLBACK`]);
    connection.release();
    for (const result of late) expect(result).toMatchObject({ reason: { code: "CONNECTION_LOST" } });
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
      await expect(transaction).rejects.toMatchObject({ code: "CONNECTION_LOST" });
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
  });
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
  await nowhere.end();
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
  // A busy server may take longer than that.
  const expectWhole = () => expect.poll(() => Promise.all(wants()).then(() => "whole")).toBe("whole");
  await expectWhole();
  proxy.setNetwork("silent");
  // More than there are connections: some wait for one.
  const results = await Promise.allSettled([...wants(), ...wants(), ...wants()]);
  for (const result of results) {
    expect(result).toMatchObject({ status: "rejected" });
    expect(faultOf((result as PromiseRejectedResult).reason)).toBe("unavailable");
  }
  proxy.setNetwork("up");
  await expectWhole();
  await pool.end();
  await proxy.close();
});

it("leaves a statement that is only slow to the server to end, and loses nothing else by it", async () => {
  const pool = open(1, "slow", { statementTimeoutMilliseconds: 5000 });
  const pid = await pidOf(pool);
  await expect(pool`SELECT pg_sleep(60)`).rejects.toMatchObject({ code: "57014" });
  expect(await pidOf(pool)).toBe(pid);
  await pool.end();
});

it("uses no idle connection again once one was lost, so that none has to time out by itself", async () => {
  const pool = open(4, "idle");
  const pids = () =>
    Promise.all(Array.from({ length: 4 }, () => pool.begin((tx) => Promise.all([pidOf(tx), pause(50)]))));
  const before = (await pids()).map(([pid]) => pid);
  expect(new Set(before).size).toBe(4);
  const session = await pool.reserve();
  await terminate(await pidOf(session));
  await session`SELECT 1`.catch(() => undefined);
  session.release();
  const after = (await pids()).map(([pid]) => pid);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  await pool.end();
});

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
      await pool.end();
    }
    await proxy.close();
  });

  it("are left for the next one when the one in use goes away", async () => {
    const proxies = [
      await startDatabaseProxy(database.connection),
      await startDatabaseProxy(database.connection),
    ];
    const [first, second] = proxies as [DatabaseProxy, DatabaseProxy];
    const pool = open(first.connection.port, second.connection.port);
    await pool`SELECT 1`;
    first.setNetwork("down");
    const works = () => pool`SELECT 1 AS one`.catch(() => "lost");
    await expect.poll(works).toEqual([{ one: 1 }]);
    first.setNetwork("up");
    second.setNetwork("down");
    await expect.poll(works).toEqual([{ one: 1 }]);
    await pool.end();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  it("reject while none is there", async () => {
    const pool = open(1, 2);
    await expect(pool`SELECT 1`).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
    await expect(pool.reserve()).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
    await pool.end();
  });
});

it("connects over a Unix socket named in a URL", async ({ skip }) => {
  const { host, port, user, password, database: name } = database.connection;
  if (!host.startsWith("/")) return skip();
  const account = `${user}:${encodeURIComponent(password)}`;
  const directory = encodeURIComponent(host);
  for (const url of [
    `postgres://${account}@:${port}/${name}?host=${directory}`,
    `postgres://${account}@${directory}:${port}/${name}`,
    // As libpq does, it uses no TLS there.
    `postgres://${account}@/${name}?host=${directory}&port=${port}&sslmode=require`,
  ]) {
    const pool = openDatabase(url, {
      connections: 1,
      statementTimeoutMilliseconds: 1000,
      applicationName: "socket",
    });
    expect(await pool`SELECT inet_client_addr() AS address`).toEqual([{ address: null }]);
    await pool.end();
  }
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
  expect(row).toEqual({ setting: "read committed", source: "session" });
});

it("sorts failures by what can be done about them", () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });
  for (const code of ["40001", "40P01", "0A000", "26000"]) {
    expect([code, faultOf(failure(code))]).toEqual([code, "retry"]);
  }
  expect(faultOf(failure("23505"))).toBe("conflict");
  for (const code of ["57P01", "57014", "08006", "ECONNREFUSED", "CONNECTION_LOST", "53300", "53400"]) {
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

it("counts a server that accepts no connection as unavailable, whatever its reason is", async () => {
  for (const wrong of [{ database: "no_such_database" }, { user: "nobody", password: "wrong" }]) {
    const settings = { connections: 1, statementTimeoutMilliseconds: 1000, applicationName: "rejected" };
    const pool = openDatabase({ ...database.connection, ...wrong }, settings);
    const failures = await Promise.allSettled([pool`SELECT 1`, pool.begin(async () => undefined)]);
    await pool.end();
    expect(failures.map((one) => one.status === "rejected" && faultOf(one.reason))).toEqual([
      "unavailable",
      "unavailable",
    ]);
  }
});

it("sends texts in arrays as they are, with quotes, backslashes and control characters", async () => {
  const json = JSON.stringify({ name: 'a "b" \\ \n \u{1f600}', none: null });
  const texts = [
    "",
    "NULL",
    " a b ",
    '"',
    "\\",
    '\\"',
    'line\n"two"\t\u0001',
    '\u{1f600} "Zoë"',
    json,
    `${json}\n`,
  ];
  const [row] = await database.sql<{ texts: string[] }[]>`SELECT ${texts}::text[] AS texts`;
  expect(row?.texts).toEqual(texts);
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
