/** Sends, counts and logs responses. */
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { type ErrorCode, fail } from "../contract/errors.ts";
import type { OperationResponse } from "../pipeline/request.ts";
import { rejection } from "../pipeline/request.ts";
import { clientAddresses } from "./client-address.ts";
import type { Metrics } from "./metrics.ts";

export type Phase = "starting" | "serving" | "draining";

export interface ResponderParts {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** While the service drains, it closes each connection with the response. */
  readonly phase: () => Phase;
  /** Whether the log has the addresses of clients. */
  readonly logsAddresses: boolean;
  /** Addresses or ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
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

export interface Responder {
  send(request: FastifyRequest, reply: FastifyReply, response: OperationResponse): void;
  /** Counts and logs a request to an operation. */
  record(request: FastifyRequest, path: string, response: OperationResponse, milliseconds: number): void;
  /** Responds to a request that reached no operation. */
  reject(request: FastifyRequest, reply: FastifyReply, code: ErrorCode): void;
  rejectAndClose(request: FastifyRequest, reply: FastifyReply, code: ErrorCode): void;
}

export function createResponder(
  app: FastifyInstance,
  { log, metrics, phase, logsAddresses, trustedProxies }: ResponderParts,
): Responder {
  const loggedAddressOf = logsAddresses ? clientAddresses(trustedProxies) : () => undefined;
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  const send: Responder["send"] = (request, reply, response) => {
    // Not by Fastify, which would look at each header and at the type of the body.
    reply.hijack();
    const headers = [...responseHeaders, "x-request-id", request.id];
    for (const name in response.headers) headers.push(name, response.headers[name] as string);
    // A client that was not asked for its body may send it or not, so the connection can't be used again. It
    // is closed, too, when the service stops.
    if (
      closing ||
      phase() === "draining" ||
      (request.headers.expect !== undefined && !request.raw.complete)
    ) {
      headers.push("connection", "close");
    }
    headers.push("content-length", String(Buffer.byteLength(response.body)));
    reply.raw.writeHead(response.status, headers);
    reply.raw.end(response.body);
  };
  const record: Responder["record"] = ({ id, headers, raw }, path, response, milliseconds) => {
    const { status, errorCode, reason, sender } = response;
    const replayed = response.headers["idempotent-replayed"] !== undefined;
    metrics.requestFinished({ operation: path, status, errorCode, replayed }, milliseconds / 1000);
    log.info(
      {
        request_id: id,
        trace_id: traceIdOf(headers),
        operation: path,
        status,
        duration_ms: Math.round(milliseconds * 100) / 100,
        client_address: loggedAddressOf(raw),
        business_id: sender?.businessId || undefined,
        integration_id: sender?.integrationId,
        error_code: errorCode,
        reason,
      },
      "request",
    );
  };
  const reject: Responder["reject"] = (request, reply, code) => {
    const response = rejection(fail(code));
    metrics.requestRejected(response.status, code);
    const { id, method, headers, raw } = request;
    const client_address = loggedAddressOf(raw);
    const { status } = response;
    const about = { request_id: id, trace_id: traceIdOf(headers), method, status, client_address };
    log.info({ ...about, error_code: code }, "request");
    send(request, reply, response);
  };
  const rejectAndClose: Responder["rejectAndClose"] = (request, reply, code) => {
    reply.raw.setHeader("connection", "close");
    reject(request, reply, code);
  };
  return { send, record, reject, rejectAndClose };
}

/** The trace that a request belongs to (W3C Trace Context). @returns undefined without a valid `traceparent` */
function traceIdOf({ traceparent }: IncomingMessage["headers"]): string | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, traceId, parentId] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/.exec(traceparent) ?? [];
  const isValid = /[^0]/.test(traceId ?? "") && /[^0]/.test(parentId ?? "");
  return isValid ? traceId : undefined;
}
