/**
 * The files that say which lines were not imported and why, and that hold these lines once more, to be mended and
 * imported by themselves.
 */
import { fstatSync, type Stats } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { format, parse } from "node:path";
import { csvLine } from "../csv-line.ts";
import { createDraft, type DraftFile } from "../draft-file.ts";
import { usageError } from "../failure.ts";
import type { Rejection } from "./lines.ts";
import type { CsvRecord, Delimiter } from "./records.ts";

export interface RejectionReport {
  readonly file: string;
  /** Where the lines themselves are; undefined when they are not kept. */
  readonly linesFile: string | undefined;
  /** How many lines of the import are in it. */
  readonly lines: number;
  /** Takes the first line of the file, if it names the columns. */
  header(names: readonly string[]): void;
  /** @param records among which the rejected ones are */
  add(rejections: readonly Rejection[], records: readonly CsvRecord[]): Promise<void>;
  /** Gives the files their names, or removes those of an import before if nothing was rejected by this one. */
  close(): Promise<void>;
}

interface ReportOptions {
  readonly file: string;
  /** The file to import, - for standard input. */
  readonly input: string;
  /** How to write rejected lines; undefined when they are not to be kept. */
  readonly delimiter: Delimiter | undefined;
}

const header = csvLine(["line", "field", "reason"]);
const advice = "Which lines are rejected goes there: name another place with --report.";

/**
 * Makes a report, before anything is imported: what can't be reported later must not be begun.
 * @throws CliError when it can't be written, or would take the place of something else
 */
export async function openReport({ file, input, delimiter }: ReportOptions): Promise<RejectionReport> {
  const earlier = [file, linesNameOf(file)];
  for (const name of earlier) {
    if (await isSame(name, input)) throw usageError("--report is the file to import: name another.");
  }
  await refuseOthers(file, linesNameOf(file));
  const linesFile = delimiter === undefined ? undefined : linesNameOf(file);
  const report = await createDraft(file, advice);
  let kept: DraftFile | undefined;
  try {
    kept = linesFile === undefined ? undefined : await createDraft(linesFile, advice);
  } catch (error) {
    await report.discard();
    throw error;
  }
  await report.write(header);
  let lines = 0;
  let begun = false;
  const drafts = kept === undefined ? [report] : [report, kept];
  const close = async () => {
    if (lines > 0) for (const draft of drafts) await draft.finish();
    for (const draft of drafts) await draft.discard();
    // Those of an import before would be taken for this one's.
    if (begun && lines === 0) for (const name of earlier) await rm(name, { force: true });
  };
  let closed: Promise<void> | undefined;
  let names: readonly string[] | undefined;
  return {
    file,
    linesFile,
    get lines() {
      return lines;
    },
    header(given) {
      names = given;
    },
    async add(rejections, records) {
      begun = true;
      if (rejections.length === 0) return;
      const rejected = new Set(rejections.map(({ line }) => line));
      if (lines === 0 && names !== undefined) await kept?.write(recordLine(names, delimiter));
      lines += rejected.size;
      await report.write(
        rejections.map(({ line, field, message }) => csvLine([line, field, message])).join(""),
      );
      const bad = records.filter(({ line }) => rejected.has(line));
      await kept?.write(bad.map(({ fields }) => recordLine(fields, delimiter)).join(""));
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** As a file of the same kind has it, to be read with the same options. */
function recordLine(fields: readonly string[], delimiter: Delimiter | undefined): string {
  return csvLine(fields, delimiter === "whitespace" ? " " : delimiter);
}

/** sales.rejected-lines.csv for sales.rejected.csv. */
function linesNameOf(file: string): string {
  const { dir, name, ext } = parse(file);
  return format({ dir, name: `${name}-lines`, ext });
}

async function isSame(file: string, input: string): Promise<boolean> {
  const found = await statOf(file);
  const other = input === "-" ? statOfInput() : await statOf(input);
  return found !== undefined && found.ino === other?.ino && found.dev === other.dev;
}

const statOf = (file: string) => stat(file).catch(() => undefined);

function statOfInput(): Stats | undefined {
  try {
    return fstatSync(process.stdin.fd);
  } catch {
    // It is closed.
    return undefined;
  }
}

/** A report takes the place of an earlier one with its lines, and of nothing else. */
async function refuseOthers(file: string, linesFile: string): Promise<void> {
  const begins = (await statOf(file))?.isFile() ? await beginningOf(file) : undefined;
  // An empty one, as mktemp makes them, is meant for it.
  const isOther = begins !== undefined && begins !== "" && begins !== header;
  const isLeft = begins !== header && (await statOf(linesFile)) !== undefined;
  if (!isOther && !isLeft) return;
  throw usageError(
    `${isOther ? file : linesFile} is there already, and not from this import: move it away, or name another place ` +
      "with --report.",
  );
}

/** @throws nothing: what can't be read can't be written either, which is told then */
async function beginningOf(file: string): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  try {
    const read = await handle?.read(Buffer.alloc(header.length), 0, header.length, 0);
    return read?.buffer.toString("utf8", 0, read.bytesRead);
  } finally {
    await handle?.close();
  }
}
