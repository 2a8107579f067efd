/** A line of a CSV file. */
export function lineOf(cells: readonly string[]): string {
  return cells.map(quoted).join(",");
}

/** A text that a spreadsheet would run as a formula begins with an apostrophe. */
function quoted(text: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
