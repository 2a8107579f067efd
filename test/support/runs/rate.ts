/** Sends prepared requests over many connections as fast as responses come, or at a fixed rate. */
import { setTimeout as sleep } from "node:timers/promises";
import { HttpConnection, retryAfterSeconds } from "../http-connection.ts";

export interface RateTask {
  /** One for each service. The connections are divided among them. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** Not measured. */
  readonly warmUpSeconds?: number;
  /** A fixed rate, as far as connections are free. By default each connection sends all the time. */
  readonly requestsPerSecond?: number;
  /** Whether a client waits as long as Retry-After tells it. */
  readonly waitsForRetry?: boolean;
}

export interface RateResult {
  /** Responses in all, also those of the warm-up. */
  readonly responses: number;
  /** Successes per second, until the end of the time. */
  readonly perSecond: number;
  /** Milliseconds of each success, also of those after the end. */
  readonly latencies: number[];
  /** Responses that are no success, by status, and the body of the first. */
  readonly rejections: Record<number, number>;
  readonly rejected: string | undefined;
  /** 429 and 503 without Retry-After. */
  readonly withoutRetryAfter: number;
  /** Requests without a response, and connections that could not be opened. */
  readonly lost: number;
}

const overdueMilliseconds = 60_000;
const connectionsAtOnce = 100;

/** @param next returns the next request, as bytes in text */
export async function sendAtRate(task: RateTask, next: () => string): Promise<RateResult> {
  const { ports, connections, seconds, warmUpSeconds = 0, requestsPerSecond, waitsForRetry = false } = task;
  const opened = await openConnections(ports, connections);
  const latencies: number[] = [];
  const rejections: Record<number, number> = {};
  let rejected: string | undefined;
  let [responses, inTime, withoutRetryAfter, lost] = [0, 0, 0, connections - opened.length];
  const measuredFrom = performance.now() + warmUpSeconds * 1000;
  const until = measuredFrom + seconds * 1000;
  const interval = requestsPerSecond === undefined ? 0 : (connections / requestsPerSecond) * 1000;
  const work = async (connection: HttpConnection, nth: number) => {
    let dueAt = performance.now() + (interval * nth) / connections;
    for (
      ;
      Math.max(dueAt, performance.now()) < until;
      dueAt = Math.max(dueAt + interval, performance.now())
    ) {
      if (interval > 0) await sleep(dueAt - performance.now());
      const sentAt = performance.now();
      const response = await connection.send(next());
      if (typeof response === "string") {
        lost += 1;
        continue;
      }
      responses += 1;
      const now = performance.now();
      if (response.status < 300) {
        if (now >= measuredFrom && now <= until) inTime += 1;
        if (now >= measuredFrom) latencies.push(now - sentAt);
        continue;
      }
      rejections[response.status] = (rejections[response.status] ?? 0) + 1;
      rejected ??= response.body;
      const pause = retryAfterSeconds(response);
      if (pause === undefined && (response.status === 429 || response.status === 503)) withoutRetryAfter += 1;
      if (waitsForRetry) await sleep(Math.max(0, Math.min((pause ?? 0) * 1000, until - now)));
    }
    connection.close();
  };
  await Promise.all(opened.map(work));
  const perSecond = inTime / seconds;
  return { responses, perSecond, latencies, rejections, rejected, withoutRetryAfter, lost };
}

/** Opens connections, as many as the system allows. In batches, or its queue of connections would be measured. */
export async function openConnections(ports: readonly number[], count: number): Promise<HttpConnection[]> {
  const opened: HttpConnection[] = [];
  while (opened.length < count) {
    const batch = Array.from(
      { length: Math.min(connectionsAtOnce, count - opened.length) },
      (_, nth) =>
        new HttpConnection(ports[(opened.length + nth) % ports.length] as number, overdueMilliseconds),
    );
    const open = await Promise.all(batch.map((connection) => connection.open()));
    opened.push(...batch.filter((_, nth) => open[nth]));
    if (open.includes(false)) break;
  }
  return opened;
}
