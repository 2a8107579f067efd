/** Keeps PostgreSQL running until the service stops it. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import { endOrphans, launchPostmaster, type Postmaster, stopLeftover } from "./postmaster.ts";
import { removeSocket } from "./socket.ts";

export interface Supervision {
  readonly cluster: Cluster;
  /** The arguments of `postgres`. */
  readonly args: readonly string[];
  /** Gets a line about each action and its cause. */
  readonly onProgress: (line: string) => void;
  /** The log of PostgreSQL. */
  readonly onLog: (line: string) => void;
  /** PostgreSQL ended on its own, and takes connections again. */
  readonly onRestart: (reason: string) => void;
}

/** How long a start waits for the backends of a killed PostgreSQL to end, and how often it looks. */
const orphansMilliseconds = 30_000;
const lookAgainMilliseconds = 100;

const retryMilliseconds = 1_000;

/**
 * Starts PostgreSQL, and restarts it from then on when it ends.
 * @returns stops PostgreSQL, or the attempt to restart it, and resolves when it is gone
 * @throws EmbeddedDatabaseError when it does not start; nothing is left running then
 */
export async function supervise(supervision: Supervision): Promise<() => Promise<void>> {
  const { onProgress, onRestart } = supervision;
  const stopping = new AbortController();
  const { signal } = stopping;
  let postmaster = await launch(supervision, signal);

  const keepRunning = async () => {
    for (;;) {
      const reason = `PostgreSQL ${await postmaster.ended}`;
      if (signal.aborted) return;
      onProgress(`${reason}; starting it again …`);
      const next = await relaunch(supervision, signal);
      if (next === undefined) return;
      postmaster = next;
      if (signal.aborted) return postmaster.stop();
      onRestart(reason);
    }
  };
  const running = keepRunning();
  // The service may exit without waiting for PostgreSQL.
  const leave = () => postmaster.interrupt();
  process.on("exit", leave);
  return async () => {
    stopping.abort();
    await postmaster.stop();
    await running;
    process.off("exit", leave);
  };
}

/** Retries until PostgreSQL starts or the service stops, because a cause such as a full disk may be temporary. */
async function relaunch(supervision: Supervision, signal: AbortSignal): Promise<Postmaster | undefined> {
  while (!signal.aborted) {
    try {
      return await launch(supervision, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      supervision.onProgress(`${(error as Error).message}; trying again in ${retryMilliseconds} ms …`);
      await sleep(retryMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Starts PostgreSQL once, after stopping one that was left running. */
async function launch(
  { cluster, args, onProgress, onLog }: Supervision,
  signal: AbortSignal,
): Promise<Postmaster> {
  const { pgdata } = cluster;
  await stopLeftover(pgdata, () => onProgress("Stopping the PostgreSQL that an earlier run left behind …"));
  await removeSocket(pgdata);
  const onLine = (line: string) => {
    onLog(line);
    if (line.includes("was not properly shut down")) onProgress("Recovering after an unclean stop …");
  };
  const deadline = performance.now() + orphansMilliseconds;
  for (;;) {
    try {
      return await launchPostmaster(cluster, args, onLine, signal);
    } catch (error) {
      const isInUse = /pre-existing shared memory block .* is still in use/.test((error as Error).message);
      if (!isInUse || performance.now() > deadline) throw error;
      await endOrphans(pgdata);
      await sleep(lookAgainMilliseconds);
    }
  }
}
