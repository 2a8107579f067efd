/** Serves from one process: the service over its own pool of connections, listening. */
import type { Config } from "./config.ts";
import type { ConnectionSettings } from "./database/connection.ts";
import { endPools, openPools } from "./database/pools.ts";
import type { Phase } from "./http/responder.ts";
import { explainListening, serveMetrics } from "./listening.ts";
import { createLog } from "./log.ts";
import { version } from "./package.ts";
import { createService } from "./service.ts";

/** What was started, and how to stop it. */
export type Undo = () => Promise<unknown>;

export interface Serving {
  /** The address of the service. */
  readonly service: string;
  /** Undefined when they are not served. */
  readonly metrics: string | undefined;
  /** Makes /health/ready report ready. */
  setReady(): void;
  /** Makes it report not ready; requests are still served. */
  drain(): void;
}

/** What serving needs besides the configuration; plain data, so that it can be sent to a worker. */
export interface Secrets {
  /** A PostgreSQL URL, or where the embedded one listens. */
  readonly database: string | ConnectionSettings;
  readonly secret: string;
  readonly operatorKey: string;
}

/**
 * Serves until it is undone.
 * @param undo gets what stops it, to be run in the reverse order
 * @returns the addresses that it listens on; it is not ready before it is told
 */
export async function serve(
  config: Config,
  { database, secret, operatorKey }: Secrets,
  undo: Undo[],
): Promise<Serving> {
  const pools = openPools(database, config.databaseConnections);
  undo.push(() => endPools(pools));
  const log = createLog(config.logLevel);
  undo.push(async () => log.info("stopped"));
  let phase: Phase = "starting";
  const service = createService(config, { ...pools, secret, operatorKey, log, phase: () => phase });
  undo.push(() => service.close());
  const metrics = await serveMetrics(config, service.metrics, undo, log);
  const { host, port } = config;
  const address = await service.app.listen({ host, port }).catch((error: unknown) => {
    throw explainListening(error, config);
  });
  const kind = config.databaseUrl === undefined ? "embedded" : "external";
  log.info({ version, address, database: kind, workers: config.workers }, "started");
  return {
    service: address,
    metrics,
    setReady: () => {
      phase = "serving";
    },
    drain: () => {
      phase = "draining";
    },
  };
}
