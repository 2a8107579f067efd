type ErrorDetails = Readonly<Record<string, unknown>>;
/** For an error without details. */
export type NoDetails = Readonly<Record<string, never>>;

/**
 * A rejection: the code of an error and its details. It is a value, so that the compiler checks that an operation returns only the
 * errors that it declares, and that the write path makes no stack traces.
 */
export class Rejection<Code extends string = string, const Details extends ErrorDetails = NoDetails> {
  readonly code: Code;
  readonly details: Details;
  /** Whole seconds after which a retry makes sense (Retry-After); only for 429 and 503. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, details?: Details, retryAfterSeconds?: number) {
    this.code = code;
    this.details = details ?? ({} as Details);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Makes a rejection. */
export function reject<const Code extends string, const Details extends ErrorDetails = NoDetails>(
  code: Code,
  details?: Details,
  retryAfterSeconds?: number,
): Rejection<Code, Details> {
  return new Rejection(code, details, retryAfterSeconds);
}
