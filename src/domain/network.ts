/**
 * What limits by address count: an IPv4 address, or the network of 64 bits of an IPv6 address, because a customer gets a
 * whole network (RFC 6177).
 * @param address of IPv4 or IPv6, without a port
 */
export function networkOf(address: string): string {
  const [before = "", after] = address.split("%", 1)[0]?.toLowerCase().split("::") ?? [];
  if (!address.includes(":") || address.includes(".")) return address;
  const [head, tail] = [groupsOf(before), groupsOf(after ?? "")];
  const missing = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(missing).fill("0"), ...tail];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":").map((group) => group.replace(/^0+(?=.)/, ""));
}
