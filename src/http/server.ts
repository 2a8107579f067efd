/** The HTTP server. It passes requests to the pipeline as plain values, and sends, counts and logs the responses. */
import { randomUUID } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { BlockList, Socket } from "node:net";
import type { Logger } from "pino";
import { type ErrorCode, type Rejection, reject } from "../contract/errors.ts";
import { deviceInCookies, isSameOrigin, sessionInCookies } from "../pipeline/access/session-cookie.ts";
import type { UnauthenticatedLimit } from "../pipeline/limits.ts";
import {
  type BrowserSession,
  errorResponse,
  type OperationRequest,
  type OperationResponse,
  type ResponseHeaders,
} from "../pipeline/request.ts";
import type { Responded } from "../pipeline/request-log.ts";
import { type AddressLimitSettings, limitAddresses } from "./address-limits.ts";
import {
  boundUnread,
  createDrain,
  endWithRejection,
  type ListenAddress,
  listen,
  mostUnreadBytes,
  rejectMessage,
  responseHeaders,
  runInOrder,
} from "./connections.ts";
import { clientAddressOf, isDirect, isTrusted, originOf, proxyList } from "./forwarded.ts";
import { healthChecks } from "./health.ts";
import type { Metrics } from "./metrics.ts";
import { pathHints } from "./path-hints.ts";
import { declaredLength, holdBody, readBody } from "./request-body.ts";
import { headerProblem, traceIdOf } from "./request-headers.ts";

export type Phase = "starting" | "serving" | "draining";

export interface Reply {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string | Buffer;
}

type Runner = (request: OperationRequest) => Promise<OperationResponse>;

/** What a request of a phone has besides its path. */
export interface Sent {
  readonly authorization: string | undefined;
  readonly ifModifiedSince: string | undefined;
  /** Without the question mark. */
  readonly query: string;
  readonly readBody: (limitBytes: number) => Promise<Buffer | string>;
}

/** A page; undefined when there is none after all. @param origin by which the caller reaches the service, if that is known */
export type Page = (
  headers: IncomingMessage["headers"],
  origin: string | undefined,
  sent: Sent,
) => Promise<Reply | undefined>;

/** Finds the page at a full path. @param accept the header; browsers accept HTML */
export type FindPage = (path: string, accept: string | undefined, method: string) => Page | undefined;

/** The page that a person sees in place of an error; undefined where programs ask. */
export type ErrorPage = (
  path: string,
  headers: IncomingMessage["headers"],
  status: number,
) => Reply | undefined;

export interface ServerParts {
  /** The functions that run operations, by full path. */
  readonly runners: ReadonlyMap<string, Runner>;
  /** Finds the page at a full path, or what answers phones with passes. */
  readonly findPage: FindPage;
  readonly errorPage: ErrorPage;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly unauthenticatedLimit: UnauthenticatedLimit;
  readonly addressLimits: AddressLimitSettings;
  readonly logRequest: (responded: Responded) => void;
  /** Rejects when the database does not respond. */
  readonly ready: () => Promise<unknown>;
  /** While the service drains, it closes each connection with the response. */
  readonly phase: () => Phase;
  /** Addresses or ranges of the proxies whose X-Forwarded-For is used. */
  readonly trustedProxies: readonly string[];
  /** Whether the log has the addresses of clients. */
  readonly logsAddresses: boolean;
}

/** A request that was received, and the response to it. */
interface Exchange {
  readonly id: string;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** Without the question mark; undefined without one. */
  readonly query: string | undefined;
  readonly address: string;
}

/** How long a client may take to send the headers of a request, and all of it. */
const defaultTimeouts = {
  headersMilliseconds: 10_000,
  requestMilliseconds: 30_000,
  /** How long a connection may be silent while a response is sent. All operations take less time. */
  silentMilliseconds: 120_000,
};
const keepAliveTimeout = 72_000;
const maxHeaderSize = 16 * 1024;

/** Makes the server; it does not listen yet. */
export function createServer(parts: ServerParts, chosen: Partial<typeof defaultTimeouts> = {}) {
  const timeouts = { ...defaultTimeouts, ...chosen };
  const server = createHttpServer({
    requestTimeout: timeouts.requestMilliseconds,
    headersTimeout: timeouts.headersMilliseconds,
    // By default, timeouts are checked only every 30 seconds.
    connectionsCheckingInterval: Math.min(1000, timeouts.headersMilliseconds / 4),
    keepAliveTimeout,
    maxHeaderSize,
    // A request without a Host is rejected later, in the envelope.
    requireHostHeader: false,
  });
  // By default, Node ignores headers after about a thousand. A proxy may read them, so all are read here and counted.
  server.maxHeadersCount = 0;
  server.setTimeout(timeouts.silentMilliseconds);
  // By default, a client that ends its side of the connection after its requests gets no responses.
  Object.assign(server, { httpAllowHalfOpen: true });
  const drain = createDrain(server);
  const proxies = proxyList(parts.trustedProxies);
  const addresses = limitAddresses(
    server,
    parts.addressLimits,
    (address) => isTrusted(address, proxies),
    connectionRejection(parts),
  );
  let closing = false;
  const isEnding = () => closing || parts.phase() === "draining";
  const responder = createResponder(parts, proxies, addresses, isEnding);
  const respond = createHandler(parts, responder, proxies);
  const onRequest = (message: IncomingMessage, response: ServerResponse): void =>
    runInOrder(message, response, () => {
      const [path = "", query] = requestTarget(message).split("?", 2);
      const address = clientAddressOf(message, proxies);
      const exchange = { id: randomUUID(), message, response, path, query, address };
      if (declaredLength(message) === undefined) holdBody(message);
      respond(exchange).catch((error: unknown) => {
        parts.log.error({ err: error }, "the server failed to respond");
        if (response.headersSent) response.destroy();
        else responder.sendError(exchange, reject("internal_error"));
      });
    });
  server.on("request", onRequest).on("clientError", rejectMessage);
  // 100 Continue is sent when the body is read, after the caller is authenticated (RFC 9110 section 10.1.1). Other
  // expectations are ignored.
  server.on("checkContinue", onRequest).on("checkExpectation", onRequest);
  return {
    /** @returns the URL of the server on this machine */
    listen: (place: ListenAddress) => listen(server, place),
    /** Responds to the requests in flight, waits a limited time for slow clients, and closes the connections. */
    close(): Promise<void> {
      closing = true;
      return drain();
    },
  };
}

/** Makes the function that rejects a connection above the limit of its address. */
function connectionRejection({ log, metrics, logsAddresses }: ServerParts) {
  return (socket: Socket): void => {
    metrics.requestRejected(429, "rate_limited");
    const client_address = logsAddresses ? socket.remoteAddress : undefined;
    log.info({ client_address }, "a connection above LOYALTY_CONNECTION_LIMIT was rejected");
    endWithRejection(socket, "rate_limited");
  };
}

/** Makes the function that handles one request. Requests that reach no operation are limited by address. */
function createHandler(parts: ServerParts, { send, sendError, runOperation }: Responder, proxies: BlockList) {
  const warnOfForwarded = forwardedWarning(parts);
  const health = healthChecks(parts);
  const hintAt = pathHints([...parts.runners.keys()]);
  return async (exchange: Exchange): Promise<void> => {
    const { message, path, address } = exchange;
    const { method = "" } = message;
    warnOfForwarded(message);
    const problem = headerProblem(message);
    const isValid = problem === undefined;
    const run = method === "POST" ? parts.runners.get(path) : undefined;
    if (isValid && run !== undefined) return runOperation(exchange, run);
    const checkHealth = method === "GET" ? health.get(path) : undefined;
    if (isValid && checkHealth !== undefined) return send(exchange, await checkHealth());
    if (!(await parts.unauthenticatedLimit(address)))
      return sendError(exchange, reject("rate_limited"), { ends: true });
    if (!isValid) return sendError(exchange, problem, { ends: true });
    if (parts.runners.has(path)) return sendError(exchange, reject("method_not_allowed"));
    const page = parts.findPage(path, message.headers.accept, method);
    const reply = await page?.(message.headers, originOf(message, proxies), sentBy(exchange));
    if (reply === undefined || reply.status === 404 || reply.status === 503)
      return sendError(exchange, whyNoPage(reply, hintAt(path)), {}, reply);
    send(exchange, reply, { isRejected: reply.status >= 400 });
  };
}

/** @param use the path that was meant, if one is similar */
function whyNoPage(reply: Reply | undefined, use: string | undefined) {
  if (reply?.status === 503) return reject("service_unavailable");
  return reject("operation_not_found", use === undefined ? {} : { use });
}

const sentBy = ({ message, response, query = "" }: Exchange): Sent => ({
  authorization: message.headers.authorization,
  ifModifiedSince: message.headers["if-modified-since"],
  query,
  readBody: (limitBytes) => readBody(message, response, limitBytes),
});

type Responder = ReturnType<typeof createResponder>;

interface Sending {
  /** Whether the connection ends with the response. */
  readonly ends?: boolean;
  /** Whether the request had no valid credentials. */
  readonly isRejected?: boolean;
}

/** Sends, counts and logs responses. */
function createResponder(
  parts: ServerParts,
  proxies: BlockList,
  addresses: ReturnType<typeof limitAddresses>,
  isEnding: () => boolean,
) {
  const { log, metrics, logsAddresses, unauthenticatedLimit } = parts;

  const send = ({ id, message, response }: Exchange, reply: Reply, how: Sending = {}): void => {
    // The connection may have ended because the rest of the request is no HTTP.
    if (!message.socket.writable) return;
    const declared = declaredLength(message);
    const isUnread = !message.complete;
    // A client that did not get 100 Continue may still send its body, so the connection can't be used again.
    const isLong =
      declared === undefined || declared > mostUnreadBytes || message.headers.expect !== undefined;
    // Only operations read a body. A body in small chunks costs much, also if nobody wants it.
    const isUnwanted = declared === undefined && message.method !== "POST";
    const ends = how.ends === true || isUnwanted || (isUnread && isLong) || isEnding();
    if (isUnread) boundUnread(message, ends);
    if (isUnread || isUnwanted || how.isRejected) addresses.rejected(message.socket, declared ?? 0);
    else addresses.accepted(message.socket, declared);
    response.writeHead(reply.status, {
      "x-request-id": id,
      ...responseHeaders,
      ...reply.headers,
      ...(ends && { connection: "close" }),
      ...(![204, 304].includes(reply.status) && { "content-length": Buffer.byteLength(reply.body) }),
    });
    response.end(reply.body);
  };

  const logRequest = ({ id, message, address }: Exchange, fields: object): void => {
    const client_address = logsAddresses ? address : undefined;
    log.info({ request_id: id, trace_id: traceIdOf(message), client_address, ...fields }, "request");
  };

  /** Responds to a request that reached no operation. @param response by default, the error in the envelope */
  const sendError = (exchange: Exchange, rejection: Rejection, how: Sending = {}, reply?: Reply): void => {
    const { code } = rejection;
    const rejected = errorResponse(rejection);
    const { path, message } = exchange;
    const page = reply?.body ? undefined : parts.errorPage(path, message.headers, rejected.status);
    const response = page
      ? { ...page, headers: { ...rejected.headers, ...page.headers } }
      : (reply ?? rejected);
    const { status } = response;
    metrics.requestRejected(status, code);
    if (reply === undefined && how.ends !== true) {
      const { authorization } = message.headers;
      const known = parts.runners.has(path) ? path : undefined;
      parts.logRequest({ id: exchange.id, path: known, authorization, response: rejected });
    }
    logRequest(exchange, { method: message.method, status, error_code: code });
    send(exchange, response, { ...how, isRejected: true });
  };

  const runOperation = async (exchange: Exchange, run: Runner): Promise<void> => {
    const { id, path, message, address } = exchange;
    const startedAt = performance.now();
    const result = await run(operationRequest(exchange, proxies));
    const milliseconds = performance.now() - startedAt;
    const isLimited =
      result.status < 500 && (result.sender === undefined || accessErrors.has(result.errorCode));
    const isAllowed = !isLimited || (await unauthenticatedLimit(address));
    const response = isAllowed ? result : errorResponse(reject("rate_limited"), result.sender);
    const { status, errorCode, reason, sender } = response;
    metrics.requestFinished(path, response, milliseconds / 1000);
    // Above the limit, no token is verified.
    const authorization = isAllowed ? message.headers.authorization : undefined;
    parts.logRequest({ id, path, authorization, response });
    logRequest(exchange, {
      operation: path,
      status,
      duration_ms: Math.round(milliseconds * 100) / 100,
      business_id: sender?.businessId || undefined,
      integration_id: sender?.integrationId,
      error_code: errorCode,
      reason,
    });
    send(exchange, response, { ends: !isAllowed, isRejected: isLimited });
  };

  return { send, sendError, runOperation };
}

/** The errors before the rate limit of the integration. They are limited by address. */
const accessErrors: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  "unauthorized",
  "sp_integration_not_found",
  "sp_scope_not_granted",
  "sp_token_scope_missing",
]);

const unknownPath = "/-";

/**
 * The path and the query, also of an absolute URL (RFC 9112 section 3.2.2). A path with escapes is unknown. No path of the service
 * has any, and a proxy that blocks paths may not decode them.
 */
function requestTarget({ url = "" }: IncomingMessage): string {
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*/i, "");
  return /^\/[^%#?]*(?:\?|$)/.test(target) ? target : unknownPath;
}

/** Warns once if X-Forwarded-For arrives but no proxy is trusted. All clients then have the same address. */
function forwardedWarning({ log, trustedProxies }: ServerParts) {
  let warned = trustedProxies.length > 0;
  return ({ headers }: IncomingMessage): void => {
    if (warned || headers["x-forwarded-for"] === undefined) return;
    warned = true;
    log.warn(
      "X-Forwarded-For is ignored, because no proxy is trusted: if the service is behind a proxy, name it in " +
        "LOYALTY_TRUSTED_PROXIES; limits by address count all its clients as one until then",
    );
  };
}

function operationRequest(
  { id, message, response, query, address }: Exchange,
  proxies: BlockList,
): OperationRequest {
  const { headers } = message;
  return {
    id,
    browserSession: () => browserSession(message, proxies),
    contentType: headers["content-type"],
    contentEncoding: headers["content-encoding"],
    hasQuery: query !== undefined,
    authorization: headers.authorization,
    actor: headers["x-actor"]?.toString(),
    address,
    readBody: (limitBytes) => readBody(message, response, limitBytes),
  };
}

/** The session in the cookie of a page of the service itself. */
function browserSession(message: IncomingMessage, proxies: BlockList): BrowserSession {
  const { cookie, origin, "sec-fetch-site": secFetchSite } = message.headers;
  const own = originOf(message, proxies);
  const isLoopback = isDirect(message, own);
  const [session, device] = [sessionInCookies(cookie, isLoopback), deviceInCookies(cookie, isLoopback)];
  const isOwn = isSameOrigin({ secFetchSite: secFetchSite?.toString(), origin }, own);
  return isOwn ? { session, device, isLoopback } : { session: undefined, device: undefined, isLoopback };
}
