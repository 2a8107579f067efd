/** Reads a request's body: size and JSON, legacy fields, idempotency key, fields. */
import { isUtf8 } from "node:buffer";
import { type FieldError, fail, fieldError, type Refusal } from "../contract/errors.ts";
import { bodyOf, isWrite, type Operation } from "../contract/operation.ts";
import { type Body, type UnknownFields, validatorOf } from "../contract/validation.ts";
import { dayOf } from "../domain/dates.ts";
import type { OperationRequest } from "./request.ts";

const defaultMaximumBytes = 64 * 1024;
/** The maximum of all objects of a body together, far more than any operation has. */
const defaultMaximumFields = 64;
/** The longest list has a thousand numbers, and all of them may be written like 5.0e0. */
const defaultMaximumFractions = 2000;
/** Only lists and imports can have more failures, and more would not help the caller. */
const maximumReportedFailures = 100;

export interface ParsedBody {
  /** The body as it was sent. The fingerprint of the idempotency key is made from it. */
  readonly sent: Body;
  /** The fields that the operation gets. */
  readonly input: Body;
}

/** Reads a request's body. @param timeZone decides which day is today for the fields that name a day */
export type BodyReader = (request: OperationRequest, timeZone: string) => Promise<ParsedBody | Refusal>;

/**
 * Makes the function that reads the bodies of an operation.
 * @param legacyFields rejected names, each with its replacement; fields of the operation are exempt
 * @param clock milliseconds since the epoch
 */
export function bodyReader(
  operation: Operation,
  legacyFields: Readonly<Record<string, string>>,
  unknownFields: UnknownFields,
  clock: () => number,
): BodyReader {
  const { maximumBodyBytes: maximumBytes = defaultMaximumBytes } = operation;
  // An operation with a higher limit for the body takes lists of records.
  const limits: [number, number] | [] =
    operation.maximumBodyBytes === undefined ? [defaultMaximumFields, defaultMaximumFractions] : [];
  const validate = validatorOf(bodyOf(operation), { removesAbsent: true, unknownFields });
  const legacy = new Map(
    Object.entries(legacyFields).filter(([name]) => !(name in operation.input.properties)),
  );

  return async (request, timeZone) => {
    const bytes = await request.readBody(maximumBytes);
    if (bytes === "too_large") return fail("payload_too_large", { limit_bytes: maximumBytes });
    const sent = bytes === "aborted" ? "malformed" : parseJsonObject(bytes, ...limits);
    if (sent === "malformed") return fail("malformed_json");
    if (sent === "too_much") {
      const problem = `is more than this operation takes: ${defaultMaximumFields} fields at most`;
      return fail("validation_failed", { errors: [fieldError("", "too_long", problem)] });
    }
    const field = Object.keys(sent).find((name) => legacy.has(name));
    if (field !== undefined) return fail("legacy_field_not_allowed", { field, use: legacy.get(field) });
    if (isWrite(operation) && isMissingKey(sent.idempotency_key)) return fail("idempotency_key_required");
    const { input, failures } = validate(sent);
    failures.push(...failuresBesideSchema(operation, sent, input, failures, () => dayOf(clock(), timeZone)));
    if (failures.length === 0) return { sent, input };
    return fail("validation_failed", { errors: failures.slice(0, maximumReportedFailures) });
  };
}

function isMissingKey(key: unknown): boolean {
  return key === undefined || key === null || (typeof key === "string" && key.trim() === "");
}

/** Checks the rules that a schema can't express. */
function failuresBesideSchema(
  { atLeastOneOf, check }: Operation,
  sent: Body,
  input: Body,
  failures: readonly FieldError[],
  today: () => string,
): FieldError[] {
  const more: FieldError[] = [];
  if (atLeastOneOf?.some((name) => name in input) === false) {
    const problem = `changes nothing: send at least one of ${atLeastOneOf.join(", ")}`;
    more.push(fieldError("", "no_fields_to_update", problem));
  }
  if (check === undefined) return more;
  // Errors name a field within another with dots. Field names may have dots, too.
  const rejected = new Set(
    failures.map(({ field }) => (Object.hasOwn(sent, field) ? field : (field.split(".")[0] as string))),
  );
  const valid = Object.fromEntries(Object.entries(input).filter(([name]) => !rejected.has(name)));
  return [...more, ...check(valid, { today, rejected })];
}

/** How deep arrays and objects may be nested. */
export const maximumDepth = 16;

/**
 * Reads a request body: one JSON object in UTF-8 (RFC 8259), no duplicate members anywhere, none called
 * __proto__, nested at most `maximumDepth` deep. A number with a fraction never comes out as a whole one, however many
 * digits it has.
 * @param maximumMembers of all objects together. A body with more is not parsed, because an object of thousands of names
 *   takes longer than most requests.
 * @param maximumFractions how many numbers may not be written as integers; checking thousands takes as long
 * @returns "malformed" for any other text, "too_much" when it has too many members or fractions
 */
export function parseJsonObject(
  bytes: Buffer,
  maximumMembers = Number.POSITIVE_INFINITY,
  maximumFractions = Number.POSITIVE_INFINITY,
): Readonly<Record<string, unknown>> | "malformed" | "too_much" {
  if (!isUtf8(bytes)) return "malformed";
  // Depth is checked before parsing, so that deep nesting never reaches the parser's stack.
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
  // JSON.parse keeps only the last of two members with one name, so the text then holds more than the value.
  if (countOwnMembers(value) !== members) return "malformed";
  return value as Record<string, unknown>;
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
