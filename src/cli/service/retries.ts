/** Reports retries: each reason once, and at the end how often it occurred. */
import { printable } from "../terminal/text-width.ts";

export interface Retries {
  tell(reason: string): void;
  /** What is left to say. */
  sum(): void;
}

/** @param say prints a line */
export function createRetries(say: (line: string) => void): Retries {
  const counts = new Map<string, number>();
  return {
    tell(reason) {
      const text = printable(reason);
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      if (count === 1) say(`Trying again: ${text}`);
    },
    sum() {
      for (const [text, count] of counts) if (count > 1) say(`Tried again ${count} times: ${text}`);
      counts.clear();
    },
  };
}
