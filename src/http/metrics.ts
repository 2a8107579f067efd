import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ProcessStatus } from "../contract/operation.ts";

/** A response to a request that reached an operation. */
export interface FinishedRequest {
  readonly operation: string;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly replayed: boolean;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** What the metrics read when they are collected. */
export interface MetricSources {
  readonly version: string;
  readonly schemaVersion: number;
  /** How many postings wait or are in flight. */
  queueDepth(): number;
  readonly connections: number;
  readonly pools: Readonly<Record<string, { usage(): PoolUsage }>>;
}

interface PoolUsage {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

const now = () => Date.now() / 1000;

/** Makes the metrics of a process, and what records them. */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 10 });
  addGauges(sources, registry);
  const requests = createRequestMetrics(registry);
  const batchSizes = new Histogram({
    name: "loyalty_posting_batch_size",
    help: "Requests that were committed together in one transaction.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const batchDurations = new Histogram({
    name: "loyalty_posting_batch_duration_seconds",
    help: "Time of such a transaction, from its first statement to its commit.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const sweptRows = new Counter({
    name: "loyalty_sweeper_deleted_rows_total",
    help: "Expired idempotency keys and audit entries that the background sweeper deleted.",
    registers,
  });
  const sweptAt = new Gauge({
    name: "loyalty_sweeper_last_success_timestamp_seconds",
    help: "Unix time at which the background sweeper last finished a round without an error; 0 before the first.",
    aggregator: "max",
    registers,
  });
  const activity = createActivityRecorder(() => performance.now());
  return {
    registry,
    requestFinished(request: FinishedRequest, seconds: number): void {
      requests.finished(request, seconds);
      activity.requestFinished(request.status, seconds);
    },
    /** Counts a request that reached no operation. */
    requestRejected: requests.rejected,
    batchRecorded(size: number, seconds: number): void {
      batchSizes.observe(size);
      batchDurations.observe(seconds);
      activity.batchRecorded(size, seconds);
    },
    rowsSwept: (rows: number) => sweptRows.inc(rows),
    sweepFinished: () => sweptAt.set(now()),
    /** What was recorded in the last minutes. */
    recent: activity.read,
  };
}

function addGauges(sources: MetricSources, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: "loyalty_build_info",
    help: "Always 1. The labels are the version of the service and of its database schema.",
    labelNames: ["version", "schema"],
    aggregator: "first",
    registers,
  }).set({ version: sources.version, schema: String(sources.schemaVersion) }, 1);
  new Counter({
    name: "loyalty_starts_total",
    help: "1 for each process that has started.",
    registers,
  }).inc();
  new Gauge({
    name: "loyalty_posting_queue_depth",
    help: "Requests that write to a ledger and wait for their commit, in the queue or in a transaction.",
    registers,
    collect() {
      this.set(sources.queueDepth());
    },
  });
  new Gauge({
    name: "loyalty_database_pool_connections_max",
    help: "Database connections that the service may open (LOYALTY_DATABASE_CONNECTIONS), of all pools together.",
    registers,
  }).set(sources.connections);
  new Gauge({
    name: "loyalty_database_pool_connections",
    help: "Open database connections by pool and state (in_use or idle).",
    labelNames: ["pool", "state"],
    registers,
    collect() {
      for (const [pool, { usage }] of Object.entries(sources.pools)) {
        this.set({ pool, state: "in_use" }, usage().inUse);
        this.set({ pool, state: "idle" }, usage().idle);
      }
    },
  });
  new Gauge({
    name: "loyalty_database_pool_waiting",
    help: "Requests that wait for a database connection because all of the pool's are in use.",
    labelNames: ["pool"],
    registers,
    collect() {
      for (const [pool, { usage }] of Object.entries(sources.pools)) this.set({ pool }, usage().waiting);
    },
  });
}

function createRequestMetrics(registry: Registry) {
  const registers = [registry];
  const durations = new Histogram({
    name: "loyalty_request_duration_seconds",
    help: "Time from a request's arrival to its response, by operation and HTTP status.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const unrouted = new Counter({
    name: "loyalty_unrouted_requests_total",
    help: "Requests that reached no operation (unknown paths, wrong methods, malformed HTTP), by HTTP status.",
    labelNames: ["status"],
    registers,
  });
  const errors = new Counter({
    name: "loyalty_errors_total",
    help:
      "Error responses by error code. rate_limited counts requests past a limit; invalid_client_credentials and " +
      "unauthorized count failed credentials.",
    labelNames: ["code"],
    registers,
  });
  const replays = new Counter({
    name: "loyalty_replayed_responses_total",
    help: "Retried writes that got the stored response of their idempotency key.",
    registers,
  });
  const verifiedAt = new Gauge({
    name: "loyalty_verify_last_timestamp_seconds",
    help: "Unix time at which this service last checked a part of a ledger for `loyalty verify`; 0 before the first.",
    aggregator: "max",
    registers,
  });
  return {
    finished({ operation, status, errorCode, replayed }: FinishedRequest, seconds: number): void {
      durations.observe({ operation, status }, seconds);
      if (errorCode !== undefined) errors.inc({ code: errorCode });
      if (replayed) replays.inc();
      if (status === 200 && operation.endsWith("/op/ledger/verify")) verifiedAt.set(now());
    },
    rejected(status: number, errorCode: string): void {
      unrouted.inc({ status: String(status) });
      errors.inc({ code: errorCode });
    },
  };
}

const minutes = 5;
const slotMilliseconds = 10_000;
const slots = (minutes * 60_000) / slotMilliseconds;

type Counts = { -readonly [Name in Exclude<keyof ProcessStatus["recent"], "minutes">]: number };

const nothing: Counts = {
  requests: 0,
  refused: 0,
  failed: 0,
  requestSeconds: 0,
  batches: 0,
  postings: 0,
  batchSeconds: 0,
};

/**
 * Counts what the service did in the last minutes, to ten seconds, for `loyalty status`.
 * @param clock monotonic milliseconds
 */
export function createActivityRecorder(clock: () => number) {
  const ring = Array.from({ length: slots }, () => ({ slot: -1, counts: { ...nothing } }));
  const currentSlot = () => Math.floor(clock() / slotMilliseconds);

  const add = (counts: Partial<Counts>) => {
    const slot = currentSlot();
    const place = ring[slot % slots] as (typeof ring)[number];
    if (place.slot !== slot) Object.assign(place, { slot, counts: { ...nothing } });
    addTo(place.counts, counts);
  };

  return {
    requestFinished(status: number, seconds: number): void {
      const refused = Number(status >= 400 && status < 500);
      add({ requests: 1, refused, failed: Number(status >= 500), requestSeconds: seconds });
    },
    batchRecorded: (size: number, seconds: number) =>
      add({ batches: 1, postings: size, batchSeconds: seconds }),
    read(): ProcessStatus["recent"] {
      const oldest = currentSlot() - slots + 1;
      const total = { ...nothing };
      for (const { slot, counts } of ring) if (slot >= oldest) addTo(total, counts);
      return { minutes, ...total };
    },
  };
}

function addTo(total: Counts, counts: Partial<Counts>): void {
  for (const [name, count] of Object.entries(counts)) total[name as keyof Counts] += count;
}
