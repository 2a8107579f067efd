/** A bulk grant outlives the service: each member gets it once, whenever the service is killed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useDatabase } from "../support/database.ts";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { useInstallation } from "../support/installation.ts";
import { asOperator, operatorWrite, validMemberLine } from "../support/operator-requests.ts";
import { type ServiceProcess, startService } from "../support/service-process.ts";
import { testOperatorKey, testSecret, World } from "../support/world.ts";

const world = new World(useDatabase());
const installation = useInstallation();
const { expectValidLedger, importLines } = importTools(world);
const count = { kills: 3, members: 6000, atOnce: 2000 };
let directory = "";
let service: ServiceProcess;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-bulk-"));
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

it("gives each member once, whenever the service is killed", async () => {
  await start();
  const business = await world.business("Shop", "UTC");
  const { businessId: business_id } = business;
  await world.write("/sp/reward-settings/update", { enable_rp: true, rp_name: "Stars" }, business.everywhere);
  for (let first = 0; first < count.members; first += count.atOnce) {
    const lines = Array.from({ length: count.atOnce }, (_, nth) => validMemberLine(first + nth + 2));
    expect((await importLines("members", business, lines)).imported).toBe(count.atOnce);
  }
  const named = { business_id, name: "Sorry", points: 7, joined_from: "2020-01-01" };
  const { occasion_id } = await operatorWrite(world, "/op/bulk-grants/start", named);
  const job = async (): Promise<Body> =>
    (await asOperator(world, "/op/bulk-grants/list", { business_id })).body.data[0];
  const until = async (condition: (found: Body) => boolean) => {
    for (;;) {
      const found = await job();
      if (found.state === "failed") throw new Error(String(found.problem));
      if (condition(found)) return found;
      await sleep(5);
    }
  };
  for (let kill = 1; kill <= count.kills; kill++) {
    await until(({ members_given }) => Number(members_given) >= (kill * count.members) / (count.kills + 2));
    service.kill("SIGKILL");
    await service.ended();
    // The next process need not wait for the end of the lease.
    const rows = await world.sql`
      UPDATE bulk_grant SET leased_until = now() WHERE business_id = ${business_id} AND state = 'running' RETURNING 1`;
    expect(rows, "it was killed before the end").toHaveLength(1);
    await start();
  }
  expect(await until(({ state }) => state !== "running")).toMatchObject({
    ...{ occasion_id, state: "ended", members_found: count.members },
    ...{ members_given: count.members, members_skipped: 0 },
  });
  const [given] = await world.sql`
    SELECT count(*) AS entries, count(DISTINCT contact_id) AS members, sum(amount)::bigint AS points FROM ledger_entry
    WHERE business_id = ${business_id} AND reference_id = ${`occasion-${occasion_id}-once`}`;
  expect(given).toEqual({ entries: count.members, members: count.members, points: 7 * count.members });
  const ended = await world.sql`SELECT after FROM audit_entry WHERE event = 'bulk_grant.ended'`;
  expect(ended).toMatchObject([{ after: { occasion_id, members_given: count.members } }]);
  await expectValidLedger(business);
});
