/** Whether the service lives, and whether it can respond: what load balancers and supervisors ask. */
import type { Logger } from "pino";
import { withTimeout } from "../pipeline/limits.ts";

interface HealthParts {
  /** Rejects when the database does not respond. */
  readonly ready: () => Promise<unknown>;
  readonly phase: () => string;
  readonly log: Pick<Logger, "warn">;
}

/** The service is not ready if its database takes longer to respond. */
const readyWithinMilliseconds = 2000;

/** The health checks by path. They are outside the base path, and their responses have no envelope. */
export function healthChecks({ ready, phase, log }: HealthParts) {
  const reply = (status: number, text: string) => ({
    status,
    headers: {},
    body: JSON.stringify({ status: text }),
  });
  // Checks at the same time share one query.
  let asking: Promise<unknown> | undefined;
  const checkReady = async () => {
    if (phase() !== "serving") return reply(503, "not ready");
    asking ??= withTimeout(readyWithinMilliseconds, ready()).finally(() => {
      asking = undefined;
    });
    try {
      await asking;
      return reply(200, "ready");
    } catch (error) {
      log.warn({ err: error }, "not ready: the database does not respond");
      return reply(503, "not ready");
    }
  };
  return new Map([
    ["/health/live", async () => reply(200, "live")],
    ["/health/ready", checkReady],
  ]);
}
