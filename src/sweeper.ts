/**
 * Deletes what is kept only for some time: idempotency keys, sessions, audit entries, events, attempts to send them, requests, days
 * on which nothing is due any more, imported files, and void passes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { sweepAuditEntries } from "./database/access/audit.ts";
import { listBusinessIds } from "./database/access/businesses.ts";
import { sweepSessions } from "./database/access/operator-sessions.ts";
import type { Database } from "./database/connection.ts";
import { sweepDueDays } from "./database/engine/due.ts";
import { sweepEvents } from "./database/events.ts";
import { faultOf } from "./database/faults.ts";
import { sweepJobs } from "./database/imports/jobs.ts";
import { sweepKeys } from "./database/ledger/idempotency-keys.ts";
import { sweepRejectedRequests, sweepRequestCounts } from "./database/requests.ts";
import { sweepPasses } from "./database/wallets/updates.ts";
import { listAttemptedEndpoints, sweepAttempts } from "./database/webhooks/attempts.ts";
import type { Metrics } from "./http/metrics.ts";

const everyMilliseconds = 10 * 60 * 1000;
const rowsAtOnce = 1000;
const shortestPauseMilliseconds = 20;
/** A pause is this many times as long as the step before it. So sweeping takes at most a fifth of the time. */
const pausePerStep = 4;

interface SweepControl {
  readonly stopped: () => boolean;
  /** Called when a business can't be swept, although the database is there. Without it, the failure is thrown. */
  readonly failed?: (error: unknown, businessId: number) => void;
  /** Called with the number of rows that a step deleted. */
  readonly rowsSwept?: (rows: number) => void;
}

/** Sweeps every ten minutes. @returns a function that stops it */
export function startSweeper(
  sql: Database,
  { idempotencyDays, auditDays, eventDays }: Config,
  log: Logger,
  { rowsSwept, sweepFinished }: Pick<Metrics, "rowsSwept" | "sweepFinished">,
): () => void {
  let stopped = false;
  const sweep = async () => {
    let isComplete = true;
    const failed = (error: unknown, business_id?: number) => {
      isComplete = false;
      // The next round tries again.
      if (!stopped) log.warn({ business_id, err: error }, "sweeping failed");
    };
    const control = { stopped: () => stopped, rowsSwept, failed };
    try {
      await sweepExpiredKeys(sql, idempotencyDays, control);
      if (eventDays > 0) await sweepOldEvents(sql, eventDays, control);
      await sweepOldAttempts(sql, control);
      await sweepRequests(sql, control);
      await sweepPassedDays(sql, control);
      await sweepFiles(sql, control);
      await sweepVoidPasses(sql, control);
      // A failure of these ends the round, because they are not swept business by business. So they come last.
      await inSteps(() => sweepSessions(sql, rowsAtOnce), control);
      if (auditDays > 0) await sweepOldAuditEntries(sql, auditDays, control);
      if (isComplete) sweepFinished();
    } catch (error) {
      failed(error);
    }
    if (!stopped) timer.refresh();
  };
  const timer = setTimeout(() => void sweep(), everyMilliseconds).unref();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Deletes idempotency keys past their time by the clocks of the service and the database, business by business. */
export const sweepExpiredKeys = (sql: Database, days: number, control: SweepControl) =>
  inBusinesses(sql, (id) => sweepKeys(sql, id, { days, serviceTime: new Date() }, rowsAtOnce), control);

export function sweepOldAuditEntries(sql: Database, days: number, control: SweepControl): Promise<void> {
  return inSteps(() => sweepAuditEntries(sql, days, rowsAtOnce), control);
}

export const sweepOldEvents = (sql: Database, days: number, control: SweepControl) =>
  inBusinesses(sql, (businessId) => sweepEvents(sql, businessId, days, rowsAtOnce), control);

/** Deletes attempts to send events: those that succeeded after 7 days, unless another attempt failed, and others after 30 days. */
export async function sweepOldAttempts(sql: Database, control: SweepControl): Promise<void> {
  const sweepOf = async (business_id: number) => {
    for (const endpoint_id of await listAttemptedEndpoints(sql, business_id)) {
      await inSteps(() => sweepAttempts(sql, { business_id, endpoint_id }, rowsAtOnce), control);
    }
  };
  await eachBusiness(sql, sweepOf, control);
}

/** Deletes what the request log has beyond its days, and beyond its number of requests of an integration. */
export async function sweepRequests(sql: Database, control: SweepControl): Promise<void> {
  await inBusinesses(sql, (businessId) => sweepRejectedRequests(sql, businessId, rowsAtOnce), control);
  await inBusinesses(sql, (businessId) => sweepRequestCounts(sql, businessId, rowsAtOnce), control);
}

export const sweepPassedDays = (sql: Database, control: SweepControl) =>
  inBusinesses(sql, (businessId) => sweepDueDays(sql, businessId, rowsAtOnce), control);

const sweepVoidPasses = (sql: Database, control: SweepControl) =>
  inBusinesses(sql, (businessId) => sweepPasses(sql, businessId, rowsAtOnce), control);

/** Deletes files that were imported some days ago, with their jobs. */
export async function sweepFiles(sql: Database, control: SweepControl): Promise<void> {
  const sweepOf = async (businessId: number) => {
    while (!control.stopped() && (await sweepJobs(sql, businessId)) > 0) control.rowsSwept?.(1);
  };
  await eachBusiness(sql, sweepOf, control);
}

const inBusinesses = (sql: Database, step: (id: number) => Promise<number>, control: SweepControl) =>
  eachBusiness(sql, (id) => inSteps(() => step(id), control), control);

/** Sweeps business by business. One that can't be swept keeps no other back. */
async function eachBusiness(sql: Database, sweepOf: (id: number) => Promise<void>, control: SweepControl) {
  for (const businessId of await listBusinessIds(sql)) {
    try {
      await sweepOf(businessId);
    } catch (error) {
      if (control.failed === undefined || faultOf(error) === "unavailable") throw error;
      control.failed(error, businessId);
    }
  }
}

/** Deletes in small steps with pauses, so that writers don't wait for it. */
async function inSteps(step: () => Promise<number>, { stopped, rowsSwept }: SweepControl): Promise<void> {
  while (!stopped()) {
    const startedAt = performance.now();
    const rows = await step();
    rowsSwept?.(rows);
    if (rows < rowsAtOnce) return;
    await sleep(Math.max(shortestPauseMilliseconds, pausePerStep * (performance.now() - startedAt)));
  }
}
