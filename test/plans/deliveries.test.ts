/**
 * How many buffers the list of deliveries reads if almost all attempts failed, and the few that succeeded came first: as many with ten
 * times the rows.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { listAttempts } from "../../src/database/webhooks/deliveries.ts";
import { buffersRead, turnAutovacuumOff } from "../support/buffers.ts";
import { makeEmptyBusiness } from "../support/bulk.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const endpoint = 7;
const before = { micros: String(Date.UTC(2026, 0, 1, 1) * 1000), attempt_id: "1" };

async function fill(sql: Database, count: number): Promise<number> {
  const { businessId } = await makeEmptyBusiness(sql);
  await sql`
    INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded)
    SELECT ${businessId}, ${endpoint}, n, 1, 'delivery', timestamptz '2026-01-01' + n * interval '1 second', 5, n <= 20
    FROM generate_series(1, ${count}) AS n`;
  return businessId;
}

let businessIds: number[];
let reader: Database;

beforeAll(async () => {
  const { sql } = database;
  await turnAutovacuumOff(sql);
  businessIds = [await fill(sql, 11_000), await fill(sql, 110_000)];
  await sql`VACUUM ANALYZE`;
  const settings = { connections: 1, statementTimeoutMilliseconds: 20_000, applicationName: "loyalty tests" };
  reader = openDatabase(database.connection, settings);
});
afterAll(() => reader.end());

it.each([
  ["all", {}],
  ["those that failed", { status: "failed" as const }],
  ["those that succeeded", { status: "delivered" as const }],
  ["those behind a place", { before }],
  ["those that succeeded, behind a place", { status: "delivered" as const, before }],
])("%s", async (_, filter) => {
  const counts: number[] = [];
  for (const businessId of businessIds) {
    const work = () =>
      listAttempts(reader, { businessId, timeZone: "UTC" }, endpoint, { ...filter, limit: 100 });
    await work();
    counts.push(await buffersRead({ sql: reader, setup: database.sql }, work));
  }
  const [few = 0, many = 0] = counts;
  expect(many).toBeLessThanOrEqual(1.3 * few + 20);
});
