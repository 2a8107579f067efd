/**
 * Reads files in the console as `loyalty import` does: with the same parser and the same code. The build puts it in the place of
 * packages/console/src/pages/imports/reader.ts.
 */
import { CsvError, parse } from "csv-parse/browser/esm/sync";
import type * as reader from "../../packages/console/src/pages/imports/reader.ts";
import { checkColumns, checkDelimiter, matchColumns } from "../../src/cli/import/columns.ts";
import { type ParsedRecord, Place, parserOptions, recordReader } from "../../src/cli/import/csv.ts";
import { importFacts } from "../../src/cli/import/facts.ts";
import {
  compareWithFile,
  fileComparison,
  lineMaker,
  type Numbers,
  type ReadLine,
  type Rejection,
} from "../../src/cli/import/lines.ts";
import { presets } from "../../src/cli/import/presets.ts";
import { type Rejected, rejectionBy } from "../../src/cli/import/rejections.ts";
import { Survey } from "../../src/cli/import/survey.ts";
import {
  decodingOf,
  type Encoding,
  findDelimiter,
  headBytes,
  encodings as known,
  wrongFile,
} from "../../src/cli/import/text.ts";
import { dayForm } from "../../src/cli/import/times.ts";
import type { Column } from "../../src/cli/import/writing.ts";
import type { DecimalSign } from "../../src/domain/amount-text.ts";
import { importBodyBytes, mostLines } from "../../src/domain/import-limits.ts";
import type { ChunkResult } from "../../src/operations/imports.ts";

export const systems: typeof reader.systems = Object.keys(presets);

export const encodings: typeof reader.encodings = known;

const advice = {
  amounts: "; choose above that amounts are written such as 12.50",
  decimals: (sign: DecimalSign) => `"${sign}" as the decimal sign above`,
  encoding: "; choose the encoding above",
  days: (formats: readonly string[]) => `above that days are ${formats.join(" or ")}`,
};

export const readFile: typeof reader.readFile = (name, fields, bytes, form) => {
  const { columns, dateFormat, from, encoding, ...values } = form;
  const { decimals, country } = values;
  const subject = { name, fields, ...importFacts[name] };
  let header: readonly string[] = [];
  let found: readonly Column[] = [];
  let records: readonly NonNullable<ReturnType<ReturnType<typeof recordReader>>>[] = [];
  let problem: string | undefined;
  let notes: readonly string[] = [];
  const place = new Place();
  try {
    const text = textOf(bytes, encoding as Encoding);
    const delimiter = form.delimiter ?? findDelimiter(text.slice(0, headBytes));
    const readRecord = recordReader(delimiter);
    const parsed = parse(text, parserOptions(delimiter, place)) as unknown as ParsedRecord[];
    const [first, ...others] = parsed.flatMap((one) => readRecord(one) ?? []);
    if (first === undefined || others.length === 0) throw new Error("The file has no line to import.");
    [header, records] = [first.fields, others];
    checkDelimiter(header, first.line);
    const writing = {
      ...{ ...values, from, advice, column: new Map(Object.entries(columns)) },
      dateFormat: dateFormat ? dayForm(dateFormat) : undefined,
    };
    found = matchColumns(subject, header, writing);
    checkColumns(subject, header, found);
    const survey = new Survey(subject, header, found, writing);
    for (const record of records) survey.add(record);
    found = survey.columns();
    notes = survey.texts();
  } catch (error) {
    problem = error instanceof CsvError ? place.problemOf(error) : (error as Error).message;
  }
  const read = records.map(lineMaker(subject, found, header.length, numbersByText()));
  return {
    problem,
    notes,
    header,
    lines: records.length,
    columns: Object.fromEntries(
      found.flatMap(({ field, index }) => (index === -1 ? [] : [[field, header[index] ?? ""]])),
    ),
    cells: (line) => records.find((record) => record.line === line)?.fields ?? [],
    async send(isDryRun, post, tell) {
      const compare = isDryRun ? fileComparison(subject, numbersByText()) : undefined;
      let totals = {
        isDryRun,
        lines: 0,
        imported: 0,
        skipped: 0,
        rejected: 0,
        rejections: [] as Rejection[],
      };
      for (const chunk of chunksOf(read)) {
        const lines = chunk.flatMap(({ line }) => line ?? []);
        const result = lines.length > 0 ? await post(lines) : { imported: 0, rejected: [] };
        const sent = new Map(lines.map((line) => [line.line, line]));
        const file = { decimals, hasCountry: country !== null };
        const compared = compare && compareWithFile(result as ChunkResult, sent, compare);
        const rejections = [
          ...chunk.flatMap((one) => one.rejections),
          ...result.rejected.map((one) => rejectionBy(subject, one as Rejected, sent.get(one.line), file)),
          ...(compared?.rejections ?? []),
        ].sort((one, other) => one.line - other.line);
        const imported = compared?.imported ?? result.imported;
        const rejected = new Set(rejections.map(({ line }) => line)).size;
        totals = {
          isDryRun,
          lines: totals.lines + chunk.length,
          imported: totals.imported + imported,
          skipped: totals.skipped + chunk.length - rejected - imported,
          rejected: totals.rejected + rejected,
          rejections: [...totals.rejections, ...rejections],
        };
        tell(totals);
      }
    },
  };
};

/** @throws Error with what is wrong, for a file that is no text */
function textOf(bytes: Uint8Array, encoding: Encoding): string {
  const wrong = wrongFile(bytes);
  if (wrong !== undefined) throw new Error(wrong);
  const text = new TextDecoder(decodingOf(bytes, encoding)).decode(bytes);
  if (text.includes("\0")) throw new Error("This is no text file. Save a spreadsheet as CSV in UTF-8.");
  return text;
}

/** A page reads no files that are so large that the memory for their texts matters. */
function numbersByText(): Numbers {
  const numbers = new Map<string, number>();
  return { get: (text) => numbers.get(text) ?? 0, set: (text, number) => void numbers.set(text, number) };
}

/** The parts of the file that one request can carry. */
function* chunksOf(lines: readonly ReadLine[]): Generator<readonly ReadLine[]> {
  let [chunk, bytes]: [ReadLine[], number] = [[], 0];
  const encoder = new TextEncoder();
  for (const read of lines) {
    const size = encoder.encode(JSON.stringify(read.line ?? "")).length + 1;
    if (chunk.length === mostLines || bytes + size > importBodyBytes - 4096) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(read);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
