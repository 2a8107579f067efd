import type { Logger } from "pino";
import { describeFault } from "../database/faults.ts";
import { countAfterEntries } from "../database/ledger/counts.ts";

export interface LedgerCounting {
  /** Hears how many entries of a business's ledger are in no block yet. */
  recorded(businessId: number, uncounted: number): void;
  /** Resolves when no counting is under way. */
  finished(): Promise<void>;
}

/**
 * Has entries counted into blocks as the ledger grows, beside the postings, one business at a time each. What
 * is not counted yet is still listed, only slower: a failure costs nothing but another try.
 */
export function createLedgerCounting(
  fold: (businessId: number) => Promise<void>,
  log: Logger,
): LedgerCounting {
  const running = new Map<number, Promise<void>>();
  return {
    recorded(businessId, uncounted) {
      if (uncounted < countAfterEntries || running.has(businessId)) return;
      const done = fold(businessId)
        .catch((error: unknown) => log.warn({ fault: describeFault(error) }, "counting the ledger failed"))
        .finally(() => running.delete(businessId));
      running.set(businessId, done);
    },
    finished: async () => void (await Promise.all(running.values())),
  };
}
