/** The log of events while the service and its database are killed: an event exists exactly if its effect does. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ConnectionSettings, type Database, openDatabase } from "../../src/database/connection.ts";
import { lastEntryNo } from "../../src/database/ledger/ledger.ts";
import { findRunning } from "../../src/postgres/embedded.ts";
import { expectSameAsLedger, followEvents } from "../support/events.ts";
import { useInstallation } from "../support/installation.ts";
import {
  freePort,
  post,
  postmasterPid,
  readDemo,
  type ServiceProcess,
  signal,
  startService,
  tokenOf,
} from "../support/service-process.ts";

const installation = useInstallation();
const operatorKey = "an-operator-key-for-tests-long-enough-to-be-one";
const settings = { connections: 1, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" };
let parent = "";
let directory = "";
let service: ServiceProcess;
let start: () => ServiceProcess;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "loyalty-events-"));
  directory = await installation.dataDirectory(parent);
  const environment = {
    LOYALTY_DATA_DIR: directory,
    LOYALTY_OPERATOR_KEY: operatorKey,
    LOYALTY_SECRET: "a secret for tests, long enough to be one",
    LOYALTY_RATE_LIMIT: "0",
    PORT: String(await freePort()),
  };
  start = () => startService({ directory: installation.directory, environment, arguments: ["--demo"] });
  service = start();
});
afterAll(async () => {
  await service.stop();
  await rm(parent, { recursive: true, force: true });
});

/** Does something with a connection to the database of the service. */
async function withDatabase<Value>(work: (sql: Database) => Promise<Value>): Promise<Value> {
  const sql = openDatabase((await findRunning(directory)) as ConnectionSettings, settings);
  return work(sql).finally(() => sql.end());
}

const killService = async () => {
  service.kill("SIGKILL");
  expect(await service.ended()).toBe("SIGKILL");
  service = start();
  await service.ready();
};
/** The service starts it again. */
const killDatabase = async () => {
  const pid = await postmasterPid(directory);
  signal(pid, "SIGKILL");
  await service.until(async () => (await postmasterPid(directory).catch(() => pid)) !== pid);
};

it("has no gap and each entry once, though 32 callers write and change members and the service and its database are killed", async () => {
  const baseUrl = await service.ready();
  const demo = await readDemo(directory);
  const token = await tokenOf(demo, baseUrl);
  const { business_id, contact_ids, location_ids } = demo;
  const [ledger] = await withDatabase(
    (sql) => sql<{ last: number }[]>`SELECT ${lastEntryNo(business_id)} AS last`,
  );
  const entryNo = ledger?.last as number;
  const on = { idempotency_key: "on", business_id, events_enabled: true };
  expect((await post(`${baseUrl}/op/businesses/update`, on, operatorKey)).status).toBe(200);

  let isOver = false;
  const acknowledged = { posting: 0, write: 0 };
  /** Sends a request under one key until it is acknowledged. */
  const certainly = async (path: string, body: object) => {
    for (;;) {
      const reply = await post(`${baseUrl}${path}`, body, token).catch(() => undefined);
      if (reply !== undefined && reply.status < 500) return reply;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const caller = async (nth: number) => {
    const contact_id = contact_ids[nth] as number;
    const kind = nth % 2 === 0 ? "posting" : "write";
    for (let count = 0; !isOver; count++) {
      const idempotency_key = `caller ${nth} ${count}`;
      const phone_number = `+3531${String(nth * 100_000 + count).padStart(8, "0")}`;
      const { status } =
        kind === "posting"
          ? await certainly("/sp/wallet/adjust", {
              idempotency_key,
              contact_id,
              location_id: location_ids[0],
              amount: 1,
              adjustment_type: "credit",
            })
          : count % 2 === 0
            ? await certainly("/sp/members/create", {
                idempotency_key,
                first_name: "A",
                last_name: "B",
                phone_number,
              })
            : await certainly("/sp/members/update", { idempotency_key, contact_id, first_name: `A${count}` });
      expect(status).toBeLessThan(300);
      acknowledged[kind] += 1;
    }
  };
  const callers = Array.from({ length: 32 }, (_, nth) => caller(nth));
  const progress = async (more: number) => {
    const { posting, write } = acknowledged;
    while (acknowledged.posting < posting + more || acknowledged.write < write + more) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  for (const kill of [killService, killDatabase, killService, killDatabase]) {
    await progress(40);
    await kill();
  }
  await progress(40);
  isOver = true;
  await Promise.all(callers);

  const events = await followEvents(
    async (body) => (await post(`${baseUrl}/sp/events/list`, body, token)).body.data,
  );
  await withDatabase((sql) => expectSameAsLedger(sql, business_id, events, { sequence: 1, entryNo }));
  const count = (type: string) => events.filter((event) => event.type === type).length;
  // Each acknowledged request has one event.
  expect(count("wallet.adjusted")).toBe(acknowledged.posting);
  expect(count("member.created") + count("member.updated")).toBe(acknowledged.write);
  const [members] = await withDatabase(
    (sql) => sql<{ created: number }[]>`
      SELECT count(*) AS created FROM member WHERE business_id = ${business_id} AND phone_number LIKE '+3531%'`,
  );
  expect(count("member.created")).toBe(members?.created);
});
