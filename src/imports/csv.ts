/** How files are read as CSV. */

export interface TextRecord {
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** Without blanks around them. */
  readonly fields: readonly string[];
}

/** A line of a file of another kind may be as long as the file. */
const mostRecordBytes = 1_000_000;
/** With its delimiters, which the parser does not count. */
export const mostLineBytes = 4 * mostRecordBytes;

const isBlanks = (delimiter: string) => delimiter === "whitespace";

/** The parser's error code for a record that is longer. */
export const tooLong = "CSV_MAX_RECORD_SIZE";

/** How far the parser is in a file. */
export class Place {
  /** The last line of the last record that was parsed. */
  line = 0;

  /** What is wrong with a file, by an error of the parser, which names the last line that it has reached. */
  problemOf(error: { readonly code: string; readonly message: string; readonly lines?: number }): string {
    const next = this.line + 1;
    const isTooLong = error.code === tooLong;
    // A quote swallows the lines behind it.
    if (error.code === "CSV_QUOTE_NOT_CLOSED" || (isTooLong && (error.lines ?? 0) > next)) {
      return `A quote that begins in line ${next} or later is not closed.`;
    }
    if (!isTooLong) return `The file is not CSV: ${error.message}.`;
    return `Line ${next} is longer than ${mostRecordBytes / 1e6} MB. Is a quote not closed, or is this no CSV file?`;
  }
}

/**
 * The options of the parser.
 * @param delimiter the text between fields, or "whitespace" for any number of blanks
 * @param place follows the parser
 */
export const parserOptions = (delimiter: string, place: Place) => ({
  bom: true,
  delimiter: isBlanks(delimiter) ? [" ", "\t"] : delimiter,
  info: true as const,
  max_record_size: mostRecordBytes,
  on_record: (record: string[], { lines }: { readonly lines: number }) => {
    place.line = lines;
    return record;
  },
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  // A quote inside a field is part of the field: 5" nails.
  relax_quotes: true,
  skip_empty_lines: true,
});

/** What the parser returns. */
export interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number; readonly bytes: number };
}

/**
 * Makes the function that finds the places of records. It must see every record of the file, in their order.
 * @returns a function that returns undefined for a record of blank fields only, and for a first line such as sep=;
 */
export function recordReader(delimiter: string): (parsed: ParsedRecord) => TextRecord | undefined {
  let lastLine = 0;
  return ({ record, info: { lines } }) => {
    const isFirst = lastLine === 0;
    // A quoted field may hold line breaks. Empty lines are not part of a record.
    const breaks = lines === lastLine + 1 ? 0 : record.join("").split(/[\r\n]/).length - 1;
    lastLine = lines;
    // Spreadsheets read and write this first line. It says what the delimiter is.
    if (isFirst && /^sep=.$/.test(record.join(delimiter))) return undefined;
    const fields = (isBlanks(delimiter) ? record.filter((field) => field !== "") : record).map((field) =>
      field.trim(),
    );
    return fields.some((field) => field !== "") ? { line: lines - breaks, lastLine, fields } : undefined;
  };
}
