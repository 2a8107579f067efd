import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { RecentActivity } from "../contract/services.ts";
import { createActivityRecorder } from "../recent-activity.ts";

export interface Metrics {
  readonly registry: Registry;
  requestFinished(operation: string, status: number, seconds: number): void;
  batchRecorded(size: number, seconds: number): void;
  /** What was recorded in the last minutes. */
  recent(): RecentActivity;
}

/** @param queueDepth how many postings wait or are in flight @param pool how many database connections the pool may open */
export function createMetrics(queueDepth: () => number, pool: number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 10 });
  const requests = new Histogram({
    name: "loyalty_request_duration_seconds",
    help: "Requests by operation and status, with how long they took.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const batchSizes = new Histogram({
    name: "loyalty_posting_batch_size",
    help: "How many postings a batch recorded.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers: [registry],
  });
  const batchSeconds = new Histogram({
    name: "loyalty_posting_batch_duration_seconds",
    help: "How long a batch took from its first statement to its commit.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  new Gauge({
    name: "loyalty_posting_queue_depth",
    help: "Postings that wait or are in flight.",
    registers: [registry],
    collect() {
      this.set(queueDepth());
    },
  });
  new Gauge({
    name: "loyalty_database_pool_connections_max",
    help: "The most database connections this process opens.",
    registers: [registry],
  }).set(pool);
  new Counter({
    name: "loyalty_starts_total",
    help: "1 once the service has started.",
    registers: [registry],
  }).inc();
  // Looked up by number and text: the library would join and hash the labels of each request anew.
  const children = new Map<string, Map<number, Histogram.Internal<"operation" | "status">>>();
  const requestsOf = (operation: string, status: number) => {
    const ofOperation = children.get(operation) ?? new Map();
    children.set(operation, ofOperation);
    const child = ofOperation.get(status) ?? requests.labels(operation, String(status));
    ofOperation.set(status, child);
    return child;
  };
  const activity = createActivityRecorder(() => performance.now());
  return {
    registry,
    requestFinished: (operation, status, seconds) => {
      requestsOf(operation, status).observe(seconds);
      activity.requestFinished(status, seconds);
    },
    batchRecorded: (size, seconds) => {
      batchSizes.observe(size);
      batchSeconds.observe(seconds);
      activity.batchRecorded(size, seconds);
    },
    recent: activity.read,
  };
}
