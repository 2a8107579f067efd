/** Serves the metrics of this process, or of all workers, where the configuration says. */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { startMetricsServer } from "./http/metrics-server.ts";
import { explainMetricsAddress } from "./listening.ts";

/** @returns their URL, or undefined when they are off */
export async function serveMetrics(
  { metricsAddress }: Config,
  text: () => Promise<string>,
  undo: (() => Promise<unknown>)[],
  log: Pick<Logger, "warn">,
): Promise<string | undefined> {
  if (metricsAddress === undefined) return undefined;
  try {
    const server = await startMetricsServer(metricsAddress, text, log);
    undo.push(() => server.close());
    return server.url;
  } catch (error) {
    throw explainMetricsAddress(error, metricsAddress);
  }
}
