/** The fields and checks of a business. */
import { type FieldError, fail, fieldError, fields, type Refusal, Type } from "../contract/declare.ts";
import { knowsTimeZone } from "../database/access/businesses.ts";
import type { Connection } from "../database/connection.ts";
import { isTimeZone } from "../domain/dates.ts";
import { decimalsOf } from "./currencies.ts";

export const businessName = fields.text(255, "The name of the business.", "Café Aurora");
export const timeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  format: "visible-ascii",
  description: "IANA time zone: all days and timestamps of the business are in this time zone.",
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
  sandbox: fields.flag("Whether the business is a sandbox, with its own clock for tests.", false),
});

const unknownTimeZone = fieldError(
  "time_zone",
  "not_allowed_value",
  "must be an IANA time zone such as Europe/Madrid",
);

/** A time zone and a currency must be ones that are known here. */
export function checkBusiness(change: {
  readonly time_zone?: string | undefined;
  readonly currency?: string | undefined;
}): FieldError[] {
  const { time_zone, currency } = change;
  const errors: FieldError[] = [];
  if (time_zone !== undefined && !isTimeZone(time_zone)) errors.push(unknownTimeZone);
  if (currency !== undefined && decimalsOf(currency) === undefined) {
    errors.push(fieldError("currency", "not_allowed_value", "must be an ISO 4217 code such as EUR"));
  }
  return errors;
}

/** The database must know the time zone, too, because both calculate times in it. */
export async function checkTimeZoneIn(
  sql: Connection,
  zone: string | undefined,
): Promise<Refusal<"validation_failed"> | undefined> {
  if (zone === undefined || (await knowsTimeZone(sql, zone))) return undefined;
  return fail("validation_failed", { errors: [unknownTimeZone] });
}
