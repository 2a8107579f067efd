/** Lets businesses accept writes again when the command that moved them was killed or hangs. */
import type { Logger } from "pino";
import type { Database } from "./database/connection.ts";
import { describeFault, isTransient } from "./database/faults.ts";
import { acceptWritesAgain, listAbandonedMoves } from "./database/moving.ts";

const everyMilliseconds = 10_000;

/**
 * Looks again and again for businesses that reject writes for a command whose session has ended. A command changes its session
 * between two steps, so only a business that two looks in a row have found accepts writes again.
 */
export function watchMoves(sql: Database, log: Logger) {
  let found = new Set<number>();
  const look = async () => {
    const abandoned = await listAbandonedMoves(sql, "pause", ["leaving"]);
    for (const businessId of abandoned.filter((id) => found.has(id))) {
      if (await acceptWritesAgain(sql, businessId))
        log.warn(
          { business_id: businessId },
          "the command that moved a business was killed or hangs: writes are accepted again. Repeat the command, or add --cancel",
        );
    }
    found = new Set(abandoned);
  };
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    // The next look tries again. That the database is away is logged by what uses it more often.
    looking ??= look()
      .catch((error: unknown) => {
        if (!isTransient(error))
          log.warn({ fault: describeFault(error) }, "looking for moves that were killed failed");
      })
      .finally(() => {
        looking = undefined;
      });
  }, everyMilliseconds).unref();
  return {
    look,
    /** Stops after the look that is under way. */
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
