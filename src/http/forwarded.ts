/** The address of a client and the URL that it used, according to the connection or a trusted proxy. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

type Origin = Pick<IncomingMessage, "headers" | "socket">;

/** @param ranges addresses or ranges such as 10.0.0.0/8 @throws when one is neither */
export function proxyList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [, address = "", bits] = /^([^/]*)(?:\/([1-9]\d*))?$/.exec(range) ?? [];
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    // A wider range would contain all addresses of IPv4.
    if (/^::ffff:/i.test(address) && Number(bits) < 96) throw new RangeError(`${range} is too wide`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/**
 * Finds the address of a request's client. Behind trusted proxies, it is the last entry of X-Forwarded-For that is not the
 * address of a proxy, or the address of the connection if that entry is invalid.
 */
export function clientAddressOf({ headers, socket }: Origin, proxies: BlockList): string {
  const connection = addressOf(socket.remoteAddress ?? "");
  let client = connection;
  for (const entry of entriesOf(headers["x-forwarded-for"]).reverse()) {
    if (!isTrusted(client, proxies)) break;
    client = addressOf(entry);
  }
  return client ?? connection ?? "unknown";
}

/**
 * Finds the origin by which the caller reaches the service, from a trusted proxy or from the Host header.
 * @returns undefined for an invalid host, because a page must not show it
 */
export function originOf({ headers, socket }: Origin, proxies: BlockList): string | undefined {
  const forwarded = isTrusted(addressOf(socket.remoteAddress ?? ""), proxies) ? headers : {};
  const host = entriesOf(forwarded["x-forwarded-host"]).at(-1) ?? headers.host ?? "";
  const protocol = entriesOf(forwarded["x-forwarded-proto"]).at(-1) ?? "http";
  const address = /^(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
  if (!/^https?$/.test(protocol) || host.length > 255 || !address.test(host)) return undefined;
  return `${protocol}://${host.toLowerCase()}`;
}

const forwardingHeaders = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

/**
 * Whether a browser on this machine reaches the service by plain HTTP, without a proxy. The Host header alone does not prove it,
 * because a proxy can set it.
 * @param origin as `originOf` returns it
 */
export function isDirect({ headers, socket }: Origin, origin: string | undefined): boolean {
  const isLocal = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin ?? "");
  const from = addressOf(socket.remoteAddress ?? "") ?? "";
  return isLocal && isLoopbackAddress(from) && forwardingHeaders.every((name) => headers[name] === undefined);
}

/** @param address as `addressOf` returns it */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

export function isTrusted(address: string | undefined, proxies: BlockList): boolean {
  return address !== undefined && proxies.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/** Splits a header into its entries, which are separated by commas. Node joins repeated headers with commas, too. */
function entriesOf(header: string | string[] | undefined): string[] {
  const entries = String(header ?? "").split(",");
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** The canonical form of an address, with IPv4 in IPv6 as IPv4. @returns undefined for an invalid address */
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
