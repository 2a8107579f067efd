/** The whole request and the errors of an operation: its own declaration and what its kind adds. */
import { type TObject, type TProperties, Type } from "typebox";
import type { ErrorCode } from "./errors.ts";
import * as fields from "./fields.ts";
import type { Operation } from "./operation.ts";

/** Whether an operation changes something, and so takes an idempotency_key. */
export function isWrite({ kind }: Operation): boolean {
  return kind === "write" || kind === "posting";
}

/** The schema of the request body. */
export function bodyOf(operation: Operation): TObject {
  const own = operation.input.properties as TProperties;
  return Type.Object(
    isWrite(operation)
      ? { idempotency_key: fields.idempotencyKey, ...own }
      : operation.kind === "list"
        ? { ...own, per_page: Type.Optional(fields.perPage), page: Type.Optional(fields.page) }
        : own,
    { additionalProperties: false },
  );
}

const always = [
  "query_parameters_not_allowed",
  "invalid_content_type",
  "payload_too_large",
  "malformed_json",
  "legacy_field_not_allowed",
  "validation_failed",
  "rate_limited",
  "internal_error",
  "service_unavailable",
] as const;

const withToken = [
  "unauthorized",
  "sp_integration_not_found",
  "sp_scope_not_granted",
  "sp_token_scope_missing",
] as const;

const withOperatorKey = ["unauthorized"] as const;

const withKey = ["idempotency_key_required", "idempotency_key_reused_with_different_payload"] as const;

/** Whether an operation takes the operator key, and not a token. */
export function isOperatorOperation(operation: Operation): boolean {
  return operation.kind !== "token" && operation.scope === "operator";
}

/** Every error of an operation: its own, its kind's, and the ones that all operations have. */
export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(operation.errors);
  for (const code of always) codes.add(code);
  if (operation.kind !== "token")
    for (const code of isOperatorOperation(operation) ? withOperatorKey : withToken) codes.add(code);
  if (isWrite(operation)) for (const code of withKey) codes.add(code);
  if (isOperatorOperation(operation)) {
    if ("business_id" in operation.input.properties) codes.add("business_not_found");
  } else if ("location_id" in operation.input.properties) codes.add("sp_location_not_allowed");
  return [...codes];
}

/**
 * Names that similar interfaces used for the tenant, the caller or the member, and what replaces each. A
 * request with one of these names is rejected, unless the operation has a field of that name.
 */
export const legacyFields: Readonly<Record<string, string>> = {
  business_id: "the access token, which acts for one business",
  integration_id: "the access token, which acts for one integration",
  member_id: "contact_id",
  customer_id: "contact_id",
  api_key: "the Authorization header",
  api_token: "the Authorization header",
  access_token: "the Authorization header",
  token: "the Authorization header",
  client_id: "the Authorization header",
  client_secret: "the Authorization header",
};
