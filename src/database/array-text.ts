/**
 * Arrays as PostgreSQL reads them (section "Array Input and Output Syntax" of its manual). The driver's own way
 * looks at every element anew, which the write path, with a dozen arrays a batch, would feel.
 */

type Plain = number | string | null;

/** @param values numbers, or texts without anything that would have to be quoted, such as names of an enum */
export function plainArray(values: readonly Plain[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

/** @param values any texts */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map(quoted).join(",")}}`;
}

function quoted(text: string | null): string {
  return text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
