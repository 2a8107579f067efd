/** The connections of a server: listening, pipelined requests, malformed messages, and closing. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { fail } from "../contract/errors.ts";
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
 * Runs pipelined requests one after the other, because many at once would bypass the limits. Those behind a response that ends the
 * connection are not run, because nobody would get their responses.
 */
export function runInOrder({ socket }: IncomingMessage, response: ServerResponse, run: () => void): void {
  const previous = lastResponses.get(socket);
  lastResponses.set(socket, response);
  if (previous === undefined || previous.writableFinished || previous.destroyed) {
    run();
    return;
  }
  socket.pause();
  previous.once("close", () => {
    if (!socket.writable) return;
    socket.resume();
    run();
  });
}

/** How long a client has to close its side of a connection, after the service has ended its own. */
const lingerMilliseconds = 1000;

/**
 * Ends a connection, with a text if one is given, and destroys it soon, even if the client keeps it open. It is not destroyed at
 * once, because a client that is still sending would lose the text. Its data is discarded.
 */
function endConnection(socket: Socket, text = ""): void {
  socket.end(text);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Responds in the envelope to requests that are too slow or not HTTP, and closes the connection. */
export function rejectMessage(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const response = lastResponses.get(socket);
  // A request must not get two responses, or the response of another request.
  if (response?.req.complete === false && response.headersSent) endConnection(socket);
  else if (response?.req.complete && !response.writableFinished) {
    response.once("finish", () => endWithRejection(socket));
  } else endWithRejection(socket);
}

function endWithRejection(socket: Socket): void {
  const { body } = errorResponse(fail("malformed_request"));
  const headers = Object.entries({
    ...responseHeaders,
    "x-request-id": randomUUID(),
    connection: "close",
    "content-length": Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  endConnection(socket, `HTTP/1.1 400 Bad Request\r\n${headers.join("")}\r\n${body}`);
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
