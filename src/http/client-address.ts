/** The address of the client of a request, for limits, the log and the audit log. */
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/**
 * Finds the address of a request's client. Behind trusted proxies it is the last entry of X-Forwarded-For that is none
 * of theirs, as Fastify finds it. If that entry is no address, the address of the connection counts.
 */
export function clientAddressOf({ ip, raw }: FastifyRequest): string {
  return addressOf(ip ?? "") ?? addressOf(raw.socket.remoteAddress ?? "") ?? "unknown";
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
