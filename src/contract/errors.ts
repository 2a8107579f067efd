import { type Static, type TObject, Type } from "typebox";
import { balanceLimit } from "../domain/ledger.ts";
import { type NoDetails, Rejection as RejectedWith, reject as rejectWith } from "../domain/rejection.ts";
import { cardErrors } from "./card-errors.ts";
import { type ErrorDefinition, missing } from "./error-definition.ts";
import * as details from "./error-details.ts";
import { operatorErrors } from "./operator-errors.ts";
import { transportErrors } from "./transport-errors.ts";
import { voucherErrors } from "./voucher-errors.ts";
import { webhookErrors } from "./webhook-errors.ts";

/**
 * Every error of the service, in one table. Responses, documents and tests all derive from it.
 */
export const errors = {
  ...transportErrors,
  legacy_field_not_allowed: {
    status: 400,
    details: details.legacyField,
    message: "The request contains a legacy field.",
    cause: "The body contains a field name of older interfaces, such as member_id or api_key.",
    remedy: "Remove the field named in details.field; details.use says what replaces it.",
  },
  idempotency_key_required: {
    status: 400,
    message:
      "This operation writes, so its JSON body needs the field idempotency_key. The header Idempotency-Key is not read.",
    cause:
      "A write was sent without idempotency_key in its body, or with one that is null, empty or blank. The header Idempotency-Key is not read.",
    remedy:
      "Send an idempotency_key of 1 to 255 printable ASCII characters, without blanks at its ends, the same one on every retry.",
  },
  invalid_client_credentials: {
    status: 401,
    message:
      "No enabled integration has this client_id and client_secret. If the secret was lost, ask the operator for a new one.",
    cause: "No enabled integration has this client_id and client_secret.",
    remedy: "Check client_id and client_secret; ask the operator for a new secret if it was lost.",
  },
  unauthorized: {
    status: 401,
    details: details.rejectedToken,
    message: "The request is not authorized.",
    messages: {
      missing:
        "The header Authorization: Bearer with a token is missing. Partners get a token from /sp/auth/token.",
      other_scheme:
        "The Authorization header must begin with Bearer, followed by a token. Partners get one from /sp/auth/token, with client_id " +
        "and client_secret in the body.",
      malformed:
        "What follows Bearer in the Authorization header is not a token. Send the token as you got it, without quotes or blanks.",
      invalid_or_expired:
        "The token is wrong or has expired. Get a new one: partners from /sp/auth/token, people by signing in. A client_secret is no token.",
      revoked:
        "The token was revoked by the operator. Get a new one from /sp/auth/token. If that fails, ask the operator for the new client_secret.",
    },
    cause: "The Authorization header is missing or malformed, or its token has expired or was revoked.",
    remedy: "Send Authorization: Bearer with a token that has not expired, from /sp/auth/token.",
  },
  sp_scope_not_granted: {
    status: 403,
    details: details.requiredScope,
    message:
      "The integration has not been granted the scope of this operation. Ask the operator for it, then get a new token.",
    cause: "The integration does not have the scope that the operation needs.",
    remedy: "Ask the operator to grant the scope named in details.scope, then get a new token.",
  },
  sp_token_scope_missing: {
    status: 403,
    details: details.requiredScope,
    message:
      "The access token was issued without the scope of this operation, which the integration got since. Get a new token.",
    cause: "The integration got the scope after this token was issued.",
    remedy: "Get a new token.",
  },
  sp_location_not_allowed: {
    status: 403,
    details: details.rejectedLocation,
    message:
      "The integration may not use this location, it is closed, or it does not exist. /sp/locations/list has those that it may use.",
    cause: "The integration is limited to other locations, the location is closed, or it does not exist.",
    remedy: "Use a location from /sp/locations/list, or ask the operator for this one.",
  },
  sp_integration_not_found: {
    status: 404,
    message: "The integration of this token no longer exists or is disabled. Ask the operator.",
    cause: "The token is valid, but its integration has been disabled or deleted.",
    remedy: "Ask the operator whether the integration was disabled or deleted.",
  },
  member_not_found: {
    status: 404,
    message:
      "No member of this business has this contact_id, or this phone number, e-mail address or external reference.",
    cause: "No member of the business has this contact_id.",
    remedy: "Check contact_id against /sp/members/list.",
  },
  ...cardErrors,
  voucher_not_found: missing(
    "voucher",
    "voucher_id",
    "Check voucher_id against /sp/vouchers/definitions/list.",
  ),
  benefit_not_found: missing(
    "top-up benefit",
    "benefit_id",
    "Check benefit_id against /sp/wallet/topup-benefits/list.",
  ),
  program_not_found: {
    ...missing("reward program", "program_id", "Check program_id against /sp/reward-programs/list."),
    details: details.missingPrograms,
  },
  promotion_not_found: missing(
    "promotion",
    "promotion_id",
    "Check promotion_id against /op/promotions/list.",
  ),
  promotion_ended: {
    status: 409,
    message: "The promotion has ended, and an ended one stays as it is. Create another one.",
    cause: "The status of the promotion is ended.",
    remedy: "Create another promotion.",
  },
  stamp_card_not_found: missing(
    "stamp card",
    "stamp_card_id",
    "Check stamp_card_id against /op/stamp-cards/list.",
  ),
  stamp_card_ended: {
    status: 409,
    message: "The stamp card has ended, and an ended one stays as it is. Create another one.",
    cause: "The status of the stamp card is ended.",
    remedy: "Create another stamp card.",
  },
  occasion_not_found: missing("occasion", "occasion_id", "Check occasion_id against /op/occasions/list."),
  occasion_ended: {
    status: 409,
    message: "The occasion has ended, and an ended one stays as it is. Create another one.",
    cause: "The status of the occasion is ended.",
    remedy: "Create another occasion.",
  },
  tier_not_found: {
    status: 404,
    details: details.missingTiers,
    message: "No member tier has this tier_id.",
    cause: "No member tier of the business has this tier_id, or it was deleted.",
    remedy: "Check tier_id against /sp/member-tiers/list; a deleted tier is gone.",
  },
  sale_not_found: missing(
    "sale",
    "sale_id",
    "Check sale_id against /sp/sales/list, by the reference_id of the receipt.",
  ),
  redemption_not_found: missing(
    "redemption",
    "redemption_id",
    "Use a redemption_id that /sp/reward-points/redeem returned.",
  ),
  voucher_not_held: {
    status: 404,
    message: "The member does not hold this voucher. /sp/vouchers/list has those that it holds.",
    cause:
      "The member was never issued a voucher with this held_voucher_id, or holds none of this coupon_code.",
    remedy: "Show the member's vouchers with /sp/vouchers/list, and use a held_voucher_id from there.",
  },
  movement_not_found: missing(
    "top-up or payment",
    "movement_id",
    "Use a movement_id that /sp/wallet/topup or /sp/wallet/pay returned.",
  ),
  member_already_exists: {
    status: 409,
    details: details.takenFields,
    message: "Another member already has this phone number, e-mail address or external reference.",
    cause: "Another member of the business has the phone number, e-mail address or external reference.",
    remedy:
      "details.fields lists the fields that are already in use. Find the other member with /sp/members/find or " +
      "/sp/members/list.",
  },
  member_inactive: {
    status: 409,
    details: details.inactiveMember,
    message:
      "The member is inactive, so it can't buy, redeem or be corrected. If it was merged, use merged_into; if not, the operator can activate it.",
    cause:
      "The operator made the member inactive: it can't buy or redeem, and its balances can't be adjusted, but refunds and " +
      "changes of its fields are possible. Or the member was merged into another one.",
    remedy: "Send the contact_id in details.merged_into, or else ask the operator to activate the member.",
  },
  already_merged: {
    status: 409,
    details: details.mergedMember,
    message: "The member was merged before.",
    cause: "The member in from_contact_id was merged into another one before.",
    remedy: "Nothing is left to do if details.merged_into is the right member. A merge can't be undone.",
  },
  members_are_the_same: {
    status: 409,
    message: "A member can't be merged into itself.",
    cause: "from_contact_id and contact_id are the same.",
    remedy: "Send the two members that are to become one.",
  },
  insufficient_balance: {
    status: 409,
    details: details.balance,
    message: "The balance is too low for this debit.",
    cause: "A debit is larger than the balance.",
    remedy: "Debit at most details.balance, which is the current balance.",
  },
  balance_limit_exceeded: {
    status: 409,
    details: details.balance,
    message: `The balance would exceed its limit of ${balanceLimit}.`,
    cause: "A credit would raise the balance above its limit.",
    remedy: `Credit less: a balance is at most ${balanceLimit}.`,
  },
  ...voucherErrors,
  benefit_inactive: {
    status: 409,
    message: "The top-up benefit is not sold any more.",
    cause: "The status of the top-up benefit is inactive.",
    remedy: "Choose an active benefit, or send an amount, which gets no bonus.",
  },
  referral_code_not_found: {
    status: 404,
    message: "No active member has this referral code. Ask for it again.",
    cause: "No active member of the business has the referral_code.",
    remedy: "Ask the member for the code again. /sp/referrals/code returns it.",
  },
  referral_refused: {
    status: 409,
    details: details.referralProblem,
    message: "This member can't be brought by the owner of the code. details.reason says why.",
    cause: "details.reason says why the owner of the code can't have brought the member.",
    remedy: "Continue without a referral.",
  },
  rewards_disabled: {
    status: 409,
    message:
      "The business has switched reward points off, so points can't be spent. Take payment without points.",
    cause: "Points can't be spent while enable_rp is false.",
    remedy: "Take payment without points, or switch reward points on with /sp/reward-settings/update.",
  },
  redemption_not_allowed: {
    status: 409,
    details: details.redemptionProblem,
    message: "Points or the wallet can't pay like this.",
    messages: {
      minimum: "The business lets members spend a minimum number of points at once, and this is less.",
      step: "Points pay in whole steps only. Send a multiple of the step.",
      exceeds_amount:
        "Points or the wallet would pay more than they can of this sale. Send at most the maximum.",
      points_cannot_pay: "Points have no value in this business, so they can't pay. Leave use_points out.",
    },
    cause:
      "details.reason says why. minimum: fewer points than the business's minimum. step: the number is not a multiple " +
      "of the operator's value_points. exceeds_amount: the points or the wallet would pay more than is still to be paid. " +
      "points_cannot_pay: points have no value.",
    remedy:
      "Send /sp/sales/quote without points: usable.points is the maximum that can pay a part of the sale.",
  },
  refund_exceeds_sale: {
    status: 409,
    details: details.refundable,
    message:
      "The refund is larger than what is left of the sale or line. Refund at most the amount that is refundable.",
    cause:
      "Together with earlier refunds, more than the amount of the sale, or of one of its lines, would be refunded.",
    remedy: "Refund at most details.refundable, and of a line at most details.quantity.",
  },
  already_reversed: {
    status: 409,
    message: "This has already been reversed.",
    cause: "The redemption, top-up or payment has already been reversed.",
    remedy: "Nothing is left to do.",
  },
  events_expired: {
    status: 409,
    details: details.oldestEvent,
    message: "Events after this number are no longer kept.",
    cause: "Events are kept for some time, and the next event to read or to send was deleted since.",
    remedy:
      "Read balances and members anew. Then continue with the number before details.oldest. To enable a webhook endpoint, " +
      "send details.oldest as event_no.",
  },
  clock_step_too_large: {
    status: 409,
    details: details.clockStep,
    message: "Too much is due before this time to advance the clock in one step.",
    cause: "So many points mature or expire until then that settling them takes longer than a request may.",
    remedy:
      "Advance to the day in details.to first, and then send this request again. The client does this by itself.",
  },
  sandbox_too_large: {
    status: 409,
    message: "The sandbox has more than 10,000 members, so its clock can't be advanced.",
    cause: "The clock of a sandbox can be advanced only while it has at most 10,000 members.",
    remedy: "Ask the operator for another sandbox, with fewer members.",
  },
  validation_failed: {
    status: 422,
    details: details.invalidFields,
    message: "Some fields are missing or invalid.",
    cause: "Fields are missing, unknown, of the wrong type or out of bounds, or an update changes nothing.",
    remedy: "details.errors lists every invalid field with a code and a message. Fix all of them and retry.",
  },
  idempotency_key_reused_with_different_payload: {
    status: 422,
    message:
      "This idempotency_key was already used for a different request, which took effect. Look that up first, a sale by its reference_id " +
      "with /sp/sales/list. Only if it is another one, use a new key. Two writes of one sale need two keys, such as " +
      "sale/2026-04-17/1/812/points and sale/2026-04-17/1/812/wallet.",
    cause:
      "An earlier write succeeded with the same key, but with another body or on another operation. Often the body was changed before a " +
      "retry, or receipts restart each day or at each till.",
    remedy:
      "To retry, send exactly the same request again. If you changed the body, first look up whether the first one was recorded, a sale " +
      "by its reference_id: then refund or correct it, or leave it as it is. A new key would make a second sale. For another write, use another key, of the " +
      "till, the business day and the receipt. Two writes of one receipt need two keys, such as sale/2026-04-17/1/812/points and " +
      "sale/2026-04-17/1/812/wallet.",
  },
  idempotency_key_of_another_secret: {
    status: 409,
    message:
      "This idempotency_key is used: a write took effect under it. Whether with this body can't be told, because the service has another " +
      "secret now. Look it up first, a sale by its reference_id with /sp/sales/list. Only if it is another one, use a new key.",
    cause:
      "An earlier write succeeded with the same key, and the operator has replaced the secret by which bodies are compared.",
    remedy:
      "Look up what was recorded, a sale with /sp/sales/list and its reference_id. If it is this request, it is done. Only if it is not, " +
      "send the request with another key. The operator can set LOYALTY_SECRET_PREVIOUS, and then a retry gets the first response.",
  },
  rate_limited: {
    status: 429,
    message: "Too many requests. Wait for the seconds in the header Retry-After, then retry.",
    cause:
      "The integration exceeded its limit, or its address sent too many requests with wrong credentials or without the " +
      "scope, or has too many connections.",
    remedy: "Wait for the number of seconds in Retry-After, then retry.",
  },
  internal_error: {
    status: 500,
    message:
      "The service failed while it processed the request. Retry once with the same idempotency_key, then tell the operator the X-Request-Id.",
    cause: "The service has a fault. The operator finds it in the log.",
    remedy:
      "Retry once with the same idempotency_key. If the error stays, more retries don't help: tell the operator the X-Request-Id.",
  },
  service_unavailable: {
    status: 503,
    message:
      "The service can't respond now. Wait for the seconds in the header Retry-After, then retry with the same idempotency_key.",
    cause: "The service is starting, stopping or overloaded, or its database does not respond.",
    remedy: "Wait for the number of seconds in Retry-After, then retry with the same idempotency_key.",
  },
  ...webhookErrors,
  ...operatorErrors,
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errors;

type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;

export type DetailsOf<Code extends ErrorCode> = Code extends ErrorCode
  ? (typeof errors)[Code] extends { readonly details: infer Schema extends TObject }
    ? Immutable<Static<Schema>>
    : NoDetails
  : never;

export type Rejection<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode
  ? RejectedWith<Code, DetailsOf<Code>>
  : never;
export const Rejection = RejectedWith;

/** An error that has details needs them. */
type DetailsArgument<Code extends ErrorCode> =
  DetailsOf<Code> extends NoDetails
    ? [details?: NoDetails, retryAfterSeconds?: number]
    : [details: DetailsOf<Code>, retryAfterSeconds?: number];

/** Makes a rejection. An operation gets it with the codes that the operation declares. */
export type Reject<Declared extends ErrorCode> = <Code extends Declared>(
  code: Code,
  ...details: DetailsArgument<Code>
) => Rejection<Code>;

/** The function of the domain, with the errors that the contract has. */
export const reject = rejectWith as Reject<ErrorCode>;

export function detailsOf(code: ErrorCode): TObject {
  const { details }: ErrorDefinition = errors[code];
  return details ?? Type.Object({});
}
