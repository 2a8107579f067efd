/** What `npm run chaos` and `npm run bench` give to each of their scenarios. */

/** What every run of a scenario has. */
export interface Run {
  /** The directory of the built service, with dist/main.js. */
  readonly installation: string;
  /** For databases and logs. Every account may enter it. The code that made it removes it. */
  readonly directory: string;
  /** Makes a place below it for the data of one service or database. */
  readonly newDataDirectory: () => Promise<string>;
  readonly say: (line: string) => void;
  /** Registers a cleanup that runs when the scenario ends, also after an error. The last one registered runs first. */
  readonly atEnd: (cleanup: Cleanup) => void;
}

export type Cleanup = () => unknown;

/** Runs cleanups, the last one first. If one fails, the others still run. */
export async function cleanUp(cleanups: Cleanup[]): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await (async () => cleanup())().catch((error) => console.error(error));
  }
}

/** Broken promises. The list stays short if a promise is broken a thousand times. */
export class Violations {
  readonly #lines: string[] = [];
  count = 0;

  /** Prints the first lines at once, because a run can take long. */
  add(line: string): void {
    this.count += 1;
    if (this.count <= 3) console.error(line);
    if (this.#lines.length < 20) this.#lines.push(line);
  }

  list(): string[] {
    const more = this.count - this.#lines.length;
    return more === 0 ? [...this.#lines] : [...this.#lines, `… and ${more} more`];
  }
}

/** When a request was sent and when its response came, by performance.now(). */
export interface Span {
  readonly sentAt: number;
  readonly respondedAt: number;
}

/**
 * Repeats an attempt until it returns something.
 * @param attempt returns undefined or false for "not yet"
 * @throws if that takes too long; the error contains what `last` returns
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
