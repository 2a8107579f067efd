/** What every scenario is given, and what it gives back. */

export interface Chaos {
  /** The directory of the built service: dist/main.js lies in it. */
  readonly installation: string;
  /** For databases and logs; every account may pass through it. Removed by the code that made it. */
  readonly directory: string;
  /** Makes a place below it for the data of one service or database. */
  readonly newDataDirectory: () => Promise<string>;
  /** What is random comes from it. */
  readonly seed: number;
  /** Where below the seed a failure was found that is to be run again. */
  readonly path?: string | undefined;
  readonly say: (line: string) => void;
  /** Whether a scenario goes on, given whether it has reached what it aims at. */
  readonly goesOn: (reached: boolean) => boolean;
  /** Has something done when the scenario has ended, however it ended. What was started last is stopped first. */
  readonly atEnd: (cleanup: Cleanup) => void;
}

export type Cleanup = () => unknown;

/** Runs cleanups, the last one first; one that fails keeps none from running. */
export async function cleanUp(cleanups: Cleanup[]): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await (async () => cleanup())().catch((error) => console.error(error));
  }
}

/** A bound that a figure must keep, or the run has failed. */
export type Promised = { readonly exactly: number } | { readonly atMost: number };

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit?: string;
  readonly promised?: Promised;
  /** How much was to be tried; less makes the run weaker, and fails nothing. */
  readonly aim?: number;
}

/** A figure that is promised to be 0. */
export const none = (what: string, value: number): Figure => ({ what, value, promised: { exactly: 0 } });

/** A figure in milliseconds, whose bound is promised if there is one. */
export function milliseconds(what: string, value: number, atMost?: number): Figure {
  return { what, value, unit: "ms", ...(atMost !== undefined && { promised: { atMost } }) };
}

export interface Result {
  readonly figures: readonly Figure[];
  /** What went against a promise, a line each, with what is needed to look into it. */
  readonly violations: readonly string[];
  /** Why it could not be run here; undefined when it was. */
  readonly skipped?: string;
}

/** A list of violations that stays readable when a promise is broken a thousand times. */
export class Violations {
  readonly #lines: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The first are told at once: a long run need not be over to be looked into. */
  add(line: string): void {
    this.#count += 1;
    if (this.#count <= 3) console.error(line);
    if (this.#lines.length < 20) this.#lines.push(line);
  }

  list(): string[] {
    const more = this.#count - this.#lines.length;
    return more === 0 ? [...this.#lines] : [...this.#lines, `… and ${more} more`];
  }
}

/**
 * Tries until there is something.
 * @param attempt returns what there is; undefined or false for nothing yet
 * @throws when there is nothing within the time; the error tells of the last attempt by `last`
 */
export async function eventually<Found>(
  what: string,
  withinMilliseconds: number,
  attempt: () => Promise<Found | undefined | false> | Found | undefined | false,
  last: () => unknown = () => "",
): Promise<Found> {
  for (const deadline = performance.now() + withinMilliseconds; ; ) {
    const found = await attempt();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) {
      throw new Error(`${what}: not within ${withinMilliseconds} ms ${JSON.stringify(last())}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
