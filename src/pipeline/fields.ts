/** Reading a request's body, up to fields that the operation can rely on. */
import { acceptedFields, type UnknownFields } from "../contract/accepted-fields.ts";
import { bodyOf } from "../contract/body.ts";
import { type FieldError, fail, fieldError, type Refusal } from "../contract/errors.ts";
import type { Operation } from "../contract/operation.ts";
import { type Validator, validatorOf } from "../contract/validation.ts";
import { dayOf } from "../domain/dates.ts";
import { type JsonLimits, parseJsonObject } from "./json-body.ts";
import type { OperationRequest } from "./request.ts";

export type Body = Readonly<Record<string, unknown>>;

const defaultMaximumBodyBytes = 64 * 1024;
/**
 * No operation has nearly as many fields. The longest list has a thousand numbers, which may all be written
 * like 5.0.
 */
const defaultLimits: JsonLimits = { members: 64, fractions: 2000 };
/** Only lists and imports can have more failures, and more would not help the caller. */
const maximumReportedFailures = 100;

/** What is needed to read the bodies of one operation. */
export interface BodyReader {
  readonly operation: Operation;
  readonly maximumBytes: number;
  /** Undefined where there are none. */
  readonly limits: JsonLimits | undefined;
  readonly validator: Validator;
  readonly accept: (body: Body) => Body;
  readonly legacyFields: ReadonlyMap<string, string>;
  readonly clock: () => number;
}

/**
 * @param legacyFields names that say what replaces them; those that the operation has are none
 * @param clock milliseconds since the epoch
 */
export function bodyReader(
  operation: Operation,
  legacyFields: Readonly<Record<string, string>>,
  unknownFields: UnknownFields,
  clock: () => number,
): BodyReader {
  const legacy = Object.entries(legacyFields).filter(([name]) => !(name in operation.input.properties));
  return {
    operation,
    maximumBytes: operation.maximumBodyBytes ?? defaultMaximumBodyBytes,
    // An operation with a higher limit for the body takes lists of records.
    limits: operation.maximumBodyBytes === undefined ? defaultLimits : undefined,
    validator: validatorOf(bodyOf(operation)),
    accept: acceptedFields(operation, unknownFields),
    legacyFields: new Map(legacy),
    clock,
  };
}

export interface ReadBody {
  /** The body as it was sent, which is bound to the idempotency key. */
  readonly sent: Body;
  /** The fields that the operation gets. */
  readonly input: Body;
}

/** Size and JSON, legacy fields, idempotency key, fields. */
export async function readFields(
  { operation, maximumBytes, limits, validator, accept, legacyFields, clock }: BodyReader,
  request: OperationRequest,
  timeZone: string,
): Promise<ReadBody | Refusal> {
  const bytes = await request.readBody(maximumBytes);
  if (bytes === "too_large") return fail("payload_too_large", { limit_bytes: maximumBytes });
  const body = bytes === "aborted" ? "malformed" : parseJsonObject(bytes, limits);
  if (body === "malformed") return fail("malformed_json");
  if (body === "too_much") {
    const error = fieldError(
      "",
      "too_long",
      `is more than this operation takes: ${limits?.members} fields at most`,
    );
    return fail("validation_failed", { errors: [error] });
  }
  for (const name of Object.keys(body)) {
    const use = legacyFields.get(name);
    if (use !== undefined) return fail("legacy_field_not_allowed", { field: name, use });
  }
  const writes = operation.kind === "write" || operation.kind === "posting";
  if (writes && isMissingKey(body.idempotency_key)) return fail("idempotency_key_required");
  const input = accept(body);
  const today = () => dayOf(clock(), timeZone);
  const failures = fieldFailures(operation, validator, input, today);
  return failures === undefined ? { sent: body, input } : fail("validation_failed", { errors: failures });
}

function isMissingKey(key: unknown): boolean {
  return key === undefined || key === null || (typeof key === "string" && key.trim() === "");
}

/** Every failure of the fields at once, or undefined when all are valid. */
function fieldFailures(
  operation: Operation,
  validator: Validator,
  body: Body,
  today: () => string,
): FieldError[] | undefined {
  const failures = validator.failures(body);
  const { atLeastOneOf } = operation;
  if (atLeastOneOf?.some((name) => name in body) === false) {
    failures.push(
      fieldError(
        "",
        "no_fields_to_update",
        `changes nothing: send at least one of ${atLeastOneOf.join(", ")}`,
      ),
    );
  }
  if (operation.check !== undefined) {
    // Errors name a field within another with dots. Field names may have dots, too.
    const refused = new Set(
      failures.map(({ field }) => (Object.hasOwn(body, field) ? field : (field.split(".")[0] as string))),
    );
    const sound = Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)));
    failures.push(...operation.check(sound, { today, refused }));
  }
  return failures.length === 0 ? undefined : failures.slice(0, maximumReportedFailures);
}
