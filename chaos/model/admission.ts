/** Everything that is looked at before an operation does its own: the order of checks, from outside in. */
import { contract, inputOf, legacyFields, type Operation } from "./contract.ts";
import { Chosen, inAnyOrder, someText } from "./expectation.ts";
import type { Integration } from "./homes.ts";
import { type Body, bytesTaken, type Request } from "./requests.ts";

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly details?: unknown;
}

export interface Admitted {
  readonly operation: Operation;
  readonly body: Body;
}

export function refuse(status: number, code: string, details: unknown = {}): Refusal {
  return { status, code, details };
}

/** One that names the fields and what is wrong with each, as `[field, code]`. */
export function invalid(failures: readonly (readonly [field: string, code: string])[]): Refusal {
  const expected = failures.map(([field, code]) => ({ field, code }));
  const errors = new Chosen(`failures ${JSON.stringify(expected)}`, (value) => {
    if (!Array.isArray(value)) return false;
    const all = value.every(
      (each) => Object.keys(each).sort().join() === "code,field,message" && someText.fits(each.message),
    );
    return all && inAnyOrder(expected).fits(value.map(({ field, code }) => ({ field, code })));
  });
  return refuse(422, "validation_failed", { errors });
}

/** @returns why the request is not let in, or what it asks for */
export function admit(request: Request, integration: Integration): Refusal | Admitted {
  const operation = contract[request.path];
  if (operation === undefined) return refuse(404, "operation_not_found");
  if (request.method !== "POST") return refuse(405, "method_not_allowed");
  if (request.query !== "") return refuse(400, "query_parameters_not_allowed");
  if (request.contentType !== "application/json") return refuse(415, "invalid_content_type");
  return (
    (operation.scope === undefined ? undefined : refuseCaller(request, integration, operation.scope)) ??
    refuseBody(request, operation, integration) ?? {
      operation,
      body: inputOf(operation, request.body as Body),
    }
  );
}

const tokenProblems = {
  missing: "missing",
  // Another kind of credentials counts as no token.
  "of another scheme": "missing",
  malformed: "malformed",
  forged: "invalid_or_expired",
  expired: "invalid_or_expired",
};

function refuseCaller({ token }: Request, integration: Integration, scope: string): Refusal | undefined {
  if (token !== "sound") {
    return refuse(401, "unauthorized", { token: tokenProblems[token] });
  }
  if (!integration.enabled) return refuse(404, "sp_integration_not_found");
  if (!integration.granted.includes(scope)) return refuse(403, "sp_scope_not_granted", { scope });
  if (!integration.inToken.includes(scope)) return refuse(403, "sp_token_scope_missing", { scope });
  return undefined;
}

function refuseBody(
  { text, body }: Request,
  operation: Operation,
  integration: Integration,
): Refusal | undefined {
  if (Buffer.byteLength(text) > bytesTaken) {
    return refuse(413, "payload_too_large", { limit_bytes: bytesTaken });
  }
  if (body === undefined) return refuse(400, "malformed_json");
  const legacy = legacyFields.filter((name) => name in body && !(name in operation.fields));
  if (legacy.length > 0) {
    const field = new Chosen(`one of ${legacy.join()}`, (value) => legacy.includes(value as string));
    return refuse(400, "legacy_field_not_allowed", { field, use: someText });
  }
  const key = body.idempotency_key;
  if (operation.writes && isMissing(key)) return refuse(400, "idempotency_key_required");
  const input = inputOf(operation, body);
  const failures = failuresOf(operation, input);
  if (failures.length > 0) return invalid(failures);
  const location = input.location_id as number | undefined;
  if (location !== undefined && !integration.locationIds.includes(location)) {
    return refuse(403, "sp_location_not_allowed", { location_id: location });
  }
  return undefined;
}

function isMissing(key: unknown): boolean {
  return key === undefined || key === null || (typeof key === "string" && key.trim() === "");
}

function failuresOf({ fields, required, updates }: Operation, body: Body): (readonly [string, string])[] {
  const failures: (readonly [string, string])[] = [];
  for (const name of required) if (!(name in body)) failures.push([name, "required"]);
  for (const [name, value] of Object.entries(body)) {
    const field = fields[name];
    const code = field === undefined ? "unknown_field" : field.rule(value);
    if (code !== undefined) failures.push([name, code]);
    for (const [index, item] of Array.isArray(value) ? value.entries() : []) {
      const itemCode = field?.itemRule?.(item);
      if (itemCode !== undefined) failures.push([`${name}.${index}`, itemCode]);
    }
  }
  const changes = Object.keys(fields).filter(
    (name) => name !== "idempotency_key" && !required.includes(name),
  );
  if (updates === true && !changes.some((name) => name in body)) failures.push(["", "no_fields_to_update"]);
  // Of fields that are sound by themselves, those that can't stand beside one another.
  const sound = (name: string) =>
    !failures.some(([field]) => field === name) && typeof body[name] === "string";
  const same = (one: string, other: string) =>
    String(body[one]).toLowerCase() === String(body[other]).toLowerCase();
  if (sound("password") && (same("password", "phone_number") || same("password", "email"))) {
    failures.push(["password", "not_allowed_value"]);
  }
  const { start_date, end_date } = body as { start_date: string; end_date: string };
  if (sound("start_date") && sound("end_date") && start_date > end_date) {
    failures.push(["end_date", "out_of_range"]);
  }
  return failures;
}
