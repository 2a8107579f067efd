/**
 * Requests that survive a bad network: each is retried after a lost connection, a timeout, 429 and 5xx, under
 * one idempotency key, so that a write is done once. The client of the partner API is built on it; with a fixed
 * key as the bearer it serves any other caller of the service.
 */
import { type ApiResponse, send } from "./attempt.ts";
import { ApiError, ConnectionError, type LoyaltyError } from "./errors.ts";
import { checkedBaseUrl, checkedBearer, checkedInput } from "./settings.ts";
import { backoff, wait } from "./waiting.ts";

/** Where the bearer token of requests comes from. */
export interface BearerSource {
  /** The token to send. */
  get(signal: AbortSignal | undefined): Promise<string>;
  /** Is called when a token was rejected as `unauthorized`. @returns whether another one can be had */
  rejected(token: string): boolean;
}

/** How often and how long requests are tried; for the whole transport or for one request. */
export interface RetryOptions {
  /** How often a request is retried at most. 4 by default. */
  readonly maxRetries?: number | undefined;
  /** How long one try may take. 30,000 by default. */
  readonly timeoutMilliseconds?: number | undefined;
}

export interface TransportOptions extends RetryOptions {
  /** The URL of the API without /sp or /op, such as `https://loyalty.example.com/api`. */
  readonly baseUrl: string;
  /** The token or key of the header Authorization, or a source that gets one. */
  readonly bearer: string | BearerSource;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called before the wait of each retry. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Instead of the global fetch. */
  readonly fetch?: typeof fetch | undefined;
}

/** A request that is about to be retried. */
export interface Retry {
  readonly path: string;
  /** 1 for the first retry. */
  readonly retry: number;
  readonly delayMilliseconds: number;
  /** Why. */
  readonly error: LoyaltyError;
}

export interface CallOptions extends RetryOptions {
  /** Ends the call, whatever it is doing; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends CallOptions {
  /** The operation writes: a body without an idempotency_key gets one, the same for every try. */
  readonly write?: boolean | undefined;
  /** Sent without a token. */
  readonly anonymous?: boolean | undefined;
}

export interface Transport {
  /**
   * Calls an operation.
   * @param path below the base URL: `/sp/members/list`
   * @throws ApiError, ConnectionError or TimeoutError once the retries are used up or make no sense; the signal's
   *   reason if it is aborted; TypeError, before anything is sent, if the body is no object or the
   *   token no text for a header
   */
  request<Data = unknown>(path: string, body: object, options?: RequestOptions): Promise<ApiResponse<Data>>;
}

const defaults = { maxRetries: 4, timeoutMilliseconds: 30_000 };
/** A longer Retry-After is an error that says so, and the caller decides. */
const longestRetryAfterSeconds = 60;
/** What timers can count. */
const longestTimeout = 2 ** 31 - 1;

/** Makes a transport. @throws TypeError or RangeError if an option makes no sense */
export function createTransport(options: TransportOptions): Transport {
  const baseUrl = checkedBaseUrl(options.baseUrl);
  const { bearer: given } = options;
  const bearer = typeof given === "string" ? { get: async () => given, rejected: () => false } : given;
  const general = retryOptions(options, defaults);

  const request = async (path: string, input: object, requestOptions: RequestOptions = {}) => {
    checkedInput(path, input);
    const { signal, write, anonymous } = requestOptions;
    const { maxRetries, timeoutMilliseconds } = retryOptions(requestOptions, general);
    // The key is fixed before the first try.
    const idempotencyKey = write ? keyOf(input) : undefined;
    const body = JSON.stringify(write ? { ...input, idempotency_key: idempotencyKey } : input);
    let renewed = false;
    for (let retries = 0; ; ) {
      const token = anonymous ? undefined : checkedBearer(await bearer.get(signal));
      try {
        return await send({
          baseUrl,
          path,
          headers: {
            ...options.headers,
            "content-type": "application/json",
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          body,
          idempotencyKey,
          retries,
          timeoutMilliseconds,
          signal,
          fetch: options.fetch ?? fetch,
        });
      } catch (error) {
        const isUnauthorized = error instanceof ApiError && error.code === "unauthorized";
        if (token !== undefined && isUnauthorized && bearer.rejected(token) && !renewed) {
          renewed = true;
          continue;
        }
        if (!isRetryable(error) || retries >= maxRetries) throw error;
        const delayMilliseconds = backoff(retries) + 1000 * secondsAsked(error);
        retries += 1;
        options.onRetry?.({ path, retry: retries, delayMilliseconds, error });
        await wait(delayMilliseconds, signal);
      }
    }
  };
  return { request: request as Transport["request"] };
}

function retryOptions(given: RetryOptions, otherwise: typeof defaults) {
  const { maxRetries = otherwise.maxRetries, timeoutMilliseconds = otherwise.timeoutMilliseconds } = given;
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw new RangeError(`maxRetries must be a whole number from 0, not ${maxRetries}`);
  }
  if (!(timeoutMilliseconds > 0 && timeoutMilliseconds <= longestTimeout)) {
    throw new RangeError(
      `timeoutMilliseconds must be from 1 to ${longestTimeout}, not ${timeoutMilliseconds}`,
    );
  }
  return { maxRetries, timeoutMilliseconds };
}

/** The key of a write, or one that no other write has. */
function keyOf({ idempotency_key }: { readonly idempotency_key?: string }): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return idempotency_key ?? Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function isRetryable(error: unknown): error is LoyaltyError {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  return (error.status === 429 || error.status >= 500) && secondsAsked(error) <= longestRetryAfterSeconds;
}

function secondsAsked(error: LoyaltyError): number {
  return (error instanceof ApiError && error.retryAfterSeconds) || 0;
}
