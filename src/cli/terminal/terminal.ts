/** An output stream, which may be a terminal: text that fits its columns, questions, and a line that shows progress. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { styleText } from "node:util";
import stringWidth from "string-width";
import { CliError, exitCodes, usageError } from "./cli-error.ts";
import { durationText, numberText } from "./quantities.ts";

type Style = "bold" | "dim" | "red" | "green" | "yellow";

export interface Terminal {
  /** Whether it is a terminal, and not a file or a program. */
  readonly interactive: boolean;
  /** Its number of columns; undefined when it is not a terminal. */
  readonly width: number | undefined;
  /** Formats text if the stream shows styles. */
  style(style: Style, text: string): string;
  line(text: string): void;
  /** Writes, and waits for a slow reader. */
  write(text: string): Promise<void>;
}

/**
 * Ends the process when the reader of a stream closes it, as head does.
 * @param failed what to do on any other error, such as a full disk; returns the exit code
 */
export function endWhenUnread(
  stream: NodeJS.WriteStream,
  failed: (error: NodeJS.ErrnoException) => number,
): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? (process.exitCode ?? exitCodes.done) : failed(error));
  });
}

export function terminalOf(stream: NodeJS.WriteStream): Terminal {
  const interactive = stream.isTTY === true;
  return {
    interactive,
    get width() {
      // A terminal that does not know its size says 0.
      return interactive ? stream.columns || 80 : undefined;
    },
    // Respects NO_COLOR, FORCE_COLOR and dumb terminals.
    style: (style, text) => styleText(style, text, { stream }),
    line: (text) => void stream.write(`${text}\n`),
    async write(text) {
      if (!stream.write(text)) await once(stream, "drain");
    },
  };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The number of columns that text takes. */
export const widthOf = (text: string) => stringWidth(text);

/** Cuts text to a width. Text that is cut ends with an ellipsis. */
export function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const more = widthOf(segment);
    if (used + more > width - 1) break;
    kept += segment;
    used += more;
  }
  return `${kept}…`;
}

/**
 * Breaks text into lines at its blanks.
 * @param width undefined for text that no terminal shows, which stays one line
 * @param prefix comes before the first line; the others are indented by its width
 */
export function wrapText(text: string, width: number | undefined, prefix = ""): string {
  const lines = [""];
  const room = (width ?? Number.POSITIVE_INFINITY) - widthOf(prefix);
  for (const word of text.split(" ")) {
    const line = lines.at(-1) as string;
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return prefix + lines.join(`\n${" ".repeat(widthOf(prefix))}`);
}

export function pad(text: string, width: number, align: "left" | "right"): string {
  const room = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? room + text : text + room;
}

/** Replaces control characters, because they control a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, "�");
}

/** Whether there is a terminal for a question. */
export const isAsked = (
  input: { readonly isTTY?: boolean } = process.stdin,
  output: { readonly isTTY?: boolean } = process.stderr,
) => input.isTTY === true && output.isTTY === true;

/**
 * Asks for confirmation. Returns if the answer is yes.
 * @param action such as "Delete integration 5, Till, of business 1, Café Aurora"
 * @param consequence a sentence about effects that can't be undone
 * @param withinMilliseconds for the answer; undefined: without a limit
 * @throws CliError without a terminal, or after any other answer
 */
export async function confirm(
  action: string,
  consequence: string,
  withinMilliseconds?: number,
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream & { readonly isTTY?: boolean } = process.stderr,
): Promise<void> {
  if (!isAsked(input, output)) {
    throw usageError(
      "This command asks for confirmation, but there is no terminal.",
      `It would: ${action}. ${consequence}`,
      "To do that, run the command again with --yes.",
    );
  }
  const asked = createInterface({
    input,
    output,
    ...(withinMilliseconds !== undefined && { signal: AbortSignal.timeout(withinMilliseconds) }),
    prompt: `${[`${action}?`, consequence].filter(Boolean).join(" ")} [y/N] `,
  });
  asked.prompt();
  // The input may end, or Ctrl-C may end it, without a line.
  const { value = "" } = await asked[Symbol.asyncIterator]().next();
  asked.close();
  if (!/^y(?:es)?$/i.test(value.trim())) throw new CliError(exitCodes.failed, "Nothing was done.");
}

/** Asks for a line, which the terminal shows. Without a terminal, it is read from the input. */
export async function ask(question: string): Promise<string> {
  const line = await readLine(question, process.stderr);
  if (line.trim() === "") throw usageError("Nothing was entered.");
  return line.trim();
}

/** Asks for a secret, which the terminal does not show. */
export async function askSecret(question: string): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write(question);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = await readLine("", hidden, isTerminal);
  if (isTerminal) process.stderr.write("\n");
  if (line === "") throw usageError("Nothing was entered.");
  return line;
}

/** The lines of an input that is no terminal. It is read once, because a reader takes more than its line. */
const piped = new WeakMap<object, AsyncIterator<string>>();

async function readLine(
  prompt: string,
  output: NodeJS.WritableStream,
  terminal = process.stdin.isTTY === true,
) {
  if (process.stdin.isTTY !== true) {
    const lines =
      piped.get(process.stdin) ?? createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    piped.set(process.stdin, lines);
    return (await lines.next()).value ?? "";
  }
  const asked = createInterface({ input: process.stdin, output, terminal, prompt });
  asked.prompt();
  const { value = "" } = await asked[Symbol.asyncIterator]().next();
  asked.close();
  return value;
}

export interface Progress {
  /**
   * Shows the progress.
   * @param count of what is counted, so far
   * @param fraction of the whole, from 0 to 1; undefined when the whole is unknown
   */
  at(count: number, fraction: number | undefined): void;
  /** Removes the line. */
  end(): void;
}

const barWidth = 24;
const redrawAfterMilliseconds = 100;

/**
 * Starts a line at the bottom of a terminal that shows progress. Without a terminal, nothing is shown.
 * @param unit what is counted, in the plural
 * @param clock monotonic milliseconds
 */
export function startProgress(
  terminal: Terminal,
  unit: string,
  clock: () => number = () => performance.now(),
): Progress {
  const startedAt = clock();
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    at(count, fraction) {
      const now = clock();
      if (!terminal.interactive || now - drawnAt < redrawAfterMilliseconds) return;
      drawnAt = now;
      const line = progressText(count, fraction, (now - startedAt) / 1000, unit);
      void terminal.write(`\r\x1b[K${cutText(line, (terminal.width ?? 80) - 1)}`);
    },
    end() {
      if (drawnAt > Number.NEGATIVE_INFINITY) void terminal.write("\r\x1b[K");
    },
  };
}

/** `[████████────────] 42% 84,000 lines, 21,000/s, 6 s left` */
export function progressText(count: number, fraction: number | undefined, seconds: number, unit: string) {
  const rate = seconds > 0 ? count / seconds : 0;
  const figures = `${numberText(count)} ${unit}, ${numberText(Math.round(rate))}/s`;
  if (fraction === undefined) return figures;
  const done = Math.min(1, Math.max(0, fraction));
  const filled = Math.round(done * barWidth);
  const bar = `[${"█".repeat(filled)}${"─".repeat(barWidth - filled)}] ${Math.floor(done * 100)}%`;
  const left = done > 0 && done < 1 ? `, ${durationText((seconds / done) * (1 - done))} left` : "";
  return `${bar} ${figures}${left}`;
}
