import { expect, it } from "vitest";
import { addressOf, clientAddressOf, isDirect, originOf, proxyList } from "./forwarded.ts";

const from = (remoteAddress: string | undefined, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers }) as unknown as Parameters<typeof clientAddressOf>[0];

/** What is found behind these proxies for a request with this header. */
function found(trustedProxies: string[], remoteAddress: string, forwarded: string): string {
  return clientAddressOf(from(remoteAddress, { "x-forwarded-for": forwarded }), proxyList(trustedProxies));
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

it("believes nobody unless a proxy is trusted", () => {
  expect(found([], "::ffff:10.0.0.1", "192.0.2.1")).toBe("10.0.0.1");
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
])("takes X-Forwarded-For %s of a trusted proxy for %s", (forwarded, address) => {
  for (const proxies of [
    ["10.0.0.0/8"],
    ["::ffff:10.0.0.0/104"],
    ["10.0.0.1", "10.0.0.2/31", "10.0.0.7/32"],
  ]) {
    expect(found(proxies, "10.0.0.1", forwarded)).toBe(address);
    expect(found(proxies, "::ffff:10.0.0.1", forwarded)).toBe(address);
  }
});

it("takes a client that is gone for nobody in particular", () => {
  expect(clientAddressOf(from(undefined, {}), proxyList([]))).toBe("unknown");
});

it("trusts ranges of IPv6", () => {
  for (const [address, client] of [
    ["2001:db8::1", "192.0.2.1"],
    ["2001:db9::1", "2001:db9::1"],
  ] as const) {
    expect(found(["2001:db8::/32"], address, "192.0.2.1")).toBe(client);
  }
});

it("takes the host and the protocol of a trusted proxy, and of nobody else", () => {
  const headers = {
    host: "10.0.0.9:8080",
    "x-forwarded-host": "a.example, Loyalty.example",
    "x-forwarded-proto": "https",
  };
  expect(originOf(from("10.0.0.1", headers), proxyList(["10.0.0.0/8"]))).toBe("https://loyalty.example");
  expect(originOf(from("10.0.0.1", headers), proxyList([]))).toBe("http://10.0.0.9:8080");
  expect(originOf(from("10.0.0.1", {}), proxyList([]))).toBeUndefined();
});

it.each<[boolean, string, string | undefined, Record<string, string>]>([
  [true, "127.0.0.1", "http://localhost:8080", {}],
  [true, "::1", "http://[::1]:8080", {}],
  [true, "::ffff:127.0.0.1", "http://127.0.0.1", {}],
  [false, "127.0.0.1", "http://localhost", { "x-forwarded-for": "192.0.2.1" }],
  [false, "127.0.0.1", "http://localhost", { "x-forwarded-proto": "https" }],
  [false, "127.0.0.1", "http://localhost", { forwarded: "for=192.0.2.1" }],
  [false, "127.0.0.1", "http://localhost", { via: "1.1 proxy" }],
  [false, "192.0.2.1", "http://localhost", {}],
  [false, "127.0.0.1", "http://localhost.example", {}],
  [false, "127.0.0.1", "https://localhost", {}],
  [false, "127.0.0.1", undefined, {}],
])("says %s to a browser on this machine without a proxy: %s %s %o", (expected, address, origin, headers) => {
  expect(isDirect(from(address, headers), origin)).toBe(expected);
});
