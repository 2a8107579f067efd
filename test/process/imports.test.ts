/** An import outlives the service: no line is lost, imported twice, or counted twice. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useDatabase } from "../support/database.ts";
import type { Body } from "../support/engine-requests.ts";
import { useInstallation } from "../support/installation.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { type ServiceProcess, startService } from "../support/service-process.ts";
import { testOperatorKey, testSecret, World } from "../support/world.ts";

const world = new World(useDatabase());
const installation = useInstallation();
const count = { kills: 2, sales: 12_000, refunds: 6000 };
let directory = "";
let service: ServiceProcess;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-imports-"));
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const { host, port, user, password, database } = world.database.connection;
  service = startService({
    directory: installation.directory,
    environment: {
      DATABASE_URL: `postgres:///${database}`,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGPASSWORD: password,
      LOYALTY_DATA_DIR: await mkdtemp(join(directory, "data-")),
      LOYALTY_DEMO: "off",
      LOYALTY_OPERATOR_KEY: testOperatorKey,
      LOYALTY_SECRET: testSecret,
    },
  });
  world.baseUrl = await service.ready();
}

it("goes on behind the last lines that were recorded, after each end of the service", async () => {
  await start();
  const { businessId: business_id, everywhere } = await world.business("Shop", "UTC");
  const contact_id = await world.member({}, everywhere);
  const lineOf = (amount: number, nth: number) => `${contact_id},2025-01-01,${amount},R-${nth}\n`;
  const sales = Array.from({ length: count.sales }, (_, nth) => lineOf((nth % 97) + 1, nth));
  const sum = sales.reduce((so, line) => so + Number(line.split(",")[2]), 0);
  // Refunds come first in the file, and are imported last.
  const refunds = Array.from({ length: count.refunds }, (_, nth) => lineOf(-1, nth));
  const done = count.sales + count.refunds;
  // A rejected line is kept once, too.
  const text = `contact_id,sold_at,amount,reference_id\n999,2025-01-01,5,R\n${refunds.join("")}${sales.join("")}`;
  const content = gzipSync(text).toString("base64");
  const file = { business_id, file_name: "sales.csv", part: 0, content, last: true };
  const { import_id } = await operatorWrite(world, "/op/imports/upload", file);
  const id = { business_id, import_id };
  const job = async (): Promise<Body> => (await asOperator(world, "/op/imports/get", id)).body.data;
  const until = async (condition: (found: Body) => boolean) => {
    for (;;) {
      const found = await job();
      if (condition(found)) return found;
      await sleep(10);
    }
  };
  const ended = async (signal: "SIGKILL" | "SIGTERM") => {
    service.kill(signal);
    await service.ended();
    // The next process need not wait for the end of the lease.
    await world.sql`UPDATE import_job SET leased_until = now() WHERE business_id = ${business_id}`;
    await start();
  };
  const named = { ...id, kind: "sales", amount_unit: "minor" };
  await operatorWrite(world, "/op/imports/preview", named);
  await until(({ lines_done }) => Number(lines_done) > 0);
  await ended("SIGKILL");
  expect(await until(({ state }) => state !== "checking")).toMatchObject({ state: "checked" });
  await operatorWrite(world, "/op/imports/start", id);
  for (let kill = 1; kill <= count.kills; kill++) {
    await until(({ lines_done }) => Number(lines_done) >= (kill * done) / (count.kills + 1));
    await ended(kill % 2 === 0 ? "SIGKILL" : "SIGTERM");
  }
  expect(await until(({ state }) => state !== "importing")).toMatchObject({
    state: "ended",
    lines_done: done + 1,
    result: { lines: done + 1, imported: done, skipped: 0, rejected: 1, sums: { amount: sum } },
  });
  const recorded = await world.sql`
    SELECT event_type, count(*) AS entries, sum(amount)::bigint AS sum FROM ledger_entry
    WHERE business_id = ${business_id} GROUP BY event_type ORDER BY event_type::text`;
  expect(recorded).toEqual([
    { event_type: "sale", entries: count.sales, sum },
    { event_type: "sale_refund", entries: count.refunds, sum: -count.refunds },
  ]);
  const entries = await world.sql`SELECT after FROM audit_entry WHERE event = 'sales.imported'`;
  expect(entries).toMatchObject([{ after: { import_id, imported: done } }]);
});
