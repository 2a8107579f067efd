/** The checks before an operation does its own, in their order. */
import { basePath } from "../../test/support/runs/service.ts";
import { type Body, contract, inputOf, legacyFields, type Operation } from "./contract.ts";
import { Chosen, invalid, type Rejection, reject, someDetails, someText } from "./expectation.ts";
import { bytesTaken, type Request } from "./requests.ts";
import type { Integration } from "./setting.ts";

/** @returns why the request is rejected, or the operation and its fields */
export function admit(
  request: Request,
  integration: Integration,
): Rejection | { readonly operation: Operation; readonly body: Body } {
  const operation = contract[request.path];
  if (operation === undefined) {
    // The wrong paths are those of operations with slashes at the end.
    return reject(404, "operation_not_found", { use: basePath + request.path.replace(/\/+$/, "") });
  }
  if (request.method !== "POST") return reject(405, "method_not_allowed");
  if (request.query !== "") return reject(400, "query_parameters_not_allowed");
  if (request.contentType !== "application/json") return reject(415, "invalid_content_type", someDetails);
  return (
    (operation.scope === undefined ? undefined : rejectCaller(request, integration, operation.scope)) ??
    rejectBody(request, operation, integration) ?? {
      operation,
      body: inputOf(operation, request.body as Body),
    }
  );
}

const tokenProblems = {
  missing: "missing",
  "of another scheme": "other_scheme",
  malformed: "malformed",
  forged: "invalid_or_expired",
  expired: "invalid_or_expired",
};

function rejectCaller({ token }: Request, integration: Integration, scope: string): Rejection | undefined {
  if (token !== "valid") return reject(401, "unauthorized", { token: tokenProblems[token] });
  if (!integration.enabled) return reject(404, "sp_integration_not_found");
  if (!integration.granted.includes(scope)) return reject(403, "sp_scope_not_granted", { scope });
  if (!integration.inToken.includes(scope)) return reject(403, "sp_token_scope_missing", { scope });
  return undefined;
}

function rejectBody(
  { text, body }: Request,
  operation: Operation,
  caller: Integration,
): Rejection | undefined {
  if (Buffer.byteLength(text) > bytesTaken)
    return reject(413, "payload_too_large", { limit_bytes: bytesTaken });
  if (body === undefined) return reject(400, "malformed_json");
  const legacy = legacyFields.filter((name) => name in body && !(name in operation.fields));
  if (legacy.length > 0) {
    const field = new Chosen(`one of ${legacy.join()}`, (value) => legacy.includes(value as string));
    return reject(400, "legacy_field_not_allowed", { field, use: someText });
  }
  if (operation.kind !== "read" && String(body.idempotency_key ?? "").trim() === "") {
    return reject(400, "idempotency_key_required");
  }
  const input = inputOf(operation, body);
  const failures = failuresOf(operation, input);
  if (failures.length > 0) return invalid(failures);
  const { location_id } = input as { location_id?: number };
  if (location_id !== undefined && !caller.locationIds.includes(location_id)) {
    return reject(403, "sp_location_not_allowed", { location_id });
  }
  return undefined;
}

/** The bounds of each field are not modelled: test/contract/validation.test.ts checks them. */
function failuresOf({ fields, kind }: Operation, body: Body): (readonly [string, string])[] {
  const failures: (readonly [string, string])[] = [];
  for (const [name, { required }] of Object.entries(fields)) {
    if (required && !(name in body)) failures.push([name, "required"]);
  }
  for (const [name, value] of Object.entries(body)) {
    if (!(name in fields) && name !== "idempotency_key") failures.push([name, "unknown_field"]);
    else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      failures.push([name, "invalid_type"]);
    }
  }
  const changes = Object.keys(fields).filter((name) => !fields[name]?.required && name in body);
  if (kind === "update" && changes.length === 0) failures.push(["", "no_fields_to_update"]);
  // Fields that are valid by themselves, and not together.
  const isText = (name: string) => typeof body[name] === "string";
  const same = (one: string, other: string) =>
    String(body[one]).toLowerCase() === String(body[other]).toLowerCase();
  if (isText("password") && (same("password", "phone_number") || same("password", "email"))) {
    failures.push(["password", "not_allowed_value"]);
  }
  const { start_date, end_date } = body as { start_date: string; end_date: string };
  if (isText("start_date") && isText("end_date") && start_date > end_date) {
    failures.push(["end_date", "out_of_range"]);
  }
  return failures;
}
