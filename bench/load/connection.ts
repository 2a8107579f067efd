import { connect, type Socket } from "node:net";

/**
 * One keep-alive HTTP/1.1 connection with one request under way at a time. It does no more than a load
 * generator needs, because whatever it costs is taken from the service on the same machine.
 */
export class KeepAliveConnection {
  readonly #socket: Socket;
  readonly #onAnswer: (status: number, body: string) => void;
  #received = "";
  /** How long the answer is in all, once its head has arrived. */
  #expected = -1;

  constructor(
    port: number,
    onAnswer: (status: number, body: string) => void,
    onError: (error: Error) => void,
  ) {
    this.#onAnswer = onAnswer;
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      onread: {
        buffer: Buffer.allocUnsafe(64 * 1024),
        callback: (size, buffer) => {
          this.#receive((buffer as Buffer).toString("latin1", 0, size));
          return true;
        },
      },
    });
    this.#socket.setNoDelay(true);
    this.#socket.on("error", onError);
    this.#socket.on("end", () => onError(new Error("the server closed a connection")));
  }

  /** Sends a request; only after the answer to the one before. */
  send(request: string): void {
    this.#socket.write(request, "latin1");
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#received = this.#received === "" ? text : this.#received + text;
    if (this.#expected < 0) this.#expected = lengthOf(this.#received);
    if (this.#expected < 0 || this.#received.length < this.#expected) return;
    const answer = this.#received;
    this.#received = "";
    this.#expected = -1;
    this.#onAnswer(Number(answer.slice(9, 12)), answer.slice(answer.indexOf("\r\n\r\n") + 4));
  }
}

const lengthHeader = /\r\ncontent-length: *(\d+)/i;

function lengthOf(text: string): number {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return -1;
  const match = lengthHeader.exec(text);
  if (match === null) throw new Error(`an answer has no content-length: ${text.slice(0, headEnd)}`);
  return headEnd + 4 + Number(match[1]);
}

/** The text of a request, one byte a character. */
export function requestText(path: string, body: string, authorization?: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
    `${authorization === undefined ? "" : `Authorization: ${authorization}\r\n`}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${Buffer.from(body).toString("latin1")}`
  );
}
