/** What happens on connections besides whole requests: listening, pipelining, messages that are not HTTP, and closing. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { fail } from "../contract/errors.ts";
import { rejection } from "../pipeline/request.ts";

// Responses hold personal data: they must not be cached, sniffed or framed.
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

/** @returns the URL of the server, once it listens. If it listens on all addresses, the URL names this machine's own. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  await once(server.listen({ host, port }), "listening");
  const { address, family, port: actual } = server.address() as AddressInfo;
  const shown = { "0.0.0.0": "127.0.0.1", "::": "::1" }[address] ?? address;
  return `http://${family === "IPv6" ? `[${shown}]` : shown}:${actual}`;
}

/** The response to the last request of each connection. */
const lastResponses = new WeakMap<Socket, ServerResponse>();

/** Runs pipelined requests one after the other, because many at once would bypass the limits. */
export function runInOrder({ socket }: IncomingMessage, response: ServerResponse, run: () => void): void {
  const previous = lastResponses.get(socket);
  lastResponses.set(socket, response);
  if (previous === undefined || previous.writableFinished || previous.destroyed) {
    run();
    return;
  }
  socket.pause();
  previous.once("close", () => {
    socket.resume();
    run();
  });
}

/** Responds in the envelope to requests that are not HTTP or too slow, and closes the connection. */
export function rejectMessage(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const response = lastResponses.get(socket);
  // No request gets two responses, nor the response of another one.
  if (response?.req.complete === false && response.headersSent) socket.end();
  else if (response?.req.complete && !response.writableFinished) {
    response.once("finish", () => endWithRejection(socket));
  } else endWithRejection(socket);
}

function endWithRejection(socket: Socket): void {
  const { body } = rejection(fail("malformed_request"));
  const headers = Object.entries({
    ...responseHeaders,
    "x-request-id": randomUUID(),
    connection: "close",
    "content-length": Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${headers.join("")}\r\n${body}`);
}

/** A client that has begun a request but has not finished it after this time is disconnected. */
const withinMilliseconds = 8_000;

/**
 * Watches a server's connections, so that closing it waits for requests in flight and for nothing else.
 * @param server not listening yet
 * @returns closes the server, and cuts the connections that would delay that
 */
export function createDrain(server: Server): () => Promise<void> {
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  return async () => {
    const overdue = setTimeout(() => server.closeAllConnections(), withinMilliseconds);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Node takes a connection that has sent nothing yet for one with a request under way, and would wait.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    await closed.finally(() => clearTimeout(overdue));
  };
}
