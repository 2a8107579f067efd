/**
 * Where webhooks may be sent: the URL when an endpoint is created, and the address when the sender connects, because a name can
 * later resolve to another address.
 */

/** A range of addresses, such as 10.0.0.0/8. */
export interface Network {
  readonly family: 4 | 6;
  readonly first: bigint;
  /** How many leading bits all its addresses have in common. */
  readonly bits: number;
}

/** What the operator allows. */
export interface AddressPolicy {
  readonly ports: readonly number[];
  /** In these networks, http and private addresses are allowed. */
  readonly networks: readonly Network[];
}

export const defaultPorts = [443, 80] as const;

/** @param networks in CIDR notation */
export function addressPolicy(ports: readonly number[], networks: readonly string[]): AddressPolicy {
  return { ports, networks: networks.map((text) => parseNetwork(text)).filter((one) => one !== undefined) };
}

type Address = Pick<Network, "family" | "first">;

const bitsOf = (family: 4 | 6) => (family === 4 ? 32 : 128);

/** Reads an address in its usual form, with four decimal numbers or colons. @returns undefined when it is none */
function parseAddress(text: string): Address | undefined {
  const four = parseFour(text);
  if (four !== undefined) return { family: 4, first: four };
  // The last two groups can be written as an IPv4 address.
  const [, start = text, dotted] = /^(.*:)([\d.]+\.[\d.]+)$/.exec(text) ?? [];
  const tail = dotted === undefined ? undefined : parseFour(dotted);
  if (dotted !== undefined && tail === undefined) return undefined;
  const hex = tail === undefined ? "" : `${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const six = parseSix(start + hex);
  if (six === undefined) return undefined;
  // ::ffff:10.0.0.1 is 10.0.0.1.
  if (six >> 32n === 0xffffn) return { family: 4, first: six & 0xffffffffn };
  return { family: 6, first: six };
}

function parseFour(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseSix(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const [before = [], after = []] = groups;
  const missing = 8 - before.length - after.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const all = [...before, ...Array<string>(missing).fill("0"), ...after];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** Reads an address or a range in CIDR notation. @returns undefined when it is none, or has bits behind the prefix */
export function parseNetwork(text: string): Network | undefined {
  const [written = "", length, ...more] = text.split("/");
  const address = parseAddress(written);
  if (address === undefined || more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length)))
    return undefined;
  const width = bitsOf(address.family);
  const bits = length === undefined ? width : Number(length);
  // A mapped address counts as IPv4, so the prefix of its range does not fit.
  if (bits > width || (length !== undefined && address.family === 4 && written.includes(":")))
    return undefined;
  const network = { ...address, bits };
  return prefixOf(network, bits) << BigInt(width - bits) === address.first ? network : undefined;
}

const prefixOf = ({ family, first }: Address, bits: number) => first >> BigInt(bitsOf(family) - bits);

const includesAddress = (network: Network, address: Address) =>
  network.family === address.family && prefixOf(network, network.bits) === prefixOf(address, network.bits);

const networksOf = (list: string) => list.split(/\s+/).map((text) => parseNetwork(text) as Network);

/** The ranges that are not on the public internet (IANA's registries of special-purpose addresses). */
const reservedFour =
  networksOf(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`);
/** Public addresses of IPv6 begin with 2 or 3. These ranges among them contain other addresses, or are for documents. */
const publicSix = networksOf("2000::/3");
const reservedSix = networksOf("2001::/23 2001:db8::/32 2002::/16 3fff::/20");

function isPublic(address: Address): boolean {
  const isIn = (network: Network) => includesAddress(network, address);
  return address.family === 4 ? !reservedFour.some(isIn) : publicSix.some(isIn) && !reservedSix.some(isIn);
}

/**
 * Whether the sender may connect to an address.
 * @param address as the resolver returns it
 */
export function mayConnect(address: string, protocol: string, { networks }: AddressPolicy): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined) return false;
  if (networks.some((network) => includesAddress(network, parsed))) return true;
  return protocol === "https:" && isPublic(parsed);
}

/** Checks the URL of an endpoint. @returns what is wrong with it, as the end of a sentence; undefined when it is allowed */
export function problemOfUrl(text: string, policy: AddressPolicy): string | undefined {
  const [, scheme, authority = ""] = /^(https?):\/\/([^/\\?#]+)/i.exec(text) ?? [];
  if (scheme === undefined || text.includes("\\") || !URL.canParse(text))
    return "must be a URL such as https://example.com/webhooks";
  if (authority.includes("@"))
    return "must not contain a user name or a password: send them in a header, such as Authorization";
  if (text.includes("#")) return "must not contain a fragment (#…), because it would not be sent";
  const { protocol, port, hostname } = new URL(text);
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  if (!policy.ports.includes(number)) {
    const [last, ...others] = [...policy.ports].reverse();
    const allowed = others.length === 0 ? last : `${others.reverse().join(", ")} or ${last}`;
    return `must use port ${allowed}, not ${number}: the operator of the service can allow others with LOYALTY_WEBHOOK_PORTS`;
  }
  return problemOfHost(hostname.replace(/^\[(.*)\]$/, "$1"), protocol, policy);
}

const allowingNetworks = "the operator of the service can allow networks with LOYALTY_WEBHOOK_ALLOW_NETWORKS";

/** @param host as the URL parser writes it: an address in any other form is already in its usual one */
function problemOfHost(host: string, protocol: string, policy: AddressPolicy): string | undefined {
  if (parseAddress(host) !== undefined) {
    if (mayConnect(host, protocol, policy)) return undefined;
    if (protocol === "http:" && mayConnect(host, "https:", policy)) return noHttp;
    return `must not name ${host}, which is not on the public internet: ${allowingNetworks}`;
  }
  // A name is checked again when the sender connects.
  if (policy.networks.length > 0) return undefined;
  if (protocol === "http:") return noHttp;
  if (!/[^.]\.[^.]/.test(host) || /\.(localhost|local|internal)\.?$/.test(host))
    return `must not name ${host}, which is not on the public internet: ${allowingNetworks}`;
  return undefined;
}

const noHttp = `must begin with https://, because anyone on the way can read http: ${allowingNetworks}`;
