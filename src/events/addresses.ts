/** Finds the addresses of receivers, and checks them. */
import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { type AddressPolicy, mayConnect } from "../domain/webhooks/addresses.ts";

/** The host has an address that is not allowed. The message does not tell it, because it may be that of something inside. */
export class AddressError extends Error {
  constructor() {
    super("the address of the host is not allowed");
  }
}

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a name. */
export type Resolve = (name: string) => Promise<HostAddress[]>;

/** Finds the addresses to connect to. @throws AddressError when one of them is not allowed, or the error of the resolver */
export type FindAddresses = (host: string, protocol: string) => Promise<HostAddress[]>;

/** A name can have thousands of addresses. */
const mostAddresses = 16;

/** A connection uses the addresses that were checked, so a name that changes its address meanwhile gains nothing. */
export function createAddressCheck(policy: AddressPolicy, resolve: Resolve = resolverOf()): FindAddresses {
  return async (host, protocol) => {
    const family = isIP(host);
    const found = family > 0 ? [{ address: host, family }] : await resolve(host);
    const addresses = found.slice(0, mostAddresses);
    if (!addresses.every(({ address }) => mayConnect(address, protocol, policy))) throw new AddressError();
    return addresses;
  };
}

/**
 * Resolves names by DNS. dns.lookup uses the four threads of Node, so the names of dead servers would stop other work that needs
 * these threads.
 */
function resolverOf(): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  return async (name) => {
    // These names mean the loopback address (RFC 6761), and DNS servers need not know them.
    if (/^(?:.+\.)?localhost$/.test(name)) return [{ address: "127.0.0.1", family: 4 }];
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0 && four.status === "rejected") throw four.reason;
    return found;
  };
}
