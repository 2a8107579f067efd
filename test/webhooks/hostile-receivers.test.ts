/** Receivers that send without end. Each is cut off soon, and its attempt fails, whatever else it sends. */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, type TLSSocket } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { createRequester } from "../../src/events/request.ts";
import { hasOpenssl, makeCertificate } from "../support/receiver.ts";

const certificate = hasOpenssl() ? makeCertificate("IP:127.0.0.1") : { key: "", cert: "" };
const servers: Server[] = [];
const requesters: ReturnType<typeof createRequester>[] = [];
afterAll(() => {
  for (const each of requesters) each.stop();
  for (const each of servers) each.close();
});

type Respond = (socket: Socket) => void;
interface Started {
  readonly url: string;
  readonly port: number;
  /** How many connections were closed. */
  closed: number;
}

/** @param respond called for each request, or once it is connected if it does not wait for one */
async function start(respond: Respond, { isSecure = false, waits = true } = {}): Promise<Started> {
  const started = { url: "", port: 0, closed: 0 };
  const serve = (socket: Socket) => {
    socket
      .on("error", () => undefined)
      .on("close", () => {
        started.closed += 1;
      });
    if (waits) socket.on("data", () => respond(socket));
    else respond(socket);
  };
  const server = isSecure
    ? createSecureServer({ ...certificate, maxVersion: "TLSv1.2" }, serve)
    : createServer(serve);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return Object.assign(started, { port, url: `${isSecure ? "https" : "http"}://127.0.0.1:${port}/` });
}

/** Writes a text again and again until the connection is closed. */
const without =
  (end: string, before = ""): Respond =>
  (socket) => {
    socket.write(before);
    const text = end.repeat(Math.ceil(4096 / end.length));
    const more = () => {
      let mayWrite = true;
      while (mayWrite && !socket.destroyed) mayWrite = socket.write(text);
      if (!socket.destroyed) socket.once("drain", more);
    };
    more();
  };

/** Writes a text again and again, each time by itself. */
const inPieces =
  (text: string, before = ""): Respond =>
  (socket) => {
    socket.setNoDelay(true);
    socket.write(before);
    const more = () => {
      if (!socket.destroyed) socket.write(text, () => setImmediate(more));
    };
    more();
  };

function requester(options: Partial<Parameters<typeof createRequester>[0]> = {}) {
  const made = createRequester({
    findAddresses: async () => [{ address: "127.0.0.1", family: 4 }],
    connectMilliseconds: 60_000,
    responseMilliseconds: 60_000,
    authorities: [certificate.cert],
    ...options,
  });
  requesters.push(made);
  return made;
}
const send = (url: string, sending = requester()) => sending.send({ url, headers: {}, body: "{}" });

const cutOff = { status: null, error: "more than 128 KB arrived for one message", body: null };
const hint = "HTTP/1.1 103 Early Hints\r\n\r\n";
const accepted = "HTTP/1.1 204 No Content\r\n\r\n";
const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const flood = hint.repeat(6000);

describe.each([
  ["interim responses", without(hint)],
  ["interim responses, one at a time", inPieces(hint)],
  ["interim responses in one write, and then a success", (socket) => void socket.write(flood + accepted)],
  ["chunks with long extensions", without(`1;a=${"b".repeat(500)}\r\nx\r\n`, chunked)],
  ["tiny chunks", without("1\r\nx\r\n", chunked)],
  ["tiny chunks, one at a time", inPieces("1\r\nx\r\n", chunked)],
  ["trailers", without("a: b\r\n", `${chunked}0\r\n`)],
] as readonly (readonly [string, Respond])[])("a receiver that sends %s", (_name, respond) => {
  it("is cut off, and has not accepted the message", async () => {
    const one = await start(respond);
    expect(await send(one.url)).toEqual(cutOff);
    await expect.poll(() => one.closed).toBe(1);
  });

  it.skipIf(!hasOpenssl())("is cut off if it does that encrypted", async () => {
    const one = await start(respond, { isSecure: true });
    expect(await send(one.url)).toEqual(cutOff);
  });

  it("is cut off if it is the proxy", async () => {
    const one = await start(respond);
    const proxy = new URL(one.url);
    const response = await send("http://127.0.0.1:9/", requester({ proxy }));
    // A proxy that has accepted is not read any more before the request.
    if (response?.error !== cutOff.error) expect(response?.status).toBeNull();
    await expect.poll(() => one.closed).toBe(1);
  });
});

it.skipIf(!hasOpenssl())("cuts off a receiver that sends nothing but parts of the encryption", async () => {
  const one = await start(
    (socket) => {
      const again = () => {
        if (!socket.destroyed)
          (socket as TLSSocket).renegotiate({ rejectUnauthorized: false }, () => again());
      };
      again();
    },
    { isSecure: true, waits: false },
  );
  expect(await send(one.url)).toEqual(cutOff);
});

it("closes a connection to a receiver that goes on after its response", async () => {
  const one = await start((socket) => {
    socket.write(accepted);
    setTimeout(without(hint), 20, socket);
  });
  expect(await send(one.url)).toMatchObject({ status: 204 });
  await expect.poll(() => one.closed).toBe(1);
});

it("counts each message by itself", async () => {
  // Three quarters of what is allowed, each time.
  const one = await start((socket) => void socket.write(hint.repeat(3400) + accepted));
  const sending = requester();
  for (let count = 0; count < 4; count += 1) {
    expect(await send(one.url, sending)).toMatchObject({ status: 204, error: null });
  }
  expect(one.closed).toBe(0);
});
