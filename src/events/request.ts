/** Sends messages to receivers, and reads their responses within limits. */
import type { WebhookResponse } from "../domain/webhooks/message.ts";
import { readRetryAfter } from "../domain/webhooks/schedule.ts";
import { AddressError } from "./addresses.ts";
import { type Connection, type ConnectionOptions, createOpen, TooMuchError } from "./connections.ts";
import { ResponseReader } from "./response-reader.ts";

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Response extends WebhookResponse {
  /** Why there was no response. */
  readonly error: string | null;
  /** The beginning of the body. */
  readonly body: string | null;
}

/** How long a receiver may take. */
export const usualTimes = { connectMilliseconds: 5000, responseMilliseconds: 15_000 };
const checkMilliseconds = 50;
/** The most connections to one origin that are kept open for further messages. */
const mostIdle = 32;

export type Requester = ReturnType<typeof createRequester>;

/** @param options with times, which tests shorten */
export function createRequester(options: ConnectionOptions & { readonly responseMilliseconds: number }) {
  const { responseMilliseconds } = options;
  /** All that are open or are being opened; and by origin, those that wait for a message. */
  const connections = new Set<Connection>();
  const idle = new Map<string, Connection[]>();
  let stopped = false;
  const open = createOpen(options, (connection) => {
    connections.add(connection);
    connection.onClose(() => connections.delete(connection));
    if (stopped) connection.close();
  });
  const checking = setInterval(() => {
    for (const connection of connections) connection.check();
  }, checkMilliseconds).unref();

  const takeIdle = (origin: string): Connection | undefined => {
    const waiting = idle.get(origin);
    let taken = waiting?.pop();
    while (taken?.isOpen === false) taken = waiting?.pop();
    return taken;
  };
  const keepIdle = (origin: string, connection: Connection): void => {
    const waiting = idle.get(origin) ?? [];
    if (waiting.length < mostIdle) idle.set(origin, [...waiting, connection]);
    else connection.close();
  };
  const openNew = async (url: URL): Promise<Connection> => {
    const connection = await open(url);
    connection.onClose(() => {
      const rest = idle.get(url.origin)?.filter((one) => one !== connection) ?? [];
      if (rest.length > 0) idle.set(url.origin, rest);
      else idle.delete(url.origin);
    });
    return connection;
  };
  /** @param until in monotonic milliseconds */
  const exchange = async (url: URL, request: string, until: number): Promise<ResponseReader> => {
    const reader = new ResponseReader();
    const used = takeIdle(url.origin);
    const connection = used ?? (await openNew(url));
    const late = () =>
      connection.close(new Error(`there was no response within ${responseMilliseconds / 1000} s`));
    const timer = setTimeout(late, until - performance.now());
    try {
      await connection.exchange(request, reader);
      if (reader.keepsConnection) keepIdle(url.origin, connection);
      else connection.close();
    } catch (error) {
      // The receiver had closed a connection that was kept open, and has not seen the message.
      const isStale = used !== undefined && !reader.hasBegun && isReset(error);
      if (isStale) return exchange(url, request, until);
      // The status counts also if the body does not end.
      if (reader.status === undefined || error instanceof TooMuchError) throw error;
    } finally {
      clearTimeout(timer);
    }
    return reader;
  };
  return {
    /** Makes a request. It follows no redirect, and never fails. @returns undefined when it was interrupted by `stop` */
    async send(message: Message): Promise<Response | undefined> {
      try {
        const url = new URL(message.url);
        return responseOf(
          await exchange(url, textOf(url, message), performance.now() + responseMilliseconds),
        );
      } catch (error) {
        return stopped ? undefined : { status: null, error: reasonOf(error), body: null };
      }
    },
    /** Interrupts what is under way, and closes all connections. */
    stop() {
      stopped = true;
      clearInterval(checking);
      for (const connection of connections) connection.close();
    },
  };
}

/** A request as it is sent. Headers are of ASCII. */
function textOf({ host, pathname, search }: URL, { headers, body }: Message): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${lines.join("")}${length}\r\n${body}`;
}

const responseOf = ({ status = 0, retryAfter, body }: ResponseReader): Response => ({
  status,
  retryAfterSeconds: readRetryAfter(retryAfter, Date.now()),
  error: null,
  body,
});

const isReset = (error: unknown) =>
  ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");

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
