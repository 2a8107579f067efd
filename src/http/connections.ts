/** The connections of a server: listening, pipelined requests, malformed messages, and closing. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { reject } from "../contract/errors.ts";
import { errorResponse } from "../pipeline/request.ts";

// Responses contain personal data, so they must not be cached, sniffed or framed.
export const responseHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "content-type": "application/json; charset=utf-8",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Starts to listen. @returns the URL of the server, with the loopback address if it listens on all addresses */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  await once(server.listen({ host, port }), "listening");
  const { address, family, port: actual } = server.address() as AddressInfo;
  const shown = { "0.0.0.0": "127.0.0.1", "::": "::1" }[address] ?? address;
  return `http://${family === "IPv6" ? `[${shown}]` : shown}:${actual}`;
}

const lastResponses = new WeakMap<Socket, ServerResponse>();

/**
 * Runs pipelined requests one after the other, because many at once would bypass the limits. Nothing more is read while one waits.
 * Those behind a response that ends the connection are not run, because nobody would get their responses.
 */
export function runInOrder({ socket }: IncomingMessage, response: ServerResponse, run: () => void): void {
  const previous = lastResponses.get(socket);
  lastResponses.set(socket, response);
  if (previous === undefined || previous.writableFinished || previous.destroyed) {
    run();
    return;
  }
  stopReading(socket);
  previous.once("close", () => {
    if (!socket.writable) return;
    if (lastResponses.get(socket) === response) startReading(socket);
    run();
  });
}

/** Stops reading until `startReading`. Node itself would resume when the request that is being parsed is complete. */
function stopReading(socket: Socket): void {
  socket.pause();
  socket.resume = () => socket;
}

function startReading(socket: Socket): void {
  Reflect.deleteProperty(socket, "resume");
  socket.resume();
}

/** How long a client has to close its side of a connection, after the service has ended its own. */
const lingerMilliseconds = 1000;
/** A connection stays open if the request has at most this many bytes that are not read yet. */
export const mostUnreadBytes = 64 * 1024;

/**
 * Ends a connection, with a text if one is given, and destroys it soon, even if the client keeps it open. It is not destroyed at
 * once, because a client that is still sending would lose the text.
 */
function endConnection(socket: Socket, text = ""): void {
  discardRest(socket);
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  socket.once("close", () => clearTimeout(timer));
}

const discarding = new WeakSet<Socket>();

/**
 * Reads once more from a connection, which brings 64 KB at most, and discards it. The parser does not get it, because chunks of one
 * byte take it 0.2 s for each MB.
 */
function discardRest(socket: Socket): void {
  if (discarding.has(socket)) return;
  discarding.add(socket);
  const parsers = socket.listeners("data") as ((data: Buffer) => void)[];
  socket.on("data", () => stopReading(socket));
  for (const parser of parsers) socket.off("data", parser);
  startReading(socket);
}

/**
 * Bounds what is read of a request whose response is sent before its end.
 * @param ends whether the connection ends with the response. Otherwise, the request has a short rest
 */
export function boundUnread(message: IncomingMessage, ends: boolean): void {
  const { socket } = message;
  // Node would destroy the connection after the response. A client that is still sending would lose the response.
  socket.destroySoon = () => endConnection(socket);
  if (ends) {
    discardRest(socket);
    return;
  }
  const timer = setTimeout(() => endConnection(socket), lingerMilliseconds).unref();
  message.once("close", () => clearTimeout(timer));
}

/** Responds in the envelope to requests that are too slow or not HTTP, and closes the connection. */
export function rejectMessage(error: NodeJS.ErrnoException, socket: Socket): void {
  // Browsers open connections before they need them. The first request may be on its way, and would take a response for its own.
  if (socket.bytesRead === 0) {
    endConnection(socket);
    return;
  }
  if (error.code === "ECONNRESET" || !socket.writable) {
    // A connection that is ending is destroyed soon. At once, the client could lose the response.
    if (!discarding.has(socket)) socket.destroy();
    return;
  }
  const response = lastResponses.get(socket);
  // A request must not get two responses, or the response of another request.
  if (response?.req.complete === false && response.headersSent) endConnection(socket);
  else if (response?.req.complete && !response.writableFinished) {
    response.once("finish", () => endWithRejection(socket));
  } else endWithRejection(socket);
}

/** Ends a connection without a request. */
export function endWithRejection(
  socket: Socket,
  code: "malformed_request" | "rate_limited" = "malformed_request",
): void {
  const { status, body, headers: ofError } = errorResponse(reject(code, {}));
  const headers = Object.entries({
    ...responseHeaders,
    ...ofError,
    "x-request-id": randomUUID(),
    connection: "close",
    "content-length": Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  endConnection(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join("")}\r\n${body}`);
}

/** Connections that are still open after this time are cut. */
const drainMilliseconds = 8_000;

/** Makes the function that closes a server and waits only for requests in flight. @param server not listening yet */
export function createDrain(server: Server): () => Promise<void> {
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  return async () => {
    const overdue = setTimeout(() => {
      for (const socket of connections) socket.destroy();
    }, drainMilliseconds);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Otherwise, Node would wait for connections that have sent nothing yet.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    await closed.finally(() => clearTimeout(overdue));
  };
}
