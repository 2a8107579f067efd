/** The service as its users start it: processes of its own, with a database of its own or one that is given. */
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  freePort,
  type ServiceProcess,
  startService as spawnService,
} from "../test/support/service-process.ts";
import type { Chaos } from "./chaos.ts";
import { Caller } from "./load/caller.ts";

export const operatorKey = "an-operator-key-for-this-run-alone-0123456789";
export const serviceSecret = "the same in every process of this run";
export const basePath = "/api";
/** How many processes serve together where several are wanted. */
const crowd = 4;

export interface ServiceSettings {
  readonly port: number;
  /** Holds the embedded database, unless the environment names another. */
  readonly dataDirectory: string;
  readonly workers?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A started service, with the end of its log. */
export interface RunningService extends ServiceSettings {
  readonly process: ServiceProcess;
  log(): string;
}

const keptOfLog = 8000;

/** Starts the service; it is not ready yet. */
export function startService({ installation }: Chaos, settings: ServiceSettings): RunningService {
  const { port, dataDirectory, workers = 1, environment = {} } = settings;
  const process = spawnService({
    directory: installation,
    environment: {
      PORT: String(port),
      LOYALTY_DATA_DIR: dataDirectory,
      LOYALTY_WORKERS: String(workers),
      LOYALTY_DEMO: "off",
      LOYALTY_RATE_LIMIT: "0",
      LOYALTY_FAILED_TOKEN_LIMIT: "0",
      LOYALTY_UNAUTHENTICATED_LIMIT: "0",
      LOYALTY_SECRET: serviceSecret,
      LOYALTY_OPERATOR_KEY: operatorKey,
      // A line a request would cost the load a fifth.
      LOG_LEVEL: "error",
      ...environment,
    },
  });
  let log = "";
  process.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-keptOfLog);
  });
  return { ...settings, process, log: () => `${process.said.slice(-keptOfLog)}${log}` };
}

const pollMilliseconds = 10;

/**
 * Waits until the service says that it is ready.
 * @throws when it ends first, or takes longer than a minute
 */
export async function untilReady({ port, process, log }: RunningService): Promise<void> {
  const caller = new Caller(port, 5000);
  const deadline = performance.now() + 60_000;
  try {
    for (;;) {
      const answer = await caller.get("/health/ready");
      if (typeof answer === "object" && answer.status === 200) return;
      if (process.child.exitCode !== null || process.child.signalCode !== null) {
        throw new Error(`the service ended before it was ready:\n${log()}`);
      }
      if (performance.now() > deadline) throw new Error(`not ready within a minute:\n${log()}`);
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
  } finally {
    caller.close();
  }
}

/** Whether the service says that it is ready. */
export async function isReady(caller: Caller): Promise<boolean> {
  const answer = await caller.get("/health/ready");
  return typeof answer === "object" && answer.status === 200;
}

/** The pids of a service's workers; none where the system does not tell, or when the one process serves itself. */
export async function workerPids({ process, workers = 1 }: RunningService): Promise<number[]> {
  if (workers === 1) return [];
  const { pid } = process.child;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const found: number[] = [];
  for (const child of children.split(" ").filter(Boolean)) {
    const command = await readFile(join("/proc", child, "cmdline"), "utf8").catch(() => "");
    if (command.includes("dist/main.js")) found.push(Number(child));
  }
  return found;
}

/** Starts a service of several processes on a database of its own, hands its port over, and stops it. */
export async function withCrowd<Given>(chaos: Chaos, use: (port: number) => Promise<Given>): Promise<Given> {
  const service = await startCrowd(chaos);
  try {
    return await use(service.port);
  } finally {
    await service.process.stop();
  }
}

/** @returns once it is ready */
export async function startCrowd(chaos: Chaos): Promise<RunningService> {
  const dataDirectory = join(await mkdtemp(join(chaos.directory, "service-")), "data");
  const service = startService(chaos, { port: await freePort(), dataDirectory, workers: crowd });
  try {
    await untilReady(service);
    return service;
  } catch (error) {
    await service.process.stop();
    throw error;
  }
}
