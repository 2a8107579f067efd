/** Sends bytes as they are, and takes apart what comes back. */
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Why there is no answer. */
export type Silence = "closed" | "overdue";

const lengthHeader = /\r\ncontent-length: *(\d+)/i;

/** The first answer in a text; undefined while it is not whole. */
function firstAnswer(text: string): { answer: RawAnswer; rest: string } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = Number(lengthHeader.exec(head)?.[1] ?? 0);
  const whole = end + 4 + length;
  if (text.length < whole) return undefined;
  const body = Buffer.from(text.slice(end + 4, whole), "latin1").toString("utf8");
  return { answer: { status: Number(head.slice(9, 12)), head, body }, rest: text.slice(whole) };
}

/** A keep-alive connection for requests with a sound frame, one at a time. */
export class FramedConnection {
  readonly #port: number;
  readonly #overdueMilliseconds: number;
  #socket: Socket | undefined;

  constructor(port: number, overdueMilliseconds: number) {
    this.#port = port;
    this.#overdueMilliseconds = overdueMilliseconds;
  }

  /** Connects beforehand. Resolves when that is done, or has failed: then the next request tells. */
  open(): Promise<void> {
    this.#socket ??= connect(this.#port, "127.0.0.1").setNoDelay(true);
    const socket = this.#socket;
    return new Promise((resolve) => {
      socket.once("connect", resolve).once("error", () => resolve());
    });
  }

  send(bytes: Buffer): Promise<RawAnswer | Silence> {
    this.#socket ??= connect(this.#port, "127.0.0.1").setNoDelay(true);
    const socket = this.#socket;
    return new Promise((resolve) => {
      let text = "";
      const settle = (outcome: RawAnswer | Silence) => {
        clearTimeout(overdue);
        socket.removeAllListeners();
        // An error may still come when the answer has long been there.
        socket.on("error", () => undefined);
        if (typeof outcome === "string" || /\r\nconnection: close/i.test(outcome.head)) this.close();
        resolve(outcome);
      };
      const overdue = setTimeout(() => settle("overdue"), this.#overdueMilliseconds);
      socket.on("data", (data) => {
        text += data.toString("latin1");
        const found = firstAnswer(text);
        if (found !== undefined) settle(found.answer);
      });
      socket.on("close", () => settle("closed"));
      socket.on("error", () => undefined);
      socket.write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

/** Sends bytes, says that no more will come, and collects all answers until the service hangs up. */
export function sendRaw(
  port: number,
  bytes: Buffer,
  overdueMilliseconds: number,
): Promise<{ answers: RawAnswer[]; overdue: boolean }> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      socket.destroy();
    }, overdueMilliseconds);
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(timer);
      const answers: RawAnswer[] = [];
      for (let found = firstAnswer(text); found !== undefined; found = firstAnswer(found.rest)) {
        answers.push(found.answer);
      }
      resolve({ answers, overdue: isOverdue });
    });
    socket.end(bytes);
  });
}
