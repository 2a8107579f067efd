/**
 * The files about rejected lines: one with the reasons, and one with the lines themselves, which can be fixed and imported.
 */
import { fstatSync, type Stats } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { format, parse } from "node:path";
import { usageError } from "../cli-error.ts";
import { createDraft, csvLine, type DraftFile } from "../files.ts";
import type { CsvRecord, Delimiter } from "./file.ts";
import type { Rejection } from "./lines.ts";

export interface RejectionReport {
  readonly file: string;
  /** The file with the rejected lines; undefined when they are not kept. */
  readonly linesFile: string | undefined;
  /** How many lines are rejected. */
  readonly lines: number;
  /** Takes the names of the columns, if the first line of the file is a header. */
  header(names: readonly string[]): void;
  /** @param records the records of a chunk, which include the rejected ones */
  add(rejections: readonly Rejection[], records: readonly CsvRecord[]): Promise<void>;
  /** Publishes the files. If no line was rejected, removes the files of the previous import instead. */
  close(): Promise<void>;
}

interface ReportOptions {
  readonly file: string;
  /** The file to import, - for standard input. */
  readonly input: string;
  /** The delimiter of the file with rejected lines; undefined when they are not kept. */
  readonly delimiter: Delimiter | undefined;
}

const header = csvLine(["line", "field", "reason"]);
const advice = "The report of rejected lines is written there: name another place with --report.";

/**
 * Opens a report before anything is imported, so that no import starts whose rejections can't be reported.
 * @throws CliError when it can't be written, or would replace a file that is not a report
 */
export async function openReport({ file, input, delimiter }: ReportOptions): Promise<RejectionReport> {
  // sales.rejected-lines.csv for sales.rejected.csv.
  const { dir, name, ext } = parse(file);
  const both = [file, format({ dir, name: `${name}-lines`, ext })] as const;
  for (const one of both) {
    if (await isInput(one, input)) throw usageError("--report is the file to import: name another.");
  }
  await rejectOtherFiles(...both);
  const drafts: DraftFile[] = [await createDraft(file, advice)];
  try {
    if (delimiter !== undefined) drafts.push(await createDraft(both[1], advice));
  } catch (error) {
    await drafts[0]?.discard();
    throw error;
  }
  const [reasons, kept] = drafts as [DraftFile, DraftFile?];
  await reasons.write(header);
  let names: readonly string[] | undefined;
  let lines = 0;
  let begun = false;
  let closed: Promise<void> | undefined;
  // Written so that the options of the import can read it.
  const recordLine = (fields: readonly string[]) =>
    csvLine(fields, delimiter === "whitespace" ? " " : delimiter);
  const close = async () => {
    if (lines > 0) for (const draft of drafts) await draft.finish();
    for (const draft of drafts) await draft.discard();
    if (begun && lines === 0) for (const one of both) await rm(one, { force: true });
  };
  return {
    file,
    linesFile: kept && both[1],
    get lines() {
      return lines;
    },
    header(given) {
      names = given;
    },
    async add(rejections, records) {
      begun = true;
      if (rejections.length === 0) return;
      if (lines === 0 && names !== undefined) await kept?.write(recordLine(names));
      const rejected = new Set(rejections.map(({ line }) => line));
      lines += rejected.size;
      const rows = rejections.map(({ line, field, message }) => csvLine([line, field, message]));
      await reasons.write(rows.join(""));
      const bad = records.filter(({ line }) => rejected.has(line));
      await kept?.write(bad.map(({ fields }) => recordLine(fields)).join(""));
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

const statOf = (file: string) => stat(file).catch(() => undefined);

async function isInput(file: string, input: string): Promise<boolean> {
  const found = await statOf(file);
  const other = input === "-" ? statOfInput() : await statOf(input);
  return found !== undefined && found.ino === other?.ino && found.dev === other.dev;
}

function statOfInput(): Stats | undefined {
  try {
    return fstatSync(process.stdin.fd);
  } catch {
    // Standard input is closed.
    return undefined;
  }
}

/** A report replaces a previous report and its lines, and no other file. */
async function rejectOtherFiles(file: string, linesFile: string): Promise<void> {
  const begins = (await statOf(file))?.isFile() ? await beginningOf(file) : undefined;
  // An empty file is fine: mktemp makes one.
  const isOther = begins !== undefined && begins !== "" && begins !== header;
  const isLeft = begins !== header && (await statOf(linesFile)) !== undefined;
  if (!isOther && !isLeft) return;
  throw usageError(
    `${isOther ? file : linesFile} is there already, and not from this import: move it away, or name another place ` +
      "with --report.",
  );
}

/** @returns undefined for a file that can't be read: writing it fails later with a clear message */
async function beginningOf(file: string): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  try {
    const read = await handle?.read(Buffer.alloc(header.length), 0, header.length, 0);
    return read?.buffer.toString("utf8", 0, read.bytesRead);
  } finally {
    await handle?.close();
  }
}
