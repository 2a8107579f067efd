import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDrain } from "./connections.ts";

let server: Server;
let drain: ReturnType<typeof createDrain>;
let finish: () => void;
const sockets: Socket[] = [];

beforeEach(async () => {
  server = createServer((_request, response) => {
    finish = () => response.end("done");
  });
  drain = createDrain(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

function connecting(): Socket {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  return socket.on("error", () => undefined);
}

async function connected(): Promise<Socket> {
  const accepted = once(server, "connection");
  const socket = connecting();
  await accepted;
  return socket;
}

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

describe("draining a server", () => {
  // A connection that is waited for would be cut off by a timer. None fires here, so the test would not end.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("waits for no connection on which nothing was sent", async () => {
    const silent = await connected();
    await Promise.all([drain(), once(silent, "close")]);
  });

  it("nor for one that comes as it begins", async () => {
    const late = connecting();
    await Promise.all([drain(), new Promise((resolve) => late.once("close", resolve))]);
  });

  it("waits for the response to a request that is under way", async () => {
    const socket = await connected();
    const asked = once(server, "request");
    socket.write(request);
    await asked;
    const drained = drain();
    // Unused ones have been looked for meanwhile.
    await sleep(250);
    const [said] = await Promise.all([once(socket, "data"), finish()]);
    expect(String(said)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    socket.destroy();
    await drained;
  });
});
