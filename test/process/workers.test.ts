/** Several processes on one port and one database. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useInstallation } from "../support/installation.ts";
import { childPids, type ServiceProcess, startService } from "../support/service-process.ts";
import { untilServed } from "../support/world.ts";

const installation = useInstallation();
let directory = "";
let data = "";
let service: ServiceProcess;
let baseUrl = "";

/**
 * Lets the worker that the file `die` names end as it is given a connection, before it can say that it has it; and no
 * process listen while there is a file `deaf`.
 */
const preloaded = (die: string, deaf: string) => `
  import { existsSync, readFileSync } from "node:fs";
  import { Server } from "node:net";
  process.prependListener("internalMessage", ({ act }) => {
    if (act !== "newconn") return;
    const named = (() => { try { return readFileSync(${JSON.stringify(die)}, "utf8"); } catch { return ""; } })();
    if (named === String(process.pid)) process.kill(process.pid, "SIGKILL");
  });
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...settings) {
    if (existsSync(${JSON.stringify(deaf)})) throw new Error("deaf");
    return listen.apply(this, settings);
  };
`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-workers-"));
  data = await installation.dataDirectory(directory, undefined, "on");
  const preload = join(directory, "preload.mjs");
  await writeFile(preload, preloaded(join(directory, "die"), join(directory, "deaf")));
  service = startService({
    directory: installation.directory,
    environment: {
      LOYALTY_WORKERS: "4",
      LOYALTY_DATA_DIR: data,
      LOYALTY_RATE_LIMIT: "0",
      LOYALTY_METRICS_ADDRESS: "127.0.0.1:0",
      NODE_OPTIONS: `--import ${pathToFileURL(preload)}`,
    },
  });
  baseUrl = await service.ready();
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

const workerPids = () => childPids(service.child.pid, "dist/main.js");

interface ExpectedResponse {
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  readonly data: any;
}

async function post(path: string, body: object, token?: string) {
  const response = await fetch(baseUrl + path, {
    method: "POST",
    // A connection each, so that all workers get some.
    headers: {
      "content-type": "application/json",
      connection: "close",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as ExpectedResponse };
}

/** The same, for requests that may be sent again under their key when others make them wait for too long. */
const write = (path: string, body: object, token: string) => untilServed(() => post(path, body, token));

/** How many processes have told what they measure. */
async function reportingWorkers(): Promise<number> {
  const url = /^Metrics: (\S+)$/m.exec(service.said)?.[1] as string;
  const text = await (await fetch(url)).text();
  return Number(/^loyalty_starts_total (\d+)$/m.exec(text)?.[1]);
}

it("posts to the same accounts from four processes, each key once, and replaces a worker that dies", async () => {
  const demo = JSON.parse(await readFile(join(data, "demo.json"), "utf8"));
  const { client_id, client_secret } = demo;
  const issued = await post("/sp/auth/token", { client_id, client_secret });
  const token: string = issued.body.data.access_token;
  const adjust = (key: string, contactId: number, amount: number) =>
    write(
      "/sp/reward-points/adjust",
      { idempotency_key: key, contact_id: contactId, points: amount, adjustment_type: "credit" },
      token,
    );
  const balance = async (contactId: number) => {
    const listed = await post(
      "/sp/transactions/list",
      { contact_id: contactId, event_types: ["reward_points_adjustment"], per_page: 1 },
      token,
    );
    return listed.body.data[0]?.balance_after as number;
  };

  const contacts: number[] = demo.contact_ids.slice(0, 3);
  await Promise.all(contacts.map((contactId, nth) => adjust(`start-${nth}`, contactId, 1)));
  const before = await Promise.all(contacts.map(balance));
  // Every key is sent twice at the same time, to whichever worker takes the connection.
  const keys = Array.from({ length: 120 }, (_, nth) => nth);
  const responses = await Promise.all(
    [...keys, ...keys].map((nth) => adjust(`key-${nth}`, contacts[nth % 3] as number, 10)),
  );
  expect(responses.map((response) => response.status)).toEqual(responses.map(() => 200));
  for (const nth of keys) expect(responses[nth]?.body).toEqual(responses[nth + keys.length]?.body);
  const after = await Promise.all(contacts.map(balance));
  expect(after).toEqual(before.map((points) => points + 40 * 10));

  // One that is busy may miss a scrape.
  await service.until(async () => (await reportingWorkers()) === 4);

  const pids = await workerPids();
  expect(pids).toHaveLength(4);
  process.kill(pids[0] as number, "SIGKILL");
  await service.until(() => service.said.includes("it is replaced"));
  await service.until(async () => (await workerPids()).length === 4 && (await reportingWorkers()) === 4);
  expect((await adjust("after-the-death", contacts[0] as number, 1)).status).toBe(200);
});

it("keeps the budget and the limit of promotions when 64 tills sell at four processes at once", async () => {
  const demo = JSON.parse(await readFile(join(data, "demo.json"), "utf8"));
  const { client_id, client_secret, business_id, location_ids } = demo;
  const token: string = (await post("/sp/auth/token", { client_id, client_secret })).body.data.access_token;
  const key = (await readFile(join(data, "operator.key"), "utf8")).trim();
  const operate = async (path: string, body: object) => {
    const sent = {
      business_id,
      ...(!path.endsWith("report") && { idempotency_key: `${path} ${Math.random()}` }),
    };
    return (await post(path, { ...sent, ...body }, key)).body.data;
  };
  const create = async (promotion: object) =>
    (await operate("/op/promotions/create", promotion)).promotion_id as number;
  const ids = [
    await create({ name: "Budget", points: 7, budget_points: 200 }),
    await create({ name: "Limit", points: 3, most_per_member: 5 }),
  ];
  const kept = () =>
    Promise.all(
      ids.map(async (promotion_id) => (await operate("/op/promotions/report", { promotion_id })).points_kept),
    );
  const members: number[] = demo.contact_ids.slice(0, 4);
  const sell = (nth: number) =>
    write(
      "/sp/sales/record",
      {
        ...{ idempotency_key: `till-${nth}`, contact_id: members[nth % 4], location_id: location_ids[0] },
        ...{ amount: 1000, reference_id: `till-${nth}` },
      },
      token,
    );
  const sales = await Promise.all(Array.from({ length: 64 }, (_, nth) => sell(nth)));
  expect(new Set(sales.map(({ status }) => status))).toEqual(new Set([200]));
  // 28 times 7 of at most 200, and 5 times 3 for each of 4 members.
  expect(await kept()).toEqual([196, 60]);
  // What refunds give back is given again.
  const refunds = await Promise.all(
    sales
      .slice(0, 16)
      .map(({ body: { data: sale } }, nth) =>
        write(
          "/sp/sales/refund",
          { idempotency_key: `back-${nth}`, sale_id: sale.sale_id, location_id: location_ids[0] },
          token,
        ),
      ),
  );
  const left = await kept();
  const more = await Promise.all(Array.from({ length: 64 }, (_, nth) => sell(100 + nth)));
  expect(new Set([...refunds, ...more].map(({ status }) => status))).toEqual(new Set([200]));
  expect(left).not.toEqual([196, 60]);
  expect(await kept()).toEqual([196, 60]);
});

it("uses a new operator key in all processes, without a restart, and audits it once", async () => {
  const file = join(data, "operator.key");
  const oldKey = (await readFile(file, "utf8")).trim();
  const newKey = "the-new-key-of-the-operator-long-enough";
  const statuses = (key: string) =>
    Promise.all(Array.from({ length: 12 }, async () => (await post("/op/status/get", {}, key)).status));
  await writeFile(file, `${newKey}\n`);
  expect(new Set(await statuses(newKey))).toEqual(new Set([200]));
  await service.until(async () => !(await statuses(oldKey)).includes(200));
  const find = () => post("/op/audit/list", { event: "operator_key.replaced" }, newKey);
  await service.until(async () => (await find()).body.data.length > 0);
  expect((await find()).body.data).toHaveLength(1);
});

it("replaces a worker until one can serve", async () => {
  await writeFile(join(directory, "deaf"), "");
  const [pid] = await workerPids();
  process.kill(pid as number, "SIGKILL");
  await service.until(() => service.said.split("A worker could not start: deaf").length > 2);
  await rm(join(directory, "deaf"));
  await service.until(async () => (await workerPids()).length === 4 && (await reportingWorkers()) === 4);
});

it("hangs up on the clients of a worker that dies as it is given their connections", async () => {
  const [dying] = await workerPids();
  await writeFile(join(directory, "die"), String(dying));
  // The workers take turns: one of several connections goes to it.
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () =>
      fetch(new URL("/health/live", baseUrl), { headers: { connection: "close" } }).then(
        (response) => response.status,
        () => "closed",
      ),
    ),
  );
  expect(outcomes).toContain("closed");
  expect(new Set(outcomes)).toEqual(new Set([200, "closed"]));
});
