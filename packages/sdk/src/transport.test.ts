import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  createTransport,
  InternalError,
  NotFoundError,
  RateLimitError,
  type Retry,
  ServiceUnavailableError,
  TimeoutError,
  type TransportOptions,
  ValidationError,
} from "./index.ts";

type Step = Response | Error | "hang";

interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

/** A fetch that returns one step after the other, and the last one again. */
function script(...steps: Step[]) {
  const sent: Sent[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}) => {
    const step = steps[Math.min(sent.length, steps.length - 1)];
    sent.push({
      url: String(input),
      headers: init.headers as Record<string, string>,
      body: JSON.parse(String(init.body)),
    });
    if (step instanceof Error) throw step;
    if (step instanceof Response) return step.clone();
    return new Promise<Response>((_resolve, reject) => {
      init.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });
  };
  return { sent, fetch: fetch as typeof globalThis.fetch };
}

function response(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
}

const ok = response(
  200,
  { success: true, message: "Done.", data: { n: 1 }, meta: {} },
  { "x-request-id": "r1" },
);
const lost = new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });

function rejection(status: number, code: string, details = {}, headers = {}): Response {
  const body = { success: false, message: "No.", error: { code, details } };
  return response(status, body, { "x-request-id": "r2", ...headers });
}

function transportOf(fetch: typeof globalThis.fetch, options: Partial<TransportOptions> = {}) {
  return createTransport({ baseUrl: "https://loyalty.example/api/", bearer: "key", fetch, ...options });
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets all waits pass. */
async function settled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  await vi.runAllTimersAsync();
  return promise;
}

describe("a request", () => {
  it("is a POST of JSON with the bearer, and brings the envelope's parts", async () => {
    const { sent, fetch } = script(ok);
    const transport = transportOf(fetch, { headers: { "X-Actor": "ana" } });
    const { data, meta, message, status, requestId, replayed } = await transport.request("/op/x", { a: 1 });
    expect({ data, meta, message, status, requestId, replayed }).toEqual({
      data: { n: 1 },
      meta: {},
      message: "Done.",
      status: 200,
      requestId: "r1",
      replayed: false,
    });
    expect(sent).toEqual([
      {
        url: "https://loyalty.example/api/op/x",
        headers: { "X-Actor": "ana", "content-type": "application/json", authorization: "Bearer key" },
        body: { a: 1 },
      },
    ]);
  });

  it("leaves no timer and no listener behind", async () => {
    const { fetch } = script(lost, ok);
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    const add = vi.spyOn(controller.signal, "addEventListener");
    await settled(transportOf(fetch).request("/op/x", {}, { signal: controller.signal }));
    expect(vi.getTimerCount()).toBe(0);
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length);
  });
});

describe("an idempotency key", () => {
  it("is made when there is none, and stays the same over retries", async () => {
    const { sent, fetch } = script(lost, rejection(503, "service_unavailable"), ok);
    const { idempotencyKey } = await settled(transportOf(fetch).request("/sp/w", { a: 1 }, { write: true }));
    expect(idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(sent.map(({ body }) => body)).toEqual(Array(3).fill({ a: 1, idempotency_key: idempotencyKey }));
  });

  it("is another one for each write, and none for what reads", async () => {
    const { sent, fetch } = script(ok);
    const transport = transportOf(fetch);
    for (let n = 0; n < 100; n += 1) await transport.request("/sp/w", {}, { write: true });
    expect(new Set(sent.map(({ body }) => body.idempotency_key)).size).toBe(100);
    await transport.request("/sp/r", {});
    expect(sent.at(-1)?.body).toEqual({});
  });

  it("is the caller's where the body has one", async () => {
    const { sent, fetch } = script(ok);
    await transportOf(fetch).request("/sp/w", { idempotency_key: "receipt-1" }, { write: true });
    await transportOf(fetch).request("/sp/w", { idempotency_key: undefined }, { write: true });
    expect(sent[0]?.body.idempotency_key).toBe("receipt-1");
    expect(sent[1]?.body.idempotency_key).toMatch(/^[0-9a-f]{32}$/);
  });

  it("and the body are those of the call, even if the caller changes the object meanwhile", async () => {
    const { sent, fetch } = script(lost, ok);
    const body = { amount: 5 };
    const call = transportOf(fetch).request("/sp/w", body, { write: true });
    body.amount = 6;
    await settled(call);
    expect(sent.map(({ body: { amount } }) => amount)).toEqual([5, 5]);
  });

  it("is told by the error when nobody knows whether the write was done", async () => {
    const { sent, fetch } = script(lost);
    const error = await settled(transportOf(fetch).request("/sp/w", {}, { write: true })).catch((e) => e);
    expect(error).toMatchObject({ idempotencyKey: sent[0]?.body.idempotency_key, path: "/sp/w" });
  });
});

describe("retries", () => {
  const retried: [string, Step, new (...args: never[]) => Error][] = [
    ["a lost connection", lost, ConnectionError],
    ["no response in time", "hang", TimeoutError],
    ["429", rejection(429, "rate_limited", {}, { "retry-after": "1" }), RateLimitError],
    ["500", rejection(500, "internal_error"), InternalError],
    ["503", rejection(503, "service_unavailable"), ServiceUnavailableError],
    ["a gateway's 502", response(502, "<html>Bad gateway</html>"), ServiceUnavailableError],
    ["a gateway's 429", response(429, "slow down"), RateLimitError],
  ];
  it.each(retried)("are made after %s, as often as allowed", async (_what, step, type) => {
    const { sent, fetch } = script(step);
    await expect(settled(transportOf(fetch, { maxRetries: 3 }).request("/sp/x", {}))).rejects.toThrow(type);
    expect(sent).toHaveLength(4);

    const recovering = script(step, ok);
    await settled(transportOf(recovering.fetch).request("/sp/x", {}));
    expect(recovering.sent).toHaveLength(2);

    const once = script(step);
    const call = transportOf(once.fetch).request("/sp/x", {}, { maxRetries: 0 });
    await expect(settled(call)).rejects.toThrow(type);
    expect(once.sent).toHaveLength(1);
  });

  it.each([
    [400, "malformed_json", BadRequestError],
    [401, "invalid_client_credentials", ApiError],
    [401, "unauthorized", ApiError],
    [403, "sp_token_scope_missing", ApiError],
    [404, "member_not_found", NotFoundError],
    [409, "insufficient_balance", ConflictError],
    [422, "validation_failed", ValidationError],
    [422, "idempotency_key_reused_with_different_payload", ConflictError],
    [418, "a_code_of_tomorrow", ApiError],
  ])("are not made after %d %s", async (status, code, type) => {
    const { sent, fetch } = script(rejection(status, code));
    await expect(settled(transportOf(fetch).request("/sp/x", {}))).rejects.toThrow(type);
    expect(sent).toHaveLength(1);
  });

  it("wait a random time below a bound that doubles, up to ten seconds", async () => {
    const delays = async (random: number) => {
      vi.spyOn(Math, "random").mockReturnValue(random);
      const retries: Retry[] = [];
      const transport = transportOf(script(lost).fetch, {
        maxRetries: 7,
        onRetry: (retry) => retries.push(retry),
      });
      await settled(transport.request("/sp/x", {})).catch(() => {});
      expect(retries.map(({ retry }) => retry)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(retries[0]).toMatchObject({ path: "/sp/x", error: expect.any(ConnectionError) });
      return retries.map(({ delayMilliseconds }) => delayMilliseconds);
    };
    expect(await delays(0)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(await delays(0.5)).toEqual([125, 250, 500, 1000, 2000, 4000, 5000]);
    expect(await delays(0.3333)).toEqual([83, 167, 333, 667, 1333, 2666, 3333]);
  });

  it("wait as long as Retry-After says at least, in seconds or until a date", async () => {
    for (const form of [() => "7", () => new Date(Date.now() + 7000).toUTCString()]) {
      vi.spyOn(Math, "random").mockReturnValue(0.5);
      const { fetch } = script(rejection(429, "rate_limited", {}, { "retry-after": form() }), ok);
      const delays: number[] = [];
      const onRetry = ({ delayMilliseconds }: Retry) => delays.push(delayMilliseconds);
      await settled(transportOf(fetch, { onRetry }).request("/sp/x", {}));
      expect(delays[0]).toBeGreaterThan(6000);
      expect(delays[0]).toBeLessThanOrEqual(7125);
    }
  });

  it("are left to the caller when Retry-After asks for more patience than a minute", async () => {
    const { sent, fetch } = script(rejection(503, "service_unavailable", {}, { "retry-after": "3600" }));
    const error = await settled(transportOf(fetch).request("/sp/x", {})).catch((e) => e);
    expect(error).toMatchObject({ retryAfterSeconds: 3600, status: 503 });
    expect(sent).toHaveLength(1);
  });
});

describe("an abort", () => {
  it.each([["hang" as const], [lost]])("ends a call that is under way or waiting (%s)", async (step) => {
    const { sent, fetch } = script(step);
    const controller = new AbortController();
    const call = transportOf(fetch, { maxRetries: 1000 }).request("/sp/x", {}, { signal: controller.signal });
    call.catch(() => {});
    await vi.advanceTimersByTimeAsync(5000);
    const reason = new Error("the shop closes");
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    const before = sent.length;
    await vi.runAllTimersAsync();
    expect(sent).toHaveLength(before);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("before the call keeps it from being sent", async () => {
    const { sent, fetch } = script(ok);
    const call = transportOf(fetch).request("/sp/x", {}, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(sent).toEqual([]);
  });
});

describe("errors", () => {
  it("hold all that the response said", async () => {
    const { fetch } = script(rejection(409, "insufficient_balance", { balance: 7 }));
    const call = transportOf(fetch).request("/sp/w", { idempotency_key: "k" }, { write: true });
    const error = await call.catch((e) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: "ConflictError",
      message: "/sp/w responded with 409 insufficient_balance: No. (X-Request-Id: r2)",
      status: 409,
      code: "insufficient_balance",
      details: { balance: 7 },
      requestId: "r2",
      path: "/sp/w",
      idempotencyKey: "k",
    });
  });

  it("of fields are listed", async () => {
    const errors = [{ field: "amount", code: "required", message: "amount is required." }];
    const { fetch } = script(rejection(422, "validation_failed", { errors }));
    const error = await transportOf(fetch)
      .request("/sp/x", {})
      .catch((e) => e);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.errors).toEqual(errors);
  });

  it.each([
    ["a page", response(200, "<html>Welcome</html>")],
    ["no envelope", response(200, { ok: true })],
    ["null", response(200, "null")],
    ["another server's 404", response(404, "Not found")],
    ["a redirect", response(301, "", { location: "https://elsewhere.example/" })],
  ])("say so when the response is not the API's: %s", async (_what, step) => {
    const { sent, fetch } = script(step);
    const error = await settled(transportOf(fetch).request("/sp/x", {})).catch((e) => e);
    expect(error.constructor).toBe(ApiError);
    expect(error.code).toBe("unexpected_response");
    expect(error.message).toContain("is https://loyalty.example/api its address?");
    expect(sent).toHaveLength(1);
  });

  it("name what happened to the connection, and its cause", async () => {
    const { fetch } = script(lost);
    const error = await settled(transportOf(fetch).request("/sp/x", {})).catch((e) => e);
    expect(error.message).toBe("https://loyalty.example/api/sp/x: no response (ECONNRESET)");
    expect(error.cause).toBe(lost);
  });
});

describe("the message of an error", () => {
  async function messageOf(step: Step, options: Partial<TransportOptions> = {}, body: object = {}) {
    const { fetch } = script(step);
    const call = transportOf(fetch, { maxRetries: 0, timeoutMilliseconds: 1000, ...options }).request(
      "/sp/wallet/adjust",
      body,
    );
    return settled(call).then(String, (error) => error.message as string);
  }
  const failing = (code: string) => new TypeError("fetch failed", { cause: { code } });
  const invalid = (errors: unknown) =>
    rejection(422, "validation_failed", { errors }, { "x-request-id": "r9" });

  it("names each field that was rejected, and why", async () => {
    const errors = [
      { field: "amount", code: "invalid_type", message: "amount must be an integer." },
      { field: "pin", code: "unknown_field", message: "No such field." },
      { field: "", code: "no_fields_to_update", message: "The request names nothing to change." },
    ];
    expect(await messageOf(invalid(errors))).toBe(
      "/sp/wallet/adjust responded with 422 validation_failed: amount must be an integer. pin: No such field. " +
        "The request names nothing to change. (X-Request-Id: r9)",
    );
  });

  it("stays readable when a thousand fields are wrong, or none is named", async () => {
    const errors = Array.from({ length: 1000 }, (_, n) => ({ field: `f${n}`, message: `f${n} is wrong.` }));
    const message = await messageOf(invalid(errors));
    expect(message).toContain("f9 is wrong. And 990 more. (X");
    expect(message.length).toBeLessThan(500);
    for (const broken of [undefined, "amount", [null, 5, {}]]) {
      expect(await messageOf(invalid(broken))).toBe(
        "/sp/wallet/adjust responded with 422 validation_failed: No. (X-Request-Id: r9)",
      );
    }
  });

  it.each([
    ["ECONNREFUSED", "; is the service running there?"],
    ["ENOTFOUND", "; is the host in baseUrl right?"],
    [
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "; https was used for a service that speaks plain http: should baseUrl begin with http://?",
    ],
    ["ECONNRESET", ""],
  ])("says where no response came from, and what %s may mean", async (code, hint) => {
    const url = "https://loyalty.example/api/sp/wallet/adjust";
    expect(await messageOf(failing(code))).toBe(`${url}: no response (${code})${hint}`);
  });

  it("says where no response came from in time", async () => {
    expect(await messageOf("hang")).toBe(
      "https://loyalty.example/api/sp/wallet/adjust: no response within 1000 ms",
    );
  });

  it.each([
    ["http://127.0.0.1:8080", "baseUrl probably lacks its base path, such as /api"],
    ["http://127.0.0.1:8080/", "baseUrl probably lacks its base path, such as /api"],
    ["http://127.0.0.1:8080/loyalty", "is baseUrl right, with its base path?"],
  ])("shows the URL at which there is no operation: %s", async (baseUrl, hint) => {
    const message = await messageOf(rejection(404, "operation_not_found"), { baseUrl });
    expect(message).toBe(
      "/sp/wallet/adjust responded with 404 operation_not_found: No. The URL was " +
        `${baseUrl.replace(/\/$/, "")}/sp/wallet/adjust: ${hint} (X-Request-Id: r2)`,
    );
  });

  it("holds no token, even one that fetch would not send", async () => {
    const message = await messageOf(ok, { bearer: "se\ncret", fetch: globalThis.fetch });
    expect(message).toBe("the token holds characters that no header can hold");
    for (const step of [lost, rejection(401, "unauthorized"), invalid([]), response(502, "")]) {
      expect(await messageOf(step, { bearer: "secret" }, { client_secret: "secret" })).not.toContain(
        "secret",
      );
    }
  });
});

describe("a bearer source", () => {
  it("is asked for another token once when one is rejected", async () => {
    for (const responses of [[ok], [rejection(401, "unauthorized")]]) {
      const { sent, fetch } = script(rejection(401, "unauthorized"), ...responses);
      let token = "t1";
      const bearer = {
        get: async () => token,
        rejected: (old: string) => {
          expect(old).toBe(token);
          token = "t2";
          return true;
        },
      };
      await transportOf(fetch, { bearer })
        .request("/sp/x", {})
        .catch(() => {});
      expect(sent.map(({ headers }) => headers.authorization)).toEqual(["Bearer t1", "Bearer t2"]);
    }
  });

  it("is left alone by requests without a token", async () => {
    const { sent, fetch } = script(rejection(401, "unauthorized"));
    const get = vi.fn();
    const call = transportOf(fetch, { bearer: { get, rejected: () => true } });
    await expect(call.request("/sp/auth/token", {}, { anonymous: true })).rejects.toThrow(ApiError);
    expect(get).not.toHaveBeenCalled();
    expect(sent[0]?.headers).not.toHaveProperty("authorization");
  });
});

describe("options that make no sense", () => {
  it.each<Partial<TransportOptions>>([
    { baseUrl: "loyalty.example" },
    { baseUrl: "ftp://loyalty.example" },
    { baseUrl: "https://loyalty.example/?a=1" },
    { baseUrl: "https:loyalty.example" },
    { baseUrl: "https://ana:secret@loyalty.example" },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { timeoutMilliseconds: 0 },
    { timeoutMilliseconds: Number.POSITIVE_INFINITY },
    { timeoutMilliseconds: Number.NaN },
  ])("are rejected: %j", (options) => {
    expect(() => transportOf(fetch, options)).toThrow();
  });

  it.each([[undefined], [null], [5], ["a text"], [[{ a: 1 }]]])(
    "and a body that is no object, too: %j",
    async (body) => {
      const { sent, fetch } = script(ok);
      for (const write of [true, false]) {
        const call = transportOf(fetch).request("/sp/w", body as never, { write });
        await expect(call).rejects.toThrow(/^\/sp\/w needs its fields, as an object/);
        await expect(call).rejects.toBeInstanceOf(TypeError);
      }
      expect(sent).toEqual([]);
    },
  );
});
