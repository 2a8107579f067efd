/** What can go wrong, as classes to catch: a rejection, or no response at all. */
import type { ErrorCode, ErrorDetails } from "./generated/errors.ts";

/** The code of a response that is not the API's own, such as a proxy's error page. */
export const unexpectedResponse = "unexpected_response";

/** Codes of the API as this version knows them, and those that it doesn't know yet. */
export type AnyErrorCode = ErrorCode | typeof unexpectedResponse | (string & Record<never, never>);

/** What is known of a call that failed. */
export interface Failure {
  readonly path: string;
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/** Everything that this package throws of its own. A caller's abort is thrown as the signal's reason instead. */
export class LoyaltyError extends Error {
  override readonly name: string = "LoyaltyError";
  /** The path of the operation. */
  readonly path: string;
  /**
   * The key under which a write was tried. When the outcome is unknown, the same call with this
   * idempotency_key finds out: it is done once at most.
   */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { path, idempotencyKey, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause });
    this.path = path;
    this.idempotencyKey = idempotencyKey;
  }
}

/** No response came: the outcome of the request is unknown. */
export class ConnectionError extends LoyaltyError {
  override readonly name: string = "ConnectionError";
}

/** No response came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = "TimeoutError";
}

/** What a rejection holds. */
export interface Rejection extends Failure {
  readonly status: number;
  readonly code: AnyErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** A rejection. Codes that have no class of their own, such as `payload_too_large`, are this one. */
export class ApiError extends LoyaltyError {
  override readonly name: string = "ApiError";
  readonly status: number;
  /** Stable: build on it. */
  readonly code: AnyErrorCode;
  /** What a program needs to know besides the code; see the reference of each code. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Names the request in the service's log: give it with every question. */
  readonly requestId: string | undefined;
  /** After how many seconds the service wants to be asked again, if it said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, rejection: Rejection) {
    super(message, rejection);
    this.status = rejection.status;
    this.code = rejection.code;
    this.details = rejection.details;
    this.requestId = rejection.requestId;
    this.retryAfterSeconds = rejection.retryAfterSeconds;
  }

  /**
   * Whether this is the error of a code; its details then have their type:
   * `if (error.is("insufficient_balance")) show(error.details.balance)`.
   */
  is<Code extends keyof ErrorDetails>(code: Code): this is this & TypedError<Code> {
    return this.code === code;
  }
}

/** An error whose code is known. */
export interface TypedError<Code extends keyof ErrorDetails> {
  readonly code: Code;
  readonly details: ErrorDetails[Code];
}

/** 400, 405, 413 and 415: the request is not one that the API understands. */
export class BadRequestError extends ApiError {
  override readonly name: string = "BadRequestError";
}

/** 401: `invalid_client_credentials`, or `unauthorized` even with a new token. */
export class AuthenticationError extends ApiError {
  override readonly name: string = "AuthenticationError";
}

/** 403: a scope or a location that the integration does not have. */
export class PermissionError extends ApiError {
  override readonly name: string = "PermissionError";
}

/** 404: no such member, voucher, benefit, program or tier; or the integration itself is gone. */
export class NotFoundError extends ApiError {
  override readonly name: string = "NotFoundError";
}

/** 409, and an idempotency key that was used for another request: the request is at odds with what is there. */
export class ConflictError extends ApiError {
  override readonly name: string = "ConflictError";
}

/** Why one field was rejected; `code` is stable, `message` is for people. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** `validation_failed`: fields are missing or invalid; `errors` has every one of them. */
export class ValidationError extends ApiError {
  override readonly name: string = "ValidationError";

  get errors(): readonly FieldError[] {
    return (this.details.errors ?? []) as FieldError[];
  }
}

/** 429: too many requests, and still after the retries. */
export class RateLimitError extends ApiError {
  override readonly name: string = "RateLimitError";
}

/** 500: something went wrong in the service; a write may have been done. */
export class InternalError extends ApiError {
  override readonly name: string = "InternalError";
}

/** 502, 503 and 504: the service can't respond now; a write may have been done. */
export class ServiceUnavailableError extends ApiError {
  override readonly name: string = "ServiceUnavailableError";
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: BadRequestError,
  409: ConflictError,
  413: BadRequestError,
  415: BadRequestError,
  429: RateLimitError,
  500: InternalError,
  502: ServiceUnavailableError,
  503: ServiceUnavailableError,
  504: ServiceUnavailableError,
};

/** The error of a rejection, of the class that its status and code ask for. */
export function apiError(message: string, rejection: Rejection): ApiError {
  const { status, code } = rejection;
  // A 404 of another server does not mean that a member is missing. A gateway that is busy is believed.
  if (code === unexpectedResponse && status < 500 && status !== 429) return new ApiError(message, rejection);
  if (code === "validation_failed") return new ValidationError(message, rejection);
  if (code === "idempotency_key_reused_with_different_payload") return new ConflictError(message, rejection);
  return new (classes[status] ?? ApiError)(message, rejection);
}
