/** What an operator's machines look at: health with and without a database, and the metrics. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database-proxy.ts";
import { type StartedService, startService, useWorld } from "../support/world.ts";

const world = useWorld();
let proxy: DatabaseProxy;
let pool: Database;
let service: StartedService;

beforeAll(async () => {
  proxy = await startDatabaseProxy(world.database.connection);
  pool = openDatabase(proxy.connection, {
    connections: 4,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "health",
  });
  service = await startService(world, { sql: pool });
});
afterAll(async () => {
  proxy.setNetwork("up");
  await service.close();
  await pool.end();
  await proxy.close();
});

async function get(path: string): Promise<[number, string]> {
  const response = await fetch(service.root + path);
  return [response.status, await response.text()];
}
const ready: [number, string] = [200, '{"status":"ready"}'];
const notReady: [number, string] = [503, '{"status":"not ready"}'];
const live: [number, string] = [200, '{"status":"live"}'];

describe("health", () => {
  it("is ready with a database, not without, and again when it is back; alive all the while", async () => {
    expect(await get("/health/live")).toEqual(live);
    await expect.poll(() => get("/health/ready")).toEqual(ready);
    proxy.setNetwork("down");
    expect([await get("/health/live"), await get("/health/ready")]).toEqual([live, notReady]);
    expect(await get("/health/ready")).toEqual(notReady);
    proxy.setNetwork("up");
    await expect.poll(() => get("/health/ready")).toEqual(ready);
  });

  it("is not ready, rather than silent, when the database hangs", async () => {
    proxy.setNetwork("silent");
    expect(await get("/health/ready")).toEqual(notReady);
    expect(await get("/health/live")).toEqual(live);
    proxy.setNetwork("up");
    await expect.poll(() => get("/health/ready")).toEqual(ready);
  });

  it("asks operations to be retried while the database is away, and responds when it is back", async () => {
    const token = await world.token();
    const list = () => world.call("/sp/members/list", {}, { token, baseUrl: service.baseUrl });
    await expect.poll(async () => (await list()).status).toBe(200);
    proxy.setNetwork("down");
    const away = await list();
    expect([away.status, away.body.error.code, away.headers.get("retry-after")]).toEqual([
      503,
      "service_unavailable",
      "1",
    ]);
    proxy.setNetwork("up");
    await expect.poll(async () => (await list()).status).toBe(200);
  });

  it("lies outside the partners' paths", async () => {
    for (const path of ["/health/live", "/health/ready"]) {
      expect((await fetch(service.baseUrl + path)).status).toBe(404);
      expect((await fetch(service.root + path, { method: "POST" })).status).toBe(404);
    }
  });
});

describe("metrics", () => {
  it("are not at the address that partners reach", async () => {
    const [status, text] = await get("/metrics");
    expect([status, JSON.parse(text).error.code]).toEqual([404, "operation_not_found"]);
  });

  /** The value of one line of the exposition. */
  const valueIn = async (series: string): Promise<number> => {
    const text = await service.metrics();
    const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
    return Number(line?.split(" ").at(-1));
  };

  it("counts requests by operation and status, with their durations, and the batches of postings", async () => {
    const token = await world.token();
    const contact_id = await world.member();
    const call = (body: object) =>
      world.call("/sp/reward-points/adjust", body, { token, baseUrl: service.baseUrl });
    const adjustment = { contact_id, points: 5, adjustment_type: "credit" };
    for (const idempotency_key of ["metrics-1", "metrics-2"]) await call({ idempotency_key, ...adjustment });
    await call(adjustment);
    const operation = 'operation="/api/sp/reward-points/adjust"';
    expect(await valueIn(`loyalty_request_duration_seconds_count{${operation},status="200"}`)).toBe(2);
    expect(await valueIn(`loyalty_request_duration_seconds_count{${operation},status="400"}`)).toBe(1);
    expect(await valueIn(`loyalty_request_duration_seconds_sum{${operation},status="200"}`)).toBeGreaterThan(
      0,
    );
    expect(await valueIn("loyalty_posting_batch_size_count")).toBe(2);
    expect(await valueIn("loyalty_posting_batch_size_sum")).toBe(2);
    expect(await valueIn("loyalty_posting_queue_depth")).toBe(0);
    expect(await valueIn("loyalty_database_pool_connections_max")).toBe(world.config.databaseConnections);
  });

  it("counts replays, and tells of the build and the pools", async () => {
    const body = {
      contact_id: await world.member(),
      points: 5,
      adjustment_type: "credit",
      idempotency_key: "again",
    };
    const options = { token: await world.token(), baseUrl: service.baseUrl };
    const before = await valueIn("loyalty_replayed_responses_total");
    for (let time = 0; time < 2; time++) await world.call("/sp/reward-points/adjust", body, options);
    expect(await valueIn("loyalty_replayed_responses_total")).toBe(before + 1);
    const text = await service.metrics();
    expect(text).toMatch(/^loyalty_build_info\{version="\d+\.\d+\.\d+",schema="\d+"\} 1$/m);
    for (const pool of ["general", "lookups", "postings", "long_running"]) {
      // Work in the background may wait for a moment.
      await expect.poll(() => valueIn(`loyalty_database_pool_waiting{pool="${pool}"}`)).toBe(0);
      expect(
        await valueIn(`loyalty_database_pool_connections{pool="${pool}",state="in_use"}`),
      ).toBeGreaterThanOrEqual(0);
    }
  });

  it("never grows with what callers make up", async () => {
    await fetch(`${service.root}/api/sp/made/up/by/a/caller`, { method: "POST" });
    const text = await service.metrics();
    expect(text).not.toContain("made/up");
    expect(text).toContain('loyalty_unrouted_requests_total{status="404"}');
    expect(text).toContain('loyalty_errors_total{code="operation_not_found"}');
  });
});
