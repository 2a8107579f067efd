import { afterAll, beforeAll, expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { type DatabasePools, endPools, openPools } from "./pools.ts";

const database = useDatabase();
let pools: DatabasePools;
beforeAll(() => {
  pools = openPools(database.connection, 8);
});
afterAll(() => endPools(pools));

const setting = async (pool: keyof DatabasePools, name: string) => {
  const [row] = await pools[pool]<{ value: string }[]>`SELECT current_setting(${name}) AS value`;
  return row?.value;
};

it("opens no more connections than it may, and some of each kind", async () => {
  const most = Object.values(pools).map((pool) => pool.connections);
  expect(most.reduce((sum, one) => sum + one)).toBe(8);
  expect(Math.min(...most)).toBeGreaterThan(1);
});

it("lets longRunning statements take longer", async () => {
  const seconds = async (pool: keyof DatabasePools) =>
    Number.parseInt((await setting(pool, "statement_timeout")) ?? "", 10);
  expect(await seconds("longRunning")).toBeGreaterThan(await seconds("sql"));
});

it("lets no group of postings keep a ledger locked, or wait long for one", async () => {
  expect(await setting("postings", "idle_in_transaction_session_timeout")).toBe("2s");
  expect(await setting("postings", "lock_timeout")).toBe("250ms");
});

it("plans longRunning statements for what they read, with memory to sort it", async () => {
  expect(await setting("longRunning", "plan_cache_mode")).toBe("force_custom_plan");
  expect(await setting("longRunning", "work_mem")).toBe("64MB");
  expect(await setting("sql", "plan_cache_mode")).toBe("force_generic_plan");
});

it.each([
  ["sql", 4],
  ["lookUps", 32],
  ["longRunning", 1],
] as const)("has in the pool %s at most %i statements of one owner under way", async (pool, most) => {
  const usual = openPools(database.connection, 16);
  const { connections, shareOf } = usual[pool];
  // Opens all connections.
  await Promise.all(Array.from({ length: connections }, () => usual[pool]`SELECT pg_sleep(0.05)`));
  let ended = 0;
  const heavy = shareOf(1);
  const all = Array.from({ length: 200 }, () =>
    heavy`SELECT pg_sleep(0.002)`.then(() => {
      ended += 1;
    }),
  );
  while (ended === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(200 - usual[pool].usage().waiting).toBeLessThanOrEqual(most + ended);
  const before = ended;
  await shareOf(2)`SELECT 1`;
  // Those that were under way, and as many that began meanwhile.
  expect(ended - before).toBeLessThanOrEqual(2 * most);
  await Promise.all(all);
  await endPools(usual);
});
