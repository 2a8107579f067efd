/** The address of the client of a request, for limits and the audit log. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/**
 * Finds the address of a request's client. Of X-Forwarded-For the entries count that trusted proxies added, from the last
 * one backwards; an entry that is no address counts as the address of the proxy that added it.
 * @param trustedProxies addresses or ranges
 */
export function clientAddresses(trustedProxies: readonly string[]): (message: IncomingMessage) => string {
  const trusted = blockListOf(trustedProxies);
  return ({ socket, headers }) => {
    let address = addressOf(socket.remoteAddress ?? "") ?? "unknown";
    const forwarded = headers["x-forwarded-for"];
    if (forwarded === undefined || trustedProxies.length === 0) return address;
    const entries = String(forwarded).split(",");
    while (entries.length > 0 && isTrusted(trusted, address)) {
      const next = addressOf((entries.pop() as string).trim());
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [text = "", prefix] = range.split("/");
    const address = addressOf(text) ?? text;
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    if (prefix === undefined) list.addAddress(address, family);
    // The last 32 bits of a mapped range are the IPv4 address.
    else list.addSubnet(address, Number(prefix) - (family === "ipv4" && isIP(text) === 6 ? 96 : 0), family);
  }
  return list;
}

function isTrusted(trusted: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 4 ? "ipv4" : "ipv6");
}

/**
 * The canonical form of an address: without port, brackets and zone; IPv4 in IPv6 as IPv4.
 * @returns undefined for what is no address
 */
export function addressOf(text: string): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const version = isIP(bare);
  if (version === 4) return bare;
  if (version === 0) return undefined;
  const [withoutZone = ""] = bare.split("%", 1);
  const canonical = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (mapped === null) return canonical;
  const [high, low] = [Number.parseInt(mapped[1] as string, 16), Number.parseInt(mapped[2] as string, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
