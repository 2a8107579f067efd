/** What the service makes of HTTP: messages that are none, bodies, methods and paths, and headers on every response. */
import { once } from "node:events";
import { request as httpRequest, METHODS } from "node:http";
import { connect } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMetrics } from "../../src/http/metrics.ts";
import { createServer } from "../../src/http/server.ts";
import { holdsOnce } from "../support/measurements.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const path = "/sp/members/list";
const maximumBodyBytes = 64 * 1024;

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface RawResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  readonly body: any;
}

/**
 * Sends bytes as they are and reads to the end of the connection, which is the service's to close unless the
 * message says so.
 * @param parts sent one after the other, each when the one before is on its way
 */
function send(port: number, ...parts: (string | Buffer)[]): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      for (const part of parts) socket.write(part);
    });
    socket.setEncoding("utf8").on("error", reject);
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => {
      const [head = "", body = ""] = text.split("\r\n\r\n");
      const [status = "", ...lines] = head.split("\r\n");
      const headers = lines.map((line) => line.split(": ") as [string, string]);
      resolve({
        status: Number(status.split(" ")[1]),
        headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
        body: body === "" ? undefined : JSON.parse(body),
      });
    });
  });
}

const port = () => Number(new URL(world.baseUrl).port);
const head = (line: string, ...headers: string[]) =>
  `${[line, ...headers, "connection: close"].join("\r\n")}\r\n\r\n`;
const post = (...headers: string[]) =>
  head(`POST /api${path} HTTP/1.1`, "host: x", "content-type: application/json", ...headers);

describe("a message that is not well-formed HTTP", () => {
  it.each([
    ["no HTTP at all", "GARBAGE\r\n\r\n"],
    ["TLS", Buffer.from("16030100c8010000c40303", "hex")],
    ["a version that is none", `POST /api${path} HTTP/9.9\r\nhost: x\r\n\r\n`],
    ["no Host", head(`POST /api${path} HTTP/1.1`, "content-type: application/json", "content-length: 0")],
    ["a space before a header's colon", `POST /api${path} HTTP/1.1\r\nhost : x\r\n\r\n`],
    ["two Hosts", post("host: y", "content-length: 2")],
    ["two Content-Types", post("Content-Type: application/json", "content-length: 2")],
    ["two Authorizations", post("authorization: Bearer a", "Authorization: Bearer b", "content-length: 2")],
    ["a header that is folded", `POST /api${path} HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n`],
    ["two different lengths", post("content-length: 2", "content-length: 3")],
    ["a length and chunks", post("content-length: 2", "transfer-encoding: chunked")],
    ["a negative length", post("content-length: -2")],
    ["too many bytes of headers", post(`x-filler: ${"a".repeat(20_000)}`)],
    ["too many headers", post("content-length: 2", ...Array.from({ length: 2000 }, () => "a:"))],
    ["a second Host behind many headers", post(...Array.from({ length: 1500 }, () => "a:"), "host: y")],
    ["a body that is gzipped by its transfer coding", post("transfer-encoding: gzip, chunked")],
    ["two transfer codings", post("transfer-encoding: chunked", "transfer-encoding: chunked")],
    ["no chunks", post("transfer-encoding: identity", "content-length: 2")],
    [
      "chunks in HTTP/1.0",
      `POST /api${path} HTTP/1.0\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
  ])("gets a response in the envelope and hung up on: %s", async (_name, message) => {
    const response = await send(port(), message);
    expect(response.status).toBe(400);
    expect(response.headers).toMatchObject({
      ...securityHeaders,
      connection: "close",
      "content-type": "application/json; charset=utf-8",
    });
    expect(response.headers["x-request-id"]).toMatch(uuid);
    expect(response.body).toEqual({
      success: false,
      message: expect.any(String),
      error: { code: "malformed_request", details: expect.any(Object) },
    });
  });

  it("may have many headers, and chunks by any case of the name", async () => {
    const many = Array.from({ length: 1990 }, () => "a:");
    const response = await send(port(), post(...many, "Transfer-Encoding: Chunked"), "2\r\n{}\r\n0\r\n\r\n");
    expect(response).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
  });

  it("ends with its connection when a chunk of its body is none", async () => {
    const authorization = `authorization: Bearer ${await world.token()}`;
    const response = await send(
      port(),
      post(authorization, "transfer-encoding: chunked"),
      "ZZ\r\n{}\r\n0\r\n\r\n",
    );
    expect(response.body.error.code).toBe("malformed_request");
  });

  it("does not disturb anyone else, nor does a client that hangs up half-way", async () => {
    const authorization = `authorization: Bearer ${await world.token()}`;
    for (const message of [post(), post(authorization, "content-length: 1000"), "POST"]) {
      const socket = connect(port(), "127.0.0.1");
      socket.write(message);
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.resetAndDestroy();
    }
    expect((await world.ask(path, {})).status).toBe(200);
  });
});

describe("a client that is slow", () => {
  let server: ReturnType<typeof createServer>;
  let slowPort: number;
  const body = JSON.stringify({ success: true });
  const responded = {
    status: 200,
    headers: {},
    body,
    errorCode: undefined,
    fieldErrors: [],
    reason: undefined,
    sender: undefined,
  };
  beforeAll(async () => {
    const run = async (request: { readBody(limit: number): Promise<unknown> }) => {
      await request.readBody(1000);
      return responded;
    };
    const parts = {
      runners: new Map([["/slow", run]]),
      findPage: () => undefined,
      errorPage: () => undefined,
      log: pino({ level: "silent" }),
      metrics: createMetrics({
        version: "0",
        schemaVersion: 1,
        queueDepth: () => 0,
        connections: 1,
        pools: {},
      }),
      ready: async () => undefined,
      phase: () => "serving" as const,
      trustedProxies: [],
      logsAddresses: true,
      logRequest: () => undefined,
      unauthenticatedLimit: () => true,
      addressLimits: { connections: 0, rejectedBytes: 0 },
    };
    server = createServer(parts, { headersMilliseconds: 200, requestMilliseconds: 400 });
    slowPort = Number(new URL(await server.listen({ host: "127.0.0.1", port: 0 })).port);
  });
  afterAll(() => server.close());

  it.each([
    ["says nothing more after the first line", "POST /slow HTTP/1.1\r\n"],
    ["never ends its headers", "POST /slow HTTP/1.1\r\nhost: x\r\nx-a: b\r\n"],
    ["never sends the body", "POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n"],
    ["never ends the body", "POST /slow HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n"],
  ])("is hung up on when it %s", async (_name, message) => {
    const response = await send(slowPort, message);
    expect(response).toMatchObject({ status: 400, body: { error: { code: "malformed_request" } } });
  });

  it("is not responded to before it begins: a response would be taken for that of a request on its way", async () => {
    const socket = connect(slowPort, "127.0.0.1");
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
    });
    await once(socket, "close");
    expect(received).toBe("");
  });

  it("is served when it is just in time", async () => {
    const request = [head("POST /slow HTTP/1.1", "host: x", "content-length: 1"), "a"];
    expect(await holdsOnce(async () => (await send(slowPort, ...request)).status === 200)).toBe(true);
  });
});

describe("a body", () => {
  /** As many bytes, all but two of them white space. */
  const padded = (bytes: number) => `{${" ".repeat(bytes - 2)}}`;
  const tooLarge = {
    success: false,
    message: `The request body is too large (limit bytes ${maximumBodyBytes}).`,
    error: { code: "payload_too_large", details: { limit_bytes: maximumBodyBytes } },
  };

  it("may be as large as the limit, and not a byte larger", async () => {
    expect((await world.ask(path, JSON.parse(padded(100)))).status).toBe(200);
    const token = await world.token();
    expect((await world.call(path, padded(maximumBodyBytes), { token })).status).toBe(200);
    const response = await world.call(path, padded(maximumBodyBytes + 1), { token });
    expect([response.status, response.body]).toEqual([413, tooLarge]);
  });

  it.each([maximumBodyBytes + 1, 8_000_000])(
    "of %i bytes in chunks, of no length said before, is rejected",
    async (bytes) => {
      const token = await world.token();
      const response = await new Promise<RawResponse>((resolve, reject) => {
        const request = httpRequest(world.baseUrl + path, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        });
        request.on("error", reject).on("response", (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: {}, body: JSON.parse(text) }),
          );
        });
        for (let sent = 0; sent < bytes; sent += 60_000)
          request.write(padded(Math.min(60_000, bytes - sent + 2)));
        request.end();
      });
      expect([response.status, response.body]).toEqual([413, tooLarge]);
    },
  );

  it("that is too large ends the connection, so that no request is found in it", async () => {
    const authorization = `authorization: Bearer ${await world.token()}`;
    const large = `POST /api${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${authorization}\r\n`;
    const socketText = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(port(), "127.0.0.1").setEncoding("utf8");
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("close", () => resolve(text));
      socket.write(`${large}content-length: 3000000\r\n\r\n`);
      socket.write(padded(3_000_000));
      socket.write(`${large}connection: close\r\ncontent-length: 2\r\n\r\n{}`);
    });
    expect(socketText.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413"]);
    expect(socketText).toMatch(/\r\nconnection: close\r\n/i);
  });

  it("is not looked at before the caller is known", async () => {
    const response = await world.call(path, padded(1_000_000));
    expect(response.body.error.code).toBe("unauthorized");
    expect((await world.call(path, "{", {})).body.error.code).toBe("unauthorized");
  });

  it.each([
    ["a depth bomb", "[".repeat(60_000)],
    ["a depth bomb of objects", '{"a":'.repeat(10_000)],
    ["a member twice", '{"page":1,"page":2}'],
    ["__proto__", '{"__proto__":{"page":1}}'],
    ["nothing", ""],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])("that is %s is malformed", async (_name, content) => {
    const authorization = `authorization: Bearer ${await world.token()}`;
    const length = `content-length: ${Buffer.byteLength(content)}`;
    const response = await send(port(), post(authorization, length), content);
    expect(response).toMatchObject({ status: 400, body: { error: { code: "malformed_json", details: {} } } });
  });

  it("is asked for once the caller is authenticated, if the client waits for that", async () => {
    const authorization = `authorization: Bearer ${await world.token()}`;
    const socket = connect(port(), "127.0.0.1").setEncoding("utf8");
    const received = () => new Promise<string>((resolve) => socket.once("data", resolve));
    socket.write(post(authorization, "expect: 100-continue", "content-length: 2"));
    expect(await received()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("{}");
    expect(await received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    socket.destroy();
  });

  it("is not asked for without a valid token", async () => {
    const waits = post("authorization: Bearer abc", "expect: 100-continue", "content-length: 2");
    // The connection must not be used again: nobody knows whether the body will come.
    const response = await send(port(), waits.replace("connection: close", "connection: keep-alive"));
    expect(response).toMatchObject({ status: 401, headers: { connection: "close" } });
  });

  it("is taken whatever the client expects", async () => {
    const response = await send(port(), post("expect: something else", "content-length: 2"), "{}");
    expect(response).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
  });
});

describe("methods and paths", () => {
  it.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "%s is not allowed on an operation",
    async (method) => {
      const response = await world.call(`${path}?a=1`, {}, { method, token: await world.token() });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
      if (method !== "HEAD") {
        expect(response.body).toEqual({
          success: false,
          message: "Every operation is a POST, with its fields as JSON in the body.",
          error: { code: "method_not_allowed", details: {} },
        });
      }
    },
  );

  it("an unheard-of method is not allowed either", async () => {
    // Node before 20.19.2 knows no QUERY.
    for (const method of ["PROPFIND", "QUERY", "M-SEARCH"].filter((name) => METHODS.includes(name))) {
      const response = await send(port(), head(`${method} /api${path} HTTP/1.1`, "host: x"));
      expect([method, response.status, response.headers.allow]).toEqual([method, 405, "POST"]);
    }
  });

  it.each([
    `${path}/`,
    "/sp/Members/list",
    "/sp//members/list",
    "/sp/members",
    "/sp/members/list/1",
    "/sp/%zz",
    `/sp/${"a".repeat(9000)}`,
  ])("there is nothing at %s", async (elsewhere) => {
    const response = await world.call(elsewhere, {}, { token: await world.token() });
    expect([response.status, response.body.error.code]).toEqual([404, "operation_not_found"]);
  });
});

it("puts the same headers on every response, with an id of its own, and none that names the software", async () => {
  const token = await world.token();
  const root = world.baseUrl.replace(/\/api$/, "");
  const plain = (url: string) => fetch(root + url);
  // A service that stood still for two seconds is not ready.
  await expect.poll(async () => (await plain("/health/ready")).status).toBe(200);
  const responses = [
    await world.call(path, {}, { token }),
    await world.write("/sp/members/create", { first_name: "Ana" }),
    await world.call(path, {}),
    await world.call(path, "{", { token }),
    await world.call(`${path}?a=1`, {}, { token }),
    await world.call(path, {}, { token, headers: { "content-type": "text/plain" } }),
    await world.call(path, {}, { token, headers: { "content-type": "/" } }),
    await world.call("/sp/vouchers/get", { voucher_id: 999_999 }, { token }),
    await world.call(path, {}, { method: "GET" }),
    await world.call("/nowhere", {}),
    await world.call("/nowhere", {}, { headers: { "content-type": "/" } }),
    await world.call(path, {}, { method: "PUT", headers: { "content-type": "/" } }),
    await world.call("/sp/auth/token", { client_id: "nobody", client_secret: "nothing" }),
    await plain("/health/live"),
    await plain("/health/ready"),
  ];
  expect(responses.map(({ status }) => status)).toEqual([
    200, 422, 401, 400, 400, 415, 415, 404, 405, 404, 404, 405, 401, 200, 200,
  ]);
  for (const { headers } of responses) {
    expect(Object.fromEntries(headers)).toMatchObject(securityHeaders);
    expect(headers.get("x-request-id")).toMatch(uuid);
    for (const banner of ["server", "x-powered-by", "via"]) expect(headers.has(banner)).toBe(false);
  }
  expect(new Set(responses.map(({ headers }) => headers.get("x-request-id"))).size).toBe(responses.length);
  for (const { headers } of responses.slice(0, 11)) {
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  }
});

it("takes a whole address for its path", async () => {
  const line = `POST http://example.com/api${path} HTTP/1.1`;
  const response = await send(
    port(),
    head(line, "host: x", "content-type: application/json", "content-length: 0"),
  );
  expect([response.status, response.body.error.code]).toEqual([401, "unauthorized"]);
});

it.each([
  ["POST", "/api/%6fp/status/get"],
  ["POST", "/%61pi/sp/members/list"],
  ["POST", "/api/sp/members/lis%74"],
  ["GET", "/api/sp/members/lis%74"],
  ["GET", "/health/%6cive"],
  ["GET", "/health/live#a"],
  ["POST", "http://example.com/api/sp/members/lis%74"],
  ["GET", "http://example.com"],
])("finds nothing where a path is written in another way: %s %s", async (method, target) => {
  const response = await send(port(), head(`${method} ${target} HTTP/1.1`, "host: x", "content-length: 0"));
  expect([response.status, response.body.error.code]).toEqual([404, "operation_not_found"]);
});
