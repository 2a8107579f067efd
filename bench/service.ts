/** Starts the built service as a user does, on a database of the run. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startService as spawnService } from "../test/support/service-process.ts";
import { track } from "./child.ts";
import type { DatabaseServer } from "./database-server.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const basePath = "/api";

export interface BenchService {
  readonly port: number;
  readonly pid: number;
  /** Posts a body. @throws when the answer is no success */
  post<Data>(path: string, body: object, authorization?: string): Promise<{ data: Data; text: string }>;
  /** The value of a metric without labels, or the sum over its labels. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly server: DatabaseServer;
  readonly database: string;
  /** By default the Node.js that runs the benchmark. */
  readonly node?: string;
  /** Options of Node.js, such as --cpu-prof. */
  readonly nodeOptions?: readonly string[];
}

/** @returns once the service takes requests. All settings are the defaults, but for a rate limit above the load. */
export async function startService(options: ServiceOptions): Promise<BenchService> {
  const { server, database, node = process.execPath, nodeOptions = [] } = options;
  const directory = await mkdtemp(join(tmpdir(), "loyalty-bench-service-"));
  const service = spawnService({
    directory: root,
    node,
    nodeOptions,
    environment: {
      ...server.environment,
      // Host and user come from the environment: a URL can't name the directory of a socket.
      DATABASE_URL: `postgres:///${database}`,
      HOST: "127.0.0.1",
      LOYALTY_DATA_DIR: directory,
      LOYALTY_SECRET: "only-of-this-run-".repeat(3),
      LOYALTY_RATE_LIMIT: "1000000",
      LOYALTY_FAILED_TOKEN_LIMIT: "1000000",
      LOYALTY_UNAUTHENTICATED_LIMIT: "0",
      LOYALTY_METRICS_ADDRESS: "127.0.0.1:0",
    },
  });
  track(service.child);
  const stop = async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  };
  const metricsLine = /^Metrics: (\S+)$/m;
  try {
    const { port } = new URL(await service.ready());
    await service.until(() => metricsLine.test(service.said));
    const metrics = metricsLine.exec(service.said)?.[1] as string;
    return { port: Number(port), pid: service.child.pid as number, ...clientOf(port, metrics), stop };
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}\n${service.log}`, { cause: error });
  }
}

function clientOf(port: string, metrics: string): Pick<BenchService, "post" | "metric"> {
  return {
    async post(path, body, authorization) {
      const response = await fetch(`http://127.0.0.1:${port}${basePath}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(authorization && { authorization }) },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
      return { data: JSON.parse(text).data, text };
    },
    async metric(name) {
      const text = await (await fetch(metrics)).text();
      const values = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"));
      return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
    },
  };
}
