/** What happens on connections besides whole requests: pipelining, messages that are not HTTP, and closing. */
import { randomUUID } from "node:crypto";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { fail } from "../contract/errors.ts";
import { rejection } from "../pipeline/request.ts";
import { securityHeaders } from "./responder.ts";

/** On each connection: the response to its last request. */
const lastResponse = Symbol("the response to the last request");

export function lastResponseOn(socket: ConnectedSocket): ServerResponse | undefined {
  return socket[lastResponse];
}

export function note(request: FastifyRequest, reply: FastifyReply): void {
  (request.raw.socket as ConnectedSocket)[lastResponse] = reply.raw;
}

interface ConnectedSocket extends Socket {
  [lastResponse]?: ServerResponse;
}

/** Responds in the envelope to requests that are not HTTP or too slow, and closes the connection. */
export function answerBadMessage(
  this: unknown,
  error: Error & { code?: string },
  socket: ConnectedSocket,
): void {
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

/** A client that has begun a request but has not finished it after this time is disconnected. */
const withinMilliseconds = 8_000;
const unusedMilliseconds = 100;

/**
 * Watches a server's connections, so that closing it waits for requests in flight and for nothing else.
 * @param server not listening yet
 * @returns runs what closes the server, and cuts the connections that would hold it up
 */
export function createDrain(server: Server): (close: () => Promise<void>) => Promise<void> {
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  return async (close) => {
    const overdue = setTimeout(() => server.closeAllConnections(), withinMilliseconds);
    const closed = close();
    const cutUnused = () => {
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    };
    // Node takes a connection that has sent nothing yet for one with a request under way, and would wait. Some may still
    // be let in before it closes.
    cutUnused();
    const unused = setInterval(cutUnused, unusedMilliseconds);
    await closed.finally(() => {
      clearTimeout(overdue);
      clearInterval(unused);
    });
  };
}
