/** Sends, counts and logs responses. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { type ErrorCode, fail } from "../contract/errors.ts";
import type { OperationResponse } from "../pipeline/request.ts";
import { rejection } from "../pipeline/request.ts";
import { clientAddressOf } from "./client-address.ts";
import type { Metrics } from "./metrics.ts";

export type Phase = "starting" | "serving" | "draining";

export interface ResponderParts {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** While the service drains, it closes each connection with the response. */
  readonly phase: () => Phase;
  /** Whether the log has the addresses of clients. */
  readonly logsAddresses: boolean;
}

// Responses hold personal data: they must not be cached, sniffed or framed.
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
const responseHeaders = Object.entries({
  ...securityHeaders,
  "content-type": "application/json; charset=utf-8",
}).flat();

export type Responder = ReturnType<typeof createResponder>;

export function createResponder(
  app: FastifyInstance,
  { log, metrics, phase, logsAddresses }: ResponderParts,
) {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });

  const send = (request: FastifyRequest, reply: FastifyReply, response: OperationResponse): void => {
    // Not by Fastify, which would look at each header and at the type of the body.
    reply.hijack();
    const headers = [...responseHeaders, "x-request-id", request.id];
    for (const name in response.headers) headers.push(name, response.headers[name] as string);
    // A client that was not asked for its body may send it or not, so the connection can't be used again.
    const isUnread = request.headers.expect !== undefined && !request.raw.complete;
    if (closing || phase() === "draining" || isUnread) headers.push("connection", "close");
    headers.push("content-length", String(Buffer.byteLength(response.body)));
    reply.raw.writeHead(response.status, headers);
    reply.raw.end(response.body);
  };

  const logRequest = (request: FastifyRequest, fields: object): void => {
    const client_address = logsAddresses ? clientAddressOf(request) : undefined;
    const about = { request_id: request.id, trace_id: traceIdOf(request), client_address };
    log.info({ ...about, ...fields }, "request");
  };

  return {
    send,

    /** Counts and logs a request to an operation. */
    record(request: FastifyRequest, path: string, response: OperationResponse, milliseconds: number): void {
      const { status, errorCode, reason, sender } = response;
      const replayed = response.headers["idempotent-replayed"] !== undefined;
      metrics.requestFinished({ operation: path, status, errorCode, replayed }, milliseconds / 1000);
      logRequest(request, {
        operation: path,
        status,
        duration_ms: Math.round(milliseconds * 100) / 100,
        business_id: sender?.businessId || undefined,
        integration_id: sender?.integrationId,
        error_code: errorCode,
        reason,
      });
    },

    /** Responds to a request that reached no operation. */
    reject(request: FastifyRequest, reply: FastifyReply, code: ErrorCode, connection?: "close"): void {
      const response = rejection(fail(code));
      const { status } = response;
      metrics.requestRejected(status, code);
      logRequest(request, { method: request.method, status, error_code: code });
      if (connection === "close") reply.raw.setHeader("connection", "close");
      send(request, reply, response);
    },
  };
}

/** The trace that a request belongs to (W3C Trace Context). @returns undefined without a valid `traceparent` */
function traceIdOf({ headers: { traceparent } }: FastifyRequest): string | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, traceId, parentId] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/.exec(traceparent) ?? [];
  const isValid = /[^0]/.test(traceId ?? "") && /[^0]/.test(parentId ?? "");
  return isValid ? traceId : undefined;
}
