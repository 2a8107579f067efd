/** Reads a request's body: size and JSON, legacy fields, idempotency key, fields. */
import { type FieldError, fail, fieldError, type Refusal } from "../contract/errors.ts";
import { bodyOf, isWrite, type Operation } from "../contract/operation.ts";
import { type Body, type UnknownFields, validatorOf } from "../contract/validation.ts";
import { dayOf } from "../domain/dates.ts";
import { parseJsonObject } from "./json.ts";
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
