/** A line at the bottom of a terminal that shows progress. Without a terminal, nothing is shown. */
import { durationText, numberText } from "./quantities.ts";
import { cut, type Terminal } from "./terminal.ts";

export interface Progress {
  /**
   * Shows the progress.
   * @param count of what is counted, so far
   * @param fraction of the whole, from 0 to 1; undefined when the whole is unknown
   */
  at(count: number, fraction: number | undefined): void;
  /** Takes the line away. */
  end(): void;
}

const barWidth = 24;
const redrawAfterMilliseconds = 100;

/**
 * Starts a progress line.
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
      void terminal.write(`\r\x1b[K${cut(line, (terminal.width ?? 80) - 1)}`);
    },
    end() {
      if (drawnAt > Number.NEGATIVE_INFINITY) void terminal.write("\r\x1b[K");
    },
  };
}

/** `[████████────────] 42% 84,000 lines, 21,000/s, 6 s left` */
export function progressText(
  count: number,
  fraction: number | undefined,
  seconds: number,
  unit: string,
): string {
  const rate = seconds > 0 ? count / seconds : 0;
  const figures = `${numberText(count)} ${unit}, ${numberText(Math.round(rate))}/s`;
  if (fraction === undefined) return figures;
  const done = Math.min(1, Math.max(0, fraction));
  const filled = Math.round(done * barWidth);
  const bar = `[${"█".repeat(filled)}${"─".repeat(barWidth - filled)}] ${Math.floor(done * 100)}%`;
  const left = done > 0 && done < 1 ? `, ${durationText((seconds / done) * (1 - done))} left` : "";
  return `${bar} ${figures}${left}`;
}
