/** What every scenario is given, and what it gives back. */

export interface Chaos {
  /** The directory of the built service: dist/main.js lies in it. */
  readonly installation: string;
  /** For databases and logs; every account may pass through it. Removed by the code that made it. */
  readonly directory: string;
  /** What is random comes from it. */
  readonly seed: number;
  /** Where below the seed a failure was found that is to be run again. */
  readonly path?: string | undefined;
  readonly say: (line: string) => void;
  /** Whether a scenario goes on, given whether it has reached what it aims at. */
  readonly goesOn: (reached: boolean) => boolean;
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

/** How many values lie where. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** Waits until something holds. @throws when it does not within the time */
export async function eventually(
  what: string,
  withinMilliseconds: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + withinMilliseconds;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMilliseconds} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
