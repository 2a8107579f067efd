import Fastify, { type FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { addressOf, clientAddressOf } from "./client-address.ts";

/** What is found behind these proxies for a request with this header. */
async function found(trustedProxies: string[], remoteAddress: string, forwarded: string): Promise<string> {
  const app = Fastify({ trustProxy: trustedProxies.length > 0 ? trustedProxies : false });
  app.get("/", async (request) => clientAddressOf(request));
  const headers = { "x-forwarded-for": forwarded };
  const { body } = await app.inject({ url: "/", remoteAddress, headers });
  return body;
}

it.each([
  ["10.1.2.3", "10.1.2.3"],
  ["10.1.2.3:4711", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["::FFFF:0a01:0203", "10.1.2.3"],
  ["[::ffff:10.1.2.3]:4711", "10.1.2.3"],
  ["2001:DB8:0::1", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
])("takes %s for %s", (text, address) => expect(addressOf(text)).toBe(address));

it.each(["", "unknown", "_hidden", "10.1.2", "10.1.2.3:", "10.1.2.3:port", "[10.1.2.3", "1.2.3.4.5:80"])(
  "takes %s for no address",
  (text) => expect(addressOf(text)).toBeUndefined(),
);

it("believes nobody unless a proxy is trusted", async () => {
  expect(await found([], "::ffff:10.0.0.1", "192.0.2.1")).toBe("10.0.0.1");
});

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["198.51.100.9, 192.0.2.1:4711", "192.0.2.1"],
  ["192.0.2.1, 10.0.0.7", "192.0.2.1"],
  ["192.0.2.1, ::ffff:10.0.0.7", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["192.0.2.1, not an address", "10.0.0.1"],
  ["192.0.2.1,", "192.0.2.1"],
  ["random-1", "10.0.0.1"],
  ["10.0.0.3, 10.0.0.2", "10.0.0.3"],
])("takes X-Forwarded-For %s of a trusted proxy for %s", async (forwarded, address) => {
  for (const proxies of [["10.0.0.0/8"], ["::ffff:10.0.0.0/104"]]) {
    expect(await found(proxies, "10.0.0.1", forwarded)).toBe(address);
    expect(await found(proxies, "::ffff:10.0.0.1", forwarded)).toBe(address);
  }
});

it("takes a client that is gone for nobody in particular", () => {
  const request = { ip: undefined, raw: { socket: {} } } as unknown as FastifyRequest;
  expect(clientAddressOf(request)).toBe("unknown");
});
