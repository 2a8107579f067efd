/** How files are read as CSV. The console does it in the same way, so this loads nothing of Node. */

export interface TextRecord {
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** Without blanks around them. */
  readonly fields: readonly string[];
}

const isBlanks = (delimiter: string) => delimiter === "whitespace";

/** The options of the parser. @param delimiter the text between fields, or "whitespace" for any number of blanks */
export const parserOptions = (delimiter: string) => ({
  bom: true,
  delimiter: isBlanks(delimiter) ? [" ", "\t"] : delimiter,
  info: true as const,
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  // A quote inside a field is part of the field: 5" nails.
  relax_quotes: true,
  skip_empty_lines: true,
});

/** What the parser returns. */
export interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Makes the function that finds the places of records. It must see every record of the file, in their order.
 * @returns a function that returns undefined for a record of blank fields only
 */
export function recordReader(delimiter: string): (parsed: ParsedRecord) => TextRecord | undefined {
  let lastLine = 0;
  return ({ record, info: { lines } }) => {
    // A quoted field may hold line breaks. Empty lines are not part of a record.
    const breaks = lines === lastLine + 1 ? 0 : record.join("").split(/[\r\n]/).length - 1;
    lastLine = lines;
    const fields = (isBlanks(delimiter) ? record.filter((field) => field !== "") : record).map((field) =>
      field.trim(),
    );
    return fields.some((field) => field !== "") ? { line: lines - breaks, lastLine, fields } : undefined;
  };
}
