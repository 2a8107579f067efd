/** Clients that keep their side of a connection open after the service has ended its own. Each connection is released. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMetrics } from "../../src/http/metrics.ts";
import { createServer } from "../../src/http/server.ts";
import type { OperationRequest, OperationResponse } from "../../src/pipeline/request.ts";

/** The connections that the service has accepted, by the ports of their clients. */
const accepted = new Map<number | undefined, Socket>();
const onAccepted = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  accepted.set(socket.remotePort, socket);
};
const stillOpen = () => [...accepted.values()].filter((socket) => !socket.destroyed).length;

const respond = async (status: number): Promise<OperationResponse> => ({
  status,
  headers: {},
  body: JSON.stringify({ success: status === 200 }),
  errorCode: undefined,
  fieldErrors: [],
  reason: undefined,
  sender: { businessId: 1, integrationId: 1 },
});
const large = Buffer.alloc(20_000_000, "x");
const parts = {
  runners: new Map<string, (request: OperationRequest) => Promise<OperationResponse>>([
    ["/reads", async (request) => respond((await request.readBody(1000)) === "too_large" ? 413 : 200)],
    ["/rejects", async () => respond(401)],
  ]),
  errorPage: () => undefined,
  findPage: (path: string) =>
    path === "/page" ? async () => ({ status: 200, headers: {}, body: large }) : undefined,
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
  unauthenticatedLimit: () => mayPass,
  addressLimits: { connections: 0, rejectedBytes: 0 },
};
let mayPass = true;
/**
 * On a busy machine, seconds may pass between a connection and its headers. A request is found to be too slow up to a second after
 * its time, and that must come well before the connection is cut because it is silent: a cut connection gets no response.
 */
const timeouts = { headersMilliseconds: 6000, requestMilliseconds: 7000, silentMilliseconds: 16_000 };

let server: ReturnType<typeof createServer>;
let port: number;
const clients: Socket[] = [];

beforeAll(() => subscribe("net.server.socket", onAccepted));
afterAll(() => unsubscribe("net.server.socket", onAccepted));
beforeEach(async () => {
  mayPass = true;
  accepted.clear();
  server = createServer(parts, timeouts);
  port = Number(new URL(await server.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await server.close();
});

/** Connects a client that never closes its side, and collects what it receives. */
async function open(message: string, { reads = true } = {}) {
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  clients.push(client);
  const received = { text: "" };
  client.on("error", () => undefined);
  if (reads) client.setEncoding("latin1").on("data", (chunk) => (received.text += chunk));
  await new Promise((resolve) => client.once("connect", resolve));
  const { localPort } = client;
  if (message !== "") client.write(message, "latin1");
  return Object.assign(received, { isReleased: () => accepted.get(localPort)?.destroyed === true });
}

const post = (path: string, ...headers: string[]) =>
  `${[`POST ${path} HTTP/1.1`, "host: x", ...headers].join("\r\n")}\r\n\r\n`;

describe("a connection is released, whatever the client does,", () => {
  const timedOut = /^HTTP\/1\.1 400 .*"malformed_request"/s;
  // At the same time, because most of them wait.
  const cases: [when: string, message: string, response: RegExp][] = [
    ["after the time for its headers, if nothing was sent, without a response", "", /^$/],
    ["after the time for its headers", "POST /reads HTTP/1.1\r\nhost: x\r\n", timedOut],
    ["after the time for its body", post("/reads", "content-length: 10"), timedOut],
    [
      "after the time for a body in chunks",
      `${post("/reads", "transfer-encoding: chunked")}1\r\na\r\n`,
      timedOut,
    ],
    [
      "after the time for a body that was not needed",
      post("/rejects", "content-length: 10"),
      /^HTTP\/1\.1 401 /,
    ],
    [
      "after the time for a body that is too large",
      post("/reads", "content-length: 5000"),
      /^HTTP\/1\.1 413 /,
    ],
    ["when its request is no HTTP", "GARBAGE\r\n\r\n", timedOut],
    ["when its headers are too large", post("/reads", `x: ${"a".repeat(20_000)}`), timedOut],
    ["when it has too many headers", post("/reads", ...Array.from({ length: 2001 }, () => "a:")), timedOut],
    ["when it has another transfer coding", post("/reads", "transfer-encoding: gzip, chunked"), timedOut],
    ["when it has two hosts", post("/reads", "host: y"), timedOut],
    ["when a chunk is none", `${post("/reads", "transfer-encoding: chunked")}ZZ\r\n`, timedOut],
    [
      "when it asked for the end",
      post("/rejects", "connection: close", "content-length: 0"),
      /^HTTP\/1\.1 401 /,
    ],
    [
      "when it waits to send a body",
      post("/rejects", "expect: 100-continue", "content-length: 5"),
      /^HTTP\/1\.1 401 /,
    ],
  ];
  it("in whatever state its request is", async () => {
    const all = await Promise.all(
      cases.map(async ([when, message, response]) => ({ when, response, received: await open(message) })),
    );
    for (const { when, response, received } of all) {
      await expect.poll(() => received.text, { message: when }).toMatch(response);
      await expect.poll(() => received.isReleased(), { message: when }).toBe(true);
    }
    expect(accepted.size).toBe(cases.length);
  });

  it("when a chunk is none behind a response", async () => {
    const received = await open(post("/rejects", "transfer-encoding: chunked"));
    await expect.poll(() => received.text).toMatch(/^HTTP\/1\.1 401 /);
    clients[0]?.write("ZZ\r\n");
    await expect.poll(stillOpen).toBe(0);
    expect(received.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it("when its address exceeds the limit", async () => {
    mayPass = false;
    const received = await open(post("/nowhere", "content-length: 10"));
    await expect.poll(() => received.text).toMatch(/^HTTP\/1\.1 429 /);
    await expect.poll(stillOpen).toBe(0);
  });

  it("when the client does not read the response", async () => {
    await open("GET /page HTTP/1.1\r\nhost: x\r\n\r\n", { reads: false });
    await expect.poll(() => accepted.size).toBe(1);
    await expect.poll(stillOpen).toBe(0);
  });

  it("when the service stops", async () => {
    const received = [
      await open(post("/rejects", "content-length: 0")),
      await open("GARBAGE\r\n\r\n"),
      await open(""),
    ];
    await open(post("/reads", "content-length: 10"));
    await expect.poll(() => received[0]?.text).toMatch(/^HTTP\/1\.1 401 /);
    await expect.poll(() => accepted.size).toBe(4);
    await server.close();
    expect(stillOpen()).toBe(0);
  });
});

it("a hundred clients that ignore the end of their connections hold none of them", async () => {
  const received = await Promise.all(Array.from({ length: 100 }, () => open("POST /reads HTTP/1.1\r\n")));
  await expect.poll(() => accepted.size).toBe(100);
  await expect.poll(stillOpen).toBe(0);
  for (const { text } of received) expect(text).toMatch(/^HTTP\/1\.1 400 /);
});
