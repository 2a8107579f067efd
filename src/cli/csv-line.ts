/** One line of CSV as RFC 4180 has it, with its end. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(",")}\n`;
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
