/** A client of the loyalty partner API, and the transport that it is built on. */
export type { ApiResponse } from "./attempt.ts";
export { balanceOf } from "./balance.ts";
export type { Call, Written } from "./caller.ts";
export { LoyaltyClient, type LoyaltyOptions, type MembersByPhone } from "./client.ts";
export { advanceClock, type Clock, type ClockOptions, type ClockStep } from "./clock.ts";
export {
  type AnyErrorCode,
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  type FieldError,
  InternalError,
  LoyaltyError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceUnavailableError,
  TimeoutError,
  type TypedError,
  ValidationError,
} from "./errors.ts";
export type { ErrorCode, ErrorDetails } from "./generated/errors.ts";
export type * from "./generated/events.ts";
export type * from "./generated/resources.ts";
export type * from "./generated/types.ts";
export { type Receipt, saleKey } from "./keys.ts";
export type { List, Page } from "./list.ts";
export {
  type BearerSource,
  type CallOptions,
  createTransport,
  type RequestOptions,
  type Retry,
  type RetryOptions,
  type Transport,
  type TransportOptions,
} from "./transport.ts";
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type Webhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookProblem,
} from "./webhooks.ts";
