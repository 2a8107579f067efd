/** Sends messages to receivers, and reads their responses within limits. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Answer } from "../domain/webhooks/message.ts";
import { readRetryAfter } from "../domain/webhooks/schedule.ts";
import { AddressError } from "./addresses.ts";
import { type ConnectionOptions, createAgents } from "./connections.ts";

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Response extends Answer {
  /** Why there was no response. */
  readonly error: string | null;
  /** The beginning of the body. */
  readonly body: string | null;
}

const mostBytesRead = 64 * 1024;
const bytesKept = 1024;

/** How long a receiver may take. */
export const usualTimes = { connectMilliseconds: 5000, responseMilliseconds: 15_000 };

export type Requester = ReturnType<typeof createRequester>;

/** @param options with times, which tests shorten */
export function createRequester(options: ConnectionOptions & { readonly responseMilliseconds: number }) {
  const agents = createAgents(options);
  const { responseMilliseconds } = options;
  const underWay = new Set<AbortController>();
  let stopped = false;

  /** Makes a request. It follows no redirect, and never fails. @returns undefined when it was interrupted by `stop` */
  const send = async (message: Message): Promise<Response | undefined> => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), responseMilliseconds);
    underWay.add(controller);
    try {
      return await untilResponse(message, controller.signal);
    } catch (error) {
      if (stopped) return undefined;
      const late = `there was no response within ${responseMilliseconds / 1000} s`;
      return { status: null, error: controller.signal.aborted ? late : reasonOf(error), body: null };
    } finally {
      clearTimeout(timer);
      underWay.delete(controller);
    }
  };
  const untilResponse = async (message: Message, signal: AbortSignal): Promise<Response> => {
    for (;;) {
      const { response, isStale } = exchange(message, agents, signal);
      try {
        return await response;
      } catch (error) {
        // The receiver had closed a connection that was kept open, and has not seen the message.
        if (signal.aborted || !isStale(error)) throw error;
      }
    }
  };
  return {
    send,
    /** Interrupts what is under way, and closes all connections. */
    stop() {
      stopped = true;
      for (const controller of underWay) controller.abort();
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function exchange(
  { url, headers, body }: Message,
  agents: ReturnType<typeof createAgents>,
  signal: AbortSignal,
) {
  const { protocol } = new URL(url);
  const options = {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    signal,
  };
  const request =
    protocol === "https:"
      ? requestHttps(url, { ...options, agent: agents["https:"] })
      : requestHttp(url, { ...options, agent: agents["http:"] });
  const response = new Promise<Response>((resolve, reject) => {
    let hasResponse = false;
    // After the response, errors are those of its body.
    request.on("error", (error) => hasResponse || reject(error));
    // Node reports no error when it closes the connection of a receiver that switches to another protocol.
    request.on(
      "close",
      () => hasResponse || reject(new Error("the connection was closed before the response")),
    );
    request.on("response", (incoming) => {
      hasResponse = true;
      void readResponse(incoming).then(resolve, reject);
    });
  });
  request.end(body);
  const isStale = (error: unknown) =>
    request.reusedSocket && ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");
  return { response, isStale };
}

/** Reads the beginning of the body. The status counts also if the body does not end. */
async function readResponse(incoming: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      if (size < bytesKept) chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size > mostBytesRead) break;
    }
  } catch {
    // The connection was closed inside the body, or the time is over.
  }
  const { statusCode = 0, headers } = incoming;
  return {
    status: statusCode,
    retryAfterSeconds: readRetryAfter(headers["retry-after"], Date.now()),
    error: null,
    body: textOfBody(Buffer.concat(chunks).subarray(0, bytesKept)),
  };
}

/** PostgreSQL stores no NUL. */
const textOfBody = (bytes: Buffer) => bytes.toString("utf8").replaceAll("\0", "\uFFFD");

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before the response",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the host can't be reached",
  ETIMEDOUT: "there was no connection in time",
  ENOTFOUND: "the name of the host has no address",
  ENODATA: "the name of the host has no address",
};

/** Describes an error for the partner. It does not contain the address, which the messages of Node do. */
function reasonOf(error: unknown): string {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof AddressError || code === undefined) return message;
  const known = reasons[code];
  if (known !== undefined) return `${known} (${code})`;
  return syscall === undefined ? `${message.slice(0, 200)} (${code})` : `the connection failed (${code})`;
}
