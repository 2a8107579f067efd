/** HTTP/1.1 on sockets of our own: for loads, which must cost little, and for bytes that no client would send. */
import { connect, type Socket } from "node:net";

export interface HttpResponse {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

/** What came of a request: its response, or how it was lost. Then nobody knows whether it took effect. */
export type Outcome = HttpResponse | "lost" | "overdue";

/** Whether it is an earlier response, sent again under its idempotency key. */
export function isReplay({ head }: HttpResponse): boolean {
  return /\r\nidempotent-replayed: true/i.test(head);
}

/** What Retry-After asks for; undefined without it. */
export function retryAfterSeconds({ head }: HttpResponse): number | undefined {
  const seconds = /\r\nretry-after: (\d+)/i.exec(head)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

export interface Envelope<Data> {
  readonly success: boolean;
  readonly data: Data;
  readonly meta: { readonly pagination?: { readonly total: number; readonly last_page: number } };
  readonly error: { readonly code: string; readonly details: Record<string, unknown> };
}

/** What the body of a response says. */
export function read<Data = unknown>({ body }: HttpResponse): Envelope<Data> {
  return JSON.parse(body) as Envelope<Data>;
}

/** @throws unless the outcome is a success */
export function succeeded(what: string, outcome: Outcome): HttpResponse {
  if (typeof outcome === "object" && outcome.status < 300) return outcome;
  throw new Error(`${what} did not succeed: ${JSON.stringify(outcome)}`);
}

/** A request with a JSON body, as text in which each character is a byte. */
export function requestText(
  path: string,
  body: string,
  authorization?: string,
  { method = "POST", contentType = "application/json" } = {},
): string {
  return (
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${contentType}\r\n` +
    `${authorization === undefined ? "" : `Authorization: ${authorization}\r\n`}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${Buffer.from(body).toString("latin1")}`
  );
}

/** One keep-alive connection with one request under way at a time, which connects again after it was lost. */
export class HttpConnection {
  readonly #port: number;
  readonly #overdueMilliseconds: number;
  #socket: Socket | undefined;
  #settle: ((outcome: Outcome) => void) | undefined;
  #received = "";
  /** The length of the response, once its head has arrived. */
  #expected = -1;

  /** @param overdueMilliseconds a request that takes longer is given up, and its connection with it */
  constructor(port: number, overdueMilliseconds: number) {
    this.#port = port;
    this.#overdueMilliseconds = overdueMilliseconds;
  }

  /** Connects before the first request. @returns whether it could */
  open(): Promise<boolean> {
    this.#socket ??= this.#connect();
    const socket = this.#socket;
    return new Promise((resolve) => {
      socket.once("connect", () => resolve(true)).once("close", () => resolve(false));
    });
  }

  /** Posts a JSON body. Never rejects. Only after the outcome of the previous request. */
  post(path: string, body: string, authorization?: string): Promise<Outcome> {
    return this.send(requestText(path, body, authorization));
  }

  get(path: string): Promise<Outcome> {
    return this.send(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  }

  /** @param request bytes, or text in which each character is a byte */
  send(request: string | Buffer): Promise<Outcome> {
    return new Promise((settle) => {
      this.#settle = settle;
      this.#socket ??= this.#connect();
      this.#socket.write(request, "latin1");
    });
  }

  close(): void {
    this.#lose("lost");
  }

  #connect(): Socket {
    const socket = connect({
      port: this.#port,
      host: "127.0.0.1",
      onread: {
        buffer: Buffer.allocUnsafe(16 * 1024),
        callback: (size, buffer) => {
          if (socket === this.#socket) this.#receive((buffer as Buffer).toString("latin1", 0, size));
          return true;
        },
      },
    });
    const lose = (outcome: Outcome) => {
      socket.destroy();
      if (socket === this.#socket) this.#lose(outcome);
    };
    socket.setNoDelay(true);
    // Counts from the last byte sent or received, which is the request as long as no response comes.
    socket.setTimeout(this.#overdueMilliseconds, () => this.#settle !== undefined && lose("overdue"));
    for (const event of ["error", "close", "end"]) socket.on(event, () => lose("lost"));
    return socket;
  }

  #lose(outcome: Outcome): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#give(outcome);
  }

  #give(outcome: Outcome): void {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#received = "";
    this.#expected = -1;
    settle?.(outcome);
  }

  #receive(text: string): void {
    this.#received = this.#received === "" ? text : this.#received + text;
    if (this.#expected < 0) this.#expected = lengthOf(this.#received);
    if (this.#expected < 0 || this.#received.length < this.#expected) return;
    const response = responseIn(this.#received);
    if (/\r\nconnection: close/i.test(response.head)) this.#lose(response);
    else this.#give(response);
  }
}

/** The length of the first response in a text, or -1 while its head is not whole. */
function lengthOf(text: string): number {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return -1;
  return end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
}

/** The first response in a text that holds all of it. */
function responseIn(text: string): HttpResponse {
  const end = text.indexOf("\r\n\r\n");
  const body = Buffer.from(text.slice(end + 4, lengthOf(text)), "latin1").toString("utf8");
  return { status: Number(text.slice(9, 12)), head: text.slice(0, end), body };
}

/** Sends bytes, says that no more will come, and collects all responses until the service hangs up. */
export function sendRaw(
  port: number,
  bytes: Buffer,
  overdueMilliseconds: number,
): Promise<{ responses: HttpResponse[]; overdue: boolean }> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    let overdue = false;
    const timer = setTimeout(() => {
      overdue = true;
      socket.destroy();
    }, overdueMilliseconds);
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(timer);
      const responses: HttpResponse[] = [];
      for (let length = lengthOf(text); length >= 0 && length <= text.length; length = lengthOf(text)) {
        responses.push(responseIn(text));
        text = text.slice(length);
      }
      resolve({ responses, overdue });
    });
    socket.end(bytes);
  });
}
