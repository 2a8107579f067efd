/** The schema of `error.details` for each error. Errors that are not listed have no details. */
import { type TObject, Type } from "typebox";
import { type ErrorCode, fieldErrorCodes } from "../../src/contract/errors.ts";
import * as fields from "../../src/contract/fields.ts";
import { legacyFields } from "../../src/contract/validation.ts";
import { allScopes } from "../../src/domain/access.ts";
import { accounts, amountLimit } from "../../src/domain/ledger.ts";

const text = (maxLength: number, description: string, example: string) =>
  Type.String({ maxLength, format: "plain-text", description, examples: [example] });

const choice = (values: readonly string[], description: string, example: string) =>
  Type.Enum([...values], { description, examples: [example] });

const fieldFailure = Type.Object({
  field: Type.String({
    maxLength: 255,
    pattern: "^[^\\x00-\\x1F]*$",
    description: "The path of the field, with dots for lists and objects. Empty for the request as a whole.",
    examples: ["phone_number"],
  }),
  code: choice(fieldErrorCodes, "The reason, for programs.", "invalid_format"),
  message: text(
    1000,
    "The reason, for people.",
    "phone_number must be an international phone number such as +34600111222.",
  ),
});

const tokenFaults = ["missing", "malformed", "invalid_or_expired", "revoked"];
const scope = Type.Object({
  scope: choice(allScopes, "The scope that the operation needs.", "wa.members.read"),
});
const takenField = (description: string) => choice(["phone_number", "email"], description, "phone_number");
const held = (what: string) => fields.count(`${what} of the member.`, 120);
const balance = Type.Object({
  account: Type.Optional(choice(accounts, "The account, if the operation uses several.", "points")),
  balance: { ...fields.balanceAfter, description: "The current balance." },
});

const detailed: Partial<Record<ErrorCode, TObject>> = {
  legacy_field_not_allowed: Type.Object({
    field: text(255, "The legacy field.", "member_id"),
    use: text(255, "The replacement.", legacyFields.member_id as string),
  }),
  unauthorized: Type.Object({
    token: choice(tokenFaults, "The reason why the token is rejected.", "invalid_or_expired"),
  }),
  sp_scope_not_granted: scope,
  sp_token_scope_missing: scope,
  sp_location_not_allowed: Type.Object({
    location_id: Type.Optional({ ...fields.locationId, description: "The location." }),
  }),
  location_not_found: Type.Object({
    location_ids: Type.Array(fields.locationId, {
      minItems: 1,
      maxItems: 1000,
      description: "The location_ids that do not exist.",
    }),
  }),
  member_already_exists: Type.Object({
    field: takenField("The first field that is already in use."),
    fields: Type.Array(takenField("A field that is already in use."), {
      minItems: 1,
      maxItems: 2,
      description: "All fields that are already in use.",
      examples: [["phone_number"]],
    }),
  }),
  payload_too_large: Type.Object({
    limit_bytes: fields.whole(1, 2 ** 31 - 1, "The maximum size of the body.", 65_536),
  }),
  validation_failed: Type.Object({
    errors: Type.Array(fieldFailure, { minItems: 1, maxItems: 100, description: "All invalid fields." }),
  }),
  redemption_not_allowed: Type.Object({
    reason: choice(
      ["minimum", "step", "exceeds_amount", "points_cannot_pay"],
      "The reason.",
      "exceeds_amount",
    ),
  }),
  refund_exceeds_sale: Type.Object({
    refundable: fields.whole(0, amountLimit, "The amount that can still be refunded, in minor units.", 1500),
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
  return detailed[code] ?? Type.Object({});
}
