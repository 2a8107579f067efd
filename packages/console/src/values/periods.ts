/** Periods. One is two fields: a number, and its unit, such as expiry and expiry_period. Pages and forms show them as one. */

/** The name of the field with the unit, if a number has one. */
export const unitOf = (name: string): string =>
  name.endsWith("_period") ? `${name}_type` : `${name}_period`;

/** The field among some of which another one is the unit. */
export const numberOf = (unit: string, names: readonly string[]): string | undefined =>
  names.find((name) => unitOf(name) === unit);
