/**
 * Serves from several processes (workers) on one port. The first process starts and stops them, replaces workers that end, and adds
 * up their metrics. It handles no requests.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { AggregatorRegistry } from "prom-client";
import type { Config } from "./config.ts";
import { OperatorError } from "./domain/access/operator-error.ts";
import type { Phase } from "./http/server.ts";
import { serveMetrics } from "./listening.ts";
import { createLog } from "./log.ts";
import type { Secrets, Serving, Undo } from "./service.ts";

type FromPrimary =
  | { readonly kind: "serve"; readonly config: Config; readonly secrets: Secrets }
  | { readonly kind: "phase"; readonly phase: Phase }
  | { readonly kind: "stop" };

type FromWorker =
  | { readonly kind: "started" }
  | { readonly kind: "listening"; readonly address: string }
  | { readonly kind: "failed"; readonly message: string; readonly expected: boolean };

/** The pause before a worker that ended is replaced. */
const replaceAfterMilliseconds = 500;
const stopWithinMilliseconds = 10_000;

/**
 * Starts the workers.
 * @param undo gets the function that stops them
 * @param say gets lines about workers that ended
 * @returns the address that all of them listen on, and that of their metrics
 * @throws OperatorError when one can't serve
 */
export async function startWorkers(
  config: Config,
  secrets: Secrets,
  undo: Undo[],
  say: (line: string) => void,
): Promise<Serving> {
  const registry = new AggregatorRegistry();
  let phase: Phase = "starting";
  const log = createLog(config.logLevel);
  const metrics = await serveMetrics(config, () => registry.clusterMetrics(), undo, log);
  // The first process serves the metrics of all.
  const workerConfig: Config = { ...config, metricsAddress: undefined };
  let stopping = false;
  undo.push(async () => {
    stopping = true;
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stopWorker(worker)));
  });

  const start = () =>
    new Promise<string>((resolve, reject) => {
      const worker = cluster.fork();
      closeWhenLost(worker);
      worker.on("message", (message: FromWorker) => {
        // An earlier message would be lost while the worker still loads.
        if (message.kind === "started") send(worker, { kind: "serve", config: workerConfig, secrets });
        if (message.kind === "listening") {
          send(worker, { kind: "phase", phase });
          resolve(message.address);
        }
        if (message.kind === "failed") {
          reject(message.expected ? new OperatorError(message.message) : new Error(message.message));
        }
      });
      worker.once("exit", (code, signal) => {
        // This has no effect if the worker has listened.
        reject(new Error(`a worker ended with ${code} before it listened`));
        if (stopping) return;
        say(`Worker ${worker.process.pid} ended (${signal ?? code}); it is replaced.`);
        setTimeout(() => {
          if (!stopping)
            start().catch((error: unknown) => say(`A worker could not start: ${(error as Error).message}`));
        }, replaceAfterMilliseconds);
      });
    });

  const addresses = await Promise.all(Array.from({ length: config.workers }, start));
  return {
    service: addresses[0] as string,
    metrics,
    setPhase: (next) => {
      phase = next;
      for (const worker of Object.values(cluster.workers ?? {}))
        if (worker) send(worker, { kind: "phase", phase });
    },
  };
}

/** Some fields of the messages by which Node passes connections to workers. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  /** The seq of the message that this one acknowledges. */
  readonly ack?: number;
}

interface Handle {
  close(): void;
}

/**
 * Closes the connections that a worker did not receive because it ended. Node keeps a connection open in the first process until
 * the worker acknowledges it, so its client would wait forever. If workers accept connections themselves (SCHED_NONE), this is not
 * necessary, but one of four workers then got 61 of 64 connections.
 */
function closeWhenLost(worker: Worker): void {
  const child = worker.process;
  const handed = new Map<number, Handle>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (...given: unknown[]) => {
    const [message, handle] = given as [ClusterMessage, Handle | undefined];
    if (message.cmd === "NODE_CLUSTER" && message.act === "newconn" && handle !== undefined) {
      handed.set(message.seq as number, handle);
    }
    return send(...given);
  };
  child.on("internalMessage", ({ ack }: ClusterMessage) => {
    if (ack !== undefined) handed.delete(ack);
  });
  worker.once("exit", () => {
    for (const handle of handed.values()) handle.close();
    handed.clear();
  });
}

function send(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(message);
}

async function stopWorker(worker: Worker): Promise<void> {
  const exited = once(worker, "exit");
  // A worker that is still loading does not get this message, and has nothing to finish.
  send(worker, { kind: "stop" });
  const overdue = setTimeout(() => worker.process.kill("SIGKILL"), stopWithinMilliseconds);
  await exited;
  clearTimeout(overdue);
}

/** Runs a worker process. Messages of the first process start and stop it. */
export function runWorker(): void {
  const undo: Undo[] = [];
  const tell = (message: FromWorker) => process.send?.(message);
  // The first process asks this one for its metrics.
  new AggregatorRegistry();

  const stop = async () => {
    for (const step of undo.reverse()) await step().catch(() => (process.exitCode = 1));
    process.exit();
  };
  let running: Serving | undefined;
  const begin = async (config: Config, secrets: Secrets) => {
    try {
      const { serve } = await import("./service.ts");
      running = await serve(config, secrets, undo);
      tell({ kind: "listening", address: running.service });
    } catch (error) {
      const expected = error instanceof OperatorError;
      const message = error instanceof Error ? error.message : String(error);
      // A worker that can't serve ends, and another one is started in its place.
      const failed: FromWorker = { kind: "failed", message, expected };
      process.send?.(failed, () => process.exit(1));
    }
  };
  process.on("message", (message: FromPrimary) => {
    if (message.kind === "serve") void begin(message.config, message.secrets);
    else if (message.kind === "phase") running?.setPhase(message.phase);
    else if (message.kind === "stop") void stop();
  });
  // A Ctrl-C reaches all processes of the terminal. Only the first process handles it.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => undefined);
  }
  tell({ kind: "started" });
}
