/**
 * What the documents say of each error besides the errors table: when it happens, and what `error.details`
 * holds. The compiler sees to it that no error is missing.
 */
import { type TObject, Type } from "typebox";
import { type ErrorCode, fieldErrorCodes } from "../contract/errors.ts";
import * as fields from "../contract/fields.ts";
import { legacyFields } from "../contract/legacy-fields.ts";
import { allScopes } from "../contract/scopes.ts";

interface ErrorReference {
  /** When it happens. */
  readonly cause: string;
  readonly details: TObject;
}

const none = Type.Object({});

const fieldName = (example: string) =>
  Type.String({
    maxLength: 255,
    pattern: "^[^\\x00-\\x1F]*$",
    description: "The field; a dot leads into a list or an object. Empty for the request as a whole.",
    examples: [example],
  });

const fieldFailure = Type.Object({
  field: fieldName("phone_number"),
  code: Type.Enum([...fieldErrorCodes], { description: "Why, for programs.", examples: ["invalid_format"] }),
  message: Type.String({
    maxLength: 1000,
    format: "plain-text",
    description: "Why, for people.",
    examples: ["phone_number must be an international phone number such as +34600111222."],
  }),
});

const unauthorized = Type.Object({
  token: Type.Enum(["missing", "malformed", "invalid_or_expired", "revoked"], {
    description: "What is wrong with the token.",
    examples: ["invalid_or_expired"],
  }),
});

const scope = Type.Object({
  scope: Type.Enum([...allScopes], {
    description: "The scope that the operation needs.",
    examples: ["wa.members.read"],
  }),
});

const takenField = (description: string) =>
  Type.Enum(["phone_number", "email"], { description, examples: ["phone_number"] });

const balance = Type.Object({
  balance: { ...fields.balanceAfter, description: "The balance now." },
});

export const errorReference: Record<ErrorCode, ErrorReference> = {
  malformed_request: {
    cause:
      "What arrived is not HTTP, its headers are too large, it took too long to arrive, or it has two Host, Authorization " +
      "or Content-Type headers.",
    details: none,
  },
  malformed_json: {
    cause: "The body is empty, not JSON, not an object, names a member twice, or is nested too deep.",
    details: none,
  },
  query_parameters_not_allowed: {
    cause: "The address holds a question mark.",
    details: none,
  },
  legacy_field_not_allowed: {
    cause: "The body holds a name from older interfaces, such as member_id or api_key.",
    details: Type.Object({
      field: Type.String({
        maxLength: 255,
        format: "plain-text",
        description: "The field.",
        examples: ["member_id"],
      }),
      use: Type.String({
        maxLength: 255,
        format: "plain-text",
        description: "What replaces it.",
        examples: [legacyFields.member_id as string],
      }),
    }),
  },
  idempotency_key_required: {
    cause: "A write was sent without idempotency_key, or with one that is null, empty or blank.",
    details: none,
  },
  invalid_client_credentials: {
    cause: "No enabled integration has this client_id and client_secret.",
    details: none,
  },
  unauthorized: {
    cause: "The Authorization header is missing or malformed, or its token has expired or was revoked.",
    details: unauthorized,
  },
  sp_scope_not_granted: {
    cause: "The integration does not have the scope that the operation needs.",
    details: scope,
  },
  sp_token_scope_missing: {
    cause: "The integration was given the scope after this token was issued.",
    details: scope,
  },
  sp_location_not_allowed: {
    cause:
      "The integration is limited to some locations and this is none of them, or there is no such location.",
    details: Type.Object({
      location_id: Type.Optional({ ...fields.locationId, description: "The location." }),
    }),
  },
  sp_integration_not_found: {
    cause: "The token is sound, but its integration was disabled or deleted since.",
    details: none,
  },
  member_not_found: { cause: "No member of the business has this contact_id.", details: none },
  voucher_not_found: { cause: "No voucher of the business has this voucher_id.", details: none },
  benefit_not_found: { cause: "No top-up benefit of the business has this benefit_id.", details: none },
  program_not_found: { cause: "No reward program of the business has this program_id.", details: none },
  tier_not_found: {
    cause: "No member tier of the business has this tier_id, or it was deleted.",
    details: none,
  },
  business_not_found: { cause: "There is no business with this business_id.", details: none },
  location_not_found: {
    cause: "The business has no location with this location_id, or with one of these.",
    details: Type.Object({
      location_ids: Type.Array(fields.locationId, {
        minItems: 1,
        maxItems: 1000,
        description: "Those that it has not.",
      }),
    }),
  },
  integration_not_found: {
    cause: "The business has no integration with this integration_id.",
    details: none,
  },
  operation_not_found: { cause: "The path is none of those in the reference.", details: none },
  method_not_allowed: { cause: "The request was a GET, PUT or other method than POST.", details: none },
  member_already_exists: {
    cause: "Another member of the business has the phone number, the e-mail address, or both.",
    details: Type.Object({
      field: takenField("The first field that is taken."),
      fields: Type.Array(takenField("A field that is taken."), {
        minItems: 1,
        maxItems: 2,
        description: "Every field that is taken.",
        examples: [["phone_number"]],
      }),
    }),
  },
  member_inactive: {
    cause:
      "The operator made the member inactive. Its balances can't be adjusted; its fields and password can be changed.",
    details: none,
  },
  insufficient_balance: { cause: "A debit is larger than the balance.", details: balance },
  balance_limit_exceeded: { cause: "A credit would take the balance past its limit.", details: balance },
  payload_too_large: {
    cause: "The body is larger than the operation takes.",
    details: Type.Object({
      limit_bytes: Type.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: "How large it may be.",
        examples: [65_536],
      }),
    }),
  },
  invalid_content_type: {
    cause:
      "Content-Type is missing, is not application/json or names a charset other than UTF-8, or the body is compressed.",
    details: none,
  },
  validation_failed: {
    cause: "Fields are missing, unknown, of the wrong type or out of bounds, or an update changes nothing.",
    details: Type.Object({
      errors: Type.Array(fieldFailure, { minItems: 1, maxItems: 100, description: "Every failure at once." }),
    }),
  },
  idempotency_key_reused_with_different_payload: {
    cause: "An earlier write succeeded with the same key, but with another body or on another operation.",
    details: none,
  },
  rate_limited: {
    cause:
      "The integration sent more requests than its limit, or too many token requests with wrong credentials.",
    details: none,
  },
  internal_error: { cause: "A fault in the service, which its operator hears of.", details: none },
  service_unavailable: {
    cause: "The service is starting, stopping or overloaded, or its database does not answer.",
    details: none,
  },
};
