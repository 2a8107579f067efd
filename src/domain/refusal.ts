export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * A rejection as a value: the code of an error and its details. The compiler checks that an operation returns only the
 * errors that it declares, and a rejection costs no stack trace on the write path.
 */
export class Refusal<Code extends string = string> {
  readonly code: Code;
  readonly details: ErrorDetails;
  /** Whole seconds after which a retry makes sense (Retry-After); only for 429 and 503. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, details: ErrorDetails = {}, retryAfterSeconds?: number) {
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
