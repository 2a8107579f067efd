/** When keys are swept. */
import { expect, it } from "vitest";
import { useDatabase } from "../../../test/support/database.ts";
import { sweepKeys } from "./idempotency-keys.ts";

const database = useDatabase();
const businessId = 1;
const now = () => new Date();
const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000);

async function keep(key: string, age: string): Promise<void> {
  await database.sql`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, response, created_at)
    VALUES (${businessId}, 1, ${key}, '', 200, '{}', now() - ${age}::interval)`;
}

async function kept(): Promise<string[]> {
  const rows = await database.sql<{ key: string }[]>`
    SELECT idempotency_key AS key FROM idempotency_key ORDER BY created_at`;
  return rows.map(({ key }) => key);
}

const sweep = (serviceTime: Date, limit = 10) =>
  sweepKeys(database.sql, businessId, { days: 30, serviceTime }, limit);

it("sweeps the oldest expired keys, as many as it is told to", async () => {
  for (const days of [29, 31, 32, 33]) await keep(`${days} days`, `${days} days`);
  expect(await sweep(now(), 2)).toBe(2);
  expect(await kept()).toEqual(["31 days", "29 days"]);
  expect(await sweep(now())).toBe(1);
  expect(await sweep(now())).toBe(0);
});

it("sweeps no key that has expired by one of the two clocks only", async () => {
  // The database's clock was set ahead, or the service's.
  await keep("expired", "40 days");
  expect(await sweep(daysFromNow(-20))).toBe(0);
  expect(await sweep(daysFromNow(365))).toBe(1);
  expect(await kept()).toEqual(["29 days"]);
});

it("leaves a key that another transaction renews meanwhile", async () => {
  await keep("renewed", "40 days");
  const other = await database.sql.reserve();
  try {
    await other`BEGIN`;
    await other`UPDATE idempotency_key SET created_at = now() WHERE idempotency_key = 'renewed'`;
    const swept = sweep(now());
    const waiting = async () => {
      const [row] = await database.sql<{ waiting: boolean }[]>`
        SELECT count(*) > 0 AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return row?.waiting;
    };
    await expect.poll(waiting).toBe(true);
    await other`COMMIT`;
    expect(await swept).toBe(0);
  } finally {
    other.release();
  }
  expect(await kept()).toContain("renewed");
});
