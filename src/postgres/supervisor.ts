/** Keeps PostgreSQL running until the service stops it. */

import { setTimeout as sleep } from "node:timers/promises";
import {
  endOrphans,
  type Launch,
  launchPostmaster,
  type Postmaster,
  StillInUseError,
  stopLeftover,
} from "./postmaster.ts";
import { removeSocket } from "./socket.ts";

export interface Supervision {
  readonly launch: Omit<Launch, "signal" | "onLine">;
  /** Gets a line about each action and its cause. */
  readonly onProgress: (line: string) => void;
  /** The log of PostgreSQL. */
  readonly onLog: (line: string) => void;
  /** PostgreSQL ended on its own, and takes connections again. */
  readonly onRestart: (reason: string) => void;
}

/** How long a start waits for the backends of a killed PostgreSQL to end. */
const timeoutMilliseconds = 30_000;

const firstDelayMilliseconds = 100;
const longestDelayMilliseconds = 5_000;

/** After running for this long, PostgreSQL restarts with the shortest delay again. */
const stableMilliseconds = 60_000;

export class Supervisor {
  readonly #supervision: Supervision;
  readonly #stopping = new AbortController();
  #postmaster: Postmaster | undefined;
  #revival: Promise<void> = Promise.resolve();
  #delay = firstDelayMilliseconds;

  constructor(supervision: Supervision) {
    this.#supervision = supervision;
  }

  /**
   * Starts PostgreSQL, and restarts it from then on when it ends.
   * @throws EmbeddedDatabaseError when it does not start; nothing is left running then
   */
  async start(): Promise<void> {
    const deadline = performance.now() + timeoutMilliseconds;
    for (;;) {
      try {
        return this.#watch(await this.#launch());
      } catch (error) {
        if (!(error instanceof StillInUseError) || performance.now() > deadline) throw error;
        await sleep(firstDelayMilliseconds);
      }
    }
  }

  /** Stops PostgreSQL, or the attempt to restart it. Resolves when it is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#revival;
    await this.#postmaster?.stop();
    process.off("exit", this.#leave);
  }

  /**
   * Starts PostgreSQL once, after stopping one that was left running.
   * @throws StillInUseError when old backends prevent the start; they have been told to end
   */
  async #launch(): Promise<Postmaster> {
    const { launch, onProgress, onLog } = this.#supervision;
    await stopLeftover(launch.pgdata, () =>
      onProgress("Stopping the PostgreSQL that an earlier run left behind …"),
    );
    await removeSocket(launch.pgdata);
    const onLine = (line: string) => {
      onLog(line);
      if (line.includes("was not properly shut down")) onProgress("Recovering after an unclean stop …");
    };
    try {
      return await launchPostmaster({ ...launch, onLine, signal: this.#stopping.signal });
    } catch (error) {
      if (error instanceof StillInUseError) await endOrphans(launch.pgdata);
      throw error;
    }
  }

  #watch(postmaster: Postmaster): void {
    const since = performance.now();
    this.#postmaster = postmaster;
    process.off("exit", this.#leave).on("exit", this.#leave);
    void postmaster.ended.then((how) => {
      this.#postmaster = undefined;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - since > stableMilliseconds) this.#delay = firstDelayMilliseconds;
      this.#revival = this.#revive(`PostgreSQL ${how}`);
    });
  }

  /** Retries until PostgreSQL starts or the service stops, because a cause such as a full disk may be temporary. */
  async #revive(reason: string): Promise<void> {
    const { onProgress, onRestart } = this.#supervision;
    const { signal } = this.#stopping;
    onProgress(`${reason}; starting it again …`);
    while (!signal.aborted) {
      const postmaster = await this.#launch().catch((error: unknown) => error as Error);
      if (!(postmaster instanceof Error)) {
        this.#watch(postmaster);
        return onRestart(reason);
      }
      if (signal.aborted) return;
      onProgress(`${postmaster.message}; trying again in ${this.#delay} ms …`);
      await sleep(this.#delay, undefined, { signal }).catch(() => undefined);
      this.#delay = Math.min(this.#delay * 2, longestDelayMilliseconds);
    }
  }

  /** Tells PostgreSQL to stop when the service exits without waiting for it. */
  readonly #leave = (): void => {
    this.#postmaster?.interrupt();
  };
}
