import { BlockList, isIP, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressPolicy, defaultPorts, mayConnect, parseNetwork, problemOfUrl } from "./addresses.ts";

const policy = (networks: string[] = [], ports: readonly number[] = defaultPorts) =>
  addressPolicy(ports, networks);
const strict = policy();

const four = fc.ipV4();
const six = fc.ipV6();

/** Node's own list, as a second implementation. */
const reserved = new BlockList();
for (const text of [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"],
  ...["198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
]) {
  const [address = "", bits] = text.split("/");
  reserved.addSubnet(address, Number(bits), "ipv4");
}

describe("the address that the sender connects to", () => {
  it("is on the public internet", () => {
    fc.assert(
      fc.property(four, (address) => {
        expect(mayConnect(address, "https:", strict)).toBe(!reserved.check(address, "ipv4"));
        expect(mayConnect(`::ffff:${address}`, "https:", strict)).toBe(!reserved.check(address, "ipv4"));
        // Compatible, translated and tunnelled forms of it.
        for (const prefix of ["::", "64:ff9b::", "::ffff:0:"])
          expect(mayConnect(`${prefix}${address}`, "https:", strict)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(six, (address) => {
        if (!isIPv6(address)) return;
        const canonical = new URL(`https://[${address}]`).hostname.slice(1, -1);
        const allowed = mayConnect(address, "https:", strict);
        expect(mayConnect(canonical, "https:", strict)).toBe(allowed);
        if (allowed && !canonical.startsWith("::ffff:")) expect(canonical).toMatch(/^[23][0-9a-f]{3}:/);
      }),
    );
  });

  it.each([
    ...["127.0.0.1", "10.0.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
    ...["255.255.255.255", "224.0.0.1", "240.0.0.1", "198.18.0.1", "192.0.0.192", "::", "::1", "::7f00:1"],
    ...[
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "0:0:0:0:0:ffff:a00:1",
      "fe80::1",
      "fec0::1",
      "fc00::1",
      "fd00::1",
    ],
    ...[
      "ff02::1",
      "64:ff9b::7f00:1",
      "64:ff9b:1::1",
      "100::1",
      "2001::1",
      "2001:db8::1",
      "2002:7f00:1::",
      "3fff::1",
    ],
    ...[
      "5f00::1",
      "localhost",
      "",
      "1.2.3",
      "01.2.3.4",
      "1.2.3.4.",
      "::1%lo",
      "1:2:3:4:5:6:7:8:9",
      ":::",
      "g::",
    ],
  ])("is not %s", (address) => {
    expect(mayConnect(address, "https:", strict)).toBe(false);
  });

  it.each([
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.0",
    "172.32.0.0",
    "2606:4700::1111",
    "2a00:1450:4009::200e",
  ])("can be %s, by https only", (address) => {
    expect(mayConnect(address, "https:", strict)).toBe(true);
    expect(mayConnect(address, "http:", strict)).toBe(false);
  });

  it("can be in a network that the operator allows, by http, too", () => {
    const own = policy(["127.0.0.0/8", "::1", "fd00:1::/32", "10.1.2.3"]);
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "fd00:1:2::9", "10.1.2.3", "::ffff:127.0.0.1"]) {
      expect(mayConnect(address, "http:", own)).toBe(true);
      expect(mayConnect(address, "https:", own)).toBe(true);
    }
    for (const address of ["10.1.2.4", "::2", "fd00:2::1"])
      expect(mayConnect(address, "https:", own)).toBe(false);
    expect(mayConnect("8.8.8.8", "http:", own)).toBe(false);
  });
});

describe("a network", () => {
  it("has the addresses that Node's list has", () => {
    const networks = fc.oneof(
      fc.tuple(four, fc.integer({ min: 0, max: 32 })),
      fc.tuple(six.filter(isIPv6), fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(networks, fc.oneof(four, six.filter(isIPv6)), ([first, bits], address) => {
        const network = parseNetwork(`${first}/${bits}`);
        if (network === undefined) return;
        const list = new BlockList();
        list.addSubnet(first, bits, isIPv6(first) ? "ipv6" : "ipv4");
        if (isIP(first) !== isIP(address)) return;
        const allowed = mayConnect(address, "http:", { ports: [], networks: [network] });
        expect(allowed).toBe(list.check(address, isIPv6(address) ? "ipv6" : "ipv4"));
      }),
    );
  });

  it.each([
    "",
    "10",
    "10.0.0.0/33",
    "10.0.0.1/8",
    "10.0.0.0/8/8",
    "::/129",
    "::ffff:10.0.0.0/104",
    "a",
    "10.0.0.0/-1",
    "10.0.0.0/",
  ])("is not %j", (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  });
});

describe("the URL of an endpoint", () => {
  it.each([
    "https://example.com",
    "https://example.com/a?b=c",
    "https://EXAMPLE.com:443/",
    "https://example.com:80/",
    "HTTPS://a.b/",
    "https://example.com/@me",
    "https://8.8.8.8/x",
    "https://[2606:4700::1111]/",
    "https://xn--bcher-kva.example/",
  ])("can be %s", (url) => {
    expect(problemOfUrl(url, strict)).toBeUndefined();
  });

  it.each<readonly [string, string]>([
    ["", "such as"],
    ["example.com", "such as"],
    ["ftp://example.com", "such as"],
    ["https:example.com", "such as"],
    ["https:\\\\example.com", "such as"],
    ["https://exa\\mple.com", "such as"],
    ["https:///example.com", "such as"],
    ["https://", "such as"],
    ["https://a..%00b/", "such as"],
    ["https://999.1.1.1/", "such as"],
    ["https://example.com:99999/", "such as"],
    ["http://example.com/", "begin with https://"],
    ["http://8.8.8.8/", "begin with https://"],
    ["https://me:secret@example.com/", "user name"],
    ["https://@example.com/", "user name"],
    ["https://example.com@127.0.0.1/", "user name"],
    ["https://example.com/#a", "fragment"],
    ["https://example.com#", "fragment"],
    ["https://example.com:8443/", "port 443 or 80, not 8443"],
    ["https://example.com:22/", "port 443 or 80, not 22"],
    ["https://localhost/", "public internet"],
    ["https://localhost./", "public internet"],
    ["https://intranet/", "public internet"],
    ["https://a.localhost/", "public internet"],
    ["https://printer.local/", "public internet"],
    ["https://metadata.google.internal/", "public internet"],
    // 127.0.0.1 in other forms.
    ...[
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f000001",
      "0177.0.0.1",
      "0x7f.1",
      "127.0.0.1.",
      "%31%32%37.0.0.1",
    ].map((host) => [`https://${host}/`, "public internet"] as const),
    ...["[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "[::ffff:7f00:1]", "[::7f00:1]", "[fd00::1]"].map(
      (host) => [`https://${host}/`, "public internet"] as const,
    ),
  ])("is not %s: %s", (url, problem) => {
    expect(problemOfUrl(url, strict)).toContain(problem);
  });

  it("can have other ports and networks, if the operator allows them", () => {
    const own = policy(["127.0.0.0/8", "10.0.0.0/8"], [443, 8443]);
    expect(problemOfUrl("http://127.0.0.1:8443/", own)).toBeUndefined();
    expect(problemOfUrl("https://10.1.1.1/", own)).toBeUndefined();
    // What it resolves to is checked when the sender connects.
    expect(problemOfUrl("http://localhost:8443/", own)).toBeUndefined();
    expect(problemOfUrl("http://8.8.8.8:8443/", own)).toContain("begin with https://");
    expect(problemOfUrl("https://192.168.1.1/", own)).toContain("public internet");
    expect(problemOfUrl("http://127.0.0.1/", own)).toContain("port 443 or 8443, not 80");
  });

  it("never names an address that the sender would not connect to", () => {
    const hosts = fc.oneof(
      four,
      six.map((address) => `[${address}]`),
      fc.integer({ min: 0, max: 2 ** 32 - 1 }).map(String),
      fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((number) => `0x${number.toString(16)}`),
    );
    fc.assert(
      fc.property(hosts, (host) => {
        const url = `https://${host}/`;
        if (problemOfUrl(url, strict) !== undefined) return;
        const { hostname } = new URL(url);
        expect(mayConnect(hostname.replace(/^\[(.*)\]$/, "$1"), "https:", strict)).toBe(true);
      }),
    );
  });
});
