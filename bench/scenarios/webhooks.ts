/** What events cost, how soon they are sent, how many are sent, and whether endpoints that are down delay others. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../../test/support/runs/report.ts";
import { serviceSecret } from "../../test/support/runs/service.ts";
import { storeEndpoint } from "../../test/support/webhook-endpoints.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  type Filled,
  figure,
  fill,
  inTurn,
  measure,
  type Server,
  startServer,
} from "../bench.ts";
import type { Arrivals } from "../webhook-receiver.ts";

const members = 10_000;

/** Starts the receiver. @returns its port, and a function that returns what has arrived since it was called last */
export async function startWebhookReceiver(bench: Bench) {
  const child = fork(new URL("../webhook-receiver.js", import.meta.url), { stdio: "inherit" });
  bench.atEnd(() => child.kill());
  const next = async () => ((await once(child, "message")) as [Arrivals])[0];
  const { port } = await next();
  const arrivals = (): Promise<Arrivals> => {
    child.send("tell");
    return next();
  };
  return { port, arrivals };
}

export async function webhooks(bench: Bench): Promise<Figure[]> {
  const receiver = await startWebhookReceiver(bench);
  const server = await startServer(bench);
  const plain = await fill(server, { members, entries: 0 });
  const recorded = await fill(server, { members, entries: 0 });
  const sent = await fill(server, { members, entries: 0 });
  const at = (path: string) => `http://127.0.0.1:${receiver.port}/${path}`;
  const adjust = (filled: Filled) => measure(bench, server.service.port, adjusting(filled));
  await measure(bench, server.service.port, adjusting(plain), { seconds: compiledAfterSeconds });
  // No business has events yet.
  const before = await inTurn(bench, { "no events anywhere": () => adjust(plain) });
  await storeEndpoint(
    server.sql,
    serviceSecret,
    { businessId: recorded.businessId, url: at("good") },
    { types: ["tier.*"] },
  );
  await storeEndpoint(
    server.sql,
    serviceSecret,
    { businessId: sent.businessId, url: at("good") },
    { max_in_flight: 32 },
  );
  const rates = await inTurn(bench, {
    without: () => adjust(plain),
    recorded: () => adjust(recorded),
    "recorded and sent": () => adjust(sent),
  });
  const busy = await lags(bench, server, sent, receiver.arrivals, {});
  const throughput = await drain(bench, server, sent, receiver.arrivals);
  const calm = await lags(bench, server, sent, receiver.arrivals);
  const crowd = await besideDead(bench, server, at, receiver.arrivals);
  const beside = await inTurn(bench, { "500 dead endpoints elsewhere": () => adjust(plain) });
  await checkLedgers(server, [plain, recorded, sent]);
  const to = (results: typeof rates.without, atLeast: number) =>
    ({ against: ["without events", results], target: { atLeast } }) as const;
  return [
    figure("adjustments without events", rates.without),
    figure("adjustments with events", rates.recorded, to(rates.without, 0.85)),
    figure(
      "adjustments with events that are sent meanwhile",
      rates["recorded and sent"],
      to(rates.without, 0.85),
    ),
    figure("adjustments without events, beside 500 dead endpoints", beside["500 dead endpoints elsewhere"], {
      against: ["before there were endpoints", before["no events anywhere"]],
      target: { atLeast: 0.98 },
    }),
    {
      what: "from the event to its arrival at the highest rate of postings, median",
      value: busy.p50,
      unit: "ms",
    },
    {
      what: "from the event to its arrival at the highest rate of postings, 99th percentile",
      value: busy.p99,
      unit: "ms",
      target: { atMost: 1500 },
    },
    { what: "deliveries of a backlog", value: throughput, unit: "/s", target: { atLeast: 500 } },
    { what: "from the event to its arrival, median", value: calm.p50, unit: "ms", target: { atMost: 100 } },
    {
      what: "from the event to its arrival, 99th percentile",
      value: calm.p99,
      unit: "ms",
      target: { atMost: 1500 },
    },
    {
      what: "the same for 500 endpoints beside 500 dead ones, 99th percentile",
      value: crowd.p99,
      unit: "ms",
      target: { atMost: 2000 },
    },
  ];
}

/** Makes a backlog, and waits until the endpoint of the business has got all its events. @returns how many it got per second */
async function drain(bench: Bench, server: Server, filled: Filled, arrivals: () => Promise<Arrivals>) {
  const { sql } = server;
  const { businessId } = filled;
  await sql`UPDATE webhook_endpoint SET status = 'disabled', disabled_reason = 'requested', leased_by = NULL
    WHERE business_id = ${businessId}`;
  await measure(bench, server.service.port, adjusting(filled));
  const behind = async () => {
    const [row] = await sql<{ behind: number }[]>`
      SELECT last_event_no - cursor_event_no AS behind FROM webhook_endpoint JOIN event_head USING (business_id)
      WHERE business_id = ${businessId}`;
    return row?.behind ?? 0;
  };
  await arrivals();
  await sql`UPDATE webhook_endpoint SET status = 'enabled', disabled_reason = NULL, leased_by = NULL, due_at = now()
    WHERE business_id = ${businessId}`;
  const startedAt = performance.now();
  const first = await behind();
  while ((await behind()) > 0) await sleep(100);
  const { count } = await arrivals();
  const perSecond = count / ((performance.now() - startedAt) / 1000);
  bench.say(`${first} events were behind, ${Math.round(perSecond)} deliveries per second`);
  return perSecond;
}

/** Adjusts, and measures how late the events arrive. @param load by default a low rate */
async function lags(
  bench: Bench,
  { service }: Server,
  filled: Filled,
  arrivals: () => Promise<Arrivals>,
  load: { readonly connections?: number; readonly requestsPerSecond?: number } = quiet(20),
) {
  await arrivals();
  const seconds = 2 * bench.options.seconds;
  await measure(bench, service.port, adjusting(filled), { ...load, seconds });
  await sleep(2000);
  const found = await arrivals();
  bench.say(`${found.count} arrived, p50 ${found.p50} ms, p99 ${found.p99} ms`);
  return found;
}

/** 500 endpoints that get events beside 500 that are down: a quarter of all never responds, a quarter responds 500. */
async function besideDead(
  bench: Bench,
  server: Server,
  at: (path: string) => string,
  arrivals: () => Promise<Arrivals>,
) {
  const { sql } = server;
  const crowd = await fill(server, { members: 100, entries: 0 });
  const { businessId } = crowd;
  for (let count = 0; count < 500; count += 1) {
    for (const path of ["good", count % 2 === 0 ? "silent" : "broken"])
      await storeEndpoint(sql, serviceSecret, { businessId, url: at(path) });
  }
  // Until those that are down are failing, which takes five times 15 s for those that don't respond.
  await measure(bench, server.service.port, adjusting(crowd), {
    connections: 1,
    requestsPerSecond: 1,
    seconds: 10,
  });
  for (const deadline = performance.now() + 180_000; performance.now() < deadline; await sleep(1000)) {
    const [row] = await sql<{ failing: number }[]>`
      SELECT count(*) AS failing FROM webhook_endpoint WHERE business_id = ${businessId} AND status = 'failing'`;
    bench.say(`${row?.failing} endpoints are failing`);
    if ((row?.failing ?? 0) >= 500) break;
  }
  return lags(bench, server, crowd, arrivals, quiet(1));
}

const quiet = (requestsPerSecond: number) => ({ connections: 1, requestsPerSecond });
