/** Two services on one database behind a proxy: a restart of one after the other must not be seen by clients. */
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { useInstallation } from "../support/installation.ts";
import { freePort, type ServiceProcess, startService } from "../support/service-process.ts";
import { testOperatorKey, testSecret, useWorld } from "../support/world.ts";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");
const haproxy = ["haproxy", "/usr/sbin/haproxy"].find((name) => spawnSync(name, ["-v"]).status === 0);
/** Undefined where there is no history, or where the previous commit has other migrations. */
const previous = previousCommit();
if (haproxy === undefined) process.stderr.write("No HAProxy: the tests of rolling restarts are skipped.\n");
else if (previous === undefined)
  process.stderr.write("No previous build with this schema: its test is skipped.\n");

const world = useWorld();
const installation = useInstallation();
const running = new Set<ServiceProcess>();
let directory = "";
let proxy: ChildProcess | undefined;
let ports: readonly [number, number, number];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-proxy-"));
});
afterEach(async () => {
  for (const service of running) service.kill("SIGKILL");
  await Promise.all([...running].map((service) => service.ended()));
  running.clear();
  if (proxy?.exitCode === null && proxy.kill()) await once(proxy, "exit");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function previousCommit(): string | undefined {
  const git = (...words: string[]) =>
    execFileSync("git", words, {
      cwd: repository,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    const commit = git("rev-parse", "--verify", "HEAD^");
    return git("diff", "--name-only", commit, "--", "migrations") === "" ? commit : undefined;
  } catch {
    return undefined;
  }
}

async function startBackend(port: number, from = installation.directory): Promise<ServiceProcess> {
  const {
    host,
    port: databasePort,
    user,
    password,
    database,
  } = world.database.connection as unknown as Record<string, string>;
  const service = startService({
    directory: from,
    environment: {
      DATABASE_URL: `postgres:///${database}?host=${encodeURIComponent(String(host))}`,
      PGUSER: String(user),
      PGPASSWORD: String(password ?? ""),
      PGPORT: String(databasePort),
      PORT: String(port),
      LOYALTY_SECRET: testSecret,
      LOYALTY_OPERATOR_KEY: testOperatorKey,
      LOYALTY_RATE_LIMIT: "0",
      LOYALTY_TRUSTED_PROXIES: "127.0.0.1",
      // The proxy looks ten times a second, but it or the service may pause for seconds on a busy machine.
      LOYALTY_DRAIN_SECONDS: "8",
      LOG_LEVEL: "warn",
    },
  });
  running.add(service);
  await service.ready();
  return service;
}

async function startProxy(): Promise<void> {
  ports = [await freePort(), await freePort(), await freePort()];
  const [front, ...backends] = ports;
  const lines = [
    "defaults",
    "  mode http",
    // No request is sent twice: each failure would show.
    "  retries 0",
    "  timeout connect 60s",
    "  timeout client 60s",
    "  timeout server 60s",
    // Otherwise a check may take no longer than the time between two.
    "  timeout check 60s",
    "  option forwardfor",
    "frontend loyalty",
    `  bind 127.0.0.1:${front}`,
    "  stats uri /proxy",
    "  default_backend services",
    "backend services",
    "  balance roundrobin",
    "  http-reuse always",
    "  option httpchk GET /health/ready",
    "  http-check send hdr Host loyalty",
    ...backends.map(
      (port, nth) => `  server service${nth} 127.0.0.1:${port} check inter 100ms fall 1 rise 1`,
    ),
  ];
  const file = join(directory, "haproxy.cfg");
  await writeFile(file, `${lines.join("\n")}\n`);
  proxy = spawn(haproxy as string, ["-db", "-f", file], { stdio: "ignore" });
}

/** Credits a point again and again, from several clients over kept connections, until it is told to stop. */
function load(token: string, contactId: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const outcomes: (number | string)[] = [];
  let over = false;
  const credit = (key: string) =>
    new Promise<number | string>((resolve) => {
      const body = { idempotency_key: key, contact_id: contactId, points: 1, adjustment_type: "credit" };
      const sent = request(
        {
          port: ports[0],
          path: "/api/sp/reward-points/adjust",
          method: "POST",
          agent,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        },
        (response) => response.resume().on("end", () => resolve(response.statusCode as number)),
      );
      sent.on("error", (error) => resolve(String(error)));
      sent.end(JSON.stringify(body));
    });
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let number = 0; !over && number < 20_000; number++) {
      outcomes.push(await credit(`roll-${contactId}-${client}-${number}`));
      await sleep(10);
    }
  });
  return {
    outcomes,
    async finish() {
      over = true;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

/** Waits until the proxy sends requests to both services. */
async function bothUp(): Promise<void> {
  const table = () =>
    fetch(`http://127.0.0.1:${ports[0]}/proxy;csv`).then(
      (response) => response.text(),
      () => "",
    );
  // It counts a server as up until it has checked it: L7OK is the outcome of a check.
  const up = async () => (await table()).match(/^services,service.*,UP,.*,L7OK,/gm)?.length;
  await expect.poll(up).toBe(2);
}

async function sumOf(contactId: number): Promise<number> {
  const filter = { contact_id: contactId, event_types: ["reward_points_adjustment"], per_page: 1 };
  return (await world.ask("/sp/transactions/list", filter)).body.data[0]?.balance_after ?? 0;
}

describe.skipIf(haproxy === undefined)("behind a proxy", () => {
  it("restarts one process after the other without one failed request", async () => {
    await startProxy();
    const [, first, second] = ports;
    let [left, right] = await Promise.all([startBackend(first), startBackend(second)]);
    await bothUp();
    const contactId = await world.member();
    const traffic = load(await world.token(), contactId);
    await left.until(() => traffic.outcomes.length > 200);
    expect(await left.stop()).toBe(0);
    left = await startBackend(first);
    await bothUp();
    expect(await right.stop()).toBe(0);
    right = await startBackend(second);
    const before = traffic.outcomes.length;
    await right.until(() => traffic.outcomes.length > before + 200);
    await traffic.finish();
    expect(traffic.outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
    expect(await sumOf(contactId)).toBe(traffic.outcomes.length);
  });

  it("is not ready before it closes the port, and serves meanwhile", async () => {
    const port = await freePort();
    const service = await startBackend(port);
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    service.kill("SIGTERM");
    await service.until(async () => (await ask("/health/ready")).status === 503);
    const response = await world.call(
      "/sp/member-tiers/list",
      {},
      {
        token: await world.token(),
        baseUrl: `http://127.0.0.1:${port}/api`,
      },
    );
    expect([response.status, response.headers.get("connection")]).toEqual([200, "close"]);
    // One that does not finish within its time ends with 1.
    expect(await service.ended()).toBe(0);
  });

  it.skipIf(previous === undefined)("runs beside the previous build, and takes over from it", async () => {
    const old = join(directory, "previous");
    await mkdir(old);
    await execute("sh", ["-c", `git archive ${previous} | tar -x -C '${old}'`], { cwd: repository });
    await mkdir(join(old, "node_modules"));
    const packages = join(installation.directory, "node_modules");
    for (const name of await readdir(packages)) {
      if (name !== "loyalty-sdk") await symlink(join(packages, name), join(old, "node_modules", name));
    }
    await symlink("../packages/sdk", join(old, "node_modules/loyalty-sdk"));
    // Its pages are those of this build: to build them takes a minute, and nobody asks for them.
    await cp(join(installation.directory, "dist"), join(old, "dist"), { recursive: true });
    const build = 'await (await import("./scripts/bundle.mjs")).bundle({ start: "src/main.ts" }, "dist")';
    await execute(process.execPath, ["--input-type=module", "-e", build], { cwd: old });

    await startProxy();
    const [, first, second] = ports;
    const [left] = await Promise.all([startBackend(first, old), startBackend(second)]);
    await bothUp();
    const contactId = await world.member();
    const traffic = load(await world.token(), contactId);
    await left.until(() => traffic.outcomes.length > 400);
    expect(await left.stop()).toBe(0);
    const next = await startBackend(first);
    const before = traffic.outcomes.length;
    await next.until(() => traffic.outcomes.length > before + 200);
    await traffic.finish();
    // The build before this setting closes its port at once: what the proxy sent to it then may fail, nothing else.
    const recorded = traffic.outcomes.filter((outcome) => outcome === 200).length;
    expect(recorded).toBeGreaterThan(traffic.outcomes.length - 10);
    expect(await sumOf(contactId)).toBeGreaterThanOrEqual(recorded);
    expect(await sumOf(contactId)).toBeLessThanOrEqual(traffic.outcomes.length);
  });
});
