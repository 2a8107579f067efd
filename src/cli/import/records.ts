/** The records of a CSV file, one after the other, with where they stand. */
import type { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { exitCodes } from "../exit-codes.ts";
import { CliError, usageError } from "../failure.ts";

export interface CsvRecord {
  /** Of its first line in the file, from 1. */
  readonly line: number;
  /** Of its last. */
  readonly lastLine: number;
  /** How many bytes of the file it ends after. */
  readonly bytes: number;
  readonly fields: readonly string[];
}

/** What separates the fields: a text, or any number of blanks. */
export type Delimiter = string | "whitespace";

/**
 * Reads records, as they are asked for, until the signal.
 * @throws CliError where the file is no CSV
 */
export async function* readRecords(
  source: Readable,
  delimiter: Delimiter,
  signal: AbortSignal,
): AsyncGenerator<CsvRecord> {
  const blanks = delimiter === "whitespace";
  const parser = parse({
    bom: true,
    delimiter: blanks ? [" ", "\t"] : delimiter,
    info: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    // A quote inside a field is part of it: 5" nails.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  source.on("error", (error) => parser.destroy(error));
  source.on("data", (bytes: Buffer) => {
    if (bytes.includes(0)) parser.destroy(noText());
  });
  source.pipe(parser);
  // Not by way of the source: one that waits for somebody to type would never notice.
  signal.addEventListener("abort", () => parser.destroy(signal.reason));
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
      const fields = blanks ? record.filter((field) => field !== "") : record;
      if (fields.length === 0) continue;
      const { lines, bytes } = info;
      yield { line: lines - lineBreaks(fields), lastLine: lines, bytes, fields };
    }
  } catch (error) {
    throw error instanceof CsvError ? notCsv(error) : error;
  } finally {
    source.destroy();
  }
}

interface ParsedRecord {
  readonly record: string[];
  readonly info: { readonly lines: number; readonly bytes: number };
}

/** A quoted field may go over several lines. */
function lineBreaks(fields: readonly string[]): number {
  let count = 0;
  for (const field of fields) {
    for (let at = 0; at < field.length; at += 1) {
      const code = field.charCodeAt(at);
      if (code === 10 || code === 13) count += 1;
    }
  }
  return count;
}

function notCsv(error: CsvError): CliError {
  const message =
    error.code === "CSV_QUOTE_NOT_CLOSED" || error.code === "CSV_MAX_RECORD_SIZE"
      ? `A quote that is opened before line ${String(error.lines)} is never closed.`
      : `The file is no CSV: ${error.message}.`;
  return new CliError(exitCodes.failed, message, [
    "Mend it and run the same command again: what was imported before is skipped.",
  ]);
}

function noText(): CliError {
  return usageError(
    "What is to be imported is not a text file: it holds NUL bytes.",
    "Save a spreadsheet as CSV in UTF-8, unpack what is packed, convert UTF-16: iconv -f UTF-16 -t UTF-8.",
  );
}
