/** The service's log: JSON lines on standard output, for people when that is a terminal. */
import { fstatSync, type Stats, write, writeSync } from "node:fs";
import { pino } from "pino";
import { describeFault } from "./database/faults.ts";
import { terminalLine } from "./terminal-log.ts";

/** An error without its details: those of a database error may quote a row, and so a member's data. */
const serializers = { err: describeFault };

/** @param level the least that is logged */
export function createLog(level: string): pino.Logger {
  if (process.stdout.isTTY) {
    return jsonLog(level, { write: (line) => process.stdout.write(terminalLine(line)) });
  }
  const lines = new LineWriter(process.stdout.fd);
  process.on("exit", () => lines.end());
  return jsonLog(level, lines);
}

/** A log of JSON lines. */
export function jsonLog(level: string, lines: { write(line: string): unknown }): pino.Logger {
  return pino({ level, serializers, base: null, timestamp: isoTime() }, lines);
}

/** Lines are written together: up to so many bytes or milliseconds. */
const togetherBytes = 64 * 1024;
const togetherMilliseconds = 100;
/** Milliseconds to wait for the reader of a full pipe. */
const retryMilliseconds = 20;
/** Milliseconds to wait for it at the end of the process. */
const endWithinMilliseconds = 5000;
/** More than this is not held for such a reader. */
const mostHeldBytes = 64 * 1024 * 1024;

/**
 * Writes lines many at a time, and never makes the service wait: to a file beside it, to a pipe as much as that takes.
 * (pino's own destination measures all that it holds with every line, which cost more than anything else about a
 * request, and at the end of the process tries forever to write to a pipe without a reader.)
 */
export class LineWriter {
  readonly #fd: number;
  /** Where a write may have to wait for a disk; a pipe takes what it can at once. */
  readonly #isFile: boolean;
  #text = "";
  /** What is being written, or waits for the reader. */
  #rest: Buffer = Buffer.alloc(0);
  #underWay = false;
  #timer: NodeJS.Timeout | undefined;
  /** Nobody reads any more. */
  #gone = false;

  /** @param fd a file, or a pipe or socket that doesn't block */
  constructor(fd: number) {
    this.#fd = fd;
    this.#isFile = statOf(fd)?.isFile() === true;
  }

  write(line: string): void {
    if (this.#gone || this.#text.length + this.#rest.length > mostHeldBytes) return;
    this.#text += line;
    // Lines that arrive meanwhile wait with it, so that not each line tries again.
    if (this.#text.length >= togetherBytes && this.#rest.length === 0) this.#next();
    else this.#later(togetherMilliseconds);
  }

  /** Writes the last lines, as the process ends. */
  end(): void {
    // Node completes a write to a file before the process ends.
    if (this.#underWay) this.#rest = Buffer.alloc(0);
    this.#rest = Buffer.concat([this.#rest, Buffer.from(this.#text)]);
    this.#text = "";
    const latest = performance.now() + endWithinMilliseconds;
    while (this.#rest.length > 0 && performance.now() < latest) {
      if (!this.#writeNow()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMilliseconds);
    }
  }

  #later(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#next();
    }, milliseconds).unref();
  }

  #next(): void {
    if (this.#underWay) return;
    if (this.#rest.length === 0) {
      this.#rest = Buffer.from(this.#text);
      this.#text = "";
    }
    if (this.#isFile) this.#writeBeside();
    else if (!this.#writeNow() || this.#text !== "") this.#later(retryMilliseconds);
  }

  #writeBeside(): void {
    if (this.#rest.length === 0) return;
    this.#underWay = true;
    write(this.#fd, this.#rest, (error, written) => {
      this.#underWay = false;
      this.#rest = error === null ? this.#rest.subarray(written) : Buffer.alloc(0);
      if (this.#rest.length > 0 || this.#text.length >= togetherBytes) this.#next();
      else if (this.#text !== "") this.#later(togetherMilliseconds);
    });
  }

  /** @returns false when something is left, for which the reader has to be waited for */
  #writeNow(): boolean {
    try {
      while (this.#rest.length > 0) this.#rest = this.#rest.subarray(writeSync(this.#fd, this.#rest));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
      // A pipe without a reader, or a full disk at the end of the process.
      this.#gone = true;
      this.#rest = Buffer.alloc(0);
      this.#text = "";
      return true;
    }
  }
}

function statOf(fd: number): Stats | undefined {
  try {
    return fstatSync(fd);
  } catch {
    // Standard output is closed.
    return undefined;
  }
}

/** What pino writes for the time of a line; lines of the same millisecond share it. */
function isoTime(): () => string {
  let at = 0;
  let text = "";
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
