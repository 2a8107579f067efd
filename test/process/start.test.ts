import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import type { DemoFile } from "../../src/data-directory.ts";
import { openDatabase } from "../../src/database/connection.ts";
import { isRoot, nobody, pathWithoutNpm, useInstallation } from "../support/installation.ts";
import {
  childPids,
  freePort,
  post,
  postmasterPid,
  readDemo,
  type ServiceProcess,
  type StartOptions,
  startService,
  tokenOf,
} from "../support/service-process.ts";
import { untilServed } from "../support/world.ts";

const installation = useInstallation();
const running: ServiceProcess[] = [];
const directories: string[] = [];

type Account = StartOptions["account"];

function start(environment: Record<string, string>, options: Partial<StartOptions> = {}): ServiceProcess {
  const service = startService({ directory: installation.directory, environment, ...options });
  running.push(service);
  return service;
}

/** A directory that does not exist yet, in one that the account may write to. */
async function newDataDirectory(account?: Account): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "loyalty-start-"));
  directories.push(parent);
  await chmod(parent, 0o755);
  if (account !== undefined) await chown(parent, account.uid, account.gid);
  return join(parent, "data");
}

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

const modeOf = async (...path: string[]) => (await stat(join(...path))).mode & 0o777;

/** Credits a member's wallet by one, and returns how many adjustments of the member there are in all. */
async function adjust(demo: DemoFile, key: string): Promise<number> {
  const token = await tokenOf(demo);
  const [contact_id] = demo.contact_ids;
  const adjustment = { contact_id, location_id: demo.location_ids[0], amount: 1, adjustment_type: "credit" };
  const body = { idempotency_key: key, ...adjustment };
  const adjusted = await untilServed(() => post(`${demo.base_url}/sp/wallet/adjust`, body, token));
  expect(adjusted.body).toMatchObject({ success: true });
  const filter = { contact_id, event_types: ["wallet_adjustment"] };
  const listed = await untilServed(() => post(`${demo.base_url}/sp/transactions/list`, filter, token));
  return listed.body.meta.pagination.total;
}

/** A directory with a database, in which no service has made a demo business. */
const preparedData = async () => installation.dataDirectory(join(await newDataDirectory(), ".."));

/** Listens at the default address of the metrics. If a program that is no test listens there all the time, that does as well. */
async function takeMetricsPort(): Promise<Server> {
  for (let tries = 0; ; tries += 1) {
    const server = createServer().listen(9464, "127.0.0.1");
    const listens = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (listens || tries === 300) return server;
    await sleep(100);
  }
}

const nodeAt = (name: string) => {
  const node = process.env[name];
  return node === undefined
    ? ([`the Node.js of the tests (no ${name}; .ci/run installs it)`, {}] as const)
    : ([`the Node.js at ${name}`, { node }] as const);
};

it.each([
  ["1", ...nodeAt("OLDEST_NODE")],
  ["2", ...nodeAt("NEWEST_NODE")],
] as const)(
  "with %s processes, on %s, is ready once demo.json exists, and serves",
  async (LOYALTY_WORKERS, _name, options) => {
    const other = await takeMetricsPort();
    const data = await preparedData();
    const port = String(await freePort());
    const environment = { LOYALTY_DATA_DIR: data, LOYALTY_METRICS_ADDRESS: "", PORT: port, LOYALTY_WORKERS };
    const service = start(environment, options);
    await service.until(async () => {
      const reply = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
      return reply?.status === 200;
    });
    const demo = await readDemo(data);
    expect(demo.base_url).toBe(`http://127.0.0.1:${port}/api`);
    await service.until(() =>
      service.log.includes("The metrics are not served. The address of the metrics,"),
    );
    expect(service.said).not.toContain("Metrics: ");
    expect(await adjust(demo, "once-ready")).toBeGreaterThan(0);
    expect(await service.stop()).toBe(0);
    other.close();
  },
);

it("tells where its metrics are, and makes no demo business, when told so", async () => {
  const data = await preparedData();
  const service = start({
    LOYALTY_DATA_DIR: data,
    LOYALTY_DEMO: "off",
    LOYALTY_METRICS_ADDRESS: "127.0.0.1:0",
  });
  const baseUrl = await service.ready();
  await service.until(() => service.said.includes("Metrics: "));
  const url = /^Metrics: (\S+)$/m.exec(service.said)?.[1] as string;
  const metrics = await (await fetch(url)).text();
  expect(metrics).toContain("loyalty_starts_total 1");
  expect(Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
  expect((await fetch(new URL("/metrics", baseUrl))).status).toBe(404);
  expect(await readdir(data)).not.toContain("demo.json");
  expect(service.said).not.toMatch(/demo/);
  // The first person needs no command, either.
  expect(service.said).toMatch(/^First sign-in: \S+\/console\/accept#token=loyinv_\S+ \(valid once/m);
});

it("only migrates, and ends, when told so", async () => {
  const data = await newDataDirectory();
  const migrate = async () => {
    const service = start({ LOYALTY_DATA_DIR: data }, { arguments: ["--migrate"] });
    expect(await service.ended()).toBe(0);
    expect(service.said).toMatch(/^The database has the schema of this version\.\nStopped\.\n$/m);
    return service.said.match(/^Migrated .*$/m)?.[0];
  };
  expect(await migrate()).toBe("Migrated the database: 0001_first_release.sql");
  expect(await migrate()).toBeUndefined();
});

const accounts: [string, Account][] = isRoot
  ? [
      ["root", undefined],
      ["an ordinary user", nobody],
    ]
  : [["an ordinary user", undefined]];

describe.each(accounts)("as %s", (_name, account) => {
  let data: string;
  let adjustments: number;
  let token: string;
  /** One service after the other, each as the tests before left it. */
  let service: ServiceProcess;
  const startAgain = async () => {
    service = startService({
      directory: installation.directory,
      environment: { LOYALTY_DATA_DIR: data },
      account,
    });
    return service.ready();
  };

  beforeAll(async () => {
    data = await newDataDirectory(account);
  });
  afterAll(() => service.stop());

  it("starts on nothing, shows what it does, and serves a demo business", async () => {
    const baseUrl = await startAgain();
    expect(service.said).toMatch(
      /^Creating the database .*\nStarting PostgreSQL .*\nMigrated the database: /,
    );
    const demo = await readDemo(data);
    expect(demo.base_url).toBe(baseUrl);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
    for (const file of ["demo.json", "secret", "operator.key"]) expect(await modeOf(data, file)).toBe(0o600);
    const [, consoleUrl, invitation = ""] =
      /^First sign-in: (\S+)\/accept#token=(\S+) /m.exec(service.said) ?? [];
    expect(consoleUrl).toBe(`${baseUrl}/console`);
    const password = "correct horse battery staple";
    const accepted = await post(`${baseUrl}/op/operators/accept`, { token: invitation, password });
    expect(accepted.body).toMatchObject({
      success: true,
      data: { operator: { name: "owner", role: "owner" } },
    });
    token = await tokenOf(demo);
    adjustments = await adjust(demo, "first");
    await service.stop();
  });

  it("starts a second time with everything there, and makes no second demo business", async () => {
    const before = await readDemo(data);
    const base_url = await startAgain();
    expect(service.said).toContain(`The demo business is described in ${join(data, "demo.json")}`);
    expect(service.said).not.toMatch(/Creating|Migrated|First sign-in/);
    const demo = await readDemo(data);
    expect(demo).toEqual({ ...before, base_url });
    expect(await adjust(demo, "first")).toBe(adjustments);
    const listed = await post(`${base_url}/sp/members/list`, {}, token);
    expect(listed.body.meta.pagination.total).toBe(60);
  });

  it("starts again after the service was killed, and stops the database left behind", async () => {
    const left = await postmasterPid(data);
    service.kill("SIGKILL");
    expect(await service.ended()).toBe("SIGKILL");
    await startAgain();
    expect(service.said).toMatch(/Stopping the PostgreSQL that an earlier run left behind/);
    const step = (name: string) => `${name} \\d+\\.\\d s`;
    const steps = [
      "loading",
      "making the database or ending an earlier run",
      "PostgreSQL with its recovery",
      "migrations and checks",
      "listening",
      "demo business",
    ];
    expect(service.said).toMatch(new RegExp(`^${step("Started in")}: ${steps.map(step).join(", ")}$`, "m"));
    expect(await postmasterPid(data)).not.toBe(left);
    expect(await adjust(await readDemo(data), "after-the-service")).toBe(++adjustments);
  });

  it("rejects a directory that it may not write to", async () => {
    const parent = join(await newDataDirectory(), "..");
    // Root may write everywhere but into a file.
    if (isRoot && account === undefined) await writeFile(join(parent, "closed"), "");
    else await mkdir(join(parent, "closed"), { mode: 0o555 });
    const line = await rejection({ LOYALTY_DATA_DIR: join(parent, "closed/data") }, account);
    expect(line).toContain(join(parent, "closed/data"));
    expect(line).toContain("LOYALTY_DATA_DIR");
  });

  // The rest is the same for every account.
  if (account !== accounts[0]?.[1]) return;

  it("rejects a data directory that another instance uses", async () => {
    expect(await rejection({ LOYALTY_DATA_DIR: data }, account)).toMatch(
      /is in use by another loyalty service or command \(pid \d+\): stop that one first, or set LOYALTY_DATA_DIR/,
    );
    expect(await adjust(await readDemo(data), "after-the-other")).toBe(++adjustments);
  });

  it("shows what PostgreSQL has trouble with, and not whom it cuts off for that", async () => {
    // Of the connections of the service, which stay, and not of what comes and goes, such as autovacuum.
    const [backend] = await childPids(await postmasterPid(data), ": loyalty loyalty");
    process.kill(backend as number, "SIGKILL");
    await service.until(() => /^PostgreSQL: LOG: .*was terminated by signal 9/m.test(service.said));
    // PostgreSQL doesn't hear a stop while it recovers.
    await service.until(isReady);
    expect(service.said).not.toMatch(/terminating connection|ready to accept/);
  });

  it("goes on after the database was killed", async () => {
    process.kill(await postmasterPid(data), "SIGKILL");
    await service.until(() => /PostgreSQL was ended by SIGKILL; it was started again/.test(service.said));
    expect(service.said).toMatch(/PostgreSQL was ended by SIGKILL; starting it again …/);
    // Connections that were lost are noticed one by one; nobody may need a restart of the service for that.
    await service.until(isReady);
    await expect
      .poll(async () => adjust(await readDemo(data), "after-the-database").catch(String), { interval: 100 })
      .toBe(adjustments + 1);
    adjustments += 1;
  });

  it("starts again after both were killed", async () => {
    const pid = await postmasterPid(data);
    service.kill("SIGKILL");
    process.kill(pid, "SIGKILL");
    await service.ended();
    await startAgain();
    expect(service.said).toMatch(/Recovering after an unclean stop/);
    expect(await adjust(await readDemo(data), "after-both")).toBe(++adjustments);
  });

  const isReady = async () => (await fetch(new URL("/health/ready", (await readDemo(data)).base_url))).ok;
});

/** Starts a service that must not come up. @returns the last thing it says, which must not be a stack trace */
async function rejection(environment: Record<string, string>, account?: Account): Promise<string> {
  const service = start(environment, { account });
  expect(await service.ended()).toBe(1);
  expect(service.said).not.toMatch(/Ready|\n {4}at /);
  return service.said.trimEnd().split("\n").at(-1) as string;
}

describe("a start that can't succeed", () => {
  it("names the port that is in use, and leaves no database running", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const data = await newDataDirectory();
    expect(await rejection({ LOYALTY_DATA_DIR: data, PORT: String(port) })).toBe(
      `Port ${port} on 127.0.0.1 is in use: stop what uses it, or set PORT.`,
    );
    server.close();
    // The port is tried before anything is made.
    expect(existsSync(data) ? await readdir(data) : []).toEqual([]);
  });

  it("names the address of the metrics that is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    for (const LOYALTY_WORKERS of ["1", "2"]) {
      const environment = { LOYALTY_METRICS_ADDRESS: `127.0.0.1:${port}`, LOYALTY_WORKERS };
      const data = await newDataDirectory();
      expect(await rejection({ LOYALTY_DATA_DIR: data, ...environment })).toBe(
        `The address of the metrics, 127.0.0.1 port ${port}, is in use: set LOYALTY_METRICS_ADDRESS to ` +
          "another one, such as 127.0.0.1:9465, or to off.",
      );
      // It is tried before anything is made, like the port.
      expect(existsSync(data) ? await readdir(data) : []).toEqual([]);
    }
    server.close();
  });

  it("names the address that is not this machine's", async () => {
    const data = await newDataDirectory();
    const line = await rejection({
      LOYALTY_DATA_DIR: data,
      HOST: "192.0.2.1",
      PORT: String(await freePort()),
    });
    expect(line).toMatch(/^HOST 192\.0\.2\.1 is not an address of this machine/);
    expect(existsSync(data) ? await readdir(data) : []).toEqual([]);
  });

  it("names all wrong variables at once, before it does anything", async () => {
    const data = await newDataDirectory();
    const service = start({ LOYALTY_DATA_DIR: data, PORT: "no", LOG_LEVEL: "loud", DATABASE_URL: "db" });
    expect(await service.ended()).toBe(1);
    expect(service.said.match(/^[A-Z_]+(?= )/gm)).toEqual([
      "DATABASE_URL",
      "LOYALTY_SECRET",
      "PORT",
      "LOG_LEVEL",
    ]);
    expect(service.said.trimEnd().split("\n")).toHaveLength(4);
    await expect(stat(data)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("names an unknown option, and shows those that there are", async () => {
    const service = start({}, { arguments: ["--dmeo"] });
    expect(await service.ended()).toBe(1);
    expect(service.said).toMatch(/^Unknown option '--dmeo'/);
    expect(service.said).toMatch(/--demo/);
    expect(service.said).not.toMatch(/\n {4}at /);
  });

  it("rejects a secret that was cut off", async () => {
    const data = await preparedData();
    await writeFile(join(data, "secret"), "");
    expect(await rejection({ LOYALTY_DATA_DIR: data })).toMatch(/secret holds no secret of at least 32 char/);
  });
});

describe("on a database of one's own", () => {
  const secret = "a secret for tests, long enough to be one";
  let database: string;
  let environment: Record<string, string>;
  let data: string;

  beforeAll(async () => {
    data = await newDataDirectory();
    const { server, admin } = adminConnection();
    database = `loyalty_start_${process.pid}`;
    await admin.query(`CREATE DATABASE ${database}`);
    await admin.end();
    // The server of the tests may listen on a socket, which a URL can't name.
    environment = {
      LOYALTY_SECRET: secret,
      LOYALTY_DATA_DIR: data,
      DATABASE_URL: `postgres:///${database}`,
      PGHOST: server.host,
      PGPORT: String(server.port),
      PGUSER: server.user,
      PGPASSWORD: server.password,
    };
  });
  afterAll(async () => {
    const { admin } = adminConnection();
    await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await admin.end();
  });

  function adminConnection() {
    const server = inject("server");
    const pool = { connections: 1, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" };
    return { server, admin: openDatabase(server, pool) };
  }

  it("makes no demo business unasked, and one for all the processes that are asked at once", async () => {
    const plain = start(environment);
    await plain.ready();
    expect(plain.said).not.toMatch(/demo/);
    expect(await readdir(data)).toEqual(["address", "operator.key"]);
    await plain.stop();

    const services = [1, 2, 3].map(() => start(environment, { arguments: ["--demo"] }));
    await Promise.all(services.map((service) => service.ready()));
    const demo = await readDemo(data);
    const made = services.filter((service) => service.said.includes("A demo business is there to try"));
    expect(made).toHaveLength(1);
    expect(demo.business_id).toBe(1);
    expect(await adjust(demo, "shared")).toBeGreaterThan(0);
  });

  it("does with the fewest connections all that is asked at once", async () => {
    const service = start({ ...environment, LOYALTY_DATABASE_CONNECTIONS: "8" }, { arguments: ["--demo"] });
    await service.ready();
    const demo = await readDemo(data);
    const token = await tokenOf(demo);
    const [contact_id] = demo.contact_ids;
    const bodies = (nth: number) => ({
      "/sp/reward-points/adjust": {
        idempotency_key: `few-${nth}`,
        contact_id,
        points: 1,
        adjustment_type: "credit",
      },
      "/sp/members/create": {
        idempotency_key: `few-member-${nth}`,
        first_name: "Ana",
        last_name: "Few",
        phone_number: `+3460000${1000 + nth}`,
      },
      "/sp/transactions/list": { start_date: "2020-01-01" },
      "/sp/members/list": { page: 1 + (nth % 2) },
      "/sp/member-tiers/list": {},
    });
    const asked = Array.from({ length: 20 }, (_, nth) => Object.entries(bodies(nth))).flat();
    const replies = await Promise.all(
      asked.map(([path, body]) => untilServed(() => post(demo.base_url + path, body, token))),
    );
    expect(replies.filter((reply) => reply.status >= 300)).toEqual([]);
    const { admin } = adminConnection();
    const [open] = await admin`
      SELECT count(*) FROM pg_stat_activity WHERE datname = ${database} AND application_name = 'loyalty'`;
    await admin.end();
    expect(open?.count).toBeLessThanOrEqual(8);
  });

  it("says in a line that the database can't be reached", async () => {
    const unreachable = "postgres://loyalty:password-of-it@127.0.0.1:1/loyalty";
    const line = await rejection({ ...environment, DATABASE_URL: unreachable });
    expect(line).toMatch(/^The database of DATABASE_URL can't be reached: .*127\.0\.0\.1:1/);
    expect(line).not.toContain("password-of-it");
  });

  it("says in a line that there is no such database", async () => {
    const line = await rejection({ ...environment, DATABASE_URL: "postgres:///nowhere" });
    expect(line).toBe('The database of DATABASE_URL can\'t be reached: database "nowhere" does not exist.');
  });

  it("says in a line that the file of the demo business can't be written", async () => {
    const file = join(await newDataDirectory(), "..", "file");
    await writeFile(file, "");
    const { LOYALTY_DATA_DIR: _, ...rest } = environment;
    const service = start({ ...rest, LOYALTY_DATA_DIR: join(file, "data") }, { arguments: ["--demo"] });
    expect(await service.ended()).toBe(1);
    expect(service.said).toMatch(
      /^The data directory .*file\/data can't be made \(ENOTDIR\): set LOYALTY_DATA_DIR/,
    );
  });
});

it("prints commands that work when they are pasted, and when they are pasted again", async () => {
  const data = await preparedData();
  const service = start({ LOYALTY_DATA_DIR: data, LOYALTY_RATELIMIT: "1" });
  await service.ready();
  expect(service.said).toContain(
    "LOYALTY_RATELIMIT is not a setting of the service, and is ignored. Did you mean LOYALTY_RATE_LIMIT?",
  );
  expect(service.said).toContain(`\nData: ${data}\n`);
  await service.until(() => /transactions\/list .*\n/.test(service.said));
  const session = service.said.slice(service.said.indexOf("LOYALTY_DATA_DIR="));
  for (const paste of ["first", "second"]) {
    const { stdout, stderr } = await promisify(execFile)(
      "sh",
      ["-c", session.replace(/\n(?=L)/g, "; echo ---\n")],
      {
        cwd: installation.directory,
        env: {
          PATH: await pathWithoutNpm(installation.directory),
          HOME: process.env.HOME,
          npm_config_loglevel: "error",
        },
      },
    );
    const replayed = "Replayed: the response to the first request with this idempotency_key.\n";
    expect(stderr).toBe(paste === "first" ? "" : replayed);
    const [listed, adjusted, transactions] = stdout.split("---\n").map((text) => JSON.parse(text));
    expect(listed.meta.pagination.total, paste).toBe(60);
    expect(adjusted.data, paste).toMatchObject({ amount: 2500, balance_after: 2500 });
    expect(transactions.data[0], paste).toMatchObject({ event_type: "wallet_adjustment", amount: 2500 });
    expect(transactions.meta.pagination.total, paste).toBe(2);
  }
  // Commands find the service on its port.
  const { stdout } = await promisify(execFile)(process.execPath, ["bin/loyalty.mjs", "status"], {
    cwd: installation.directory,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOYALTY_DATA_DIR: data },
  });
  expect(stdout).toContain("embedded, PostgreSQL");
});

it("rejects a file .env with a setting that has no =", async () => {
  const directory = join(await newDataDirectory(), "..");
  await writeFile(join(directory, ".env"), "# Settings\nPORT 18099\n");
  const program = join(installation.directory, "dist/main.js");
  const service = start({}, { directory, program });
  expect(await service.ended()).toBe(1);
  expect(service.said).toBe('The file .env has a line without "=": PORT …\n');
});

it("reads a file .env where it is started, and believes the environment more", async () => {
  const directory = join(await newDataDirectory(), "..");
  await writeFile(join(directory, ".env"), "LOYALTY_RATE_LIMIT=many\nLOG_LEVEL=silent\n");
  const program = join(installation.directory, "dist/main.js");
  const service = start({ LOG_LEVEL: "loud" }, { directory, program });
  expect(await service.ended()).toBe(1);
  expect(service.said).toMatch(/^LOYALTY_RATE_LIMIT .*"many"\.\nLOG_LEVEL .*"loud"\.\n$/);
});
