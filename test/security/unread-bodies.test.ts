/** What a rejected request may still cost: the rest of it is not read, however it is framed. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asOperator } from "../support/operator-requests.ts";
import { testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();
const limited = useWorld({ LOYALTY_UNAUTHENTICATED_LIMIT: "1" });
const counting = useWorld({ LOYALTY_REJECTED_BYTES_LIMIT: "1" });

/** The connections that services have accepted, by the ports of their clients. */
const accepted = new Map<number | undefined, Socket>();
const onAccepted = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  accepted.set(socket.remotePort, socket);
};
const clients: Socket[] = [];
beforeAll(() => subscribe("net.server.socket", onAccepted));
afterAll(() => unsubscribe("net.server.socket", onAccepted));
beforeEach(() => accepted.clear());
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

/** One read of the service brings at most as much. */
const oneRead = 64 * 1024;

/** Connects a client that sends a text, and then the same bytes without end until it is disconnected. */
async function flood(start: string, more: string, of = world) {
  const client = connect({ port: Number(new URL(of.baseUrl).port), host: "127.0.0.1" });
  clients.push(client);
  const state = { received: "", isClosed: false };
  client.on("error", () => undefined).on("close", () => (state.isClosed = true));
  client.setEncoding("latin1").on("data", (text) => (state.received += text));
  await new Promise((resolve) => client.once("connect", resolve));
  const bytes = Buffer.from(more.repeat(Math.ceil(100_000 / Math.max(1, more.length))), "latin1");
  const { localPort } = client;
  const send = () => {
    if (more === "" || !client.writable) return;
    if (client.write(bytes)) setImmediate(send);
    else client.once("drain", send);
  };
  client.write(start, "latin1");
  send();
  return Object.assign(state, { client, bytesRead: () => accepted.get(localPort)?.bytesRead ?? 0 });
}

const head = (path: string, ...headers: string[]) =>
  `${[`POST ${path} HTTP/1.1`, "Host: a", "Content-Type: application/json", ...headers].join("\r\n")}\r\n\r\n`;
const list = "/api/sp/member-tiers/list";
const chunked = "Transfer-Encoding: chunked";
const operator = `Authorization: Bearer ${testOperatorKey}`;
const oneByte = "1\r\na\r\n";

describe("a request that is rejected before its end is not read to its end", () => {
  const cases: [what: string, status: number, start: string, more: string][] = [
    ["without a token, in chunks of one byte", 401, head(list, chunked), oneByte],
    ["without a token, with extensions of chunks", 401, head(list, chunked), "1;a=b\r\na\r\n"],
    ["without a token, with a chunk size of zeros", 401, head(list, chunked), "0"],
    ["without a token, with endless trailers", 401, `${head(list, chunked)}0\r\n`, "a: b\r\n"],
    ["without a token, with a declared length", 401, head(list, "Content-Length: 90000000"), "a"],
    ["at an unknown path", 404, head("/nowhere", chunked), oneByte],
    ["with another method", 405, head(list, chunked).replace("POST", "PUT"), oneByte],
    ["to a page", 200, head("/api/docs/", chunked).replace("POST", "GET"), oneByte],
    ["to a health check", 200, head("/health/live", chunked).replace("POST", "GET"), oneByte],
    ["with two hosts", 400, head(list, "Host: b", chunked), oneByte],
    [
      "with another content type",
      415,
      head(list, chunked).replace("application/json", "text/plain"),
      oneByte,
    ],
    ["of a sign-in", 413, head("/api/op/session/create", chunked), oneByte],
    [
      "with valid credentials, in chunks of one byte",
      413,
      head("/api/op/businesses/list", operator, chunked),
      oneByte,
    ],
    [
      "with valid credentials, in small chunks",
      413,
      head("/api/op/businesses/list", operator, chunked),
      "4\r\n    \r\n",
    ],
    [
      "with valid credentials, with a chunk size of zeros",
      413,
      head("/api/op/businesses/list", operator, chunked),
      "0",
    ],
    [
      "with valid credentials, with a declared length",
      413,
      head("/api/op/businesses/list", operator, "Content-Length: 90000000"),
      "a",
    ],
  ];
  it.each(cases)("%s", async (_what, status, start, more) => {
    const hostile = await flood(start, more);
    await expect.poll(() => hostile.isClosed).toBe(true);
    expect(hostile.received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(hostile.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    // The read that brings the request, one that waits for its turn, and one that is discarded. A body that is wanted may have 192 KB.
    expect(hostile.bytesRead()).toBeLessThanOrEqual((status === 413 ? 6 : 3) * oneRead + start.length);
  });
});

it("pipelined requests are read only as they get responses", async () => {
  const get = "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n";
  // A burst of four gets responses at once, and then one each second.
  const hostile = await flood(get, get, limited);
  await expect.poll(() => hostile.received.match(/HTTP\/1\.1 404/g)?.length ?? 0).toBeGreaterThan(5);
  expect(hostile.bytesRead()).toBeLessThanOrEqual(2 * oneRead);
});

it.each(["/health/live", "/api/docs/"])("a whole body in chunks to %s ends the connection", async (path) => {
  const start = `${head(path, chunked).replace("POST", "GET")}${oneByte.repeat(8000)}0\r\n\r\n`;
  const hostile = await flood(start.repeat(3), "");
  await expect.poll(() => hostile.isClosed).toBe(true);
  expect(hostile.received.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
});

describe("a rejected request with a short body", () => {
  const start = head(list, "Content-Length: 2");

  it("leaves the connection open", async () => {
    const client = await flood(start, "");
    await expect.poll(() => client.received).toMatch(/^HTTP\/1\.1 401 /);
    client.client.write(`{}${start}{}`);
    await expect.poll(() => client.received.match(/HTTP\/1\.1 401/g)).toHaveLength(2);
    expect(client.received).not.toMatch(/connection: close/i);
    expect(client.isClosed).toBe(false);
  });

  it("is disconnected when the body does not come", async () => {
    const client = await flood(start, "");
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toMatch(/^HTTP\/1\.1 401 /);
  });
});

it("a body in a thousand chunks of one byte is accepted", async () => {
  const body = `{${" ".repeat(998)}}`;
  const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join("");
  const client = await flood(`${head("/api/op/businesses/list", operator, chunked)}${chunks}0\r\n\r\n`, "");
  await expect.poll(() => client.received).toMatch(/^HTTP\/1\.1 200 /);
  expect((await asOperator(world, "/op/businesses/list", {})).status).toBe(200);
});

it("an address whose rejected bytes are counted waits with new connections, and keeps those that it has", async () => {
  const open = (path: string) => flood(`${head(path, operator, "Content-Length: 2")}{}`, "", counting);
  const client = await open("/api/op/businesses/list");
  await expect.poll(() => client.received).toMatch(/^HTTP\/1\.1 200 /);
  const hostile = await flood(head(list, chunked), oneByte, counting);
  await expect.poll(() => hostile.isClosed).toBe(true);
  const later = await open("/api/op/businesses/list");
  client.client.write(`${head("/api/op/businesses/list", operator, "Content-Length: 2")}{}`);
  await expect.poll(() => client.received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(later.bytesRead()).toBe(0);
  await expect.poll(() => later.received).toMatch(/^HTTP\/1\.1 200 /);
});
