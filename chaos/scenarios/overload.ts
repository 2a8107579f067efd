/**
 * Far more than the service can do: it sheds what is too much, with a word on when to come again, answers in bounded
 * time what it accepts, keeps its memory within bounds, and is itself again as soon as the rush is over. Slow and idle
 * clients hold up nobody else.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../bench/report.ts";
import { type HttpAnswer, HttpConnection, retryAfterSeconds } from "../../test/support/http-connection.ts";
import { residentBytes } from "../../test/support/service-process.ts";
import {
  type Chaos,
  eventually,
  type Figure,
  milliseconds,
  none,
  type Result,
  Violations,
} from "../chaos.ts";
import { basePath, Service } from "../service.ts";
import { prepareBusiness } from "./fuzz.ts";

export interface OverloadSize {
  /** How long the rush lasts. */
  readonly seconds: number;
  /** Requests under way at once in the rush: ten times what saturates the service, and more. */
  readonly connections: number;
  readonly idleConnections: number;
  readonly slowConnections: number;
}

export interface OverloadTarget {
  readonly port: number;
  readonly path: string;
  /** The head's Authorization. */
  readonly authorization: string;
  /** A sound body that nobody sent before. */
  readonly body: () => string;
  /** Whether clients wait as Retry-After tells them, as well-made ones do. */
  readonly obedient: boolean;
  /** Whose memory is watched; undefined where the service is this process. */
  readonly pids: readonly number[];
}

/** Enough to keep the service busy, and no more. */
const usualConnections = 32;
const measureSeconds = 3;
const connectionsAtOnce = 100;
const acceptedWithinMilliseconds = 15_000;
const overdueMilliseconds = 60_000;
/** The service's own bound for heads and bodies is 30 s. */
const slowClientsGoneMilliseconds = 45_000;
const maximumMegabytes = 1024;

export async function overload(
  { say }: Pick<Chaos, "say">,
  target: OverloadTarget,
  size: OverloadSize,
): Promise<Result> {
  const violations = new Violations();
  await run(target, usualConnections, measureSeconds, violations);
  const before = await run(target, usualConnections, measureSeconds, violations);
  say(`${Math.round(before.rate)} requests a second before the rush`);
  const memory = watchMemory(target.pids);
  const rush = await run(target, size.connections, size.seconds, violations);
  const after = await run(target, usualConnections, measureSeconds, violations);
  const peak = await memory.peak();
  say(
    `${rush.accepted.length} accepted and ${rush.shed} shed in the rush, ${Math.round(after.rate)} a second after`,
  );
  const crowd = await besideSlowClients(target, size, violations);
  return {
    violations: violations.list(),
    figures: [
      { what: "requests a second before", value: Math.round(before.rate) },
      { what: "connections in the rush", value: size.connections },
      { what: "accepted in the rush", value: rush.accepted.length },
      { what: "shed in the rush", value: rush.shed, aim: 1 },
      none("shed without Retry-After", rush.withoutRetryAfter),
      none("lost or never answered", rush.lost),
      milliseconds("accepted: median", Math.round(percentile(rush.accepted, 0.5))),
      milliseconds("accepted: longest", Math.round(percentile(rush.accepted, 1)), acceptedWithinMilliseconds),
      {
        what: "most memory of all processes",
        value: peak,
        unit: "MB",
        promised: { atMost: maximumMegabytes },
      },
      {
        what: "requests a second at once after",
        value: Math.round(after.rate),
        aim: Math.round(before.rate / 2),
      },
      ...crowd,
    ],
  };
}

interface Outcome {
  /** Milliseconds that each took. */
  readonly accepted: number[];
  shed: number;
  withoutRetryAfter: number;
  lost: number;
  rate: number;
}

/** Sends on many connections for some time, one request after the other on each. */
async function run(
  target: OverloadTarget,
  connections: number,
  seconds: number,
  violations: Violations,
): Promise<Outcome> {
  const outcome: Outcome = { accepted: [], shed: 0, withoutRetryAfter: 0, lost: 0, rate: 0 };
  const callers = await openConnections(target.port, connections);
  outcome.lost = connections - callers.length;
  if (outcome.lost > 0)
    violations.add(`only ${callers.length} of ${connections} connections could be opened`);
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  const work = async (caller: HttpConnection) => {
    while (performance.now() < until) {
      const sentAt = performance.now();
      const answer = await caller.post(target.path, target.body(), target.authorization);
      if (typeof answer === "string") {
        outcome.lost += 1;
        violations.add(`a request in the rush was ${answer}`);
      } else if (answer.status < 300) outcome.accepted.push(performance.now() - sentAt);
      else {
        note(answer, outcome, violations);
        const left = until - performance.now();
        const pause = (retryAfterSeconds(answer) ?? 0) * 1000;
        if (target.obedient) await sleep(Math.max(0, Math.min(pause, left)));
      }
    }
    caller.close();
  };
  await Promise.all(callers.map(work));
  outcome.rate = outcome.accepted.length / ((performance.now() - startedAt) / 1000);
  return outcome;
}

function note(answer: HttpAnswer, outcome: Outcome, violations: Violations): void {
  if (answer.status !== 429 && answer.status !== 503) {
    violations.add(`${answer.status} in the rush: ${answer.body.slice(0, 200)}`);
    return;
  }
  outcome.shed += 1;
  if (retryAfterSeconds(answer) === undefined) outcome.withoutRetryAfter += 1;
}

type SlowClient = (socket: Socket, target: OverloadTarget) => void;

const partialHead = ({ path }: OverloadTarget) => `POST ${path} HTTP/1.1\r\nHost: slow\r\n`;
const slowClients: Readonly<Record<string, SlowClient>> = {
  "slow heads": (socket, target) => {
    socket.write(partialHead(target));
    trickle(socket, "X-Slow: 1\r\n");
  },
  "slow bodies": (socket, target) => {
    const { authorization } = target;
    const rest = `Content-Type: application/json\r\nAuthorization: ${authorization}\r\nContent-Length: 50000\r\n\r\n`;
    socket.write(partialHead(target) + rest);
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

/** Others are served as ever while clients dawdle, and the dawdlers are sent away; idle ones may stay. */
async function besideSlowClients(
  target: OverloadTarget,
  { idleConnections, slowConnections }: OverloadSize,
  violations: Violations,
): Promise<Figure[]> {
  const idle = await openConnections(target.port, idleConnections);
  const slow = new Map<string, Socket[]>();
  for (const [kind, begin] of Object.entries(slowClients)) {
    const sockets = Array.from({ length: slowConnections }, () => connect(target.port, "127.0.0.1"));
    for (const socket of sockets) begin(socket.on("error", () => socket.destroy()).resume(), target);
    slow.set(kind, sockets);
  }
  const beside = await run(target, 8, measureSeconds, violations);
  const figures: Figure[] = [];
  for (const [kind, sockets] of slow) {
    const startedAt = performance.now();
    const gone = () => sockets.every(({ destroyed }) => destroyed);
    await eventually(`${kind} are sent away`, slowClientsGoneMilliseconds, gone).catch((error: Error) =>
      violations.add(error.message),
    );
    figures.push({
      what: `${kind} that were sent away`,
      value: sockets.filter(({ destroyed }) => destroyed).length,
      aim: sockets.length,
    });
    figures.push(milliseconds(`${kind}: waited for`, Math.round(performance.now() - startedAt)));
  }
  for (const connection of idle) connection.close();
  for (const socket of [...slow.values()].flat()) socket.destroy();
  return [
    { what: "idle connections", value: idle.length, aim: idleConnections },
    { what: "beside idle and slow clients: requests a second", value: Math.round(beside.rate) },
    milliseconds("beside idle and slow clients: p99", Math.round(percentile(beside.accepted, 0.99)), 2000),
    ...figures,
  ];
}

/** Opens connections, as many as the system allows. Not all at once, or its queue for connections would be measured. */
async function openConnections(port: number, count: number): Promise<HttpConnection[]> {
  const opened: HttpConnection[] = [];
  while (opened.length < count) {
    const batch = Array.from(
      { length: Math.min(connectionsAtOnce, count - opened.length) },
      () => new HttpConnection(port, overdueMilliseconds),
    );
    const open = await Promise.all(batch.map((connection) => connection.open()));
    opened.push(...batch.filter((_, nth) => open[nth]));
    if (open.includes(false)) break;
  }
  return opened;
}

/** The most memory that processes hold together, where the system tells. */
function watchMemory(pids: readonly number[]): { peak(): Promise<number> } {
  let most = 0;
  let watching = true;
  const look = async () => {
    let sum = 0;
    for (const pid of pids) sum += (await residentBytes(pid)) ?? 0;
    most = Math.max(most, Math.round(sum / 1024 / 1024));
  };
  const watch = (async () => {
    while (watching) {
      await look();
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

/** Ten times and more of what a service of its own can do, then clients that dawdle. */
export async function overloadService(chaos: Chaos, size: OverloadSize): Promise<Result> {
  const service = await Service.start(chaos);
  const { authorization, contactId } = await prepareBusiness(chaos, service);
  let sent = 0;
  const run = `${process.pid}-${Math.round(performance.timeOrigin)}`;
  const target = {
    port: service.port,
    path: `${basePath}/sp/reward-points/adjust`,
    authorization,
    obedient: true,
    body: () =>
      `{"idempotency_key":"${run}-${sent++}","contact_id":${contactId},"points":1,"adjustment_type":"credit"}`,
    pids: [service.process.child.pid ?? 0],
  };
  return overload(chaos, target, size);
}
