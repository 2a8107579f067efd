/** Runs the jobs that wait. Each process runs some at once; a job whose process has ended is taken by another one. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Services } from "../contract/services.ts";
import type { Database } from "../database/connection.ts";
import { describeFault, isTransient } from "../database/faults.ts";
import { leaseJob, releaseJob, renewJob, saveProgress } from "../database/import-jobs.ts";
import { FileProblem } from "./file/file-problem.ts";
import { findForm } from "./form/find-form.ts";
import { JobLost, type JobParts, type Leased, openJob } from "./job.ts";
import { checkLines, importLines } from "./read-lines.ts";

const jobsAtOnce = 4;
const retryAfterMilliseconds = 1000;
/** A fraction of the time after which a process loses a job. */
const renewEveryMilliseconds = 3000;
/** How often a process looks for jobs that another one has left. */
const everyMilliseconds = 5000;

interface RunnerParts extends Pick<JobParts, "eventsRecorded" | "isBusy" | "log"> {
  readonly sql: Database;
  /** Those of a business. */
  readonly servicesOf: (businessId: number) => Services;
}

export interface ImportRunner {
  /** Looks for jobs that wait. */
  wake(): void;
  /** Stops after the lines that are under way. Other processes go on with the jobs. */
  stop(): Promise<void>;
}

export function startImports({ sql, servicesOf, log, ...parts }: RunnerParts): ImportRunner {
  let stopped = false;
  let looking: Promise<void> | undefined;
  let isWanted = false;
  const running = new Set<Promise<void>>();
  const take = async () => {
    while (!stopped && running.size < jobsAtOnce) {
      const leased = (await leaseJob(sql, randomUUID())) as Leased | undefined;
      if (leased === undefined) return;
      const run: Promise<void> = runLeased(leased).finally(() => {
        running.delete(run);
        wake();
      });
      running.add(run);
    }
  };
  /** Runs a job, and keeps it meanwhile, however long a step takes. */
  const runLeased = async (leased: Leased) => {
    const owner = `import ${leased.business_id}`;
    let isLost = false;
    const renew = async () => {
      // Without a response, the lease ends by itself.
      isLost = (await renewJob(sql, leased).catch(() => true)) === false;
    };
    const timer = setInterval(() => void renew(), renewEveryMilliseconds).unref();
    const of = { ...parts, sql: sql.shareOf(owner), services: servicesOf(leased.business_id), log };
    await runJob(leased, { ...of, stopped: () => stopped || isLost });
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
      // The next look tries again.
      await take().catch(
        (error: unknown) =>
          stopped || log.warn({ fault: describeFault(error) }, "looking for imports failed"),
      );
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

async function runJob(leased: Leased, parts: JobParts): Promise<void> {
  const { log } = parts;
  try {
    const job = await openJob(leased, parts);
    if (leased.state === "checking") await checkLines(job, await findForm(job));
    else if (leased.form) await importLines(job, leased.form);
  } catch (error) {
    if (error instanceof JobLost) return;
    await failed(leased, parts, error).catch((fault: unknown) =>
      log.warn({ import_id: leased.import_id, fault: describeFault(fault) }, "an import stopped"),
    );
  }
}

/** Ends a job whose file is wrong. A fault that can pass by itself, such as a lock that lasts, lets the job wait and go on. */
async function failed(leased: Leased, { sql, log, stopped }: JobParts, error: unknown): Promise<void> {
  if (stopped()) return releaseJob(sql, leased);
  if (error instanceof FileProblem) {
    await saveProgress(sql, leased, { state: "failed", problem: error.message });
    return;
  }
  const fault = { import_id: leased.import_id, fault: describeFault(error) };
  if (isTransient(error)) {
    log.warn(fault, "an import waits");
    await sleep(retryAfterMilliseconds, undefined, { ref: false });
    return releaseJob(sql, leased);
  }
  log.error(fault, "an import failed");
  const problem =
    "The service has failed at these lines. What was imported stays. Start the import again, or ask for help.";
  await saveProgress(sql, leased, { state: "failed", problem });
}
