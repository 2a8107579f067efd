/** Starts the built service as a user does: a process of its own, which logs to a file. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { track } from "./child.ts";
import type { DatabaseServer } from "./database-server.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface ServiceProcess {
  readonly port: number;
  readonly pid: number;
  /** Posts a body. @throws when the answer is no success */
  post(path: string, body: object, authorization?: string): Promise<ServiceAnswer>;
  /** The value of a metric without labels, or the sum over its labels. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

export interface ServiceAnswer {
  readonly data: never;
  readonly text: string;
}

export interface ServiceOptions {
  readonly server: DatabaseServer;
  readonly database: string;
  /** By default the Node.js that runs the benchmark. */
  readonly node?: string;
  /** Options of Node.js, such as --cpu-prof. */
  readonly nodeOptions?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export const basePath = "/api";

/** The settings of a service in a run: all as by default, but for a rate limit above the load. */
export const serviceEnvironment = {
  HOST: "127.0.0.1",
  PORT: "0",
  LOYALTY_SECRET: "only-of-this-run-".repeat(3),
  LOYALTY_RATE_LIMIT: "1000000",
  LOYALTY_FAILED_TOKEN_LIMIT: "1000000",
  LOYALTY_UNAUTHENTICATED_LIMIT: "0",
  LOYALTY_METRICS_ADDRESS: "127.0.0.1:0",
} as const;

/** @returns once the service takes requests */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const { server, database, node = process.execPath, nodeOptions = [], environment = {} } = options;
  const directory = await mkdtemp(join(tmpdir(), "loyalty-bench-service-"));
  const child = track(
    spawn(node, [...nodeOptions, join(root, "dist/main.js")], {
      cwd: directory,
      env: {
        ...process.env,
        ...server.environment,
        ...serviceEnvironment,
        // Host and user come from the environment: a URL can't name the directory of a socket.
        DATABASE_URL: `postgres:///${database}`,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  const logFile = join(directory, "service.log");
  child.stdout.pipe(createWriteStream(logFile));
  const stop = async () => {
    await end(child);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const { port, metrics } = await readyAddresses(child);
    return { port, pid: child.pid as number, ...clientOf(port, metrics), stop };
  } catch (error) {
    const log = await readFile(logFile, "utf8").catch(() => "");
    await stop();
    throw new Error(`${(error as Error).message}\n${log.slice(-2000)}`);
  }
}

/** Waits for the lines that say where the service listens, and where its metrics are. */
async function readyAddresses(child: ChildProcess): Promise<{ port: number; metrics: string }> {
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
  let port = 0;
  return new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      said.push(line);
      port = Number(/^Ready: http:\/\/\S+?:(\d+)/.exec(line)?.[1] ?? port);
      const metrics = /^Metrics: (\S+)$/.exec(line)?.[1];
      if (metrics !== undefined) resolve({ port, metrics });
    });
    child.once("exit", () => reject(new Error(`the service did not start:\n${said.join("\n")}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

function clientOf(port: number, metrics: string): Pick<ServiceProcess, "post" | "metric"> {
  const origin = `http://127.0.0.1:${port}`;
  return {
    async post(path, body, authorization) {
      const response = await fetch(`${origin}${basePath}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(authorization && { authorization }) },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
      return { data: JSON.parse(text).data as never, text };
    },
    async metric(name) {
      const text = await (await fetch(metrics)).text();
      const values = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"));
      return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
    },
  };
}
