/** What a connection promises that somebody has for himself: a reservation, or a transaction. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Connection, type Database, openDatabase } from "../src/database/connection.ts";
import { useDatabase } from "./support/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "./support/database-proxy.ts";

const database = useDatabase();
let proxy: DatabaseProxy;
beforeAll(async () => {
  proxy = await startDatabaseProxy(database.connection);
});
afterAll(() => proxy.close());

const open = (connections: number): Database =>
  openDatabase(proxy.connection, {
    connections,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "reserved",
  });
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs work on a reserved connection and in a transaction. */
const onBoth = (pool: Database, work: (connection: Connection) => Promise<void>) => ({
  reservation: async () => {
    const connection = await pool.reserve();
    await work(connection).finally(() => connection.release());
  },
  transaction: () => pool.begin(work),
});

it.each(["reservation", "transaction"] as const)(
  "pipelines what waited on a %s, and what came later",
  async (kind) => {
    const pool = open(1);
    const numbers = async (connection: Connection, count: number) => {
      const sent = Array.from({ length: count }, (_, number) =>
        connection<{ number: number }[]>`SELECT ${number}::int AS number`.execute(),
      );
      const rows = (await Promise.all(sent)).flat();
      expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index));
    };
    await onBoth(pool, async (connection) => {
      const before = proxy.turns();
      // The first is described before it is run, and the others wait for that. More come while there are answers due.
      const first = numbers(connection, 60);
      await pause(1);
      await Promise.all([first, numbers(connection, 60), numbers(connection, 60)]);
      expect(proxy.turns() - before).toBeLessThan(60);
    })[kind]();
    await pool.end();
  },
);

it.each(["reservation", "transaction"] as const)(
  "passes over what was cancelled while it waited on a %s",
  async (kind) => {
    const pool = open(1);
    await onBoth(pool, async (connection) => {
      const first = connection`SELECT ${1}::int AS number`.execute();
      const cancelled = connection`SELECT ${2}::int AS number`.execute();
      cancelled.cancel();
      await expect(cancelled).rejects.toMatchObject({ code: "57014" });
      expect(await first).toEqual([{ number: 1 }]);
      expect(await connection`SELECT ${3}::int AS number`).toEqual([{ number: 3 }]);
    })
      [kind]()
      .catch((error: unknown) => {
        // A transaction fails with any of its statements.
        expect([kind, error]).toMatchObject(["transaction", { code: "57014" }]);
      });
    await pool.end();
  },
);

it("fails a statement that can't be sent alone", async () => {
  const pool = open(1);
  const connection = await pool.reserve();
  await connection`SELECT ${0}::int AS number`;
  const number = (value: number) => connection`SELECT ${value}::int AS number`.execute();
  const impossible = () => connection`SELECT ${{ toString: null } as never}::int AS number`.execute();
  const results = await Promise.allSettled([number(1), impossible(), number(2), impossible(), number(3)]);
  expect(results).toMatchObject([
    { value: [{ number: 1 }] },
    { status: "rejected" },
    { value: [{ number: 2 }] },
    { status: "rejected" },
    { value: [{ number: 3 }] },
  ]);
  await expect(impossible()).rejects.toThrow();
  expect(await number(4)).toEqual([{ number: 4 }]);
  connection.release();
  await pool.end();
});

it("lets nothing through once it is released", async () => {
  const pool = open(1);
  const connection = await pool.reserve();
  // The second waits for the first, which is described before it is run.
  const sent = [connection`SELECT ${1}::int AS one`.execute(), connection`SELECT ${2}::int AS two`.execute()];
  // A statement reaches its connection a moment after it was executed.
  await Promise.resolve();
  connection.release();
  connection.release();
  expect(await Promise.allSettled([...sent, connection`SELECT 3`])).toMatchObject([
    { value: [{ one: 1 }] },
    { reason: { code: "CONNECTION_ENDED" } },
    { reason: { code: "CONNECTION_ENDED" } },
  ]);
  expect(await pool`SELECT 4 AS four`).toEqual([{ four: 4 }]);
  await pool.end();
});

it("lets a pool end with its last reservation, and gives that to who waits for one before", async () => {
  const pool = open(1);
  const first = await pool.reserve();
  const waiting = pool.reserve();
  const ended = pool.end();
  await pause(50);
  const last = first`SELECT pg_sleep(0.1), 1 AS one`.execute();
  await Promise.resolve();
  first.release();
  expect(await last).toMatchObject([{ one: 1 }]);
  const second = await waiting;
  expect(await second`SELECT 2 AS two`).toEqual([{ two: 2 }]);
  second.release();
  await ended;
});

it("lets a pool end although its connection is lost meanwhile", async () => {
  const pool = open(2);
  const connection = await pool.reserve();
  const [row] = await connection<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  const ended = pool.end();
  await pause(50);
  await database.sql`SELECT pg_terminate_backend(${row?.pid as number})`;
  await ended;
  connection.release();
});
