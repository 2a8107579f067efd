/** The HTTP server: hands requests to the pipeline as plain values, and sends its responses. */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, METHODS, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { type ErrorCode, fail } from "../contract/errors.ts";
import type { UnauthenticatedLimit } from "../pipeline/limits.ts";
import type { OperationRequest, OperationResponse } from "../pipeline/request.ts";
import { rejection } from "../pipeline/request.ts";
import { readBody } from "./body.ts";
import { clientAddresses } from "./client-address.ts";
import { addHealth, type HealthParts, healthPaths } from "./health.ts";
import { createResponder, type Responder, type ResponderParts, securityHeaders } from "./responder.ts";

type Runner = (request: OperationRequest) => Promise<OperationResponse>;

export interface ServerParts extends ResponderParts, HealthParts {
  /** Runners by full path. */
  readonly runners: ReadonlyMap<string, Runner>;
  readonly unauthenticatedLimit: UnauthenticatedLimit;
}

/** How long a client may take to send the headers of a request, and all of it. */
export interface Timeouts {
  readonly headersMilliseconds: number;
  readonly requestMilliseconds: number;
}

const defaultTimeouts: Timeouts = { headersMilliseconds: 10_000, requestMilliseconds: 30_000 };
const keepAliveTimeoutMilliseconds = 72_000;
const maximumHeaderBytes = 16 * 1024;

function fastifyOptions(trustedProxies: readonly string[], timeouts: Timeouts) {
  return {
    logger: false,
    genReqId: () => randomUUID(),
    rewriteUrl: plainPath,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: timeouts.requestMilliseconds,
    keepAliveTimeout: keepAliveTimeoutMilliseconds,
    http: {
      headersTimeout: timeouts.headersMilliseconds,
      // By default the timeouts are only looked at every 30 seconds.
      connectionsCheckingInterval: Math.min(1000, timeouts.headersMilliseconds / 4),
      maxHeaderSize: maximumHeaderBytes,
      // A request without a Host is rejected later, in the envelope.
      requireHostHeader: false,
    },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    exposeHeadRoutes: false,
    clientErrorHandler: answerBadMessage,
  } as const;
}

/** No operation, page or endpoint is there. */
const nowhere = "/-";

/**
 * The path is compared as it is written: no path of the service needs an escape, and a proxy that blocks some
 * paths compares what is written, too. Of an absolute URL (RFC 9112 section 3.2.2), the path is used.
 */
function plainPath({ url = "" }: { readonly url?: string | undefined }): string {
  const path = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*/i, "");
  return /^\/[^%#?]*(?:\?|$)/.test(path) ? path : nowhere;
}

/** Makes the server; it does not listen yet. */
export function createServer(parts: ServerParts, timeouts = defaultTimeouts): FastifyInstance {
  const { runners, log } = parts;
  const app: FastifyInstance = Fastify({
    ...fastifyOptions(parts.trustedProxies, timeouts),
    frameworkErrors: (_error, request, reply) => {
      note(request, reply);
      responder.reject(request, reply, "operation_not_found");
    },
  });
  const responder = createResponder(app, parts);
  const addressOf = clientAddresses(parts.trustedProxies);
  const limit: Limit = async (request, reply) => {
    if (await parts.unauthenticatedLimit(addressOf(request.raw))) return true;
    responder.rejectAndClose(request, reply, "rate_limited");
    return false;
  };
  addRequestChecks(app, parts, responder, limit);
  // The body is asked for when it is read, after the caller is authenticated (RFC 9110 section 10.1.1). An expectation
  // other than 100-continue is ignored.
  const serveAsRequest = (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit("request", request, response);
  app.server.on("checkContinue", serveAsRequest).on("checkExpectation", serveAsRequest);
  // The pipeline reads the body itself after authentication, so Fastify sees requests without one. Methods
  // that this version of Node does not know, such as QUERY before 20.19.2, never arrive.
  for (const method of app.supportedMethods.filter((name) => METHODS.includes(name))) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }

  const serve = async (path: string, run: Runner, request: FastifyRequest, reply: FastifyReply) => {
    const startedAt = performance.now();
    const address = addressOf(request.raw);
    const result = await run(operationRequest(request, reply, address));
    const milliseconds = performance.now() - startedAt;
    const isLimited =
      result.status < 500 && (result.sender === undefined || accessErrors.has(result.errorCode));
    const isAllowed = !isLimited || (await parts.unauthenticatedLimit(address));
    const response = isAllowed ? result : rejection(fail("rate_limited"), result.sender);
    responder.record(request, path, response, milliseconds);
    if (!isAllowed) reply.raw.setHeader("connection", "close");
    responder.send(request, reply, response);
  };
  for (const [path, run] of runners) {
    app.post(path, (request, reply) => serve(path, run, request, reply));
  }
  app.setNotFoundHandler((request, reply) => {
    const isOperation = runners.has(pathOf(request));
    responder.reject(request, reply, isOperation ? "method_not_allowed" : "operation_not_found");
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    log.error({ err: error }, "the server failed to respond");
    responder.reject(request, reply, "internal_error");
  });
  addHealth(app, parts);
  return app;
}

/** Errors that come before the rate limit of the integration, so the limit by address has to apply. */
const accessErrors: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  "unauthorized",
  "sp_integration_not_found",
  "sp_scope_not_granted",
  "sp_token_scope_missing",
]);

const pathOf = ({ url }: FastifyRequest): string => url.split("?", 1)[0] as string;

/** Limits requests that reach no operation, by address. Past the limit it responds. @returns whether the request may go on */
type Limit = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

/** Checks what every request must have, before it is routed. */
function addRequestChecks(
  app: FastifyInstance,
  parts: ServerParts,
  responder: Responder,
  limit: Limit,
): void {
  const { runners } = parts;
  const warnOfForwarded = forwardedWarning(parts);
  const check = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    warnOfForwarded(request);
    const isValid = hasValidHeaders(request.raw);
    const isOperation = request.method === "POST" && runners.has(pathOf(request));
    const isHealth = request.method === "GET" && healthPaths.has(pathOf(request));
    if (isValid && (isOperation || isHealth)) {
      done();
      return;
    }
    limit(request, reply).then((isWithin) => {
      if (isWithin && isValid) done();
      else if (isWithin) responder.rejectAndClose(request, reply, "malformed_request");
    }, done);
  };
  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    const previous = lastResponseOn(socket);
    note(request, reply);
    if (previous === undefined || previous.writableFinished || previous.destroyed) {
      check(request, reply, done);
      return;
    }
    // Pipelined requests run one after the other, because many at once would bypass the limits.
    socket.pause();
    previous.once("close", () => {
      socket.resume();
      check(request, reply, done);
    });
  });
}

/**
 * Warns once when a proxy sends X-Forwarded-For but none is trusted: all clients behind it then share one
 * address.
 */
function forwardedWarning({ log, trustedProxies }: ServerParts): (request: FastifyRequest) => void {
  let warned = trustedProxies.length > 0;
  return ({ headers }) => {
    if (warned || headers["x-forwarded-for"] === undefined) return;
    warned = true;
    log.warn(
      "X-Forwarded-For is ignored, because no proxy is trusted: if the service is behind a proxy, name it in " +
        "LOYALTY_TRUSTED_PROXIES; limits by address count all its clients as one until then",
    );
  };
}

/** Headers that a request must not have twice, because another program on the way may read the other one. */
const singleHeaders: ReadonlySet<string> = new Set(["host", "authorization", "content-type"]);

/** A `Host` is required (RFC 9112 section 3.2). */
function hasValidHeaders({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  if (httpVersion === "1.1" && headers.host === undefined) return false;
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const single = names.filter((name) => singleHeaders.has(name));
  return new Set(single).size === single.length;
}

function operationRequest(
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  address: string,
): OperationRequest {
  const { headers } = request;
  return {
    id: request.id,
    contentType: headers["content-type"],
    contentEncoding: headers["content-encoding"],
    hasQuery: request.url.includes("?"),
    authorization: headers.authorization,
    actor: headers["x-actor"]?.toString(),
    address,
    readBody: (limitBytes) =>
      readBody(request.raw, limitBytes, () => {
        const isAsked = request.raw.httpVersion === "1.1" && /^100-continue$/i.test(headers.expect ?? "");
        if (isAsked) response.writeContinue();
      }),
  };
}

/** On each connection: the response to its last request. */
const lastResponse = Symbol("the response to the last request");

function lastResponseOn(socket: ConnectedSocket): ServerResponse | undefined {
  return socket[lastResponse];
}

function note(request: FastifyRequest, reply: FastifyReply): void {
  (request.raw.socket as ConnectedSocket)[lastResponse] = reply.raw;
}

interface ConnectedSocket extends Socket {
  [lastResponse]?: ServerResponse;
}

/** Responds in the envelope to requests that are not HTTP or too slow, and closes the connection. */
function answerBadMessage(this: unknown, error: Error & { code?: string }, socket: ConnectedSocket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const response = lastResponseOn(socket);
  // No request gets two responses, nor the response of another one.
  if (response?.req.complete === false && response.headersSent) socket.end();
  else if (response?.req.complete && !response.writableFinished) {
    response.once("finish", () => endWithBadMessage(socket));
  } else endWithBadMessage(socket);
}

function endWithBadMessage(socket: Socket): void {
  const { body } = rejection(fail("malformed_request"));
  const headers = Object.entries({
    ...securityHeaders,
    "content-type": "application/json; charset=utf-8",
    "x-request-id": randomUUID(),
    connection: "close",
    "content-length": Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${headers.join("")}\r\n${body}`);
}
