/** Checks of fields that a schema can't express, shared by the operations that need them. */
import { type FieldError, fieldError } from "../contract/errors.ts";
import { isCommonPassword } from "../credentials/passwords.ts";
import { fold } from "../domain/text.ts";

const firstBirthday = "1900-01-01";

/**
 * 1900 or later, and not in the future. Days written YYYY-MM-DD compare as text.
 * @param today asked only where there is a day to compare with it
 */
export function checkDateOfBirth(dateOfBirth: string | null | undefined, today: () => string): FieldError[] {
  if (dateOfBirth === undefined || dateOfBirth === null) return [];
  if (dateOfBirth < firstBirthday)
    return [fieldError("date_of_birth", "out_of_range", "must be 1900-01-01 or later")];
  if (dateOfBirth > today())
    return [fieldError("date_of_birth", "out_of_range", "must not be in the future")];
  return [];
}

/** Neither one of the most used passwords nor the member's own phone number or e-mail address. */
export function checkPassword(
  field: string,
  password: string | undefined,
  own: readonly (string | null | undefined)[],
): FieldError[] {
  if (password === undefined) return [];
  if (isCommonPassword(password)) {
    return [fieldError(field, "not_allowed_value", "is one of the most used passwords")];
  }
  if (own.some((value) => value && comparable(value) === comparable(password))) {
    return [
      fieldError(field, "not_allowed_value", "must not be the member's own phone number or e-mail address"),
    ];
  }
  return [];
}

/** A phone number is the same one without its plus, and with what people put between its digits. */
function comparable(text: string): string {
  const folded = fold(text).trim();
  return /^[\d\s+().-]+$/.test(folded) ? folded.replaceAll(/\D/g, "") : folded;
}

/** Something must be left to look for: combining marks alone are a part of every name. */
export function checkSearch(search: string | undefined): FieldError[] {
  if (search === undefined || fold(search).trim() !== "") return [];
  return [fieldError("search", "too_short", "must hold a character besides accents")];
}
