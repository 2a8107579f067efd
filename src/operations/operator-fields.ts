/** Fields that only the operator's operations have. */
import { Type } from "typebox";
import Format from "typebox/format";
import { type FieldError, fail, fieldError, type Refusal } from "../contract/errors.ts";
import * as fields from "../contract/fields.ts";
import { allScopes } from "../contract/scopes.ts";
import { knowsTimeZone } from "../database/access/businesses.ts";
import type { Connection } from "../database/connection.ts";
import { isMoment, isTimeZone } from "../domain/dates.ts";
import { accounts, amountLimit, balanceLimit } from "../domain/ledger.ts";

Format.Set("moment", isMoment);

const name = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 255, format: "plain-text", description, examples: [example] });

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, maximum: balanceLimit, description, examples: [example] });

const flag = (description: string, example: boolean) => Type.Boolean({ description, examples: [example] });

export const businessName = name("What the business is called.", "Café Aurora");
export const timeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  format: "visible-ascii",
  description: "IANA time zone: every day and timestamp of the business is wall-clock time there.",
  examples: ["Europe/Madrid"],
});
export const currency = Type.String({
  minLength: 3,
  maxLength: 3,
  pattern: "^[A-Z]{3}$",
  description: "ISO 4217 code; amounts are in its minor unit.",
  examples: ["EUR"],
});
export const business = Type.Object({
  business_id: fields.businessId,
  name: businessName,
  time_zone: timeZone,
  currency,
  sandbox: flag("Whether it has a clock of its own, for tests.", false),
});

const unknownTimeZone = fieldError(
  "time_zone",
  "not_allowed_value",
  "must be an IANA time zone such as Europe/Madrid",
);

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** A time zone and a currency must be ones that are known here. */
export function checkBusiness(change: {
  readonly time_zone?: string | undefined;
  readonly currency?: string | undefined;
}): FieldError[] {
  const { time_zone, currency } = change;
  const errors: FieldError[] = [];
  if (time_zone !== undefined && !isTimeZone(time_zone)) errors.push(unknownTimeZone);
  if (currency !== undefined && !currencies.has(currency)) {
    errors.push(fieldError("currency", "not_allowed_value", "must be an ISO 4217 code such as EUR"));
  }
  return errors;
}

/** A time zone must be known to the database, too: both tell times in it. */
export async function checkTimeZoneIn(
  sql: Connection,
  zone: string | undefined,
): Promise<Refusal<"validation_failed"> | undefined> {
  if (zone === undefined || (await knowsTimeZone(sql, zone))) return undefined;
  return fail("validation_failed", { errors: [unknownTimeZone] });
}

export const locationId = Type.Integer({
  minimum: 1,
  maximum: balanceLimit,
  description: "A location of the business.",
  examples: [1],
});
export const nullableLocationId = Type.Union([locationId, Type.Null()], {
  description: "A location of the business, or null for none.",
  examples: [1],
});
export const locationName = name("What the location is called.", "Main Street");
export const location = Type.Object({ location_id: locationId, name: locationName });

export const integrationName = name("What the integration is called.", "Till");
export const grantedScopes = Type.Array(
  Type.Enum(allScopes, { description: "A scope.", examples: ["wa.members.read"] }),
  {
    minItems: 1,
    maxItems: allScopes.length,
    uniqueItems: true,
    description: "The scopes that the integration is granted.",
    examples: [["wa.members.read", "wa.members.write"]],
  },
);
export const allLocations = flag(
  "Whether the integration may use every location, later ones included.",
  true,
);
export const locationIds = Type.Array(locationId, {
  maxItems: 1000,
  uniqueItems: true,
  description: "The locations that the integration may use; empty when it may use all, or none.",
  examples: [[]],
});
export const clientId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "Identifies the integration when it asks for a token.",
  examples: ["loy_Nq3fXyZk2b7wQ1sT"],
});
export const clientSecret = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The integration's secret. It is shown in this answer only, and can't be found out later.",
  examples: ["loysec_4fJt..."],
});
const nullableTimestamp = (description: string) =>
  Type.Union([fields.timestamp, Type.Null()], { description, examples: ["2026-04-17 09:30:00"] });
/** When a secret was made and how long it is valid; never the secret. */
export const secret = Type.Object({
  created_at: fields.timestamp,
  expires_at: nullableTimestamp("Until when it is valid; null for the newest."),
});
export const previousSecretExpiresAt = nullableTimestamp(
  "Until when the secret before is accepted too; null when it no longer is.",
);
export const integration = Type.Object({
  integration_id: fields.integrationId,
  name: integrationName,
  client_id: clientId,
  scopes: Type.Array(
    Type.String({ maxLength: 100, description: "A scope.", examples: ["wa.members.read"] }),
    {
      maxItems: 100,
      description: "The scopes that it is granted.",
      examples: [["wa.members.read", "wa.members.write"]],
    },
  ),
  all_locations: allLocations,
  location_ids: locationIds,
  enabled: flag("Whether it may get and use tokens.", true),
  created_at: fields.timestamp,
});

export const tierId = Type.Integer({
  minimum: 1,
  maximum: balanceLimit,
  description: "A tier of the business.",
  examples: [1],
});
export const nullableTierId = Type.Union([tierId, Type.Null()], {
  description: "A tier of the business, or null for none.",
  examples: [1],
});
export const externalRef = name("The member's reference in another system.", "CRM-4711");
export const nullableExternalRef = Type.Union([externalRef, Type.Null()], {
  description: "The member's reference in another system, or null.",
  examples: ["CRM-4711"],
});
const standing = {
  active: flag("Whether the member is active.", true),
  tier_id: nullableTierId,
  tier_name: Type.Union([fields.tierName, Type.Null()], {
    description: "What the member's tier is called, or null.",
    examples: ["Gold"],
  }),
  wallet_balance: count("Money in the wallet, in minor units.", 1250),
  points_balance: count("Reward points.", 120),
  vouchers_balance: count("Value of the vouchers held and unused, in minor units.", 0),
  sales_balance: count("Total bought, in minor units.", 48_200),
};
/** A member as lists show it. */
export const listedMember = Type.Object({
  member_id: fields.memberId,
  contact_id: fields.contactId,
  first_name: fields.firstName,
  last_name: fields.lastName,
  phone_number: fields.phoneNumber,
  email: fields.nullableEmail,
  ...standing,
});
/** A member in full. */
export const member = Type.Object({
  member_id: fields.memberId,
  contact_id: fields.contactId,
  first_name: fields.firstName,
  last_name: fields.lastName,
  phone_number: fields.phoneNumber,
  email: fields.nullableEmail,
  date_of_birth: Type.Union([fields.dateOfBirth, Type.Null()], {
    description: "Date of birth, or null.",
    examples: ["1990-04-17"],
  }),
  external_ref: nullableExternalRef,
  ...standing,
  has_password: flag("Whether a password is set.", false),
  joined_at: fields.timestamp,
});
/** The response to a change of a member's standing. */
export const memberStanding = Type.Object({
  member_id: fields.memberId,
  contact_id: fields.contactId,
  active: standing.active,
  tier_id: nullableTierId,
});

export const earnPoints = Type.Integer({
  minimum: 0,
  maximum: 1000,
  description: "So many points for each earn_amount; 0: the program earns nothing.",
  examples: [1],
});
export const earnAmount = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description: "The amount, in minor units, for which earn_points are earned.",
  examples: [100],
});
export const earnMinimumAmount = Type.Integer({
  minimum: 0,
  maximum: amountLimit,
  description: "Sales below this amount, in minor units, earn nothing.",
  examples: [0],
});
export const program = Type.Object({
  program_id: fields.programId,
  membership_name: fields.membershipName,
  maximum_points_per_order: fields.maximumPointsPerOrder,
  earn_points: earnPoints,
  earn_amount: earnAmount,
  earn_minimum_amount: earnMinimumAmount,
});
export const voucher = Type.Object({
  voucher_id: fields.voucherId,
  campaign_name: fields.campaignName,
  coupon_code: fields.couponCode,
  coupon_value: fields.couponValue,
  archived: fields.archived,
  location_id: nullableLocationId,
});

export const entryNo = Type.Integer({
  minimum: 1,
  maximum: balanceLimit,
  description: "The entry's number, in the order of recording.",
  examples: [1042],
});
export const account = Type.Enum([...accounts], {
  description: "The account of the member that the entry moved.",
  examples: ["wallet"],
});

/** A day or a time in the past, told by the business's clock or with an offset. */
export const pastMoment = (description: string) =>
  Type.String({
    minLength: 10,
    maxLength: 32,
    format: "moment",
    description:
      `${description} A day (its beginning) or a time, wall-clock time in the business's time zone unless it says ` +
      "otherwise; not in the future.",
    examples: ["2026-04-17 09:30:00"],
  });

export const auditEvent = Type.String({
  minLength: 1,
  maxLength: 100,
  format: "visible-ascii",
  description: "The name of an operator's write or of a credential event.",
  examples: ["integration.secret_rotated"],
});
export const auditActor = Type.String({
  minLength: 1,
  maxLength: 255,
  format: "plain-text",
  description: "Only entries of this actor, by the whole name.",
  examples: ["ana@example.com"],
});
const recordThen = (description: string, example: object) =>
  Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description,
    examples: [example],
  });
export const auditEntry = Type.Object({
  audit_id: Type.Integer({ minimum: 1, maximum: balanceLimit, description: "Its number.", examples: [1042] }),
  business_id: Type.Union([fields.businessId, Type.Null()], {
    description: "The business that it concerns, or null.",
    examples: [1],
  }),
  recorded_at: Type.String({
    minLength: 19,
    maxLength: 19,
    pattern: "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$",
    description: "YYYY-MM-DD HH:MM:SS in UTC.",
    examples: ["2026-04-17 07:30:00"],
  }),
  actor: Type.String({
    maxLength: 255,
    description: "Who it was, as the header X-Actor named them; operator when it named nobody.",
    examples: ["ana@example.com"],
  }),
  address: Type.String({ maxLength: 255, description: "From where.", examples: ["192.0.2.7"] }),
  request_id: Type.String({
    maxLength: 255,
    description: "The X-Request-Id of the request.",
    examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"],
  }),
  event: auditEvent,
  before: recordThen("The record before, or null when there was none.", { name: "Main Street" }),
  after: recordThen("The record after, or null when it is gone.", { name: "High Street" }),
});
