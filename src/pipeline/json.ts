/** Parses the JSON of a request body. */
import { isUtf8 } from "node:buffer";

/** How deep arrays and objects may be nested. */
export const maximumDepth = 16;

/**
 * Parses a request body: one JSON object in UTF-8 (RFC 8259), without duplicate members or members called __proto__, nested
 * at most `maximumDepth` deep. A number with a fraction is never rounded to an integer.
 * @param maximumMembers of all objects together. A body with more is not parsed, because an object of thousands of names
 *   takes longer than most requests.
 * @param maximumFractions of numbers that are not written as integers. Thousands of them take as long to check.
 * @returns "malformed" for any other text, "too_much" when it has too many members or fractions
 */
export function parseJsonObject(
  bytes: Buffer,
  maximumMembers = Number.POSITIVE_INFINITY,
  maximumFractions = Number.POSITIVE_INFINITY,
): Readonly<Record<string, unknown>> | "malformed" | "too_much" {
  if (!isUtf8(bytes)) return "malformed";
  // Depth is checked before parsing, because deep nesting could exhaust the parser's stack.
  const { members, depth, fractions, exact } = scan(bytes.toString("utf8"));
  if (depth > maximumDepth) return "malformed";
  if (members > maximumMembers || fractions > maximumFractions) return "too_much";
  let value: unknown;
  try {
    value = JSON.parse(exact);
  } catch {
    return "malformed";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "malformed";
  // JSON.parse keeps only the last of two members with one name. The text then has more members than the value.
  if (countOwnMembers(value) !== members) return "malformed";
  return value as Record<string, unknown>;
}

/** The byte order marks of UTF-8 and UTF-16. Some programs write one at the start of a text. */
const byteOrderMarks = ["efbbbf", "fffe", "feff"].map((hex) => Buffer.from(hex, "hex"));

export function hasByteOrderMark(bytes: Buffer): boolean {
  return byteOrderMarks.some((mark) => bytes.subarray(0, mark.length).equals(mark));
}

const number = /(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y;

/**
 * Scans a text, which may not be JSON. The scan ends where arrays and objects are nested too deep.
 * @returns `members`: the number of colons outside strings; `depth`: the deepest nesting; `fractions`: how many numbers are
 *   not written as integers; `exact`: the text with a fraction in place of each number that JSON.parse would round to an
 *   integer, so that it is rejected: 999999999999.99999 would become 10^12
 */
function scan(text: string) {
  let [members, depth, deepest, fractions] = [0, 0, 0, 0];
  let [exact, copied] = ["", 0];
  for (let at = 0; at < text.length && deepest <= maximumDepth; at++) {
    const char = text[at] as string;
    if (char === '"') at = endOfString(text, at);
    else if (char === ":") members++;
    else if (char === "{" || char === "[") deepest = Math.max(deepest, ++depth);
    else if (char === "}" || char === "]") depth--;
    else if (char >= "0" && char <= "9") {
      number.lastIndex = at;
      const [token, whole, fraction = "", exponent = ""] = number.exec(text) as unknown as [string, string];
      if (token !== whole) fractions++;
      if (token !== whole && isRounded(token, whole + fraction, Number(exponent) - fraction.length)) {
        // Neither a fraction nor an exponent can follow 5e-1, so invalid text stays invalid.
        exact += `${text.slice(copied, at)}5e-1`;
        copied = at + token.length;
      }
      at += token.length - 1;
    }
  }
  return { members, depth: deepest, fractions, exact: exact + text.slice(copied) };
}

/** The position of the closing quote of a string. @param start that of its opening quote */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Whether JSON.parse would round a number to an integer. The number is `digits` times ten to the power of `exponent`. */
function isRounded(token: string, digits: string, exponent: number): boolean {
  if (!Number.isInteger(Number(token))) return false;
  // A regular expression would start again at each zero, which takes quadratic time.
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return end > 0 && exponent + digits.length - end < 0;
}

/** Counts the members of all objects in a value. @returns NaN when a member is called __proto__ */
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
