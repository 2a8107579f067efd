/** Why a field is rejected. */
export interface FieldError {
  readonly field: string;
  readonly code: FieldErrorCode;
  /** For people. It can change. */
  readonly message: string;
}

export const fieldErrorCodes = [
  "required",
  "unknown_field",
  "invalid_type",
  "invalid_format",
  "country_code_missing",
  "out_of_range",
  "too_short",
  "too_long",
  "not_allowed_value",
  "no_fields_to_update",
] as const;
export type FieldErrorCode = (typeof fieldErrorCodes)[number];

/** @param problem completes a sentence that begins with the field's name */
export function fieldError(field: string, code: FieldErrorCode, problem: string): FieldError {
  return { field, code, message: `${field === "" ? "The request" : field} ${problem}.` };
}

/** For a value that is not allowed. @param problem completes a sentence that begins with the field's name */
export const wrongValue = (field: string, problem: string) => fieldError(field, "not_allowed_value", problem);
