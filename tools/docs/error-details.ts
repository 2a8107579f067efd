/** The schema of `error.details` for each error. Errors that are not listed have no details. */
import { type TObject, Type } from "typebox";
import { legacyFields } from "../../src/contract/body.ts";
import { type ErrorCode, fieldErrorCodes } from "../../src/contract/errors.ts";
import * as fields from "../../src/contract/fields.ts";
import { allScopes } from "../../src/contract/scopes.ts";
import { accounts, amountLimit, balanceLimit } from "../../src/domain/ledger.ts";

const none = Type.Object({});

const fieldName = (example: string) =>
  Type.String({
    maxLength: 255,
    pattern: "^[^\\x00-\\x1F]*$",
    description: "The field; a dot leads into a list or an object. Empty for the request as a whole.",
    examples: [example],
  });

const held = (what: string) =>
  Type.Integer({ minimum: 0, maximum: balanceLimit, description: `${what} of the member.`, examples: [120] });

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
  account: Type.Optional(
    Type.Enum([...accounts], {
      description: "The account, where several are concerned.",
      examples: ["points"],
    }),
  ),
  balance: { ...fields.balanceAfter, description: "The balance now." },
});

const detailed: Partial<Record<ErrorCode, TObject>> = {
  legacy_field_not_allowed: Type.Object({
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
  unauthorized: unauthorized,
  sp_scope_not_granted: scope,
  sp_token_scope_missing: scope,
  sp_location_not_allowed: Type.Object({
    location_id: Type.Optional({ ...fields.locationId, description: "The location." }),
  }),
  location_not_found: Type.Object({
    location_ids: Type.Array(fields.locationId, {
      minItems: 1,
      maxItems: 1000,
      description: "Those that it has not.",
    }),
  }),
  member_already_exists: Type.Object({
    field: takenField("The first field that is taken."),
    fields: Type.Array(takenField("A field that is taken."), {
      minItems: 1,
      maxItems: 2,
      description: "Every field that is taken.",
      examples: [["phone_number"]],
    }),
  }),
  payload_too_large: Type.Object({
    limit_bytes: Type.Integer({
      minimum: 1,
      maximum: 2 ** 31 - 1,
      description: "How large it may be.",
      examples: [65_536],
    }),
  }),
  validation_failed: Type.Object({
    errors: Type.Array(fieldFailure, { minItems: 1, maxItems: 100, description: "Every failure at once." }),
  }),
  redemption_not_allowed: Type.Object({
    reason: Type.Enum(["minimum", "step", "exceeds_amount", "points_cannot_pay"], {
      description: "Why.",
      examples: ["exceeds_amount"],
    }),
  }),
  refund_exceeds_sale: Type.Object({
    refundable: Type.Integer({
      minimum: 0,
      maximum: amountLimit,
      description: "What can still be refunded, in minor units.",
      examples: [1500],
    }),
  }),
  balances_not_zero: Type.Object({
    wallet: held("Money"),
    points: held("Points"),
    vouchers: held("Vouchers"),
  }),
  insufficient_balance: balance,
  balance_limit_exceeded: balance,
};

/** The schema of an error's details. */
export function detailsOf(code: ErrorCode): TObject {
  return detailed[code] ?? none;
}
