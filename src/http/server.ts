/** The HTTP side: turns requests into the pipeline's terms and its answers into responses. */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, METHODS, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Logger } from "pino";
import { type ErrorCode, fail } from "../contract/errors.ts";
import { within } from "../pipeline/deadline.ts";
import { rejection } from "../pipeline/envelope.ts";
import type { OperationRequest, OperationResponse } from "../pipeline/request.ts";
import type { UnauthenticatedLimit } from "../pipeline/unauthenticated-limit.ts";
import { readBody } from "./body.ts";
import { clientAddresses } from "./client-address.ts";
import type { Metrics } from "./metrics.ts";

export type Runner = (request: OperationRequest) => Promise<OperationResponse>;

export interface ServerParts {
  /** Runners by full path. */
  readonly runners: ReadonlyMap<string, Runner>;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Rejects when the database does not answer. */
  readonly ready: () => Promise<unknown>;
  /** Whether the start is over: the service is not ready before. */
  readonly started: () => boolean;
  /** Addresses or ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly unauthenticatedLimit: UnauthenticatedLimit;
}

// Answers hold personal data: nobody on the way may keep or sniff them, no page may frame them.
const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
const answerHeaders = Object.entries({
  ...securityHeaders,
  "content-type": "application/json; charset=utf-8",
}).flat();

/** How long a client may take to send the headers of a request, and all of it. */
export interface Timeouts {
  readonly headersMilliseconds: number;
  readonly requestMilliseconds: number;
}

const defaultTimeouts: Timeouts = { headersMilliseconds: 10_000, requestMilliseconds: 30_000 };
const keepAliveTimeoutMilliseconds = 72_000;
const maximumHeaderBytes = 16 * 1024;
/** A database that takes longer to say that it is there is not ready. */
const readyWithinMilliseconds = 2000;

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
      // A request without a Host is refused later, in the envelope.
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
 * A path is taken as it is written: no path of the service needs an escape, and a proxy that keeps some paths to itself
 * compares what is written. Of a whole address (RFC 9112 section 3.2.2) the path counts.
 */
function plainPath({ url = "" }: { readonly url?: string | undefined }): string {
  const path = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*/i, "");
  return /^\/[^%#?]*(?:\?|$)/.test(path) ? path : nowhere;
}

/** Makes the server; it does not listen yet. */
export function createServer(parts: ServerParts, timeouts = defaultTimeouts): FastifyInstance {
  const { runners, log, metrics } = parts;
  const app = Fastify({
    ...fastifyOptions(parts.trustedProxies, timeouts),
    frameworkErrors: (_error, request, reply) => {
      note(request, reply);
      answerUnrouted(request, reply, "operation_not_found");
    },
  });
  const addressOf = clientAddresses(parts.trustedProxies);
  const warnOfForwarded = forwardedWarning(parts);
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  /** Makes a request without valid credentials wait if its address has sent too many of them. */
  const limitUnauthenticated = async (request: FastifyRequest, address: string) => {
    if (!(await parts.unauthenticatedLimit(address))) request.raw.socket.destroy();
  };
  app.addHook("onRequest", (request, reply, done) => {
    note(request, reply);
    warnOfForwarded(request);
    if (!hasValidHeaders(request.raw)) {
      answerUnrouted(request, reply, "malformed_request");
      return;
    }
    const path = request.url.split("?", 1)[0] as string;
    const isOperation = request.method === "POST" && runners.has(path);
    if (isOperation || healthPaths.has(path)) done();
    else limitUnauthenticated(request, addressOf(request.raw)).then(() => done(), done);
  });
  // The body is asked for when it is read, after the caller is authenticated (RFC 9110 section 10.1.1). An expectation
  // other than 100-continue is ignored.
  const ignoreExpectation = (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit("request", request, response);
  app.server.on("checkContinue", ignoreExpectation).on("checkExpectation", ignoreExpectation);
  // The pipeline reads the body itself, once it knows the caller: as far as Fastify knows, there is none. Methods that
  // this Node does not know, such as QUERY before 20.19.2, never come here.
  for (const method of app.supportedMethods.filter((name) => METHODS.includes(name))) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }

  const send = (request: FastifyRequest, reply: FastifyReply, answer: OperationResponse) => {
    // Past Fastify, which would look at each header by itself and at the body's type.
    reply.hijack();
    const headers = [...answerHeaders, "x-request-id", request.id];
    for (const name in answer.headers) headers.push(name, answer.headers[name] as string);
    // Once the service stops, everyone has to connect anew.
    // A client that was not asked for its body may send it all the same, or not: the connection can't be used again.
    if (closing || (request.headers.expect !== undefined && !request.raw.complete)) {
      headers.push("connection", "close");
    }
    headers.push("content-length", String(Buffer.byteLength(answer.body)));
    reply.raw.writeHead(answer.status, headers);
    reply.raw.end(answer.body);
  };

  const serve = async (path: string, run: Runner, request: FastifyRequest, reply: FastifyReply) => {
    const startedAt = performance.now();
    const address = addressOf(request.raw);
    const answer = await run(operationRequest(request, reply, address));
    const milliseconds = performance.now() - startedAt;
    metrics.requestFinished(path, answer.status, milliseconds / 1000);
    log.info(
      {
        request_id: request.id,
        operation: path,
        status: answer.status,
        duration_ms: Math.round(milliseconds * 100) / 100,
        integration_id: answer.integrationId,
        error_code: answer.errorCode,
      },
      "request",
    );
    if (!answer.authenticated) await limitUnauthenticated(request, address);
    return send(request, reply, answer);
  };
  for (const [path, run] of runners) {
    app.post(path, (request, reply) => serve(path, run, request, reply));
  }

  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply, code: ErrorCode) => {
    const answer = rejection(fail(code));
    metrics.requestFinished("none", answer.status, 0);
    const { id, method } = request;
    log.info({ request_id: id, method, status: answer.status, error_code: code }, "request");
    return send(request, reply, answer);
  };
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    return answerUnrouted(request, reply, runners.has(path) ? "method_not_allowed" : "operation_not_found");
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    log.error({ err: error }, "the server failed to answer");
    return answerUnrouted(request, reply, "internal_error");
  });

  addHealth(app, parts);
  return app;
}

/** Without a trusted proxy all clients behind one share its address, which whoever set it up should know. */
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

/** The headers that a request must not have twice: another program on the way may take the other one. */
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
    readBody: (limitBytes) => {
      if (/^100-continue$/i.test(headers.expect ?? "")) response.writeContinue();
      return readBody(request.raw as IncomingMessage, limitBytes);
    },
  };
}

const healthPaths: ReadonlySet<string> = new Set(["/health/live", "/health/ready"]);

/** Health is for the operator's network: outside the partner paths, without envelopes. */
function addHealth(app: FastifyInstance, { ready, started, log }: ServerParts): void {
  const plain = (request: FastifyRequest, reply: FastifyReply) =>
    reply.headers(securityHeaders).header("x-request-id", request.id);
  app.get("/health/live", async (request, reply) => plain(request, reply).send({ status: "live" }));
  // Whoever asks while the database is being asked gets the same result: many cost it no more than one.
  let asking: Promise<unknown> | undefined;
  const ask = () => {
    asking ??= within(readyWithinMilliseconds, ready()).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  app.get("/health/ready", async (request, reply) => {
    if (!started()) return plain(request, reply).code(503).send({ status: "not ready" });
    try {
      await ask();
      return await plain(request, reply).send({ status: "ready" });
    } catch (error) {
      log.warn({ err: error }, "not ready: the database does not answer");
      return await plain(request, reply).code(503).send({ status: "not ready" });
    }
  });
}

/** On each connection: the response to its last request. */
const lastResponse = Symbol("the response to the last request");

function note(request: FastifyRequest, reply: FastifyReply): void {
  (request.raw.socket as ConnectedSocket)[lastResponse] = reply.raw;
}

interface ConnectedSocket extends Socket {
  [lastResponse]?: ServerResponse;
}

/** Answers what is not HTTP, or came too slowly, in the envelope all the same, and hangs up. */
function answerBadMessage(this: unknown, error: Error & { code?: string }, socket: ConnectedSocket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const response = socket[lastResponse];
  // No request gets two answers, and none another's: whoever counts them would take the wrong one for his own.
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
