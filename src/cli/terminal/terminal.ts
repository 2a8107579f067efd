/** A stream that people read, as far as it is one. */
import { once } from "node:events";
import type { WriteStream } from "node:tty";

type Style = "bold" | "dim" | "red" | "green" | "yellow";

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

export interface Terminal {
  /** Whether somebody is looking, and not a file or a program. */
  readonly interactive: boolean;
  /** How wide it is; undefined when it is no terminal. */
  readonly width: number | undefined;
  /** Puts text into a style where that can be shown. */
  style(style: Style, text: string): string;
  line(text: string): void;
  /** Writes, and waits when the reader is slower. */
  write(text: string): Promise<void>;
}

/** Ends the process when nobody reads a stream on: whoever stops reading, as head does, has seen enough. */
export function endWhenUnread(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(process.exitCode ?? 0);
  });
}

export function terminalOf(stream: NodeJS.WriteStream): Terminal {
  const interactive = stream.isTTY === true;
  // Knows NO_COLOR, FORCE_COLOR and dumb terminals.
  const colours = interactive && (stream as WriteStream).hasColors();
  return {
    interactive,
    get width() {
      // A terminal that does not know its size says 0.
      return interactive ? stream.columns || 80 : undefined;
    },
    style(style, text) {
      const [on, off] = codes[style];
      return colours ? `\x1b[${on}m${text}\x1b[${off}m` : text;
    },
    line: (text) => void stream.write(`${text}\n`),
    async write(text) {
      if (!stream.write(text)) await once(stream, "drain");
    },
  };
}
