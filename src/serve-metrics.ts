/** Serves the metrics of this process, or of all workers, where the configuration says. */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { startMetricsServer } from "./http/metrics-server.ts";
import { StartError } from "./start-error.ts";

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
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== "string") throw error;
    const reason = code === "EADDRINUSE" ? "is in use" : `can't be used (${code})`;
    throw new StartError(
      `The address of the metrics, ${metricsAddress.host} port ${metricsAddress.port}, ${reason}: set ` +
        "LOYALTY_METRICS_ADDRESS to another one, such as 127.0.0.1:9465, or to off.",
    );
  }
}
