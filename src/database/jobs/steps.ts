/** The steps of a job: each is a transaction, after which the job yields to postings. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, Share } from "../connection.ts";
import { faultOf } from "../faults.ts";

/** Ends the work on a job that this process has no longer. */
export class JobLost extends Error {}

/** What the steps of a job need. */
export interface JobSteps {
  /** The connections of the job. */
  readonly sql: Share;
  /** Called after the commit of events. */
  readonly eventsRecorded: (businessId: number) => void;
  /** Whether many postings wait in this process, or so many. They come first. */
  readonly isBusy: (atLeast?: number) => boolean;
  /** Logs the fault of a member who is left out. */
  readonly tell: (error: unknown, of: object) => void;
  /** Whether the process stops, or has lost the job. */
  readonly stopped: () => boolean;
}

const maximumAttempts = 5;
/** While many postings wait, a pause is up to this many times as long as the step before it. */
const longestPausePerStep = 5;
/** While postings wait, the pause is this many times as long as the ledger was locked. */
const pausePerLock = 4;
const lookEveryMilliseconds = 5;

/** Runs a transaction again if another one has changed what it read. @param work gets the number of the attempt, from 1 */
export async function retried<Value>(
  { sql }: Pick<JobSteps, "sql">,
  work: (tx: Connection, attempt: number) => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sql.begin((tx) => work(tx, attempt));
    } catch (error) {
      const fault = faultOf(error);
      if (attempt >= maximumAttempts || (fault !== "retry" && fault !== "conflict")) throw error;
    }
  }
}

/** Waits while many postings do, but not for long. @param startedAt when the step before the pause began */
export async function yieldToPostings({ isBusy }: Pick<JobSteps, "isBusy">, startedAt: number) {
  const until = performance.now() + longestPausePerStep * (performance.now() - startedAt);
  while (isBusy() && performance.now() < until) await sleep(lookEveryMilliseconds);
}

/**
 * Leaves the ledger to postings after a step. Those that have waited are done at once, so a job that waited only for them would have
 * the ledger for half of the time.
 * @param lockedAt when the step had locked the ledger
 */
export async function leaveToPostings({ isBusy }: Pick<JobSteps, "isBusy">, lockedAt: number) {
  if (isBusy(1)) await sleep(pausePerLock * (performance.now() - lockedAt));
}
