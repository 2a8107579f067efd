type ErrorDetails = Readonly<Record<string, unknown>>;
/** For an error that its code explains. */
export type NoDetails = Readonly<Record<string, never>>;

/**
 * A rejection as a value: the code of an error and its details. The compiler checks that an operation returns only the
 * errors that it declares, with the details that they declare. A rejection costs no stack trace on the write path.
 */
export class Refusal<Code extends string = string, const Details extends ErrorDetails = NoDetails> {
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
