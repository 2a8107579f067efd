/** What only the operator's operations have: their fields, checks, and the names of audited events. */
import { type FieldError, fail, fieldError, fields, type Refusal, Type } from "../contract/declare.ts";
import { knowsTimeZone } from "../database/access/businesses.ts";
import type { Connection } from "../database/connection.ts";
import { allScopes } from "../domain/access.ts";
import { isTimeZone } from "../domain/dates.ts";
import { accounts } from "../domain/ledger.ts";
import { createdMember } from "./members.ts";

export const businessName = fields.text(255, "What the business is called.", "Café Aurora");
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
  sandbox: fields.flag("Whether it has a clock of its own, for tests.", false),
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

export const locationId = fields.identifier("A location of the business.", 1);
export const nullableLocationId = fields.nullable(
  locationId,
  "A location of the business, or null for none.",
  1,
);
export const locationName = fields.text(255, "What the location is called.", "Main Street");
export const location = Type.Object({ location_id: locationId, name: locationName });

export const integrationName = fields.text(255, "What the integration is called.", "Till");
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
export const allLocations = fields.flag(
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
export const integration = Type.Object({
  integration_id: fields.integrationId,
  name: integrationName,
  client_id: clientId,
  scopes: Type.Array(fields.returnedText(100, "A scope.", "wa.members.read"), {
    maxItems: 100,
    description: "The scopes that it is granted.",
    examples: [["wa.members.read", "wa.members.write"]],
  }),
  all_locations: allLocations,
  location_ids: locationIds,
  enabled: fields.flag("Whether it may get and use tokens.", true),
  created_at: fields.timestamp,
});

export const tierId = fields.identifier("A tier of the business.", 1);
export const nullableTierId = fields.nullable(tierId, "A tier of the business, or null for none.", 1);
export const externalRef = fields.text(255, "The member's reference in another system.", "CRM-4711");
export const nullableExternalRef = fields.nullable(
  externalRef,
  "The member's reference in another system, or null.",
  "CRM-4711",
);
const standing = {
  active: fields.flag("Whether the member is active.", true),
  tier_id: nullableTierId,
  tier_name: fields.nullable(fields.tierName, "What the member's tier is called, or null.", "Gold"),
  wallet_balance: fields.count("Money in the wallet, in minor units.", 1250),
  points_balance: fields.count("Reward points.", 120),
  vouchers_balance: fields.count("Value of the vouchers held and unused, in minor units.", 0),
  sales_balance: fields.count("Total bought, in minor units.", 48_200),
};
/** A member as lists show it. */
export const listedMember = Type.Object({
  ...createdMember.properties,
  ...standing,
});
/** A member in full. */
export const member = Type.Object({
  ...createdMember.properties,
  date_of_birth: fields.nullable(fields.dateOfBirth, "Date of birth, or null.", "1990-04-17"),
  external_ref: nullableExternalRef,
  ...standing,
  has_password: fields.flag("Whether a password is set.", false),
  joined_at: fields.timestamp,
});
/** The response to a change of a member's standing. */
export const memberStanding = Type.Object({
  member_id: fields.memberId,
  contact_id: fields.contactId,
  active: standing.active,
  tier_id: nullableTierId,
});

export const entryNo = fields.identifier("The entry's number, in the order of recording.", 1042);
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

/**
 * The events of the audit log by what is stored: the path of an operation, or the name of a credential event. The list of
 * operators' operations adds its writes, because importing it here would be a cycle.
 */
export const auditedEvents: Map<string, string> = new Map([
  ["business_imported", "business.imported"],
  ["client_credentials_refused", "client_credentials.rejected"],
  ["operator_key_refused", "operator_key.rejected"],
  ["token_issued", "token.issued"],
]);
