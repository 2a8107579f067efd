/** The schemas of `error.details`. errors.ts names the schema of each error. */
import { Type } from "typebox";
import { allRoles, allScopes } from "../domain/access/access.ts";
import { bulkGrantStates } from "../domain/bulk-grants.ts";
import { referralRefusals } from "../domain/engine/referrals.ts";
import { importStates } from "../domain/imports/jobs.ts";
import { accounts, amountLimit } from "../domain/ledger.ts";
import { fieldErrorCodes } from "./field-errors.ts";
import * as fields from "./fields.ts";

const detailText = (maxLength: number, description: string, example: string) =>
  Type.String({ maxLength, format: "plain-text", description, examples: [example] });

export const messageProblem = Type.Object({
  reason: Type.Optional(
    fields.choice(
      ["no_host", "repeated_header", "too_many_headers", "transfer_encoding"],
      "What is wrong, if the headers could be read.",
      "repeated_header",
    ),
  ),
  header: Type.Optional(detailText(255, "The header that was sent twice.", "authorization")),
});

export const contentProblem = Type.Object({
  reason: fields.choice(
    ["missing", "media_type", "charset", "content_encoding"],
    "What is wrong.",
    "charset",
  ),
});

export const rightPath = Type.Object({
  use: Type.Optional(detailText(255, "The path that was probably meant.", "/api/sp/members/list")),
});

const jsonReasons = [
  "byte_order_mark",
  "not_utf8",
  "empty",
  "not_an_object",
  "duplicate_name",
  "forbidden_name",
  "too_deep",
  "syntax",
] as const;
export type JsonReason = (typeof jsonReasons)[number];

const place = (what: string, example: number) => Type.Optional(fields.whole(1, 2 ** 31 - 1, what, example));

export const bodyProblem = Type.Object({
  reason: Type.Optional(
    fields.choice(jsonReasons, "What is wrong, if the body arrived whole.", "duplicate_name"),
  ),
  line: place("The line of the first character that is wrong.", 1),
  column: place("Its column.", 8),
});

export const legacyField = Type.Object({
  field: detailText(255, "The legacy field.", "member_id"),
  use: detailText(255, "The replacement.", "contact_id"),
});

export const rejectedToken = Type.Object({
  token: fields.choice(
    ["missing", "other_scheme", "malformed", "invalid_or_expired", "revoked"],
    "The reason why the token is rejected. other_scheme: the header does not begin with Bearer.",
    "invalid_or_expired",
  ),
});

export const requiredScope = Type.Object({
  scope: fields.choice(allScopes, "The scope that the operation needs.", "wa.members.read"),
});

export const rejectedLocation = Type.Object({
  location_id: Type.Optional({ ...fields.locationId, description: "The location." }),
});

export const bulkGrantState = Type.Object({
  state: fields.choice(bulkGrantStates, "The state of the bulk grant.", "ended"),
});

export const importState = Type.Object({
  state: fields.choice(importStates, "The state of the import.", "checking"),
});

/** Those that do not exist, of a list in a request. */
const missingIds = (id: typeof fields.tierId, name: string) =>
  Type.Optional(
    Type.Array(id, { minItems: 1, maxItems: 1000, description: `The ${name} of a list that do not exist.` }),
  );
export const missingTiers = Type.Object({ tier_ids: missingIds(fields.tierId, "tier_ids") });
export const missingPrograms = Type.Object({ program_ids: missingIds(fields.programId, "program_ids") });

export const missingLocations = Type.Object({
  location_ids: Type.Array(fields.locationId, {
    minItems: 1,
    maxItems: 1000,
    description: "The location_ids that do not exist.",
  }),
});

const takenField = (description: string) =>
  fields.choice(["phone_number", "email", "external_ref"], description, "phone_number");

export const takenFields = Type.Object({
  field: takenField("The first field that is already in use."),
  fields: Type.Array(takenField("A field that is already in use."), {
    minItems: 1,
    maxItems: 3,
    description: "All fields that are already in use.",
    examples: [["phone_number"]],
  }),
});

export const bodyLimit = Type.Object({
  limit_bytes: fields.whole(1, 2 ** 31 - 1, "The maximum size of the body.", 65_536),
});

export const fieldFailure = Type.Object({
  field: Type.String({
    maxLength: 255,
    pattern: "^[^\\x00-\\x1F]*$",
    description: "The path of the field, with dots for lists and objects. Empty for the request as a whole.",
    examples: ["phone_number"],
  }),
  code: fields.choice(fieldErrorCodes, "The reason, for programs.", "invalid_format"),
  message: detailText(
    1000,
    "The reason, for people.",
    "phone_number must be an international phone number such as +34600111222, with + and the country code, without blanks.",
  ),
});

export const invalidFields = Type.Object({
  errors: Type.Array(fieldFailure, { minItems: 1, maxItems: 100, description: "All invalid fields." }),
});

export const clockStep = Type.Object({
  to: fields.day("The last day to which you can advance the clock in one step."),
});

export const inactiveMember = Type.Object({
  merged_into: Type.Optional({
    ...fields.contactId,
    description: "The contact_id of the member into which it was merged, if it was.",
  }),
  contact_id: Type.Optional({
    ...fields.contactId,
    description: "The inactive member, if the request names two.",
  }),
});

export const mergedMember = Type.Object({
  merged_into: { ...fields.contactId, description: "The contact_id of the member into which it was merged." },
});

export const oldestEvent = Type.Object({
  oldest: fields.identifier("The number of the oldest event that is kept, or of the next one.", 1046),
});

export const endpointLimit = Type.Object({
  limit: fields.whole(1, 1000, "The most webhook endpoints that an integration can have.", 20),
});

export const enabledRecently = Type.Object({
  retry_after_seconds: fields.whole(
    1,
    3600,
    "The number of seconds after which it can be enabled again.",
    212,
  ),
});

export const referralProblem = Type.Object({
  reason: fields.choice(
    ["off", ...referralRefusals],
    "off: the business gives nothing for referrals. own_code: the code is the member's. joined_later: its owner joined after the " +
      "member. already_referred: another member has brought it. bought_before: the member has bought something. circle: the member has " +
      "brought the owner, directly or not. limit: the owner has brought as many members this year as it can.",
    "bought_before",
  ),
});

export const redemptionProblem = Type.Object({
  reason: fields.choice(
    ["minimum", "step", "exceeds_amount", "points_cannot_pay"],
    "The reason.",
    "exceeds_amount",
  ),
  minimum_points: Type.Optional(
    fields.inPoints(fields.whole(0, amountLimit, "The fewest points that can be spent.", 20)),
  ),
  step: Type.Optional(fields.inPoints(fields.whole(1, amountLimit, "Only multiples of it can pay.", 10))),
  maximum_points: Type.Optional(
    fields.inPoints(fields.whole(0, amountLimit, "The most points that this sale takes.", 200)),
  ),
  maximum_amount: Type.Optional(
    fields.inMinorUnits(
      fields.whole(0, amountLimit, "The most that the wallet can pay of this sale, in minor units.", 100),
    ),
  ),
});

export const refundable = Type.Object({
  refundable: fields.inMinorUnits(
    fields.whole(
      0,
      amountLimit,
      "The amount that can still be refunded of the sale or line, in minor units.",
      1500,
    ),
  ),
  quantity: Type.Optional(fields.count("How much of the line's quantity can still be refunded.", 1)),
  line_no: Type.Optional({ ...fields.lineNo, description: "The line, for a refund of lines." }),
});

export const balance = Type.Object({
  account: Type.Optional(fields.choice(accounts, "The account, if the operation uses several.", "points")),
  balance: { ...fields.balanceAfter, description: "The current balance." },
});

const held = (what: string) => fields.count(`${what} of the member.`, 120);

const codeField = detailText(
  40,
  "The field with the code: code, or use_codes with its place from 0 on.",
  "use_codes.0",
);
export const codeProblem = Type.Object({ field: codeField });

export const cardProblem = Type.Object({
  reason: fields.choice(["unknown", "check_digit"], "Why no card is found.", "check_digit"),
});

export const blockedCard = Type.Object({
  status: fields.choice(["blocked", "replaced"], "The status of the card.", "replaced"),
});

export const giftLimit = Type.Object({
  maximum: fields.inMinorUnits(fields.count("The most money on a gift card, in minor units.", 15_000)),
});

export const voucherProblem = Type.Object({
  reason: fields.choice(
    [
      ...([
        "redeemed",
        "lapsed",
        "location",
        "not_needed",
        "not_redeemed",
        "of_a_sale",
        "not_for_points",
      ] as const),
      ...(["minimum_amount", "no_item", "second_percent", "worth_nothing", "needs_sale"] as const),
      ...(["not_begun", "ended", "used_up", "most_per_member", "claimed"] as const),
    ],
    "The reason why the voucher can't be used or reversed.",
    "redeemed",
  ),
  held_voucher_id: fields.nullable(
    fields.heldVoucherId,
    "The voucher; null for one that is to be bought, or for a code.",
  ),
  location_id: Type.Optional({ ...fields.locationId, description: "The location at which it is good." }),
  field: Type.Optional(codeField),
  first_day: Type.Optional(fields.day("The first day on which the code can be used.")),
  valid_through: Type.Optional(fields.day("The last day on which it was valid.")),
  minimum_amount: Type.Optional(
    fields.inMinorUnits(
      fields.whole(1, amountLimit, "The smallest sale in which it can be used, in minor units.", 2000),
    ),
  ),
  most_per_member: Type.Optional(fields.count("How often a member can use the code.", 1)),
});

export const balances = Type.Object({
  wallet: fields.inMinorUnits(held("Money")),
  points: fields.inPoints(held("Points")),
  vouchers: fields.inMinorUnits(held("Vouchers")),
});

export const requiredRole = Type.Object({
  role: fields.choice(allRoles, "The role that the operation needs.", "manager"),
  all_businesses: Type.Optional(
    fields.flag("true if the operation needs an operator who may use all businesses.", true),
  ),
});

const limitOf = (what: string, example: number) =>
  fields.whole(0, amountLimit, `${what}, in minor units or points as details.unit says.`, example);

export const operatorLimit = Type.Object({
  unit: fields.choice(["amount", "points"], "Whether money or points are limited.", "amount"),
  limit: limitOf("The limit of the operator", 2000),
  left: limitOf("What is left of it today", 500),
  resets_at: fields.timestamp,
});
