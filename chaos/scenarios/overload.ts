/** Far more requests than the service can process, then slow and idle clients. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { requestText } from "../../test/support/http-connection.ts";
import { openConnections, type RateResult, sendAtRate } from "../../test/support/runs/rate.ts";
import {
  type Figure,
  milliseconds,
  none,
  percentile,
  type Result,
  times,
} from "../../test/support/runs/report.ts";
import { eventually, Violations } from "../../test/support/runs/run.ts";
import { basePath, Service } from "../../test/support/runs/service.ts";
import { residentBytes } from "../../test/support/service-process.ts";
import type { Chaos } from "../chaos.ts";
import { prepareBusiness } from "./fuzz.ts";

export interface OverloadSize {
  /** How long the overload lasts. */
  readonly seconds: number;
  /** Requests at the same time: ten times more than the service can process. */
  readonly connections: number;
  readonly idleConnections: number;
  readonly slowConnections: number;
}

export interface OverloadTarget {
  readonly port: number;
  readonly path: string;
  readonly authorization: string;
  /** Returns a valid body that nobody has sent before. */
  readonly body: () => string;
  /** Whether clients wait as long as Retry-After tells them. */
  readonly obedient: boolean;
  /** The processes whose memory is measured. */
  readonly pids: readonly number[];
}

/** Enough to keep the service busy. */
const usualConnections = 32;
const measureSeconds = 3;
const acceptedWithinMilliseconds = 15_000;
/** The service waits 30 s for heads and bodies. */
const slowClientsGoneMilliseconds = 45_000;
const maximumMegabytes = 1024;

export async function overload(
  { say }: Pick<Chaos, "say">,
  target: OverloadTarget,
  size: OverloadSize,
): Promise<Result> {
  const violations = new Violations();
  const run = (connections: number, seconds = measureSeconds) =>
    send(target, connections, seconds, violations);
  await run(usualConnections);
  const before = await run(usualConnections);
  say(`${Math.round(before.perSecond)} requests per second before the overload`);
  const memory = watchMemory(target.pids);
  const overloaded = await run(size.connections, size.seconds);
  const after = await run(usualConnections);
  const peak = await memory.peak();
  const { latencies } = overloaded;
  const rejected = Object.values(overloaded.rejections).reduce((sum, count) => sum + count, 0);
  say(
    `${latencies.length} accepted, ${rejected} rejected, ${Math.round(after.perSecond)} per second afterwards`,
  );
  const beside = await besideSlowClients(target, size, violations);
  const perSecond = (what: string, value: number, atLeast?: number) =>
    times(what, Math.round(value), atLeast);
  return {
    violations: violations.list(),
    figures: [
      perSecond("requests per second before", before.perSecond),
      times("connections in the overload", size.connections),
      times("accepted in the overload", latencies.length),
      times("rejected in the overload", rejected, 1),
      none("rejected without Retry-After", overloaded.withoutRetryAfter),
      none("lost or without a response", overloaded.lost),
      milliseconds("accepted: median", percentile(latencies, 0.5)),
      milliseconds("accepted: longest", percentile(latencies, 1), acceptedWithinMilliseconds),
      {
        what: "most memory of all processes",
        value: peak,
        unit: "MB",
        promised: { atMost: maximumMegabytes },
      },
      perSecond("requests per second right after", after.perSecond, Math.round(before.perSecond / 2)),
      ...beside,
    ],
  };
}

/** Sends for some time. Each response must be a success, or ask for a retry. */
async function send(
  { port, path, authorization, body, obedient }: OverloadTarget,
  connections: number,
  seconds: number,
  violations: Violations,
): Promise<RateResult> {
  const task = { ports: [port], connections, seconds, waitsForRetry: obedient };
  const result = await sendAtRate(task, () => requestText(path, body(), authorization));
  if (result.lost > 0) violations.add(`${result.lost} of the requests or connections were lost`);
  const others = Object.keys(result.rejections).filter((status) => status !== "429" && status !== "503");
  if (others.length > 0) violations.add(`${others} in the overload, first ${result.rejected}`);
  return result;
}

type SlowClient = (socket: Socket, target: OverloadTarget) => void;

const partialHead = ({ path }: OverloadTarget) => `POST ${path} HTTP/1.1\r\nHost: slow\r\n`;
const slowClients: Readonly<Record<string, SlowClient>> = {
  "slow heads": (socket, target) => {
    socket.write(partialHead(target));
    trickle(socket, "X-Slow: 1\r\n");
  },
  "slow bodies": (socket, target) => {
    const headers = `Content-Type: application/json\r\nAuthorization: ${target.authorization}\r\n`;
    socket.write(`${partialHead(target)}${headers}Content-Length: 50000\r\n\r\n`);
    trickle(socket, " ");
  },
  "half-open connections": (socket, target) => {
    socket.write(partialHead(target));
    socket.end();
  },
};

function trickle(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 500);
  socket.once("close", () => clearInterval(timer));
}

/** Other clients get responses as usual, slow clients are disconnected, and idle ones may stay. */
async function besideSlowClients(
  target: OverloadTarget,
  { idleConnections, slowConnections }: OverloadSize,
  violations: Violations,
): Promise<Figure[]> {
  const idle = await openConnections([target.port], idleConnections);
  const slow = Object.entries(slowClients).map(([kind, begin]) => {
    const sockets = Array.from({ length: slowConnections }, () => connect(target.port, "127.0.0.1"));
    for (const socket of sockets) begin(socket.on("error", () => socket.destroy()).resume(), target);
    return { kind, sockets };
  });
  const beside = await send(target, 8, measureSeconds, violations);
  const figures = [
    times("idle connections", idle.length, idleConnections),
    times("beside idle and slow clients: requests per second", Math.round(beside.perSecond)),
    milliseconds("beside idle and slow clients: 99th percentile", percentile(beside.latencies, 0.99), 2000),
  ];
  for (const { kind, sockets } of slow) {
    const gone = () => sockets.every(({ destroyed }) => destroyed);
    await eventually(`${kind} are disconnected`, slowClientsGoneMilliseconds, gone).catch((error: Error) =>
      violations.add(error.message),
    );
    const disconnected = sockets.filter(({ destroyed }) => destroyed).length;
    figures.push(times(`${kind} that were disconnected`, disconnected, sockets.length));
  }
  for (const connection of idle) connection.close();
  for (const { sockets } of slow) for (const socket of sockets) socket.destroy();
  return figures;
}

/** The most memory that processes use together, where the system tells. */
function watchMemory(pids: readonly number[]): { peak(): Promise<number> } {
  let most = 0;
  let watching = true;
  const watch = (async () => {
    while (watching) {
      let sum = 0;
      for (const pid of pids) sum += (await residentBytes(pid)) ?? 0;
      most = Math.max(most, Math.round(sum / 1024 / 1024));
      await sleep(250);
    }
  })();
  return {
    async peak() {
      watching = false;
      await watch;
      return most;
    },
  };
}

export async function overloadService(chaos: Chaos, size: OverloadSize): Promise<Result> {
  const service = await Service.start(chaos);
  const { authorization, contactId } = await prepareBusiness(chaos, service);
  let sent = 0;
  const target = {
    port: service.port,
    path: `${basePath}/sp/reward-points/adjust`,
    authorization,
    obedient: true,
    body: () =>
      `{"idempotency_key":"overload-${sent++}","contact_id":${contactId},"points":1,"adjustment_type":"credit"}`,
    pids: [service.pid],
  };
  return overload(chaos, target, size);
}
