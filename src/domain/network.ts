/**
 * What a limit by address counts under: the address itself, or of IPv6 the network of 64 bits that it is in, for whoever
 * has one address has all of that (RFC 6177).
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
