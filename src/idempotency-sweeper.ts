import type { Logger } from "pino";
import { listBusinessIds } from "./database/businesses.ts";
import type { Database } from "./database/connection.ts";
import { sweepKeys } from "./database/idempotency-keys.ts";

const everyMilliseconds = 10 * 60 * 1000;
const keysAtOnce = 1000;
const pauseMilliseconds = 20;

export interface Sweeper {
  stop(): void;
}

/** Sweeps expired idempotency keys in the background, for as long as the service runs. */
export function startKeySweeper(sql: Database, days: number, log: Logger): Sweeper {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const sweep = async () => {
    try {
      await sweepExpiredKeys(sql, days, { stopped: () => stopped });
    } catch (error) {
      // It tries again at the next turn; nobody waits for it.
      if (!stopped) log.warn({ err: error }, "sweeping idempotency keys failed");
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
  /** Hears how many keys a step deleted. */
  readonly onSwept?: (keys: number) => void;
}

/**
 * Deletes idempotency keys past their time, business by business, in small steps with pauses between, so that
 * writers never wait for it.
 */
export async function sweepExpiredKeys(
  sql: Database,
  days: number,
  { stopped, onSwept }: SweepControl,
): Promise<void> {
  for (const businessId of await listBusinessIds(sql)) {
    while (!stopped()) {
      const keys = await sweepKeys(sql, businessId, days, keysAtOnce);
      onSwept?.(keys);
      if (keys < keysAtOnce) break;
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }
}
