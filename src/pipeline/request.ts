/** A request and its response as values, independent of the transport, and the JSON envelope of every response. */
import { messageOf } from "../contract/error-message.ts";
import { errors, type Rejection } from "../contract/errors.ts";
import type { FieldError } from "../contract/field-errors.ts";
import type { FieldProblem } from "../database/requests.ts";

/** What a request of the console says beside its headers. */
export interface BrowserSession {
  /** The session in a cookie, if a page of the service itself sent the request. */
  readonly session: string | undefined;
  /** The cookie of a browser with which somebody has signed in before, under the same condition. */
  readonly device: string | undefined;
  /** Whether the caller reaches the service by plain HTTP on its own machine. */
  readonly isLoopback: boolean;
}

/** Who calls an operation, and from where. */
export interface Credentials {
  /** Identifies the request in the audit log and in the log. */
  readonly id: string;
  /** The value of an Authorization header. */
  readonly authorization: string | undefined;
  /** Called only for operators without a bearer token, and for those who sign in or out. */
  browserSession?(): BrowserSession;
  /** What an operator says about itself, for the audit log only. */
  readonly actor: string | undefined;
  /** The caller's network address, for limits on failed credentials. */
  readonly address: string;
}

export interface OperationRequest extends Credentials {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly hasQuery: boolean;
  /** Reads the body; called at most once, after the caller is authenticated. */
  readBody(limitBytes: number): Promise<Buffer | "too_large" | "aborted">;
}

export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

export interface OperationResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string;
  /** For logs and metrics. */
  readonly errorCode: string | undefined;
  /** Why credentials were rejected, or a success is suspicious, for the log. */
  readonly reason: string | undefined;
  /** The fields that were rejected, for the request log. */
  readonly fieldErrors: readonly FieldProblem[];
  /** Undefined without valid credentials. */
  readonly sender: Sender | undefined;
  /** The client_id of a token request that was rejected. */
  readonly clientId?: string;
}

export interface Sender {
  /** Undefined for an operator. */
  readonly integrationId: number | undefined;
  /** 0 for an operator. */
  readonly businessId: number;
}

export function success(
  status: number,
  body: string,
  sender: Sender,
  headers: ResponseHeaders = {},
): OperationResponse {
  return { status, headers, body, errorCode: undefined, reason: undefined, fieldErrors: [], sender };
}

/** @param sender undefined when the request had no valid credentials */
export function errorResponse(
  rejection: Rejection,
  sender?: Sender,
  headers: ResponseHeaders = {},
): OperationResponse {
  const { status } = errors[rejection.code];
  return {
    status,
    headers: { ...headers, ...headersOf(rejection) },
    body: JSON.stringify({
      success: false,
      message: messageOf(rejection),
      error: { code: rejection.code, details: rejection.details },
    }),
    errorCode: rejection.code,
    reason:
      rejection.code === "unauthorized" ? String(rejection.details.token ?? "") || undefined : undefined,
    fieldErrors: rejectedFieldsOf(rejection),
    sender,
  };
}

function rejectedFieldsOf({ code, details }: Rejection): readonly FieldProblem[] {
  if (code === "validation_failed") return details.errors as readonly FieldError[];
  return code === "legacy_field_not_allowed"
    ? [{ field: details.field as string, code: "legacy_field" }]
    : [];
}

function headersOf(rejection: Rejection): ResponseHeaders {
  const { status } = errors[rejection.code];
  if (rejection.code === "unauthorized") {
    // RFC 6750 section 3.1: a request without a token gets no error code.
    const { token } = rejection.details;
    return token === "missing" || token === "other_scheme"
      ? { "www-authenticate": "Bearer" }
      : { "www-authenticate": 'Bearer error="invalid_token"' };
  }
  if (status === 401) return { "www-authenticate": "Bearer" };
  if (status === 405) return { allow: "POST" };
  if (status === 429 || status === 503) return { "retry-after": String(rejection.retryAfterSeconds ?? 1) };
  return {};
}
