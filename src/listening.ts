/** Listens at the addresses of the service and of its metrics, and explains errors of listening. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { OperatorError } from "./domain/access/operator-error.ts";
import { boundUnread, type ListenAddress, listen } from "./http/connections.ts";
import { declaredLength } from "./http/request-body.ts";

/** Tries the addresses before a database is made. @throws OperatorError when the service can't listen there */
export async function tryPorts(config: Config): Promise<void> {
  await tryPort(config, explainListening);
  const { metricsAddress } = config;
  if (metricsAddress?.isChosen) await tryPort(metricsAddress, explainMetricsAddress);
}

async function tryPort(place: ListenAddress, explain: (error: unknown, place: ListenAddress) => never) {
  if (place.port === 0) return;
  const server = createServer();
  const tried = listen(server, place).catch((error: unknown) => explain(error, place));
  await tried.finally(() => server.close());
}

/** @throws OperatorError with advice, or the error itself if there is none */
export function explainListening(error: unknown, { host, port }: ListenAddress): never {
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use: stop what uses it, or set PORT.`,
    EACCES: `Port ${port} may not be used by this user: set PORT to 1024 or more.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine: set HOST to one, such as 127.0.0.1.`,
    ENOTFOUND: `HOST ${host} is not an address of this machine: set HOST to one, such as 127.0.0.1.`,
  };
  const line = advice[(error as NodeJS.ErrnoException).code ?? ""];
  throw line === undefined ? error : new OperatorError(line);
}

function explainMetricsAddress(error: unknown, { host, port }: ListenAddress): never {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") throw error;
  const reason = code === "EADDRINUSE" ? "is in use" : `can't be used (${code})`;
  throw new OperatorError(
    `The address of the metrics, ${host} port ${port}, ${reason}: set LOYALTY_METRICS_ADDRESS to another one, such as ` +
      "127.0.0.1:9465, or to off.",
  );
}

/**
 * Serves the metrics of this process, or of all workers, at a separate address that partners can't reach.
 * @param text returns the exposition; scrapes at the same time share one call
 * @returns their URL, or undefined when they are off, or when their default address can't be used
 */
export async function serveMetrics(
  { metricsAddress }: Pick<Config, "metricsAddress">,
  text: () => Promise<string>,
  undo: (() => Promise<unknown>)[],
  log: Pick<Logger, "warn">,
): Promise<string | undefined> {
  if (metricsAddress === undefined) return undefined;
  let pending: Promise<string> | undefined;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { url, method } = request;
    response.setHeader("cache-control", "no-store");
    response.setHeader("x-content-type-options", "nosniff");
    if (declaredLength(request) !== 0) {
      response.shouldKeepAlive = false;
      boundUnread(request, true);
    }
    if (url !== "/metrics" || (method !== "GET" && method !== "HEAD")) return response.writeHead(404).end();
    try {
      pending ??= text().finally(() => {
        pending = undefined;
      });
      const body = await pending;
      response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
      return response.end(body);
    } catch (error) {
      log.warn({ err: error }, "the metrics can't be collected");
      return response.writeHead(503).end();
    }
  };
  const server = createServer((request, response) => void respond(request, response));
  const url = await listen(server, metricsAddress)
    .catch((error: unknown) => explainMetricsAddress(error, metricsAddress))
    .catch((error: unknown) => {
      if (metricsAddress.isChosen || !(error instanceof OperatorError)) throw error;
      log.warn({}, `The metrics are not served. ${error.message}`);
    });
  if (url === undefined) return undefined;
  undo.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `${url}/metrics`;
}
