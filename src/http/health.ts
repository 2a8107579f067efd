/** Health checks, for the operator's network: outside the partner paths, without envelopes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { within } from "../pipeline/limits.ts";
import { type Phase, securityHeaders } from "./responder.ts";

export interface HealthParts {
  readonly log: Logger;
  /** Rejects when the database does not respond. */
  readonly ready: () => Promise<unknown>;
  /** The service is ready while it is serving. */
  readonly phase: () => Phase;
}

/** A database that takes longer to respond is not ready. */
const readyWithinMilliseconds = 2000;

export const healthPaths: ReadonlySet<string> = new Set(["/health/live", "/health/ready"]);

export function addHealth(app: FastifyInstance, { ready, phase, log }: HealthParts): void {
  const plain = (request: FastifyRequest, reply: FastifyReply) =>
    reply.headers(securityHeaders).header("x-request-id", request.id);
  app.get("/health/live", async (request, reply) => plain(request, reply).send({ status: "live" }));
  // Checks at the same time share one query.
  let asking: Promise<unknown> | undefined;
  const ask = () => {
    asking ??= within(readyWithinMilliseconds, ready()).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  app.get("/health/ready", async (request, reply) => {
    if (phase() !== "serving") return plain(request, reply).code(503).send({ status: "not ready" });
    try {
      await ask();
      return await plain(request, reply).send({ status: "ready" });
    } catch (error) {
      log.warn({ err: error }, "not ready: the database does not respond");
      return await plain(request, reply).code(503).send({ status: "not ready" });
    }
  });
}
