import { isUtf8 } from "node:buffer";

/** How deep arrays and objects may be nested. */
export const maximumDepth = 16;

/** A body beyond a limit is not parsed: an object of thousands of names takes longer than most requests. */
export interface JsonLimits {
  /** Of all objects together. */
  readonly members: number;
  /** Numbers that are not written as integers; such a one may count twice. */
  readonly fractions: number;
}

const unlimited: JsonLimits = { members: Number.POSITIVE_INFINITY, fractions: Number.POSITIVE_INFINITY };

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const smallE = 0x65;
const capitalE = 0x45;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Reads a request body: one JSON object in UTF-8 (RFC 8259), no duplicate members anywhere, none called
 * __proto__, nested at most `maximumDepth` deep. A number with a fraction never comes out as a whole one, however many
 * digits it has.
 * @returns "malformed" when it is anything else, "too_much" when it is past a limit
 */
export function parseJsonObject(
  bytes: Buffer,
  limits = unlimited,
): Readonly<Record<string, unknown>> | "malformed" | "too_much" {
  if (!isUtf8(bytes)) return "malformed";
  // Depth is checked before parsing, so that deep nesting never reaches the parser's stack.
  const { members, depth, fractions } = scan(bytes);
  if (depth > maximumDepth) return "malformed";
  if (members > limits.members || fractions > limits.fractions) return "too_much";
  const text = bytes.toString("utf8");
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

interface Scan {
  /** The colons outside strings: one for each member. */
  members: number;
  /** How deep arrays and objects are nested; where that is too deep, the scan ends. */
  depth: number;
  /** As JsonLimits counts them. */
  fractions: number;
}

/** Looks through a text that may be no JSON at all. */
function scan(bytes: Buffer): Scan {
  const found: Scan = { members: 0, depth: 0, fractions: 0 };
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === colon) found.members++;
    else if (byte === openBrace || byte === openBracket) {
      found.depth = Math.max(found.depth, ++depth);
      if (depth > maximumDepth) return found;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
    else if (isFraction(bytes, i)) found.fractions++;
  }
  return found;
}

/** Whether a number has a fraction or an exponent here: a point, or an e that stands after a digit. */
function isFraction(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  if (byte === point) return true;
  const before = bytes[at - 1] ?? 0;
  return (byte === smallE || byte === capitalE) && before >= zero && before <= nine;
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
  while (at > 0 && digits.charCodeAt(at - 1) === zero) at -= 1;
  return digits.length - at;
}

/** How many members the objects of a value have; NaN when one is called __proto__. */
function countOwnMembers(value: object): number {
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === "object" && item !== null) members += countOwnMembers(item);
    }
    return members;
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === "__proto__") return Number.NaN;
    members++;
    if (typeof member === "object" && member !== null) members += countOwnMembers(member);
  }
  return members;
}
