/** The HTTP side: turns requests into the pipeline's terms and its answers into responses. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Logger } from "pino";
import { type ErrorCode, fail } from "../contract/errors.ts";
import { refusalAnswer } from "../pipeline/envelope.ts";
import type { Answer, OperationRequest } from "../pipeline/request.ts";
import { readBody } from "./body.ts";
import type { Metrics } from "./metrics.ts";

export type Runner = (request: OperationRequest) => Promise<Answer>;

export interface ServerParts {
  /** Runners by full path. */
  readonly runners: ReadonlyMap<string, Runner>;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Rejects when the database does not answer. */
  readonly ready: () => Promise<unknown>;
  /** Addresses or ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
}

// Answers hold personal data: nobody on the way may keep or sniff them, no page may frame them.
const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

const headersTimeoutMilliseconds = 10_000;
const requestTimeoutMilliseconds = 30_000;
const keepAliveTimeoutMilliseconds = 72_000;
const maximumHeaderBytes = 16 * 1024;

/** Makes the server; it does not listen yet. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { runners, log, metrics } = parts;
  const app = Fastify({
    logger: false,
    trustProxy: parts.trustedProxies.length > 0 ? [...parts.trustedProxies] : false,
    requestTimeout: requestTimeoutMilliseconds,
    keepAliveTimeout: keepAliveTimeoutMilliseconds,
    http: { headersTimeout: headersTimeoutMilliseconds, maxHeaderSize: maximumHeaderBytes },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    exposeHeadRoutes: false,
    clientErrorHandler: answerBadMessage,
    frameworkErrors: (_error, request, reply) => void answerUnrouted(request, reply, "operation_not_found"),
  });
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  // The pipeline reads the body itself, once it knows the caller: nothing is parsed before.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  const send = (reply: FastifyReply, id: string, answer: Answer) => {
    reply.code(answer.status).headers(securityHeaders).headers(answer.headers);
    reply.header("x-request-id", id).header("content-type", "application/json; charset=utf-8");
    // Whoever was refused before its body was read, and everyone once we stop, has to connect anew.
    if (closing || answer.errorCode === "payload_too_large") reply.header("connection", "close");
    return reply.send(answer.body);
  };

  const serve = async (path: string, run: Runner, request: FastifyRequest, reply: FastifyReply) => {
    const startedAt = performance.now();
    const id = randomUUID();
    const answer = await run(operationRequest(id, request));
    const milliseconds = performance.now() - startedAt;
    metrics.requestFinished(path, answer.status, milliseconds / 1000);
    log.info(
      {
        request_id: id,
        operation: path,
        status: answer.status,
        duration_ms: Math.round(milliseconds * 100) / 100,
        integration_id: answer.integrationId,
        error_code: answer.errorCode,
      },
      "request",
    );
    return send(reply, id, answer);
  };
  for (const [path, run] of runners) {
    app.post(path, (request, reply) => serve(path, run, request, reply));
  }

  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply, code: ErrorCode) => {
    const id = randomUUID();
    const answer = refusalAnswer(fail(code));
    metrics.requestFinished("none", answer.status, 0);
    log.info({ request_id: id, method: request.method, status: answer.status, error_code: code }, "request");
    return send(reply, id, answer);
  };
  const notFound = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    return answerUnrouted(request, reply, runners.has(path) ? "method_not_allowed" : "operation_not_found");
  };
  app.setNotFoundHandler(notFound);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // Fastify stumbles over a Content-Type that it can't parse before anyone else has looked at the request;
    // it is the pipeline's to refuse, in its turn.
    if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
      const path = request.routeOptions.url ?? "";
      const run = request.is404 ? undefined : runners.get(path);
      return run === undefined ? notFound(request, reply) : serve(path, run, request, reply);
    }
    log.error({ err: error }, "the server failed to answer");
    return answerUnrouted(request, reply, "internal_error");
  });

  addHealth(app, parts);
  return app;
}

function operationRequest(id: string, request: FastifyRequest): OperationRequest {
  const { headers } = request;
  return {
    id,
    contentType: headers["content-type"],
    contentEncoding: headers["content-encoding"],
    hasQuery: request.url.includes("?"),
    authorization: headers.authorization,
    actor: headers["x-actor"]?.toString(),
    address: request.ip,
    readBody: (limitBytes) => readBody(request.raw as IncomingMessage, limitBytes),
  };
}

/** Health and metrics are for the operator's network: outside the partner paths, without envelopes. */
function addHealth(app: FastifyInstance, { ready, metrics, log }: ServerParts): void {
  app.get("/health/live", async (_request, reply) => reply.headers(securityHeaders).send({ status: "live" }));
  app.get("/health/ready", async (_request, reply) => {
    try {
      await ready();
      return await reply.headers(securityHeaders).send({ status: "ready" });
    } catch (error) {
      log.warn({ err: error }, "not ready: the database does not answer");
      return await reply.code(503).headers(securityHeaders).send({ status: "not ready" });
    }
  });
  app.get("/metrics", async (_request, reply) =>
    reply
      .headers(securityHeaders)
      .header("content-type", metrics.registry.contentType)
      .send(await metrics.registry.metrics()),
  );
}

/** Answers what is not HTTP, or came too slowly, in the envelope all the same, and hangs up. */
function answerBadMessage(this: unknown, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { body } = refusalAnswer(fail("malformed_request"));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${randomUUID()}\r\n` +
      `connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
