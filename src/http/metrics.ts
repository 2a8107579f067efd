/** The metrics of a process for Prometheus, and its recent activity for `loyalty status`. */
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  Registry,
} from "prom-client";
import type { OperationResponse } from "../pipeline/request.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/** The values that metrics read when they are collected. */
interface MetricSources {
  readonly version: string;
  readonly schemaVersion: number;
  /** How many postings wait or are in flight. */
  queueDepth(): number;
  readonly connections: number;
  readonly pools: Readonly<Record<string, { usage(): { inUse: number; idle: number; waiting: number } }>>;
}

const now = () => Date.now() / 1000;

export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  addGauges(sources, registry);
  const { counter, gauge, histogram } = metricKinds(registry);
  const durations = histogram(
    "loyalty_request_duration_seconds",
    "Time from a request's arrival to its response, by operation and HTTP status.",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ["operation", "status"],
  );
  const unrouted = counter(
    "loyalty_unrouted_requests_total",
    "Requests that reached no operation (unknown paths, wrong methods, malformed HTTP), by HTTP status.",
    ["status"],
  );
  const errors = counter(
    "loyalty_errors_total",
    "Error responses by error code. rate_limited counts requests past a limit; invalid_client_credentials and " +
      "unauthorized count failed credentials.",
    ["code"],
  );
  const replays = counter(
    "loyalty_replayed_responses_total",
    "Retried writes that got the stored response of their idempotency key.",
  );
  const batchSizes = histogram(
    "loyalty_posting_batch_size",
    "Requests that were committed together in one transaction.",
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  );
  const batchDurations = histogram(
    "loyalty_posting_batch_duration_seconds",
    "Time of such a transaction, from its first statement to its commit.",
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  );
  const sweptRows = counter(
    "loyalty_sweeper_deleted_rows_total",
    "Expired idempotency keys and audit entries that the background sweeper deleted.",
  );
  const sweptAt = gauge(
    "loyalty_sweeper_last_success_timestamp_seconds",
    "Unix time at which the background sweeper last finished a round without an error; 0 before the first.",
    { aggregator: "max" },
  );
  const unlogged = counter(
    "loyalty_request_log_lost_total",
    "Rejected requests and counts of requests that the request log lost, because the database did not accept them.",
  );
  const activity = createActivityRecorder(() => performance.now());
  return {
    registry,
    /** Counts a response to a request that reached an operation. */
    requestFinished(
      operation: string,
      { status, errorCode, headers }: OperationResponse,
      seconds: number,
    ): void {
      durations.observe({ operation, status }, seconds);
      if (errorCode !== undefined) errors.inc({ code: errorCode });
      if (headers["idempotent-replayed"] !== undefined) replays.inc();
      activity.requestFinished(status, seconds);
    },
    /** Counts a request that reached no operation. */
    requestRejected(status: number, errorCode: string): void {
      unrouted.inc({ status });
      errors.inc({ code: errorCode });
    },
    ledgerVerified: verificationMetrics(registry),
    batchRecorded(size: number, seconds: number): void {
      batchSizes.observe(size);
      batchDurations.observe(seconds);
      activity.batchRecorded(size, seconds);
    },
    ...followingMetrics(registry),
    requestsUnlogged: (lost: number) => unlogged.inc(lost),
    rowsSwept: (rows: number) => sweptRows.inc(rows),
    sweepFinished: () => sweptAt.set(now()),
    recentActivity: activity.read,
  };
}

/** Adds the metrics of the process. They are collected until it ends, so they are added once, and not by each service of a test. */
export function addProcessMetrics(registry: Registry): void {
  // The first process asks its workers for these metrics.
  AggregatorRegistry.setRegistries([registry]);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 10 });
}

/** Of what follows the log of events. */
const followingMetrics = (registry: Registry) => ({
  ...webhookMetrics(registry),
  walletsLooked: walletMetrics(registry),
});

function webhookMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricKinds(registry);
  const deliveries = counter(
    "loyalty_webhook_deliveries_total",
    "Attempts to send an event to a webhook endpoint, by outcome: delivered, failed, or gone (410).",
    ["outcome"],
  );
  const lags = histogram(
    "loyalty_webhook_lag_seconds",
    "Time from the recording of an event to its first attempt.",
    [0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 5, 15, 60, 600, 3600],
  );
  // All processes read the same numbers.
  const endpoints = gauge(
    "loyalty_webhook_endpoints",
    "Webhook endpoints by status: enabled, failing, disabled (by the service), or disabled_by_request.",
    { labelNames: ["status"], aggregator: "max" },
  );
  const backlog = gauge(
    "loyalty_webhook_backlog_age_seconds",
    "For how long the oldest event, or a retry that is due, has not been sent to an enabled endpoint; 0 if there is none.",
    { aggregator: "max" },
  );
  const lookedAt = gauge(
    "loyalty_webhook_last_look_timestamp_seconds",
    "Unix time at which the sender of webhooks last counted endpoints and backlog, which it does about every 15 seconds.",
    { aggregator: "max" },
  );
  return {
    /** @param seconds from the recording to the first attempt; undefined for a further one */
    webhookSent(outcome: string, seconds: number | undefined): void {
      deliveries.inc({ outcome });
      if (seconds !== undefined) lags.observe(Math.max(0, seconds));
    },
    webhooksLooked({ backlog_seconds, ...byStatus }: { readonly backlog_seconds: number }): void {
      backlog.set(backlog_seconds);
      lookedAt.set(now());
      for (const [status, count] of Object.entries(byStatus)) endpoints.set({ status }, Number(count));
    },
  };
}

interface LookedWallet {
  readonly ends_at: number | null;
  readonly problem: string | null;
  readonly untold_seconds: number;
}

/** Returns the function that notes how the wallets of all businesses do. All processes read the same. */
function walletMetrics(registry: Registry) {
  const { gauge } = metricKinds(registry);
  const endsAt = gauge(
    "loyalty_wallet_certificate_end_timestamp_seconds",
    "Unix time at which the next certificate for Apple Wallet ends; 0 if none will.",
    { aggregator: "max" },
  );
  const problems = gauge(
    "loyalty_wallet_problems",
    "Wallets of businesses whose service, Apple's or Google's, did not accept what it was told last.",
    { aggregator: "max" },
  );
  const untold = gauge(
    "loyalty_wallet_untold_age_seconds",
    "Seconds since the last change of the pass that has waited longest to be told to phones or Google; 0 if none waits.",
    { aggregator: "max" },
  );
  return (wallets: readonly LookedWallet[]): void => {
    // One that has ended would hide the others.
    const ends = wallets.flatMap(({ ends_at }) => (ends_at !== null && ends_at > now() ? ends_at : []));
    endsAt.set(ends.length === 0 ? 0 : Math.min(...ends));
    problems.set(wallets.filter(({ problem }) => problem !== null).length);
    untold.set(Math.max(0, ...wallets.map(({ untold_seconds }) => untold_seconds)));
  };
}

/** Returns the function that counts a verified slice of a ledger, with what was found in it. */
function verificationMetrics(registry: Registry) {
  const { counter, gauge } = metricKinds(registry);
  const verifiedAt = gauge(
    "loyalty_verify_last_timestamp_seconds",
    "Unix time at which this service last checked a part of a ledger for `loyalty verify`; 0 before the first.",
    { aggregator: "max" },
  );
  const mismatches = counter(
    "loyalty_verify_mismatches_total",
    "Mismatches that `loyalty verify` found in ledgers.",
  );
  return (found: number): void => {
    verifiedAt.set(now());
    mismatches.inc(found);
  };
}

function metricKinds(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string, options: Partial<GaugeConfiguration<string>> = {}) =>
      new Gauge({ name, help, registers, ...options }),
    histogram: (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  };
}

function addGauges(sources: MetricSources, registry: Registry): void {
  const { counter, gauge } = metricKinds(registry);
  const usages = () => Object.entries(sources.pools).map(([pool, { usage }]) => ({ pool, ...usage() }));
  gauge(
    "loyalty_build_info",
    "Always 1. The labels are the version of the service and of its database schema.",
    { labelNames: ["version", "schema"], aggregator: "first" },
  ).set({ version: sources.version, schema: sources.schemaVersion }, 1);
  counter("loyalty_starts_total", "1 for each process that has started.").inc();
  gauge(
    "loyalty_posting_queue_depth",
    "Requests that write to a ledger and wait for their commit, in the queue or in a transaction.",
    {
      collect() {
        this.set(sources.queueDepth());
      },
    },
  );
  gauge(
    "loyalty_database_pool_connections_max",
    "Database connections that the service may open (LOYALTY_DATABASE_CONNECTIONS), of all pools together.",
  ).set(sources.connections);
  gauge(
    "loyalty_database_pool_connections",
    "Open database connections by pool and state (in_use or idle).",
    {
      labelNames: ["pool", "state"],
      collect() {
        for (const { pool, inUse, idle } of usages()) {
          this.set({ pool, state: "in_use" }, inUse);
          this.set({ pool, state: "idle" }, idle);
        }
      },
    },
  );
  gauge(
    "loyalty_database_pool_waiting",
    "Requests that wait for a database connection because all of the pool's are in use.",
    {
      labelNames: ["pool"],
      collect() {
        for (const { pool, waiting } of usages()) this.set({ pool }, waiting);
      },
    },
  );
}

const minutes = 5;
const slotMilliseconds = 10_000;
const slots = (minutes * 60_000) / slotMilliseconds;

const nothing = {
  requests: 0,
  rejected: 0,
  failed: 0,
  requestSeconds: 0,
  batches: 0,
  postings: 0,
  batchSeconds: 0,
};
type Counts = typeof nothing;

/** Counts requests and postings of the last minutes, in slots of ten seconds. @param clock monotonic milliseconds */
export function createActivityRecorder(clock: () => number) {
  let counted: { slot: number; counts: Counts }[] = [];
  const currentSlot = () => Math.floor(clock() / slotMilliseconds);
  const recent = () => counted.filter(({ slot }) => slot > currentSlot() - slots);
  const add = (counts: Partial<Counts>) => {
    const slot = currentSlot();
    if (counted.at(-1)?.slot !== slot) counted = [...recent(), { slot, counts: { ...nothing } }];
    addTo(counted.at(-1)?.counts as Counts, counts);
  };
  return {
    requestFinished(status: number, seconds: number): void {
      const rejected = Number(status >= 400 && status < 500);
      add({ requests: 1, rejected, failed: Number(status >= 500), requestSeconds: seconds });
    },
    batchRecorded: (size: number, seconds: number) =>
      add({ batches: 1, postings: size, batchSeconds: seconds }),
    read() {
      const total = { ...nothing };
      for (const { counts } of recent()) addTo(total, counts);
      return { minutes, ...total };
    },
  };
}

function addTo(total: Counts, counts: Partial<Counts>): void {
  for (const [name, count] of Object.entries(counts)) total[name as keyof Counts] += count;
}
