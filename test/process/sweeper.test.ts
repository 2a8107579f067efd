/** What goes with time: idempotency keys past their days, and nothing else. */
import { expect, it } from "vitest";
import { sweepExpiredKeys } from "../../src/sweeper.ts";
import { type Business, useWorld } from "../support/world.ts";

const world = useWorld();

async function keep({ businessId, everywhere }: Business, count: number, age: string) {
  await world.sql`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, answer, created_at)
    SELECT ${businessId}, ${everywhere.integrationId}, ${age} || ' ' || n, '\\x00', 200, '{}', now() - ${age}::interval
    FROM generate_series(1, ${count}) AS n`;
}

async function keptBy({ businessId }: Business) {
  const rows = await world.sql<{ age: string; keys: number }[]>`
    SELECT split_part(idempotency_key, ' ', 1) AS age, count(*) AS keys FROM idempotency_key
    WHERE business_id = ${businessId} GROUP BY 1 ORDER BY 1`;
  return Object.fromEntries(rows.map(({ age, keys }) => [age, keys]));
}

it("sweeps every business's keys that are older than the days, in small steps, and keeps the others", async () => {
  await keep(world.home, 2500, "31days");
  await keep(world.home, 40, "29days");
  await keep(world.away, 7, "400days");
  const steps: number[] = [];
  await sweepExpiredKeys(world.sql, 30, { stopped: () => false, rowsSwept: (rows) => steps.push(rows) });
  expect(await keptBy(world.home)).toEqual({ "29days": 40 });
  expect(await keptBy(world.away)).toEqual({});
  expect(steps.filter((rows) => rows > 0).toSorted((a, b) => b - a)).toEqual([1000, 1000, 500, 7]);
});

it("stops between two steps when it is told to", async () => {
  await keep(world.home, 2500, "32days");
  let swept = 0;
  const rowsSwept = (rows: number) => {
    swept += rows;
  };
  await sweepExpiredKeys(world.sql, 30, { stopped: () => swept > 0, rowsSwept });
  expect(await keptBy(world.home)).toMatchObject({ "32days": 1500 });
});
