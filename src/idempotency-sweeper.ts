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

/**
 * Deletes idempotency keys past their time in the background, business by business, in small steps with
 * pauses between, so that writers never wait for it.
 */
export function startKeySweeper(sql: Database, days: number, log: Logger): Sweeper {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const sweep = async () => {
    try {
      for (const businessId of await listBusinessIds(sql)) {
        while (!stopped && (await sweepKeys(sql, businessId, days, keysAtOnce)) === keysAtOnce) {
          await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
        }
      }
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
