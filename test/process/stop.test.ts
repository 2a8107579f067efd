import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { DemoFile } from "../../src/data-directory.ts";
import { useInstallation } from "../support/installation.ts";
import {
  post,
  postmasterPid,
  readDemo,
  type ServiceProcess,
  startService,
  tokenOf,
} from "../support/service-process.ts";

const installation = useInstallation();
let data: string;
const running: ServiceProcess[] = [];

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-stop-"));
  await chmod(directory, 0o755);
  data = await installation.dataDirectory(directory, undefined, "on");
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
  await rm(directory, { recursive: true, force: true });
});

function start(more: Record<string, string> = {}, nodeOptions: string[] = []): ServiceProcess {
  const environment = { LOYALTY_DATA_DIR: data, LOYALTY_RATE_LIMIT: "0", ...more };
  const service = startService({ directory: installation.directory, environment, nodeOptions });
  running.push(service);
  return service;
}

async function signIn(): Promise<{ demo: DemoFile; token: string }> {
  const demo = await readDemo(data);
  return { demo, token: await tokenOf(demo) };
}

function adjustment(demo: DemoFile, number: number) {
  return {
    idempotency_key: `stop-${number}`,
    contact_id: demo.contact_ids[0],
    points: 1,
    adjustment_type: "credit",
    reference_id: `stop-${number}`,
  };
}

/** Waits for the service to end well, with the database shut down. One that is cut off after its 15 s ends with 1. */
async function expectGoodEnd(service: ServiceProcess): Promise<void> {
  expect(await service.ended()).toBe(0);
  expect(service.said).toMatch(/Stopped\.\n$/);
  expect(await readdir(join(data, "postgres"))).not.toContain("postmaster.pid");
}

const processes = [
  ["one process", "1"],
  ["several processes", "3"],
] as const;

it.each(processes)(
  "responds to what is in flight in %s, and records exactly that",
  async (_name, workers) => {
    const service = start({ LOYALTY_WORKERS: workers });
    let logged = "";
    service.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      logged += text;
    });
    await service.ready();
    const pid = await postmasterPid(data);
    const { demo, token } = await signIn();
    const url = `${demo.base_url}/sp/reward-points/adjust`;
    const acknowledged: string[] = [];
    let open = 0;
    // Eight callers that go on until they are sent away.
    const callers = Array.from({ length: 8 }, async (_, caller) => {
      for (let number = caller; ; number += 8) {
        const reply = await post(url, adjustment(demo, number), token).catch(() => undefined);
        if (reply === undefined) {
          open += 1;
          return;
        }
        expect(reply.status).toBe(200);
        acknowledged.push(`stop-${number}`);
      }
    });
    await service.until(() => acknowledged.length > 100);
    service.kill("SIGTERM");
    await expectGoodEnd(service);
    await Promise.all(callers);
    expect(open).toBe(8);
    // The log is written to its end.
    expect(logged.match(/"operation":"\/api\/sp\/reward-points\/adjust","status":200,/g)).toHaveLength(
      acknowledged.length,
    );
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");

    await start().ready();
    const recorded = await referencesOf((await signIn()).demo, token);
    // A caller that was sent away had not been heard: nothing is recorded that was not acknowledged.
    expect(recorded.toSorted()).toEqual(acknowledged.toSorted());
  },
);

async function referencesOf(demo: DemoFile, token: string): Promise<string[]> {
  const references: string[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const filter = { event_types: ["reward_points_adjustment"], contact_id: demo.contact_ids[0] };
    const { body } = await post(
      `${demo.base_url}/sp/transactions/list`,
      { ...filter, per_page: 100, page },
      token,
    );
    references.push(...body.data.map((entry: { reference_id: string }) => entry.reference_id));
    last = body.meta.pagination.last_page;
  }
  return references.filter((reference) => reference.startsWith("stop-"));
}

/** Opens a connection and sends the head and the first byte of the body of an adjustment, which the service has then begun. */
async function beginAdjustment(demo: DemoFile, token: string) {
  const { hostname, port, pathname } = new URL(`${demo.base_url}/sp/reward-points/adjust`);
  const body = JSON.stringify(adjustment(demo, 0));
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body[0]}`);
  const [interim] = await once(socket, "data");
  expect(String(interim)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  return { socket, rest: body.slice(1) };
}

/** A service that stops closes its port first. */
const hasClosedItsPort = ({ base_url }: DemoFile) =>
  fetch(base_url).then(
    () => false,
    () => true,
  );

async function responseOn(socket: Socket): Promise<string> {
  let response = "";
  for await (const chunk of socket) response += String(chunk);
  return response;
}

it("lets a client finish the request that it has begun", async () => {
  const service = start();
  await service.ready();
  const { demo, token } = await signIn();
  const { socket, rest } = await beginAdjustment(demo, token);
  service.kill("SIGTERM");
  await service.until(() => hasClosedItsPort(demo));
  socket.write(rest);
  const response = await responseOn(socket);
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(response).toMatch(/^connection: close\r$/im);
  await expectGoodEnd(service);
});

it("waits neither for a client that stalls nor for one that never speaks", async () => {
  const service = start();
  await service.ready();
  const { demo, token } = await signIn();
  const stalled = await beginAdjustment(demo, token);
  const { hostname, port } = new URL(demo.base_url);
  const silent = connect(Number(port), hostname);
  await once(silent, "connect");
  service.kill("SIGTERM");
  await expectGoodEnd(service);
  stalled.socket.destroy();
  silent.destroy();
});

it("doesn't wait for connections on which nothing is under way, and takes a Ctrl-C that comes twice for one", async () => {
  const service = start();
  await service.ready();
  const { demo, token } = await signIn();
  const { hostname, port } = new URL(demo.base_url);
  // A request that was begun is waited for: its connection closes when the service gives up.
  const { socket: stalled } = await beginAdjustment(demo, token);
  const idle = connect(Number(port), hostname);
  idle.write("GET /health/live HTTP/1.1\r\nHost: loyalty\r\n\r\n");
  await once(idle, "data");
  const silent = connect(Number(port), hostname);
  await once(silent, "connect");
  const closed: string[] = [];
  for (const [name, socket] of Object.entries({ stalled, idle, silent }))
    socket.on("error", () => undefined).once("close", () => closed.push(name));
  service.kill("SIGINT");
  service.kill("SIGINT");
  await expectGoodEnd(service);
  expect(service.said.match(/SIGINT/g)).toHaveLength(1);
  await expect.poll(() => closed.length).toBe(3);
  expect(closed.at(-1)).toBe("stalled");
});

it("stops in the middle of a start, and leaves nothing running or broken", async () => {
  data = join(directory, "new");
  for (const moment of ["Creating", "Starting", "Migrated"]) {
    // PostgreSQL is made to its end. A busy machine may take longer for that than a stop may take without this.
    const service = start({ LOYALTY_DRAIN_SECONDS: "60" });
    // It may be further by the time that it is asked to stop, and then a later start has nothing to migrate.
    await service.until(() => service.said.includes(moment) || service.said.includes("Ready: "));
    service.kill("SIGTERM");
    expect(await service.ended(), moment).toBe(0);
    const files = await readdir(join(data, "postgres")).catch(() => []);
    expect(files, moment).not.toContain("postmaster.pid");
  }
  await start().ready();
  await signIn();
});

it("stops when the signal comes as the last part starts", async () => {
  // The service writes its address last.
  const program = join(directory, "signal.mjs");
  await writeFile(
    program,
    `import files from "node:fs/promises";
    import { once } from "node:events";
    import { syncBuiltinESMExports } from "node:module";
    const { rename } = files;
    files.rename = async (from, to) => {
      if (String(to).endsWith("/address")) {
        const signal = once(process, "SIGTERM");
        process.kill(process.pid, "SIGTERM");
        await signal;
      }
      return rename(from, to);
    };
    syncBuiltinESMExports();`,
  );
  const service = start({}, ["--import", program]);
  await expectGoodEnd(service);
  expect(service.said).toContain("Ready: ");
});

/** The log alone, for programs that end as they like. */
beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "../../src/log.ts")],
    outfile: join(installation.directory, "log.js"),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
  });
});

it("writes what was logged last, however soon after it the process ends", () => {
  const program =
    'const { createLog } = await import("./log.js"); createLog("info").info("last"); process.exit(3);';
  const options = { cwd: installation.directory, encoding: "utf8" } as const;
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program], options);
  expect([ended.status, ended.stdout]).toEqual([
    3,
    expect.stringMatching(/^\{"level":30,.*"msg":"last"\}\n$/),
  ]);
});

/** Runs a program that logs so many lines and ends at once. */
function logging(lines: number): ChildProcess {
  const program = `
    const { createLog } = await import("./log.js");
    const log = createLog("info");
    for (let line = 1; line <= ${lines}; line++) log.info({ line }, "x".repeat(100));
    process.exit(3);`;
  return spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: installation.directory,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

it("writes its log to the end for a reader who comes late", async () => {
  const child = logging(5000);
  await sleep(1000);
  let logged = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    logged += text;
  });
  const [code] = await once(child, "close");
  expect(code).toBe(3);
  const numbers = logged
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { line: number }).line);
  expect(numbers).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
});

it.each([1, 5000])("ends though nobody reads its log any more, of %i lines", async (lines) => {
  const child = logging(lines);
  child.stdout?.destroy();
  const [code] = await once(child, "exit");
  expect(code).toBe(3);
});
