/** Fields that only the operator's operations have. */
import { Type } from "typebox";
import { type FieldError, fieldError } from "../contract/errors.ts";
import { isTimeZone } from "../domain/dates.ts";

export const businessName = Type.String({
  minLength: 1,
  maxLength: 255,
  format: "plain-text",
  description: "What the business is called.",
  examples: ["Café Aurora"],
});
export const timeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  format: "visible-ascii",
  description: "IANA time zone: every day and timestamp of the business is wall-clock time there.",
  examples: ["Europe/Madrid"],
});
export const currency = Type.String({
  pattern: "^[A-Z]{3}$",
  description: "ISO 4217 code; amounts are in its minor unit.",
  examples: ["EUR"],
});

/** A time zone must be one that is known here. */
export function checkTimeZone(name: string | undefined): FieldError[] {
  if (name === undefined || isTimeZone(name)) return [];
  return [fieldError("time_zone", "not_allowed_value", "must be an IANA time zone such as Europe/Madrid")];
}
