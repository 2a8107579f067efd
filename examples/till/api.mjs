/** A client of the partner API in one file: tokens, retries, rate limits, pages. Plain fetch, no packages. */
import { setTimeout as sleep } from "node:timers/promises";

/** The service said no, and saying it again won't help. */
export class RejectedError extends Error {
  /** @param {string} path @param {number} status @param {any} body @param {string | null} requestId */
  constructor(path, status, body, requestId) {
    const { code, details } = body.error;
    const more = Object.keys(details ?? {}).length === 0 ? "" : ` ${JSON.stringify(details)}`;
    super(`${path} responded with ${status} ${code}: ${body.message}${more} (X-Request-Id: ${requestId})`);
    this.code = code;
    this.details = details;
  }
}

/** The service could not be reached, or not made sense of. */
export class UnreachableError extends Error {}

const responseWithinMilliseconds = 30_000;
const firstRetryMilliseconds = 200;
const slowestRetryMilliseconds = 5_000;
const rowsOfPage = 100;

/**
 * @typedef {object} Settings
 * @property {string} baseUrl what comes before /sp
 * @property {string} clientId
 * @property {string} clientSecret
 * @property {number} patienceSeconds how long to go on trying while there is no response
 * @property {(problem: string) => void} onRetry hears why a request is about to be sent again
 */

/** @typedef {{ status: number, headers: Headers, body: any }} ApiResponse */

export class Api {
  /** How often a request was sent again because there was no response, or a response 5xx. */
  retries = 0;
  /** How often the service asked us to slow down. */
  timesLimited = 0;
  #settings;
  /** @type {Promise<string> | undefined} */
  #token;
  /** Nothing is sent before this time: the rate limit is the integration's, so all requests wait together. */
  #pausedUntil = 0;

  /** @param {Settings} settings */
  constructor(settings) {
    this.#settings = settings;
  }

  get baseUrl() {
    return this.#settings.baseUrl;
  }

  /**
   * Calls an operation, as often as it takes to get a response. That is safe for writes too: their body holds an
   * idempotency_key, so sending it again is asking again, never writing twice.
   * @param {string} path
   * @param {object} body
   * @returns {Promise<any>} the envelope
   */
  async call(path, body) {
    for (let renewed = false; ; renewed = true) {
      this.#token ??= this.#issueToken();
      const token = this.#token;
      const response = await this.#responseTo(path, body, await token);
      if (response.status < 400) return response.body;
      // Tokens live for two hours, and a long run may outlive one.
      if (response.body.error.code !== "unauthorized" || renewed) throw rejected(path, response);
      if (this.#token === token) this.#token = undefined;
    }
  }

  /**
   * The rows of a paginated list, each once, however many are added meanwhile.
   * @param {string} path
   * @param {object} filter
   * @returns {AsyncGenerator<any>}
   */
  async *list(path, filter) {
    /** @type {string | null | undefined} */
    let after;
    while (after !== null) {
      const { data, meta } = await this.call(path, { ...filter, per_page: rowsOfPage, after });
      yield* data;
      after = meta.next;
    }
  }

  async #issueToken() {
    const { clientId, clientSecret } = this.#settings;
    const body = { client_id: clientId, client_secret: clientSecret };
    const response = await this.#responseTo("/sp/auth/token", body, undefined);
    if (response.status !== 200) throw rejected("/sp/auth/token", response);
    return response.body.data.access_token;
  }

  /**
   * Sends a request until it gets a response other than 429 or 5xx.
   * @param {string} path @param {object} body @param {string | undefined} token
   */
  async #responseTo(path, body, token) {
    const text = JSON.stringify(body);
    let failures = 0;
    let failingSince = 0;
    for (;;) {
      await this.#waitWhilePaused();
      const response = await this.#send(path, text, token);
      if (typeof response !== "string" && response.status === 429) {
        this.timesLimited += 1;
        this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + (retryAfter(response) ?? 1000));
        continue;
      }
      if (typeof response !== "string" && response.status < 500) return response;
      failures += 1;
      if (failures === 1) failingSince = Date.now();
      const problem = typeof response === "string" ? response : `responded with ${response.status}`;
      if (Date.now() - failingSince > this.#settings.patienceSeconds * 1000) {
        const { baseUrl, patienceSeconds } = this.#settings;
        throw new UnreachableError(`${baseUrl}${path}: ${problem}, for ${patienceSeconds} seconds`);
      }
      this.retries += 1;
      this.#settings.onRetry(problem);
      const asked = typeof response === "string" ? undefined : retryAfter(response);
      await sleep(asked ?? backoff(failures));
    }
  }

  async #waitWhilePaused() {
    for (let left = this.#pausedUntil - Date.now(); left > 0; left = this.#pausedUntil - Date.now()) {
      await sleep(left);
    }
  }

  /**
   * Sends a request once.
   * @param {string} path @param {string} text @param {string | undefined} token
   * @returns {Promise<ApiResponse | string>} the response, or why there is none
   */
  async #send(path, text, token) {
    /** @type {Response} */
    let response;
    /** @type {string} */
    let content;
    try {
      response = await fetch(this.#settings.baseUrl + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: text,
        signal: AbortSignal.timeout(responseWithinMilliseconds),
      });
      content = await response.text();
    } catch (error) {
      return `no response (${causeOf(error)})`;
    }
    const { status, headers } = response;
    const body = parsed(content);
    if (status < 500 && status !== 429 && typeof body?.success !== "boolean") {
      const { baseUrl } = this.#settings;
      throw new UnreachableError(
        `${baseUrl}${path} responded with ${status}, but not as the partner API does: is ${baseUrl} its address?`,
      );
    }
    return { status, headers, body };
  }
}

/** @param {string} path @param {ApiResponse} response */
function rejected(path, { status, headers, body }) {
  return new RejectedError(path, status, body, headers.get("x-request-id"));
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Twice as long each time, with some chance in it, so that requests that failed together don't return so. @param {number} failures */
function backoff(failures) {
  const longest = Math.min(slowestRetryMilliseconds, firstRetryMilliseconds * 2 ** (failures - 1));
  return longest * (0.5 + Math.random() / 2);
}

/** Milliseconds that Retry-After asks for: it is a number of seconds or a date. @param {ApiResponse} response */
function retryAfter({ headers }) {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** fetch says only "fetch failed"; what happened is in the cause. @param {unknown} error */
function causeOf(error) {
  const { cause, message } = /** @type {Error & { cause?: any }} */ (error);
  return cause?.code ?? cause?.message ?? message;
}
