/** The service's log: lines of JSON on standard output; on a terminal, lines for people. */
import { writeSync } from "node:fs";
import { pino } from "pino";
import { describeFault } from "./database/faults.ts";

export function createLog(level: string): pino.Logger {
  if (process.stdout.isTTY) {
    return jsonLog(level, { write: (line) => process.stdout.write(terminalLine(line)) });
  }
  const lines = new LineWriter(process.stdout.fd);
  process.on("exit", () => lines.end());
  return jsonLog(level, lines);
}

export function jsonLog(level: string, lines: { write(line: string): unknown }): pino.Logger {
  // The details of a database error may quote a row, and so a member's data.
  const serializers = { err: describeFault };
  return pino({ level, serializers, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
}

/** Lines are written together, up to this many characters or milliseconds. */
const togetherCharacters = 64 * 1024;
const togetherMilliseconds = 100;
/** How long to wait for the reader of a full pipe: until the next try, and in total at the end of the process. */
const retryMilliseconds = 20;
const endWithinMilliseconds = 5000;
/** The most characters that wait for such a reader. */
const mostHeld = 64 * 1024 * 1024;

/**
 * Writes lines to a file or a pipe, many at a time, and never waits for the reader of a pipe. pino's own destination takes four
 * times as long. At the end of the process, it tries forever to write to a full pipe.
 */
export class LineWriter {
  readonly #fd: number;
  /** The lines that are being written, and the lines after them. */
  #rest: Buffer = Buffer.alloc(0);
  #text = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    if (this.#text.length + this.#rest.length > mostHeld) return;
    this.#text += line;
    if (this.#text.length >= togetherCharacters && this.#rest.length === 0) this.#write();
    else this.#writeLater(togetherMilliseconds);
  }

  /** Writes the last lines at the end of the process. */
  end(): void {
    const latest = performance.now() + endWithinMilliseconds;
    while (!this.#write() && performance.now() < latest) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMilliseconds);
    }
  }

  #writeLater(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#write()) this.#writeLater(retryMilliseconds);
    }, milliseconds).unref();
  }

  /** @returns false when something is left, because the pipe is full */
  #write(): boolean {
    try {
      while (this.#rest.length > 0 || this.#text !== "") {
        if (this.#rest.length === 0) {
          this.#rest = Buffer.from(this.#text);
          this.#text = "";
        }
        this.#rest = this.#rest.subarray(writeSync(this.#fd, this.#rest));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
      // A pipe without a reader, or a full disk: these lines are lost.
      this.#rest = Buffer.alloc(0);
      this.#text = "";
    }
    return true;
  }
}

type Line = Readonly<Record<string, unknown>>;

const levels: Readonly<Record<number, string>> = { 40: "warning", 50: "error", 60: "fatal" };

/**
 * Makes a line for people, such as `05:00:01 POST /sp/members/list 401 unauthorized 0.4 ms`.
 * @param json a line of JSON, as the log has it
 * @returns the line in the time zone of the machine. The stack of an error follows on further lines.
 */
export function terminalLine(json: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Line;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const name = levels[Number(level)];
  const text = msg === "request" ? requestText(fields) : [msg, ...pairs(fields)].join(" ");
  const { stack, message } = (err ?? {}) as { stack?: string; message?: string };
  const fault = stack ?? message;
  const line = [clock, ...(name === undefined ? [] : [name]), text].join(" ");
  return fault === undefined ? `${line}\n` : `${line}\n${fault}\n`;
}

function requestText(line: Line): string {
  const { method = "POST", operation, status, error_code, reason, duration_ms } = line;
  const duration = duration_ms === undefined ? undefined : `${String(duration_ms)} ms`;
  const parts = [method, operation, status, error_code, reason, duration];
  return parts.filter((part) => part !== undefined).join(" ");
}

function pairs(fields: Line): string[] {
  return Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
}
