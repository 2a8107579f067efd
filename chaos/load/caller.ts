import { connect, type Socket } from "node:net";

export interface HttpAnswer {
  readonly status: number;
  /** Whether it is an earlier answer, sent again under its idempotency key. */
  readonly replayed: boolean;
  readonly hasRetryAfter: boolean;
  /** One character a byte: equal exactly when the bytes are. */
  readonly body: string;
}

/** What came of a request: its answer, or how it was lost; then nobody knows whether it took effect. */
export type Outcome = HttpAnswer | "lost" | "overdue";

/**
 * One keep-alive HTTP/1.1 connection with one request under way at a time, which connects anew whenever it was
 * lost. It does little, because whatever it costs is taken from the service on the same machine.
 */
export class Caller {
  readonly #port: number;
  readonly #overdueMilliseconds: number;
  #socket: Socket | undefined;
  #settle: ((outcome: Outcome) => void) | undefined;
  #received = "";
  /** How long the answer is in all, once its head has arrived. */
  #expected = -1;

  /** @param overdueMilliseconds a request that takes longer is given up, and its connection with it */
  constructor(port: number, overdueMilliseconds: number) {
    this.#port = port;
    this.#overdueMilliseconds = overdueMilliseconds;
  }

  /** Posts a body. Never rejects. Only after the outcome of the request before. */
  post(path: string, body: string, authorization?: string): Promise<Outcome> {
    const bytes = Buffer.from(body);
    return this.#send(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
        `${authorization === undefined ? "" : `Authorization: ${authorization}\r\n`}` +
        `Content-Length: ${bytes.length}\r\n\r\n${bytes.toString("latin1")}`,
    );
  }

  get(path: string): Promise<Outcome> {
    return this.#send(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  }

  close(): void {
    this.#socket?.destroy();
    this.#finish("lost");
  }

  #send(request: string): Promise<Outcome> {
    return new Promise((settle) => {
      this.#settle = settle;
      this.#socket ??= this.#open();
      this.#socket.write(request, "latin1");
    });
  }

  #open(): Socket {
    const socket = connect({
      port: this.#port,
      host: "127.0.0.1",
      onread: {
        buffer: Buffer.allocUnsafe(64 * 1024),
        callback: (size, buffer) => {
          if (socket === this.#socket) this.#receive((buffer as Buffer).toString("latin1", 0, size));
          return true;
        },
      },
    });
    const drop = (outcome: Outcome) => {
      socket.destroy();
      if (socket === this.#socket) this.#finish(outcome);
    };
    socket.setNoDelay(true);
    // Counts from the last byte sent or received, which is the request as long as no answer comes.
    socket.setTimeout(this.#overdueMilliseconds, () => this.#settle !== undefined && drop("overdue"));
    socket.on("error", () => drop("lost"));
    socket.on("close", () => drop("lost"));
    socket.on("end", () => drop("lost"));
    return socket;
  }

  /** Gives the outcome of a request that lost the connection, which the next one opens anew. */
  #finish(outcome: Outcome): void {
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
    const headEnd = this.#received.indexOf("\r\n\r\n");
    const head = this.#received.slice(0, headEnd).toLowerCase();
    const answer = {
      status: Number(head.slice(9, 12)),
      replayed: head.includes("\r\nidempotent-replayed: true"),
      hasRetryAfter: head.includes("\r\nretry-after: "),
      body: this.#received.slice(headEnd + 4),
    };
    if (!head.includes("\r\nconnection: close")) {
      this.#give(answer);
      return;
    }
    this.#socket?.destroy();
    this.#finish(answer);
  }
}

const lengthHeader = /\r\ncontent-length: *(\d+)/i;

/** The length of an answer with its head, or -1 while the head has not arrived. */
function lengthOf(text: string): number {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return -1;
  const match = lengthHeader.exec(text.slice(0, headEnd));
  if (match === null) throw new Error(`an answer has no content-length: ${text.slice(0, headEnd)}`);
  return headEnd + 4 + Number(match[1]);
}

/** What the body of an answer says. */
export function read<Data = unknown>(answer: HttpAnswer): Envelope<Data> {
  return JSON.parse(Buffer.from(answer.body, "latin1").toString("utf8")) as Envelope<Data>;
}

export interface Envelope<Data> {
  readonly success: boolean;
  readonly data: Data;
  readonly meta: { readonly pagination?: { readonly total: number; readonly last_page: number } };
  readonly error: { readonly code: string; readonly details: Record<string, unknown> };
}
