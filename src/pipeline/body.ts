/** Checks the body of a call: legacy fields, then the idempotency key, then the fields. */
import { type Rejection, reject } from "../contract/errors.ts";
import { type FieldError, fieldError, wrongValue } from "../contract/field-errors.ts";
import { auditEventsOf, bodyOf, type CheckContext, isWrite, type Operation } from "../contract/operation.ts";
import { type Body, type UnknownFields, validatorOf } from "../contract/validation.ts";

/** Only lists and imports can have more failures. More failures don't help the caller. */
const maximumReportedFailures = 100;

export interface CheckedBody {
  /** The body as it was sent. The fingerprint of the idempotency key is made from it. */
  readonly sent: Body;
  /** The fields that the operation gets. */
  readonly input: Body;
}

/** What checks of fields need besides the fields. */
export type CheckNeeds = Omit<CheckContext, "rejected" | "events" | "paths">;

/** Checks a body of an operation. @param needs called only if the operation has a check of its own; the others need no wait */
export type CheckBody = (
  operation: Operation,
  sent: Body,
  needs: () => CheckNeeds | Promise<CheckNeeds>,
) => CheckedBody | Rejection | Promise<CheckedBody | Rejection>;

/**
 * Makes the function that checks bodies. The validator of an operation is compiled at its first request, because that would take a
 * third of the time of a start for all of them.
 * @param legacyFields rejected names, each with its replacement; fields of the operation are exempt
 */
export function createBodyCheck(
  operations: readonly Operation[],
  legacyFields: Readonly<Record<string, string>>,
  unknownFields: UnknownFields,
): CheckBody {
  const validators = new Map<Operation, ReturnType<typeof validatorOf>>();
  const facts = { events: auditEventsOf(operations), paths: new Set(operations.map(({ path }) => path)) };
  return (operation, sent, needs) => {
    const field = Object.keys(sent).find(
      (name) => Object.hasOwn(legacyFields, name) && !(name in operation.input.properties),
    );
    if (field !== undefined)
      return reject("legacy_field_not_allowed", { field, use: legacyFields[field] as string });
    if (isWrite(operation) && isMissingKey(sent.idempotency_key)) return reject("idempotency_key_required");
    const validate =
      validators.get(operation) ?? validatorOf(bodyOf(operation), { removesAbsent: true, unknownFields });
    validators.set(operation, validate);
    const { input, failures } = validate(sent);
    const rejected = rejectedFields(sent, failures);
    const valid = inputWithout(input, rejected);
    failures.push(...failuresTogether(operation, input, valid));
    const { check } = operation;
    if (check === undefined) return checked(sent, input, failures);
    const checkFields = async () => {
      failures.push(...(await check(valid, { rejected, ...facts, ...(await needs()) })));
      return checked(sent, input, failures);
    };
    return checkFields();
  };
}

function checked(sent: Body, input: Body, failures: readonly FieldError[]): CheckedBody | Rejection {
  if (failures.length === 0) return { sent, input };
  return reject("validation_failed", { errors: failures.slice(0, maximumReportedFailures) });
}

function isMissingKey(key: unknown): boolean {
  return key === undefined || key === null || (typeof key === "string" && key.trim() === "");
}

/** The names of the fields that the schema rejected. Errors name a field within another with dots. Field names may have dots, too. */
function rejectedFields(sent: Body, failures: readonly FieldError[]): ReadonlySet<string> {
  return new Set(
    failures.map(({ field }) => (Object.hasOwn(sent, field) ? field : (field.split(".")[0] as string))),
  );
}

function inputWithout(input: Body, names: ReadonlySet<string>): Body {
  if (names.size === 0) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)));
}

/** Checks which fields must, and which can't, be sent together. */
function failuresTogether(operation: Operation, input: Body, valid: Body): FieldError[] {
  const { atLeastOneOf, exactlyOneOf, onlyOneOf = exactlyOneOf ?? [] } = operation;
  const failures: FieldError[] = [];
  if (atLeastOneOf?.some((name) => name in input) === false) {
    const names = atLeastOneOf.join(", ");
    failures.push(
      isWrite(operation)
        ? fieldError("", "no_fields_to_update", `changes nothing: send at least one of ${names}`)
        : fieldError("", "required", `must have one of ${names}`),
    );
  }
  const [preferred, ...alternatives] = exactlyOneOf ?? [];
  if (preferred !== undefined && !exactlyOneOf?.some((name) => name in input)) {
    failures.push(fieldError(preferred, "required", `is required without ${alternatives.join(" and ")}`));
  }
  const [first, second] = onlyOneOf.filter((name) => name in valid);
  if (first !== undefined && second !== undefined) {
    failures.push(wrongValue(second, `must not be sent together with ${first}`));
  }
  return failures;
}
