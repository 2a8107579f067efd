/** One line of CSV as RFC 4180 has it, with its end. */
export function csvLine(values: readonly unknown[], delimiter = ","): string {
  return `${values.map((value) => csvField(value, delimiter)).join(delimiter)}\n`;
}

function csvField(value: unknown, delimiter: string): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /["\r\n]/.test(text) || text.includes(delimiter) || text !== text.trim()
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

/** A number, or a phone number as members have it: a spreadsheet makes no formula of them. */
const signedNumber = /^[+-]\d+(?:\.\d+)?$/;

/** Puts a ' before text that a spreadsheet would run as a formula: what members are called is for others to choose. */
export function withoutFormula(value: unknown): unknown {
  if (typeof value !== "string" || !/^[=@\t\r+-]/.test(value) || signedNumber.test(value)) return value;
  return `'${value}`;
}
