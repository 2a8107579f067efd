import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AddressUsage, limitAddresses } from "./address-limits.ts";

let now = 0;
const usageOf = (settings: Partial<ConstructorParameters<typeof AddressUsage>[0]>) =>
  new AddressUsage({ connections: 0, rejectedBytes: 0, ...settings }, () => now);
beforeEach(() => {
  now = 0;
});

describe("the connections of a network", () => {
  it("are limited, each network by itself", () => {
    const usage = usageOf({ connections: 2 });
    expect([1, 2, 3].map(() => usage.opened("192.0.2.1"))).toEqual([true, true, false]);
    expect(usage.opened("192.0.2.2")).toBe(true);
    usage.closed("192.0.2.1");
    usage.closed("192.0.2.1");
    expect(usage.opened("192.0.2.1")).toBe(true);
  });

  it("are not limited with 0, or if the network may have many", () => {
    expect([1, 2, 3].map(() => usageOf({}).opened("192.0.2.1"))).toEqual([true, true, true]);
    const usage = usageOf({ connections: 1 });
    expect([1, 2, 3].map(() => usage.opened("127.0.0.1", true))).toEqual([true, true, true]);
  });
});

describe("rejected bytes", () => {
  const burst = 4000;

  it("make new connections wait for as long as they take at the allowed rate", () => {
    const usage = usageOf({ rejectedBytes: 1000 });
    usage.rejected("192.0.2.1", burst);
    expect(usage.holdMilliseconds("192.0.2.1")).toBe(0);
    usage.rejected("192.0.2.1", 1500);
    expect(usage.holdMilliseconds("192.0.2.1")).toBe(1500);
    expect(usage.holdMilliseconds("192.0.2.2")).toBe(0);
    now = 1000;
    expect(usage.holdMilliseconds("192.0.2.1")).toBe(500);
  });

  it("make none wait longer than three seconds, however many they are", () => {
    const usage = usageOf({ rejectedBytes: 1000 });
    for (let times = 0; times < 100; times++) usage.rejected("192.0.2.1", 1_000_000);
    expect(usage.holdMilliseconds("192.0.2.1")).toBe(3000);
    now = 3000;
    expect(usage.holdMilliseconds("192.0.2.1")).toBe(0);
  });

  it("make none wait with 0", () => {
    const usage = usageOf({});
    usage.rejected("192.0.2.1", 1_000_000_000);
    expect(usage.holdMilliseconds("192.0.2.1")).toBe(0);
  });
});

it("networks without connections are forgotten when their bytes are used up", () => {
  const usage = usageOf({ rejectedBytes: 1000 });
  for (let network = 0; network < 9_990; network++) {
    usage.opened(String(network));
    if (network < 10) usage.rejected(String(network), 1000);
    usage.closed(String(network));
  }
  expect(usage.size).toBe(10);
  now = 1000;
  for (let times = 0; times < 10; times++) usage.opened("another");
  expect(usage.size).toBe(1);
});

describe("a server", () => {
  const server = new EventEmitter();
  const onTooMany = vi.fn();
  const limits = { connections: 1, rejectedBytes: 1000 };
  const isProxy = (address: string) => address === "192.0.2.9";
  const addresses = limitAddresses(server as Server, limits, isProxy, onTooMany);
  const connect = (remoteAddress: string | undefined, bytesRead = 0) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      bytesRead,
      pause: vi.fn(),
      resume: vi.fn(),
    });
    server.emit("connection", socket);
    return Object.assign(socket, { socket: socket as unknown as Socket });
  };
  beforeEach(() => {
    vi.useFakeTimers();
    onTooMany.mockClear();
  });
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["192.0.2.1", 2],
    ["::ffff:192.0.2.2", 2],
    ["127.0.0.1", 0],
    ["::1", 0],
    ["192.0.2.9", 0],
    [undefined, 0],
  ])("rejects connections above the limit of %s: %i of three", (address, rejected) => {
    const opened = [1, 2, 3].map(() => connect(address));
    expect(onTooMany).toHaveBeenCalledTimes(rejected);
    for (const socket of opened) socket.emit("close");
    connect(address).emit("close");
    expect(onTooMany).toHaveBeenCalledTimes(rejected);
  });

  it("counts the addresses of one IPv6 network together", () => {
    const opened = ["2001:db8::1", "2001:db8::2"].map((address) => connect(address));
    expect(onTooMany).toHaveBeenCalledOnce();
    for (const socket of opened) socket.emit("close");
  });

  it("does not read a new connection while the address has sent too much that was rejected", async () => {
    const first = connect("127.0.0.2", 5000);
    addresses.accepted(first.socket);
    first.bytesRead += 2000;
    // Short requests and declared bodies are not counted.
    addresses.rejected(first.socket, 0);
    first.bytesRead += 50_000;
    addresses.rejected(first.socket, 50_000);
    expect(vi.getTimerCount()).toBe(0);
    first.bytesRead += 100_000;
    addresses.rejected(first.socket, 0);
    const held = connect("127.0.0.2");
    await new Promise((resolve) => process.nextTick(resolve));
    expect(held.pause).toHaveBeenCalledOnce();
    expect(held.resume).not.toHaveBeenCalled();
    vi.advanceTimersByTime(3000);
    expect(held.resume).toHaveBeenCalledOnce();
  });

  it("counts what follows an accepted request in the same read, if it is rejected", () => {
    const first = connect("127.0.0.4", 200_000);
    addresses.accepted(first.socket, 1000);
    expect(vi.getTimerCount()).toBe(0);
    addresses.rejected(first.socket, 0);
    connect("127.0.0.4");
    expect(vi.getTimerCount()).toBe(1);
  });

  it("counts what a connection without a request has sent when it closes", () => {
    connect("127.0.0.3", 100_000).emit("close");
    connect("127.0.0.3").emit("close");
    expect(vi.getTimerCount()).toBe(0);
    connect("127.0.0.3");
    expect(vi.getTimerCount()).toBe(1);
  });
});
