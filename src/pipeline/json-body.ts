import { isUtf8 } from "node:buffer";

/** How deep arrays and objects may be nested. */
export const maximumDepth = 16;

/**
 * Reads a request body: one JSON object in UTF-8 (RFC 8259), no duplicate members anywhere, none called
 * __proto__, nested at most `maximumDepth` deep. A number with a fraction never comes out as a whole one, however many
 * digits it has.
 * @param maximumMembers of all objects together. A body with more is not parsed, because an object of thousands of names
 *   takes longer than most requests.
 * @param maximumFractions how many numbers may not be written as integers; checking thousands takes as long
 * @returns "malformed" when it is anything else, "too_much" when it has too many of either
 */
export function parseJsonObject(
  bytes: Buffer,
  maximumMembers = Number.POSITIVE_INFINITY,
  maximumFractions = Number.POSITIVE_INFINITY,
): Readonly<Record<string, unknown>> | "malformed" | "too_much" {
  if (!isUtf8(bytes)) return "malformed";
  const text = bytes.toString("utf8");
  // Depth is checked before parsing, so that deep nesting never reaches the parser's stack.
  const { members, depth, fractions } = scan(text);
  if (depth > maximumDepth) return "malformed";
  if (members > maximumMembers || fractions > maximumFractions) return "too_much";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "malformed";
  }
  if (fractions > 0) value = JSON.parse(keepFractions(text));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "malformed";
  // JSON.parse keeps only the last of two members with one name, so the text then holds more than the value.
  if (countOwnMembers(value) !== members) return "malformed";
  return value as Record<string, unknown>;
}

/**
 * Looks through a text that may be no JSON at all.
 * @returns the colons outside strings, one for each member; how deep arrays and objects are nested, where the scan ends
 *   when that is too deep; and the numbers that may not be written as integers, of which one may count twice
 */
function scan(text: string): { members: number; depth: number; fractions: number } {
  let [members, depth, deepest, fractions] = [0, 0, 0, 0];
  for (let at = 0; at < text.length && deepest <= maximumDepth; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === ":") members++;
    else if (char === "{" || char === "[") deepest = Math.max(deepest, ++depth);
    else if (char === "}" || char === "]") depth--;
    // An e also stands in true and false, but not after a digit.
    else if (char === "." || ((char === "e" || char === "E") && /\d/.test(text[at - 1] ?? ""))) fractions++;
  }
  return { members, depth: deepest, fractions };
}

/** Where the string that begins at a quote ends. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Matches strings, to skip them, and numbers that are not written as integers. */
const stringOrFraction =
  /"(?:\\.|[^"\\])*"|-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?/g;

/**
 * JSON.parse rounds numbers that a double can't hold: 999999999999.99999 becomes 10^12, and so would an
 * amount of money. Such a number is replaced by a fraction that is not rounded, so it is rejected.
 * @param text valid JSON
 */
function keepFractions(text: string): string {
  return text.replace(stringOrFraction, (token, ...found) => {
    const { whole, fraction = "", exponent = "0" } = found.at(-1) as Record<string, string | undefined>;
    if (whole === undefined || !Number.isInteger(Number(token))) return token;
    const digits = whole + fraction;
    const zeros = countTrailingZeros(digits);
    const isInteger = zeros === digits.length || Number(exponent) - fraction.length + zeros >= 0;
    return isInteger ? token : "0.5";
  });
}

/** Counted from the end: a regular expression would start over at each zero. */
function countTrailingZeros(digits: string): number {
  let at = digits.length;
  while (at > 0 && digits[at - 1] === "0") at -= 1;
  return digits.length - at;
}

/** How many members the objects of a value have; NaN when one is called __proto__. */
function countOwnMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countOwnMembers(item);
    return members;
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === "__proto__") return Number.NaN;
    members += 1 + countOwnMembers(member);
  }
  return members;
}
