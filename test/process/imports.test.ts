/** An import outlives the service: no line is lost, imported twice, or counted twice. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mostPartBytes } from "../../src/domain/imports/jobs.ts";
import { useDatabase } from "../support/database.ts";
import type { Body } from "../support/engine-requests.ts";
import { useInstallation } from "../support/installation.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { type ServiceProcess, startService } from "../support/service-process.ts";
import { testOperatorKey, testSecret, World } from "../support/world.ts";

const world = new World(useDatabase());
const installation = useInstallation();
// With more sales than usual, more kills fit in: IMPORTED_SALES=200000.
const sold = Number(process.env.IMPORTED_SALES ?? 12_000);
const count = { kills: sold < 100_000 ? 2 : 5, sales: sold, refunds: sold / 2 };
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
  const content = gzipSync(text);
  let id: Body = { business_id };
  for (let part = 0; part * mostPartBytes < content.length; part++) {
    const bytes = content.subarray(part * mostPartBytes, (part + 1) * mostPartBytes);
    const last = (part + 1) * mostPartBytes >= content.length;
    const file = { file_name: "sales.csv", part, content: bytes.toString("base64"), last };
    const { import_id } = await operatorWrite(world, "/op/imports/upload", { ...id, ...file });
    id = { business_id, import_id };
  }
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
  expect(entries).toMatchObject([{ after: { import_id: id.import_id, imported: done } }]);
});
