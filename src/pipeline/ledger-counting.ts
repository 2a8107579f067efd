import type { Logger } from "pino";
import { describeFault } from "../database/faults.ts";
import { countAfterEntries } from "../database/ledger/counts.ts";

export interface LedgerCounting {
  /** @param uncounted how many entries of the business's ledger are in no block */
  recorded(businessId: number, uncounted: number): void;
  /** Resolves when no counting is under way. */
  finished(): Promise<void>;
}

/**
 * Starts counting when enough entries of a ledger are in no block, beside the postings and once at a time for each
 * business. Entries that are not counted are still listed, only slower, so a failure does no harm.
 */
export function createLedgerCounting(
  count: (businessId: number) => Promise<void>,
  log: Logger,
): LedgerCounting {
  const running = new Map<number, Promise<void>>();
  return {
    recorded(businessId, uncounted) {
      if (uncounted < countAfterEntries || running.has(businessId)) return;
      const done = count(businessId)
        .catch((error: unknown) => log.warn({ fault: describeFault(error) }, "counting the ledger failed"))
        .finally(() => running.delete(businessId));
      running.set(businessId, done);
    },
    finished: async () => void (await Promise.all(running.values())),
  };
}
