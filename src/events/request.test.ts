import { connect, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  accept,
  close,
  hang,
  hasOpenssl,
  makeCertificate,
  Receiver,
  type Respond,
  respondWith,
} from "../../test/support/receiver.ts";
import { addressPolicy, defaultPorts } from "../domain/webhooks/addresses.ts";
import { createAddressCheck, type HostAddress, type Resolve } from "./addresses.ts";
import { createRequester } from "./request.ts";

const body = JSON.stringify({ type: "sale.recorded" });
const headers = { "webhook-id": "evt_1_1" };
const times = { connectMilliseconds: 5000, responseMilliseconds: 15_000 };
const own = addressPolicy(defaultPorts, ["127.0.0.0/8"]);
const strict = addressPolicy(defaultPorts, []);

const requesters: ReturnType<typeof createRequester>[] = [];
type Options = Partial<Parameters<typeof createRequester>[0]> & {
  readonly resolve?: Resolve;
  readonly isStrict?: boolean;
};
function requester({ resolve, isStrict = false, ...options }: Options = {}) {
  const findAddresses = createAddressCheck(isStrict ? strict : own, resolve);
  const made = createRequester({ findAddresses, ...times, ...options });
  requesters.push(made);
  return made;
}

const receivers: Receiver[] = [];
async function receiver(respond: Respond = accept, options: Parameters<typeof Receiver.start>[0] = {}) {
  const started = await Receiver.start(options);
  started.respond = respond;
  receivers.push(started);
  return started;
}

afterAll(async () => {
  for (const each of requesters) each.stop();
  await Promise.all(receivers.map((each) => each.stop()));
});

describe("a request to a receiver", () => {
  it("sends the body and the headers as they are", async () => {
    const one = await receiver();
    expect(await requester().send({ url: one.url, headers, body })).toMatchObject({
      status: 204,
      error: null,
      body: "",
    });
    expect(one.received.map((each) => [each.path, each.body.toString()])).toEqual([["/hooks", body]]);
    expect(one.received[0]?.headers).toMatchObject({ ...headers, "content-length": String(body.length) });
  });

  it.each([
    ["an error", respondWith(500), { status: 500, body: "status 500" }],
    [
      "a redirect, which it does not follow",
      respondWith(302, { location: "http://169.254.169.254/" }),
      { status: 302 },
    ],
    ["a 410", respondWith(410), { status: 410 }],
    ["a wish to wait", respondWith(429, { "retry-after": "120" }), { status: 429, retryAfterSeconds: 120 }],
    [
      "a closed connection",
      close,
      { status: null, error: "the connection was closed before the response (ECONNRESET)" },
    ],
    [
      "a response that is not HTTP",
      ((_, __, { socket }) => socket.end("SSH-2.0\r\n\r\n")) as Respond,
      { status: null },
    ],
    [
      "a switch to another protocol, which it does not make",
      ((_, __, { socket }) =>
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n",
        )) as Respond,
      { status: null, error: "the connection was closed before the response" },
    ],
    ["headers that are too large", respondWith(200, { "x-large": "a".repeat(40_000) }), { status: null }],
  ] as const)("reports %s", async (_name, respond, expected) => {
    const one = await receiver(respond);
    expect(await requester().send({ url: one.url, headers, body })).toMatchObject(expected);
    expect(one.received).toHaveLength(1);
  });

  it("does not wait for a receiver that does not respond", async () => {
    const one = await receiver(hang);
    expect(await requester({ responseMilliseconds: 100 }).send({ url: one.url, headers, body })).toEqual({
      status: null,
      error: "there was no response within 0.1 s",
      body: null,
    });
  });

  it("does not wait for a connection or an encryption that does not come about", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const url = `https://127.0.0.1:${(silent.address() as { port: number }).port}/`;
    const late = { status: null, error: "there was no connection within 0.1 s" };
    expect(await requester({ connectMilliseconds: 100 }).send({ url, headers, body })).toMatchObject(late);
    const never: Resolve = () => new Promise(() => undefined);
    const named = { url: "https://example.com/", headers, body };
    expect(await requester({ connectMilliseconds: 100, resolve: never }).send(named)).toMatchObject(late);
    silent.close();
  });

  it("reads 64 KB of a flood, and keeps 1 KB", async () => {
    let written = 0;
    const flood: Respond = (response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write("a".repeat(16_384))) written += 16_384;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };
    const one = await receiver(flood);
    expect(await requester().send({ url: one.url, headers, body })).toMatchObject({
      status: 200,
      body: "a".repeat(1024),
    });
    // The buffers of the system take some more.
    expect(written).toBeLessThan(20_000_000);
  });

  it("takes a success whose body does not end, and keeps no NUL", async () => {
    const drip: Respond = (response) => void response.writeHead(200).write("a\0b");
    const one = await receiver(drip);
    const response = await requester({ responseMilliseconds: 6000 }).send({ url: one.url, headers, body });
    expect(response).toMatchObject({ status: 200, error: null, body: "a\uFFFDb" });
  });

  it("uses a connection again, and makes another one if the receiver has closed it", async () => {
    const one = await receiver();
    const sending = requester();
    for (let count = 0; count < 3; count += 1) await sending.send({ url: one.url, headers, body });
    expect(one.connections).toBe(1);
    // The receiver closes it when the next request arrives, so the sender can't know.
    let isFirst = true;
    one.respond = (response, received, request) => {
      if (isFirst) close(response, received, request);
      else accept(response, received, request);
      isFirst = false;
    };
    expect(await sending.send({ url: one.url, headers, body })).toMatchObject({ status: 204 });
    expect([one.connections, one.received.length]).toEqual([2, 5]);
  });

  it("can be interrupted", async () => {
    const one = await receiver(hang);
    const sending = requester();
    const sent = sending.send({ url: one.url, headers, body });
    while (one.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    sending.stop();
    expect(await sent).toBeUndefined();
  });

  it("names a connection that fails and a name without address, but no address", async () => {
    const one = await Receiver.start();
    const { url } = one;
    await one.stop();
    const rejected = await requester().send({ url, headers, body });
    expect(rejected).toMatchObject({ status: null, error: "the connection was refused (ECONNREFUSED)" });
    const unknown: Resolve = () =>
      Promise.reject(Object.assign(new Error("queryA ENOTFOUND x"), { code: "ENOTFOUND" }));
    expect(
      await requester({ resolve: unknown }).send({ url: "https://x.example/", headers, body }),
    ).toMatchObject({
      error: "the name of the host has no address (ENOTFOUND)",
    });
  });
});

describe.skipIf(!hasOpenssl())("a certificate", () => {
  const certificate = hasOpenssl()
    ? makeCertificate("IP:127.0.0.1,DNS:hooks.example")
    : { key: "", cert: "" };
  const authorities = [certificate.cert];
  const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];

  it("is checked, for the name of the host", async () => {
    const one = await receiver(accept, { certificate });
    const at = (host: string) => ({ url: `https://${host}:${one.port}/`, headers, body });
    const trusting = requester({ authorities, resolve });
    expect(await trusting.send(at("hooks.example"))).toMatchObject({ status: 204 });
    expect(await trusting.send(at("127.0.0.1"))).toMatchObject({ status: 204 });
    expect((await trusting.send(at("other.example")))?.error).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
    expect((await requester({ resolve }).send(at("hooks.example")))?.error).toMatch(
      /DEPTH_ZERO_SELF_SIGNED_CERT/,
    );
    expect(one.received).toHaveLength(2);
  });

  it("is required", async () => {
    const one = await receiver();
    const response = await requester({ authorities }).send({
      url: one.url.replace("http:", "https:"),
      headers,
      body,
    });
    expect(response?.status).toBeNull();
    expect(one.received).toEqual([]);
  });
});

/** All spellings of addresses inside, as the host of a URL and as the response of a resolver. */
const inside =
  `127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 127.0.0.1. 0.0.0.0 0 10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1
  169.254.169.254 192.0.0.192 198.18.0.1 224.0.0.1 255.255.255.255 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [::ffff:169.254.169.254] [::7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::169.254.169.254] [64:ff9b:1::a00:1]
  [fe80::1] [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [2002:7f00:1::] [2001::1] [100::1] localhost a.localhost`
    .trim()
    .split(/\s+/);

const rejected = { status: null, error: "the address of the host is not allowed", body: null };

describe("an address inside", () => {
  let port = 0;
  let connections = 0;
  const trap = createServer(() => {
    connections += 1;
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => trap.listen(0, "::", resolve));
    port = (trap.address() as { port: number }).port;
    // The trap works.
    await new Promise<void>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1").once("error", reject);
      trap.once("connection", () => {
        socket.destroy();
        resolve();
      });
    });
    connections = 0;
  });
  afterAll(() => {
    trap.close();
  });

  it.each(inside)("is not connected to: %s", async (host) => {
    for (const protocol of ["http", "https"]) {
      const url = `${protocol}://${host}:${port}/`;
      expect(await requester({ isStrict: true }).send({ url, headers, body })).toEqual(rejected);
    }
    expect(connections).toBe(0);
  });

  it("is not connected to if it is one of several", async () => {
    const addresses: HostAddress[] = [
      { address: "93.184.216.34", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    const sending = requester({ isStrict: true, resolve: async () => addresses });
    expect(await sending.send({ url: `https://example.com:${port}/`, headers, body })).toEqual(rejected);
  });

  it("is not connected to if the name had another address a moment ago", async () => {
    const responses = ["127.0.0.1", "10.0.0.1", "169.254.169.254"];
    let asked = 0;
    const rebinding: Resolve = async () => [
      { address: responses[asked++ % responses.length] as string, family: 4 },
    ];
    // The first response is in an allowed network, and the next ones are not.
    const one = await receiver((response, received, request) => {
      response.setHeader("connection", "close");
      accept(response, received, request);
    });
    const sending = requester({ resolve: rebinding });
    const message = { url: `http://example.com:${one.port}/`, headers, body };
    expect(await sending.send(message)).toMatchObject({ status: 204 });
    // The address that is connected to is the one that was checked: the name was resolved once.
    expect(asked).toBe(1);
    expect(await sending.send(message)).toEqual(rejected);
    expect(await sending.send(message)).toEqual(rejected);
    expect(one.received).toHaveLength(1);
  });
});

describe("a proxy", () => {
  it.skipIf(!hasOpenssl())("gets the checked address, with its user and password", async () => {
    const certificate = makeCertificate("DNS:hooks.example");
    const one = await receiver(accept, { certificate });
    const asked: string[] = [];
    const proxy = (await receiver()).server;
    proxy.on("connect", (request, socket) => {
      asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
      const upstream = connect(one.port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [socket, upstream]) end.on("error", () => undefined);
    });
    const { port } = proxy.address() as { port: number };
    const through = {
      proxy: new URL(`http://me:pass%20word@127.0.0.1:${port}`),
      authorities: [certificate.cert],
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    };
    const url = `https://hooks.example:${one.port}/`;
    expect(await requester(through).send({ url, headers, body })).toMatchObject({ status: 204 });
    const credentials = Buffer.from("me:pass word").toString("base64");
    expect(asked).toEqual([`127.0.0.1:${one.port} Basic ${credentials}`]);
    const strictly = requester({ ...through, isStrict: true });
    expect(await strictly.send({ url, headers, body })).toMatchObject({
      error: "the address of the host is not allowed",
    });
    expect(asked).toHaveLength(1);
  });

  describe("is not asked for", () => {
    const asked: string[] = [];
    let proxy: URL;
    beforeAll(async () => {
      const { server } = await receiver();
      server.on("connect", ({ url }, socket) => {
        asked.push(String(url));
        socket.end("HTTP/1.1 502 Not there\r\n\r\n");
      });
      proxy = new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
    });

    it.each(inside)("an address inside: %s", async (host) => {
      for (const protocol of ["http", "https"]) {
        const url = `${protocol}://${host}/`;
        expect(await requester({ isStrict: true, proxy }).send({ url, headers, body })).toEqual(rejected);
      }
      expect(asked).toEqual([]);
    });

    it("a name that has got an address inside meanwhile", async () => {
      const responses = ["93.184.216.34", "127.0.0.1", "169.254.169.254"];
      const rebinding: Resolve = async () => [{ address: responses.shift() as string, family: 4 }];
      const sending = requester({ isStrict: true, proxy, resolve: rebinding });
      const message = { url: "https://example.com/", headers, body };
      expect(await sending.send(message)).toMatchObject({ error: "the proxy responded with 502" });
      expect(await sending.send(message)).toEqual(rejected);
      expect(await sending.send(message)).toEqual(rejected);
      expect(asked).toEqual(["93.184.216.34:443"]);
    });
  });

  it("that rejects is named", async () => {
    const proxy = (await receiver()).server;
    proxy.on("connect", (_request, socket) => socket.end("HTTP/1.1 407 Who are you?\r\n\r\n"));
    const { port } = proxy.address() as { port: number };
    const sending = requester({ proxy: new URL(`http://127.0.0.1:${port}`) });
    expect(await sending.send({ url: "http://127.0.0.1:9/", headers, body })).toMatchObject({
      error: "the proxy responded with 407",
    });
  });
});
