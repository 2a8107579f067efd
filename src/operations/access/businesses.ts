/** The fields and checks of a business. */
import { type FieldError, fields, Type, wrongValue } from "../../contract/declare.ts";
import type { CheckContext } from "../../contract/operation.ts";
import { knowsTimeZone, type NewBusiness } from "../../database/access/businesses.ts";
import { decimalsOf } from "../../database/access/currencies.ts";
import type { ChangeOf } from "../../database/sql.ts";
import { isTimeZoneName } from "../../domain/dates.ts";
import { isCountry } from "../members/phone-numbers.ts";

const timeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  format: "visible-ascii",
  description: "IANA time zone: all days and timestamps of the business are in this time zone.",
  examples: ["Europe/Madrid"],
});
const currency = Type.String({
  minLength: 3,
  maxLength: 3,
  pattern: "^[A-Z]{3}$",
  description: "ISO 4217 code; amounts are in its minor unit.",
  examples: ["EUR"],
});
const country = Type.String({
  minLength: 2,
  maxLength: 2,
  pattern: "^[A-Z]{2}$",
  description: "ISO 3166-1 alpha-2 code.",
  examples: ["ES"],
});
const color = Type.String({
  minLength: 7,
  maxLength: 7,
  pattern: "^#[0-9A-Fa-f]{6}$",
  description: "Red, green and blue, as two hexadecimal digits each.",
  examples: ["#0b7285"],
});
/** What operators set. */
export const businessFields = {
  name: fields.text(255, "The name of the business.", "Café Aurora"),
  time_zone: timeZone,
  currency,
  country: fields.nullable(
    country,
    "The country whose national form of phone numbers is understood, as an ISO 3166-1 alpha-2 code, or null for none.",
  ),
  color: fields.nullable(
    color,
    "The accent colour of the console for this business, such as #0b7285, or null.",
  ),
};
export const business = Type.Object({
  business_id: fields.businessId,
  name: businessFields.name,
  time_zone: timeZone,
  currency,
  currency_decimals: fields.whole(
    0,
    4,
    "The number of decimals of amounts in major units: with 2, the amount 1250 is 12.50.",
    2,
  ),
  country: businessFields.country,
  color: businessFields.color,
  logo_path: fields.nullable(
    fields.returnedText(100, "The path.", "/card/1.6c1b1ab2b2f34f5a9d1c9d0e7b3f8a21/logo.png"),
    "Where the logo is. Add it to the base address of the API. Null without a logo.",
  ),
  sandbox: fields.flag("Whether the business is a sandbox, with its own clock for tests.", false),
  events_enabled: fields.flag("Whether changes are recorded as events, which partners can follow.", false),
});

/** Checks that the time zone, the currency and the country are known. */
export async function checkBusiness(
  { time_zone, currency, country }: ChangeOf<NewBusiness>,
  { sql }: CheckContext,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  if (time_zone !== undefined && !(isTimeZoneName(time_zone) && (await knowsTimeZone(sql, time_zone)))) {
    errors.push(wrongValue("time_zone", "must be an IANA time zone such as Europe/Madrid"));
  }
  if (currency !== undefined && decimalsOf(currency) === undefined) {
    errors.push(wrongValue("currency", "must be an ISO 4217 code such as EUR"));
  }
  if (country && !isCountry(country)) {
    errors.push(wrongValue("country", "must be an ISO 3166-1 alpha-2 code such as ES"));
  }
  return errors;
}
