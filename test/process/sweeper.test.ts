/** What goes with time: idempotency keys and attempts to send events past their days, and nothing else. */
import { expect, it } from "vitest";
import { codeOf } from "../../src/database/faults.ts";
import { keyDays, latestRecordingDays } from "../../src/domain/idempotency.ts";
import { sweepExpiredKeys, sweepOldAttempts } from "../../src/sweeper.ts";
import { dayOf, zoneAtNoon } from "../support/local-times.ts";
import { type Business, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();

async function keep({ businessId, everywhere }: Business, count: number, age: string) {
  await world.sql`
    INSERT INTO idempotency_key (business_id, integration_id, idempotency_key, fingerprint, status, response, created_at)
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

it("sweeps the other businesses when one can't be swept", async () => {
  const [first] = await world.sql<
    { business_id: number }[]
  >`SELECT min(business_id) AS business_id FROM ledger`;
  expect(first).toEqual({ business_id: world.home.businessId });
  await keep(world.home, 3, "33days");
  await keep(world.away, 3, "33days");
  await world.sql.query(`
    CREATE FUNCTION reject_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE data_corrupted; END $$;
    CREATE TRIGGER reject_deletion BEFORE DELETE ON idempotency_key FOR EACH ROW
    WHEN (OLD.business_id = ${world.home.businessId}) EXECUTE FUNCTION reject_deletion()`);
  const failures: unknown[] = [];
  const failed = (error: unknown, businessId: number) => failures.push([businessId, codeOf(error)]);
  await sweepExpiredKeys(world.sql, 30, { stopped: () => false, failed });
  await world.sql`DROP TRIGGER reject_deletion ON idempotency_key`;
  expect(await keptBy(world.home)).toMatchObject({ "33days": 3 });
  expect(await keptBy(world.away)).toEqual({});
  expect(failures).toEqual([[world.home.businessId, "XX001"]]);
});

it("deletes attempts to send events after 7 days if they succeeded, and after 30 days if not, of all endpoints", async () => {
  let first = 1;
  const kept = async (age: string, succeeded: boolean, count: number) => {
    for (const { businessId } of [world.home, world.away]) {
      for (const endpoint of [1, 2]) {
        await world.sql`
          INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded)
          SELECT ${businessId}, ${endpoint}, n, 1, 'delivery', now() - ${age}::interval, 1, ${succeeded}
          FROM generate_series(${first}::integer, ${first + count - 1}) AS n`;
      }
    }
    first += count;
  };
  await kept("6 days 23 hours", true, 1);
  await kept("7 days 1 hour", true, 1500);
  await kept("29 days 23 hours", false, 2);
  await kept("30 days 1 hour", false, 3);
  const steps: number[] = [];
  await sweepOldAttempts(world.sql, { stopped: () => false, rowsSwept: (rows) => steps.push(rows) });
  const rows = await world.sql<{ succeeded: boolean; rows: number }[]>`
    SELECT succeeded, count(*) AS rows FROM webhook_attempt GROUP BY business_id, endpoint_id, succeeded`;
  expect(rows.toSorted((one, other) => one.rows - other.rows)).toEqual([
    ...Array(4).fill({ succeeded: true, rows: 1 }),
    ...Array(4).fill({ succeeded: false, rows: 2 }),
  ]);
  expect(Math.max(...steps)).toBe(1000);
});

it("keeps the success of an event as long as its failures, so that it does not count as failed", async () => {
  const { businessId } = world.home;
  const attempts: readonly [event: number, attempt: number, age: string, succeeded: boolean][] = [
    [1, 1, "20 days", false],
    [1, 2, "19 days", true],
    [2, 1, "20 days", true],
    [3, 1, "40 days", false],
    [3, 2, "39 days", true],
    [4, 1, "20 days", true],
    [4, 2, "10 days", false],
  ];
  await world.sql`DELETE FROM webhook_attempt`;
  for (const [event, attempt, age, succeeded] of attempts) {
    await world.sql`
      INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded)
      VALUES (${businessId}, 1, ${event}, ${attempt}, 'retry', now() - ${age}::interval, 1, ${succeeded})`;
  }
  const kept = async () => {
    const rows = await world.sql<{ name: string }[]>`
      SELECT event_no || '.' || attempt AS name FROM webhook_attempt ORDER BY event_no, attempt`;
    return rows.map(({ name }) => name);
  };
  await sweepOldAttempts(world.sql, { stopped: () => false });
  // The success that a failure held is deleted by the next sweep.
  expect(await kept()).toEqual(["1.1", "1.2", "3.2", "4.1", "4.2"]);
  await sweepOldAttempts(world.sql, { stopped: () => false });
  expect(await kept()).toEqual(["1.1", "1.2", "4.1", "4.2"]);
});

it("keeps the key of a sale as long as a till may send the sale again", async () => {
  const { away } = world;
  const zone = zoneAtNoon();
  await world.sql`UPDATE business SET time_zone = ${zone} WHERE business_id = ${away.businessId}`;
  const sale = {
    idempotency_key: nextKey(),
    contact_id: await world.member(undefined, away.everywhere),
    location_id: away.locationIds[0],
    amount: 1000,
    sold_on: dayOf(Date.now() - latestRecordingDays * 86_400_000, zone),
  };
  const first = await world.ask("/sp/sales/record", sale, away.everywhere);
  expect(first.status).toBe(200);
  // The till sent it in the first minute of the day of the sale, and got no response. Now is the last day on which it may.
  await world.sql`
    UPDATE idempotency_key SET created_at = now() - make_interval(days => ${latestRecordingDays + 1})
    WHERE idempotency_key = ${sale.idempotency_key}`;
  await sweepExpiredKeys(world.sql, keyDays.minimum, { stopped: () => false });
  const again = await world.ask("/sp/sales/record", sale, away.everywhere);
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
});
