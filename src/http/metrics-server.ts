/** Serves the metrics at an address of their own, so that they are never on the address that partners reach. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

const contentType = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Listens at once.
 * @param text the exposition; it is made once for scrapes at the same time
 */
export async function startMetricsServer(
  { host, port }: MetricsAddress,
  text: () => Promise<string>,
  log: Pick<Logger, "warn">,
): Promise<MetricsServer> {
  let pending: Promise<string> | undefined;
  const scrape = () => {
    pending ??= text().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const respond = async ({ url, method }: IncomingMessage, response: ServerResponse) => {
    response.setHeader("cache-control", "no-store");
    response.setHeader("x-content-type-options", "nosniff");
    if (url !== "/metrics" || (method !== "GET" && method !== "HEAD")) return response.writeHead(404).end();
    try {
      const body = await scrape();
      return response.writeHead(200, { "content-type": contentType }).end(body);
    } catch (error) {
      log.warn({ err: error }, "the metrics can't be collected");
      return response.writeHead(503).end();
    }
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  const { address, family, port: actual } = server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `http://${name}:${actual}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
