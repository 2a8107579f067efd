/** What a response must be where the model knows it, and its form where the service chooses it. */
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

export const someDetails = new Chosen("details", (value) => typeof value === "object" && value !== null);

export function inAnyOrder(values: readonly unknown[]): Chosen {
  const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort();
  return new Chosen(
    `in any order: ${JSON.stringify(values)}`,
    (value) => Array.isArray(value) && isDeepStrictEqual(sorted(value), sorted(values)),
  );
}

export interface Rejection {
  readonly status: number;
  readonly code: string;
  readonly details?: unknown;
}

export function reject(status: number, code: string, details: unknown = {}): Rejection {
  return { status, code, details };
}

/** The rejection that names the invalid fields, and what is wrong with each. */
export function invalid(failures: readonly (readonly [field: string, code: string])[]): Rejection {
  const expected = failures.map(([field, code]) => ({ field, code }));
  const errors = new Chosen(`failures ${JSON.stringify(expected)}`, (value) => {
    if (!Array.isArray(value)) return false;
    const all = value.every(
      (each) => Object.keys(each).sort().join() === "code,field,message" && someText.fits(each.message),
    );
    return all && inAnyOrder(expected).fits(value.map(({ field, code }) => ({ field, code })));
  });
  return reject(422, "validation_failed", { errors });
}

/** A time between two moments in milliseconds, by the clock of a time zone. */
export function timeBetween(from: number, to: number, timeZone: string): Chosen {
  const [earliest, latest] = [clockOf(from, timeZone), clockOf(to, timeZone)];
  const form = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
  return new Chosen(`a time from ${earliest} to ${latest}`, (value) => {
    return typeof value === "string" && form.test(value) && value >= earliest && value <= latest;
  });
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** A moment on a clock in the time zone, as YYYY-MM-DD HH:MM:SS. */
export function clockOf(milliseconds: number, timeZone: string): string {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone });
  clocks.set(timeZone, clock);
  return clock.format(milliseconds);
}

export interface Expectation {
  readonly status: number;
  readonly envelope: unknown;
  /** The earlier response that must come again, to the byte. */
  readonly replays?: string;
}

export interface ExpectedResponse {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: string;
}

export function meets(response: ExpectedResponse, { status, envelope, replays }: Expectation): boolean {
  if (response.status !== status || response.replayed !== (replays !== undefined)) return false;
  return replays === undefined ? matches(envelope, parse(response.body)) : response.body === replays;
}

export function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Whether a value has all expected fields and items, and no others. */
function matches(expected: unknown, actual: unknown): boolean {
  if (expected instanceof Chosen) return expected.fits(actual);
  if (typeof expected !== "object" || expected === null) return expected === actual;
  if (typeof actual !== "object" || actual === null) return false;
  const fields = Object.entries(expected);
  return (
    Array.isArray(expected) === Array.isArray(actual) &&
    fields.length === Object.keys(actual).length &&
    fields.every(([name, value]) => name in actual && matches(value, actual[name as keyof typeof actual]))
  );
}
