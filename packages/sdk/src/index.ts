export type { Answer } from "./attempt.ts";
export * from "./errors.ts";
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
