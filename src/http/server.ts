/** The HTTP server: hands requests to the pipeline as plain values, and sends its responses. */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, METHODS, type ServerResponse } from "node:http";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { type ErrorCode, fail } from "../contract/errors.ts";
import { type UnauthenticatedLimit, within } from "../pipeline/limits.ts";
import { type OperationRequest, type OperationResponse, rejection } from "../pipeline/request.ts";
import { clientAddressOf } from "./client-address.ts";
import { answerBadMessage, lastResponseOn, note } from "./connections.ts";
import { createResponder, type Responder, type ResponderParts, securityHeaders } from "./responder.ts";

type Runner = (request: OperationRequest) => Promise<OperationResponse>;

export interface ServerParts extends ResponderParts {
  /** Runners by full path. */
  readonly runners: ReadonlyMap<string, Runner>;
  readonly unauthenticatedLimit: UnauthenticatedLimit;
  /** Rejects when the database does not respond. */
  readonly ready: () => Promise<unknown>;
  /** Addresses or ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
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
  addRequestChecks(app, parts, responder);
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
    const address = clientAddressOf(request);
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

/** Checks what every request must have, before it is routed. Requests that reach no operation are limited by address. */
function addRequestChecks(app: FastifyInstance, parts: ServerParts, responder: Responder): void {
  const { runners, unauthenticatedLimit } = parts;
  const warnOfForwarded = forwardedWarning(parts);
  const check = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    warnOfForwarded(request);
    const isValid = hasValidHeaders(request.raw);
    const isOperation = request.method === "POST" && runners.has(pathOf(request));
    const isHealth = request.method === "GET" && healthPaths.has(pathOf(request));
    if (isValid && (isOperation || isHealth)) {
      done();
      return;
    }
    Promise.resolve(unauthenticatedLimit(clientAddressOf(request))).then((isWithin) => {
      if (!isWithin) responder.reject(request, reply, "rate_limited", "close");
      else if (!isValid) responder.reject(request, reply, "malformed_request", "close");
      else done();
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

/**
 * Reads a request body to its end.
 * @param ask called before, unless the body is known to be too large: asks a client that waits for it to send the body
 * @returns "too_large" as soon as it passes the limit, "aborted" when the client went away
 */
function readBody(
  message: IncomingMessage,
  limitBytes: number,
  ask: () => void,
): Promise<Buffer | "too_large" | "aborted"> {
  if (Number(message.headers["content-length"] ?? 0) > limitBytes) return Promise.resolve("too_large");
  ask();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // Only the first call of resolve has an effect, so the listeners can stay.
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      // The rest is read and discarded, because some clients read the response only after they have sent
      // everything.
      else resolve("too_large");
    });
    message.on("end", () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    // A request that breaks off emits close, too.
    message.on("close", () => resolve("aborted"));
  });
}

/** A database that takes longer to respond is not ready. */
const readyWithinMilliseconds = 2000;

const healthPaths: ReadonlySet<string> = new Set(["/health/live", "/health/ready"]);

/** Adds the health checks, for the operator's network: outside the partner paths, without envelopes. */
function addHealth(app: FastifyInstance, { ready, phase, log }: ServerParts): void {
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
