/**
 * A receiver of webhooks for the benchmark, in a process of its own. The path says how it responds: /good at once, /slow after a
 * second, /broken with 500, /silent never. It measures how long after their time the events arrive at /good.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { percentile } from "../test/support/runs/report.ts";

export interface Arrivals {
  readonly port: number;
  /** Since it was asked last, at /good. */
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

let lags: number[] = [];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url === "/silent") return;
    if (request.url === "/slow") setTimeout(() => response.writeHead(204).end(), 1000);
    else response.writeHead(request.url === "/broken" ? 500 : 204).end();
    if (request.url !== "/good") return;
    lags.push(Date.now() - Date.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")).timestamp));
  });
});

function tell(): void {
  const sorted = lags.sort((one, other) => one - other);
  lags = [];
  const { port } = server.address() as AddressInfo;
  const [p50, p99] =
    sorted.length === 0 ? [Number.NaN, Number.NaN] : [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  process.send?.({ port, count: sorted.length, p50, p99 } satisfies Arrivals);
}

server.listen(0, "127.0.0.1", tell);
process.on("message", tell);
process.once("disconnect", () => process.exit(0));
