import { isUtf8 } from "node:buffer";

/** How deep arrays and objects may be nested. */
export const maximumDepth = 16;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Reads a request body: one JSON object in UTF-8 (RFC 8259), no duplicate members anywhere, none called
 * __proto__, nested at most `maximumDepth` deep.
 * @returns undefined when it is anything else
 */
export function parseJsonObject(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  if (!isUtf8(bytes)) return undefined;
  // Depth is looked at before parsing, so that a bomb never reaches the parser's stack.
  const members = countMembers(bytes);
  if (members === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  // JSON.parse keeps only the last of two members with one name, so the text then holds more than the value.
  if (countOwnMembers(value) !== members) return undefined;
  return value as Record<string, unknown>;
}

/** Counts the colons outside strings, one for each member. @returns undefined when nested too deep */
function countMembers(bytes: Buffer): number | undefined {
  let members = 0;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === colon) members++;
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > maximumDepth) return undefined;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return members;
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
