/** What a connection promises that somebody has for himself: a reservation, or a transaction. */
import { Socket } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
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
    const work = async (connection: Connection) => {
      const before = proxy.turns();
      // The first is described before it is run, and the others wait for that. More come while there are answers due.
      const first = numbers(connection, 60);
      await pause(1);
      await Promise.all([first, numbers(connection, 60), numbers(connection, 60)]);
      expect(proxy.turns() - before).toBeLessThan(60);
    };
    if (kind === "transaction") await pool.begin(work);
    else {
      const connection = await pool.reserve();
      await work(connection);
      connection.release();
    }
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

it("lets nothing through once it is released, and gives the next user his own answers", async () => {
  const pool = open(1);
  const connection = await pool.reserve();
  const number = (tx: Connection, value: number) => tx`SELECT ${value}::int AS number`.execute();
  // The second waits for the first, which is described before it is run.
  const sent = [number(connection, 1), number(connection, 2)];
  // A statement reaches its connection a moment after it was executed.
  await Promise.resolve();
  connection.release();
  connection.release();
  const next = [number(connection, 3), number(pool, 4), pool`SELECT 5 AS number`];
  expect(await Promise.allSettled([...sent, ...next])).toMatchObject([
    { value: [{ number: 1 }] },
    { reason: { code: "CONNECTION_ENDED" } },
    { reason: { code: "CONNECTION_ENDED" } },
    { value: [{ number: 4 }] },
    { value: [{ number: 5 }] },
  ]);
  await pool.end();
});

it("fails a statement whose plan has become stale, alone and once", async () => {
  await database.sql`CREATE TABLE shifting AS SELECT 1 AS value`;
  const pool = open(1);
  const connection = await pool.reserve();
  const shifting = () => connection`SELECT value FROM shifting WHERE value < ${100}`.execute();
  const number = (value: number) => connection`SELECT ${value}::int AS number`.execute();
  await Promise.all([shifting(), number(0)]);
  await database.sql`ALTER TABLE shifting ALTER COLUMN value TYPE bigint`;
  const results = await Promise.allSettled([number(1), shifting(), number(2), shifting(), number(3)]);
  expect(results).toMatchObject([
    { value: [{ number: 1 }] },
    { reason: { code: "0A000" } },
    { value: [{ number: 2 }] },
    { reason: { code: "0A000" } },
    { value: [{ number: 3 }] },
  ]);
  expect(await Promise.all([shifting(), number(4)])).toEqual([[{ value: 1 }], [{ number: 4 }]]);
  connection.release();
  await pool.end();
});

it("keeps rows that came before a failure out of the next result", async () => {
  const pool = open(1);
  const rows = pool`SELECT 100 / (5 - number) AS quotient FROM generate_series(1, 9) AS number`;
  await expect(rows).rejects.toMatchObject({ code: "22012" });
  expect(await pool`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  await pool.end();
});

it("keeps nothing of a statement that has failed", async () => {
  const pool = open(1);
  const set = vi.spyOn(Map.prototype, "set");
  const text = "SELECT 1 / $1::int";
  await expect(pool.unsafe(text, [0], { prepare: true })).rejects.toMatchObject({ code: "22012" });
  const kept = set.mock.calls.filter(([key]) => Array.isArray(key) && key.includes(text));
  set.mockRestore();
  expect(kept).toEqual([]);
  await pool.end();
});

it("tells TCP to send each statement at once, and not to wait for answers that are due", async () => {
  const noDelay = vi.spyOn(Socket.prototype, "setNoDelay");
  const pool = open(1);
  await pool`SELECT 1`;
  expect(noDelay.mock.calls).toEqual([[true]]);
  noDelay.mockRestore();
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

it("leaves no connection open behind a pool that has ended", async () => {
  const pool = open(1);
  const statements = [pool`SELECT pg_sleep(0.05)`, pool`SELECT 1`].map((statement) =>
    statement.catch(() => undefined),
  );
  await pause(10);
  await pool.end();
  await Promise.all(statements);
  const left = () => database.sql`SELECT FROM pg_stat_activity WHERE application_name = 'reserved'`;
  await expect.poll(async () => (await left()).length, { timeout: 5000 }).toBe(0);
});
