import type { Logger } from "pino";
import { sweepAuditEntries } from "./database/access/audit.ts";
import { listBusinessIds } from "./database/access/businesses.ts";
import type { Database } from "./database/connection.ts";
import { sweepKeys } from "./database/ledger/idempotency-keys.ts";

const everyMilliseconds = 10 * 60 * 1000;
const rowsAtOnce = 1000;
const shortestPauseMilliseconds = 20;
/**
 * Pauses are this much longer than the step before, so that sweeping takes a fifth of a processor at most.
 */
const pausePerStep = 4;

export interface Sweeper {
  stop(): void;
}

/** Told of the rows that a step deleted, and of each round that succeeds. */
export interface SweepObserver {
  readonly onSwept?: (rows: number) => void;
  readonly onRound?: () => void;
}

/** How long things are kept. */
export interface Keeping {
  readonly idempotencyDays: number;
  /** Of the audit log's entries; 0 is forever. */
  readonly auditDays: number;
}

/** Deletes expired records in the background, while the service runs. */
export function startSweeper(
  sql: Database,
  keeping: Keeping,
  log: Logger,
  observer: SweepObserver = {},
): Sweeper {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const control = { stopped: () => stopped, ...observer };

  const sweep = async () => {
    try {
      await sweepExpiredKeys(sql, keeping.idempotencyDays, control);
      if (keeping.auditDays > 0) await sweepOldAuditEntries(sql, keeping.auditDays, control);
      observer.onRound?.();
    } catch (error) {
      // The next round tries again.
      if (!stopped) log.warn({ err: error }, "sweeping failed");
    }
    if (!stopped) plan();
  };
  const plan = () => {
    timer = setTimeout(() => void sweep(), everyMilliseconds).unref();
  };
  plan();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

export interface SweepControl {
  /** Asked between two steps. */
  readonly stopped: () => boolean;
  /** Called with the number of rows that a step deleted. */
  readonly onSwept?: (rows: number) => void;
}

/** Deletes idempotency keys past their time by the clocks of the service and the database, business by business. */
export async function sweepExpiredKeys(sql: Database, days: number, control: SweepControl): Promise<void> {
  for (const businessId of await listBusinessIds(sql)) {
    await inSteps(() => sweepKeys(sql, businessId, { days, serviceTime: new Date() }, rowsAtOnce), control);
  }
}

/** Deletes entries of the audit log past their time. */
export async function sweepOldAuditEntries(
  sql: Database,
  days: number,
  control: SweepControl,
): Promise<void> {
  await inSteps(() => sweepAuditEntries(sql, days, rowsAtOnce), control);
}

/** Small steps with pauses between, so that writers never wait for it. */
async function inSteps(step: () => Promise<number>, { stopped, onSwept }: SweepControl): Promise<void> {
  while (!stopped()) {
    const startedAt = performance.now();
    const rows = await step();
    onSwept?.(rows);
    if (rows < rowsAtOnce) return;
    const pause = Math.max(shortestPauseMilliseconds, pausePerStep * (performance.now() - startedAt));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
