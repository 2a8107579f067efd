/** One request, sent once. */
import { apiError, ConnectionError, TimeoutError, unexpectedResponse } from "./errors.ts";
import { noResponse, rejected } from "./explanations.ts";

/** A successful response. */
export interface ApiResponse<Data = unknown> {
  readonly data: Data;
  /** Empty, but for lists: `meta.pagination`. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** For people to read. */
  readonly message: string;
  readonly status: number;
  readonly headers: Headers;
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  /** The key under which a write was done. */
  readonly idempotencyKey: string | undefined;
  /** Whether this is the first response to the same idempotency_key again, and nothing was done now. */
  readonly replayed: boolean;
  /** How often the client had to send the request again. */
  readonly retries: number;
}

export interface Attempt {
  readonly baseUrl: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly idempotencyKey: string | undefined;
  readonly retries: number;
  readonly timeoutMilliseconds: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: typeof fetch;
}

/**
 * Sends a request and reads its response.
 * @throws ApiError, ConnectionError or TimeoutError; the signal's reason if it is aborted
 */
export async function send(attempt: Attempt): Promise<ApiResponse> {
  const { path, idempotencyKey, signal, timeoutMilliseconds } = attempt;
  const url = attempt.baseUrl + path;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeoutMilliseconds);
  let response: Response;
  let text: string;
  try {
    response = await attempt.fetch.call(undefined, url, {
      method: "POST",
      headers: attempt.headers,
      body: attempt.body,
      signal: controller.signal,
      // A redirected POST would become a GET, and take the token with it.
      redirect: "manual",
    });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    if (late) throw new TimeoutError(`${url}: no response within ${timeoutMilliseconds} ms`, attempt);
    throw new ConnectionError(noResponse(url, cause), { path, idempotencyKey, cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  return read(attempt, response, text);
}

interface Envelope {
  readonly success?: unknown;
  readonly message?: string;
  readonly data?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code?: string; readonly details?: Readonly<Record<string, unknown>> };
}

function read(attempt: Attempt, response: Response, text: string): ApiResponse {
  const { baseUrl, path, idempotencyKey, retries } = attempt;
  const { status, headers } = response;
  const { success, message = "", data, meta = {}, error } = parse(text);
  const requestId = headers.get("x-request-id") ?? undefined;
  if (response.ok && success === true) {
    const replayed = headers.get("idempotent-replayed") === "true";
    return { data, meta, message, status, headers, requestId, idempotencyKey, replayed, retries };
  }
  const ours = success === false && typeof error?.code === "string";
  const code = ours ? (error.code as string) : unexpectedResponse;
  const details = (ours && error.details) || {};
  const said = ours
    ? rejected(attempt, { status, code, message }, details)
    : `${path} responded with ${status}, but not as the API does: is ${baseUrl} its address?`;
  const failure = { path, idempotencyKey, status, code, details, requestId };
  throw apiError(requestId === undefined ? said : `${said} (X-Request-Id: ${requestId})`, {
    ...failure,
    retryAfterSeconds: retryAfter(headers),
  });
}

function parse(text: string): Envelope {
  try {
    return (JSON.parse(text) ?? {}) as Envelope;
  } catch {
    return {};
  }
}

/** Retry-After is a number of seconds, or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
