import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { DemoFile } from "../../src/data-directory.ts";
import { Faults } from "./faults.ts";

export interface StartOptions {
  readonly directory: string;
  /** By default dist/main.js in the directory. */
  readonly program?: string;
  readonly environment?: Record<string, string>;
  readonly arguments?: readonly string[];
  /** Options of Node.js, such as --cpu-prof. */
  readonly nodeOptions?: readonly string[];
  /** By default the Node.js that runs the tests. */
  readonly node?: string;
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
}

const keptOfLog = 8000;
/** A PostgreSQL with little memory starts and stops faster. Measurements use what the service chooses. */
const memory = process.env.VITEST === undefined ? {} : { LOYALTY_DATABASE_MEMORY: "128" };

/** Those that a failed test tells of. */
export const services = new Set<ServiceProcess>();

/** A running `node dist/main.js`, as a user starts it. */
export class ServiceProcess {
  readonly child: ChildProcess;
  /** What it told the person at the terminal. */
  said = "";
  /** The end of its log. */
  log = "";
  readonly faults = new Faults();
  readonly #ended: Promise<number | NodeJS.Signals>;

  constructor(child: ChildProcess) {
    this.child = child;
    services.add(this);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.log = (this.log + text).slice(-keptOfLog);
      this.faults.add(text);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.said += text;
    });
    this.#ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  }

  /** The base URL, once the service is ready. */
  async ready(): Promise<string> {
    const line = /^Ready: (\S+)$/m;
    await this.until(() => line.test(this.said));
    return line.exec(this.said)?.[1] as string;
  }

  /** Waits for something that the process does; fails when it ends first. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) {
      if (this.hasEnded) {
        // What it said last comes after its end.
        await this.#ended;
        if (await condition()) return;
        throw new Error(`the service ended (${this.child.exitCode ?? this.child.signalCode}): ${this.said}`);
      }
      await sleep(10);
    }
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** How it ended: the exit code, or the signal that killed it. */
  ended(): Promise<number | NodeJS.Signals> {
    return this.#ended;
  }

  /** Stops it as an operator does. @returns the exit code */
  async stop(): Promise<number | NodeJS.Signals> {
    if (!this.hasEnded) this.kill("SIGTERM");
    return this.#ended;
  }
}

/** Starts an installation's service, on a free port unless the environment says otherwise. */
export function startService(options: StartOptions): ServiceProcess {
  const { directory, program = "dist/main.js", environment = {}, account, node = process.execPath } = options;
  const child = spawn(node, [...(options.nodeOptions ?? []), program, ...(options.arguments ?? [])], {
    cwd: directory,
    env: { PATH: process.env.PATH, PORT: "0", LOYALTY_METRICS_ADDRESS: "off", ...memory, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    ...account,
  });
  return new ServiceProcess(child);
}

/** The pid of the PostgreSQL in a data directory. */
export async function postmasterPid(dataDirectory: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDirectory, "postgres/postmaster.pid"), "utf8"), 10);
}

/** The pids of a process's children whose command line has some text in it; none where the system does not tell. */
export async function childPids(parent: number | undefined, text = ""): Promise<number[]> {
  const found = promisify(execFile)("ps", ["-o", "pid=,args=", "--ppid", String(parent)]);
  const { stdout } = await found.catch(() => ({ stdout: "" }));
  return stdout
    .split("\n")
    .filter((line) => line !== "" && line.includes(text))
    .map((line) => Number.parseInt(line, 10));
}

/** Bytes of memory that a process holds; undefined where the system does not tell. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Signals a process that may be gone already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Sends a body to an operation. */
export async function post(url: string, body: object, token?: string) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
  return { status: response.status, body: (await response.json()) as any };
}

/** The demo business of a service, by its data directory. */
export async function readDemo(dataDirectory: string): Promise<DemoFile> {
  return JSON.parse(await readFile(join(dataDirectory, "demo.json"), "utf8")) as DemoFile;
}

/** A token of the demo business. */
export async function tokenOf(demo: DemoFile, baseUrl = demo.base_url): Promise<string> {
  const { client_id, client_secret } = demo;
  const { status, body } = await post(`${baseUrl}/sp/auth/token`, { client_id, client_secret });
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.data.access_token;
}

/**
 * A port that is free now. It is below the ports that systems give to outgoing connections, so that none of these takes it
 * before the test listens there.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
