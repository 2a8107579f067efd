/** What an answer must be, where the model knows it, and what it must be like where the service chooses. */
import { isDeepStrictEqual } from "node:util";

/** A value that the service chooses. */
export class Chosen {
  readonly #what: string;
  readonly fits: (value: unknown) => boolean;

  constructor(what: string, fits: (value: unknown) => boolean) {
    this.#what = what;
    this.fits = fits;
  }

  toJSON(): string {
    return `<${this.#what}>`;
  }
}

export const someText = new Chosen("text", (value) => typeof value === "string" && value.trim() !== "");

/** Texts or numbers in any order. */
export function inAnyOrder(values: readonly unknown[]): Chosen {
  const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort();
  return new Chosen(
    `in any order: ${JSON.stringify(values)}`,
    (value) => Array.isArray(value) && isDeepStrictEqual(sorted(value), sorted(values)),
  );
}

/** A time as the contract writes it, from one moment to another in milliseconds, by the clock of a time zone. */
export function timeBetween(from: number, to: number, timeZone: string): Chosen {
  const [earliest, latest] = [clockOf(from, timeZone), clockOf(to, timeZone)];
  return new Chosen(
    `a time from ${earliest} to ${latest}`,
    (value) =>
      typeof value === "string" &&
      /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value) &&
      value >= earliest &&
      value <= latest,
  );
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** A moment as a clock in the time zone shows it, YYYY-MM-DD HH:MM:SS. */
export function clockOf(milliseconds: number, timeZone: string): string {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone });
  clocks.set(timeZone, clock);
  return clock.format(milliseconds);
}

/** The whole answer to a request. */
export interface Expectation {
  readonly status: number;
  /** The whole envelope, with what the service chooses left open. */
  readonly envelope: unknown;
  /** Set when an earlier answer must come again, to the byte. */
  readonly replays?: string;
}

export interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: string;
}

/** Whether an answer is what was expected. */
export function meets(answer: Answer, { status, envelope, replays }: Expectation): boolean {
  if (answer.status !== status || answer.replayed !== (replays !== undefined)) return false;
  if (replays !== undefined) return answer.body === replays;
  return matches(envelope, parse(answer.body));
}

export function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function matches(expected: unknown, actual: unknown): boolean {
  if (expected instanceof Chosen) return expected.fits(actual);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((each, index) => matches(each, actual[index]));
  }
  if (typeof expected !== "object" || expected === null) return expected === actual;
  if (typeof actual !== "object" || actual === null || Array.isArray(actual)) return false;
  const fields = Object.entries(expected);
  return (
    fields.length === Object.keys(actual).length &&
    fields.every(
      ([name, value]) => name in actual && matches(value, (actual as Record<string, unknown>)[name]),
    )
  );
}
