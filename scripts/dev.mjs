#!/usr/bin/env node
/**
 * `npm run dev`: builds and starts the service, and does both again after each change of the source. Its pages are served through a
 * proxy on another port, which adds a script to them: they reload when the service is back. `npm run console` starts it with a demo of
 * its own, which is deleted at the end, and shows where to sign in.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, watch } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const help = `Usage: npm run dev [-- --fresh]

Starts the service, builds and restarts it after each change, and reloads the pages at the address that it prints.
The settings are those of npm start. Tests and documents in docs/ cause no restart.

  --fresh  use a new data directory with a demo business, and delete it at the end (npm run console does this)
`;

const { values } = parseArgs({ options: { fresh: { type: "boolean" }, help: { type: "boolean" } } });
if (values.help) {
  process.stdout.write(help);
  process.exit();
}
const port = Number(process.env.PORT ?? 8080);
const proxyPort = port + 1;
const say = (/** @type {string} */ line) => process.stderr.write(`dev: ${line}\n`);
const environment = { ...process.env, PORT: String(port) };
const fresh = values.fresh ? mkdtempSync(join(tmpdir(), "loyalty-dev-")) : undefined;
if (fresh !== undefined) environment.LOYALTY_DATA_DIR = fresh;

/** @type {import("node:child_process").ChildProcess | undefined} */
let service;
/** @type {Set<import("node:http").ServerResponse>} */
const pages = new Set();
let isEnding = false;

/** The script in a page, which reloads it when the connection comes back with another start. */
const script = `const start = "START"; new EventSource("/dev-reload").onmessage = ({ data }) => data !== start && location.reload();`;
let startedAt = "";

function build() {
  try {
    execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: ["ignore", 2, 2] });
    return true;
  } catch {
    say("the build failed. The previous build keeps running. Fix the source, and it is built again.");
    return false;
  }
}

async function stop() {
  if (service === undefined || service.exitCode !== null || service.signalCode !== null) return;
  const ended = new Promise((resolve) => service?.once("exit", resolve));
  service.kill("SIGTERM");
  await ended;
}

async function restart() {
  if (!build()) return;
  await stop();
  if (isEnding) return;
  service = spawn(process.execPath, ["--enable-source-maps", "dist/main.js"], {
    cwd: root,
    env: environment,
    stdio: "inherit",
  });
  if (!(await isReady(service)))
    return say("the service has ended. Fix the source, and it is started again.");
  startedAt = String(Date.now());
  for (const page of pages) page.write(`data: ${startedAt}\n\n`);
  say(
    `pages that reload: http://127.0.0.1:${proxyPort}/api/console/ and http://127.0.0.1:${proxyPort}/api/docs/`,
  );
}

/** @param {import("node:child_process").ChildProcess} started */
async function isReady(started) {
  while (started.exitCode === null && started.signalCode === null) {
    try {
      if ((await fetch(`http://127.0.0.1:${port}/health/ready`)).ok) return true;
    } catch {
      // It does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

/** Sends requests to the service, and adds the script to its pages. */
const proxy = createServer((incoming, outgoing) => {
  if (incoming.url === "/dev-reload") {
    outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    outgoing.write(`data: ${startedAt}\n\n`);
    pages.add(outgoing);
    outgoing.on("close", () => pages.delete(outgoing));
    return;
  }
  if (incoming.url === "/dev-reload.js") {
    outgoing.writeHead(200, { "content-type": "text/javascript", "cache-control": "no-store" });
    outgoing.end(script.replace("START", startedAt));
    return;
  }
  const { "accept-encoding": _, "if-none-match": __, ...headers } = incoming.headers;
  const { method = "GET", url: path = "/" } = incoming;
  const sent = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
    const isPage = response.headers["content-type"]?.startsWith("text/html") === true;
    const { "content-length": length, "content-security-policy": policy, ...rest } = response.headers;
    if (!isPage) {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
      return;
    }
    const allowed = policy?.toString().includes("connect-src") ? policy : `${policy}; connect-src 'self'`;
    outgoing.writeHead(response.statusCode ?? 502, { ...rest, "content-security-policy": allowed });
    response.on("data", (part) => outgoing.write(part));
    response.on("end", () => outgoing.end('<script src="/dev-reload.js"></script>'));
  });
  sent.on("error", () => outgoing.writeHead(503).end("The service is starting."));
  incoming.pipe(sent);
});
proxy.listen(proxyPort, "127.0.0.1");

/** @type {NodeJS.Timeout | undefined} */
let waiting;
let running = restart();
for (const folder of [
  "src",
  "packages/console/src",
  "packages/sdk/src",
  "tools",
  "docs/pages",
  "docs/guides",
]) {
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    if (file === null || /\.test\.ts$|generated/.test(file)) return;
    clearTimeout(waiting);
    // Editors write a file in several steps.
    waiting = setTimeout(() => {
      say(`${folder}/${file} has changed`);
      running = running.then(restart);
    }, 200);
  });
}

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.once(signal, async () => {
    isEnding = true;
    await running;
    await stop();
    if (fresh !== undefined) rmSync(fresh, { recursive: true, force: true });
    process.exit();
  });
}
