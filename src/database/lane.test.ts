import { afterAll, beforeAll, expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { type Database, openDatabase } from "./connection.ts";
import { createLane, type Passenger } from "./lane.ts";

const database = useDatabase();
let sql: Database;
beforeAll(() => {
  const settings = { statementTimeoutMilliseconds: 10_000, applicationName: "lane" };
  sql = openDatabase(database.connection, { connections: 2, ...settings });
});
afterAll(() => sql.end());

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const pidOf = async ({ commits }: Passenger) => {
  const [row] = await commits.inOrder(0)<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return row?.pid as number;
};

it("gives who comes one after the other the same connection, and then gives it back", async () => {
  const lane = createLane(sql);
  // Both connections are open: without the lane's care they would be taken in turn.
  await Promise.all([sql`SELECT pg_sleep(0.05)`, sql`SELECT pg_sleep(0.05)`]);
  const pids = new Set<number>();
  for (let count = 0; count < 10; count++) {
    const passenger = await lane.enter();
    pids.add(await pidOf(passenger));
    passenger.leave(false);
  }
  expect(pids.size).toBe(1);
  // Who wants all connections of the pool gets them.
  const [one, other] = await Promise.all([sql.reserve(), sql.reserve()]);
  one.release();
  other.release();
});

it("gives who comes while somebody is there the same connection, and keeps it until the last has left", async () => {
  const lane = createLane(sql);
  const [first, second] = await Promise.all([lane.enter(), lane.enter()]);
  const pid = await pidOf(first);
  first.leave(false);
  let bothReserved = false;
  const both = Promise.all([sql.reserve(), sql.reserve()]).then((reserved) => {
    bothReserved = true;
    for (const connection of reserved) connection.release();
  });
  await pause(100);
  expect(bothReserved).toBe(false);
  expect(await pidOf(second)).toBe(pid);
  second.leave(false);
  await both;
});

it("gives nobody a connection that was lost while nobody used it", async () => {
  const lane = createLane(sql);
  const passenger = await lane.enter();
  const pid = await pidOf(passenger);
  await database.sql`SELECT pg_terminate_backend(${pid}, 5000)`;
  // Fails as soon as the loss is noticed: by then it has gone, and is kept all the same.
  await expect(pidOf(passenger)).rejects.toThrow();
  passenger.leave(false);
  const next = await lane.enter();
  expect(await pidOf(next)).not.toBe(pid);
  next.leave(false);
});

it("gives nobody a connection that failed", async () => {
  const lane = createLane(sql);
  const passenger = await lane.enter();
  const pid = await pidOf(passenger);
  await sql`SELECT pg_terminate_backend(${pid})`;
  await expect(pidOf(passenger)).rejects.toThrow();
  passenger.leave(true);
  const next = await lane.enter();
  expect(await pidOf(next)).not.toBe(pid);
  next.leave(false);
});
