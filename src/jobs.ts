/** Runs the jobs that wait. Each process runs some at once; a job whose process has ended is taken by another one. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Services } from "./contract/services.ts";
import type { Connection, Database, Share } from "./database/connection.ts";
import { describeFault, isTransient } from "./database/faults.ts";
import { JobLost, type JobSteps } from "./database/jobs/steps.ts";
import { OverloadedError } from "./domain/fair-queue.ts";
import type { JobParts } from "./imports/job.ts";

const jobsAtOnce = 4;
const retryAfterMilliseconds = 1000;
/** A fraction of the time after which a process loses a job. */
const renewEveryMilliseconds = 3000;
/** How often a process looks for jobs that another one has left. */
const everyMilliseconds = 5000;

/** A job that this process has, and how it is run and ended. */
interface TakenJob {
  readonly business_id: number;
  /** The job, for the log. */
  readonly facts: object;
  renew(sql: Connection): Promise<boolean>;
  release(sql: Connection): Promise<void>;
  /** @throws JobLost when the process stops, or has lost the job */
  run(parts: JobParts): Promise<void>;
  /** Ends the job because of an error that repeats. @returns whether that is what an operator can expect */
  fail(sql: Share, error: unknown): Promise<boolean>;
}

/** Takes a job that waits. @returns undefined when none does */
export type TakeJob = (sql: Connection) => Promise<TakenJob | undefined>;

interface RunnerParts extends Pick<JobSteps, "eventsRecorded" | "isBusy"> {
  readonly sql: Database;
  readonly log: Logger;
  /** Those of a business. */
  readonly servicesOf: (businessId: number) => Services;
}

export interface JobRunner {
  /** Looks for jobs that wait. */
  wake(): void;
  /** Stops after the step that is under way. Other processes go on with the jobs. */
  stop(): Promise<void>;
}

/** @param kinds of jobs: each is a function that takes one that waits */
export function startJobs(
  kinds: readonly TakeJob[],
  { sql, servicesOf, log, ...parts }: RunnerParts,
): JobRunner {
  let stopped = false;
  let looking: Promise<void> | undefined;
  let isWanted = false;
  const running = new Set<Promise<void>>();
  const takeAll = async (take: TakeJob) => {
    while (!stopped && running.size < jobsAtOnce) {
      const job = await take(sql);
      if (job === undefined) return;
      const run: Promise<void> = runTaken(job).finally(() => {
        running.delete(run);
        wake();
      });
      running.add(run);
    }
  };
  /** Runs a job, and keeps it meanwhile, however long a step takes. */
  const runTaken = async (job: TakenJob) => {
    let isLost = false;
    const renew = async () => {
      // Without a response, the lease ends by itself.
      isLost = (await job.renew(sql).catch(() => true)) === false;
    };
    const timer = setInterval(() => void renew(), renewEveryMilliseconds).unref();
    const of = {
      ...parts,
      sql: sql.shareOf(`job ${job.business_id}`),
      services: servicesOf(job.business_id),
      tell: (error: unknown, of: object) =>
        log.warn({ ...job.facts, ...of, fault: describeFault(error) }, "a job left a member out"),
    };
    await runJob(job, { ...of, stopped: () => stopped || isLost }, log);
    clearInterval(timer);
  };
  const wake = () => {
    isWanted = true;
    looking ??= look().finally(() => {
      looking = undefined;
      if (isWanted && !stopped) wake();
    });
  };
  const look = async () => {
    while (isWanted && !stopped) {
      isWanted = false;
      for (const take of kinds) {
        // The next look tries again.
        await takeAll(take).catch(
          (error: unknown) => stopped || log.warn({ fault: describeFault(error) }, "looking for jobs failed"),
        );
      }
    }
  };
  const timer = setInterval(wake, everyMilliseconds).unref();
  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await looking;
      await Promise.all(running);
    },
  };
}

async function runJob(job: TakenJob, parts: JobParts, log: Logger): Promise<void> {
  try {
    await job.run(parts);
  } catch (error) {
    if (error instanceof JobLost) return;
    await failed(job, parts, log, error).catch((fault: unknown) =>
      log.warn({ ...job.facts, fault: describeFault(fault) }, "a job stopped"),
    );
  }
}

/** Ends a job that can't go on. A fault that can pass by itself, such as a lock that lasts, lets the job wait and go on. */
async function failed(job: TakenJob, { sql, stopped }: JobParts, log: Logger, error: unknown): Promise<void> {
  if (stopped()) return job.release(sql);
  const fault = { ...job.facts, fault: describeFault(error) };
  if (error instanceof OverloadedError || isTransient(error)) {
    log.warn(fault, "a job waits");
    await sleep(retryAfterMilliseconds, undefined, { ref: false });
    return job.release(sql);
  }
  if (!(await job.fail(sql, error))) log.error(fault, "a job failed");
}
