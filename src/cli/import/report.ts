/**
 * The files about rejected lines: one with the reasons, and one with the lines themselves, which can be fixed and imported.
 */
import { fstatSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { format, parse } from "node:path";
import type { Static } from "typebox";
import { csvLine } from "../../domain/csv.ts";
import type { rejectedLines } from "../../operations/imports/rejected-lines.ts";
import { createDraft } from "../files.ts";
import { usageError } from "../terminal/cli-error.ts";
import { inOptions } from "./option-words.ts";

export type RejectionReport = Awaited<ReturnType<typeof openReport>>;

export type RejectedLines = Static<typeof rejectedLines>;

interface ReportOptions {
  readonly file: string;
  /** The file to import, - for standard input. */
  readonly input: string;
  /** Whether the rejected lines themselves are kept. */
  readonly keepsLines: boolean;
}

const header = `${csvLine(["line", "field", "reason"])}\n`;
const lineBreak = Buffer.from("\n");
const advice = "The report of rejected lines is written there: name another place with --report.";

/**
 * Opens a report before anything is imported, so that no import starts whose rejections can't be reported.
 * @throws CliError when it can't be written, or would replace a file that is not a report
 */
export async function openReport({ file, input, keepsLines }: ReportOptions) {
  // sales.rejected-lines.csv for sales.rejected.csv.
  const { dir, name, ext } = parse(file);
  const linesFile = format({ dir, name: `${name}-lines`, ext });
  await rejectOtherFiles(file, linesFile, input);
  const reasons = await createDraft(file, advice);
  const kept = keepsLines ? await createDraft(linesFile, advice) : undefined;
  await reasons.write(header);
  let lines = 0;
  let begun = false;
  // The bytes of the file, so that the options of the import can read it, also after a conversion from another encoding.
  const keep = async (lines: readonly string[]) => {
    await kept?.write(Buffer.concat(lines.flatMap((line) => [Buffer.from(line, "base64"), lineBreak])));
  };
  return {
    file,
    /** The file with the rejected lines; undefined when they are not kept. */
    linesFile: kept && linesFile,
    /** How many lines are rejected. */
    get lines() {
      return lines;
    },
    async add({ header, lines: rejected }: RejectedLines) {
      begun = true;
      if (rejected.length === 0) return;
      if (lines === 0 && header !== null) await keep([header]);
      lines += rejected.length;
      const rows = rejected.flatMap(({ line, reasons }) =>
        reasons.map(({ field, message }) => `${csvLine([line, field, inOptions(message)])}\n`),
      );
      await reasons.write(rows.join(""));
      await keep(rejected.map(({ line_bytes }) => line_bytes));
    },
    /** Publishes the files. If no line was rejected, removes the files of the previous import instead. */
    async close() {
      for (const draft of [reasons, kept]) {
        if (lines > 0) await draft?.finish();
        await draft?.discard();
      }
      if (begun && lines === 0) for (const one of [file, linesFile]) await rm(one, { force: true });
    },
  };
}

/** A report may replace a previous report and its lines, but no other file, such as the one to import. */
async function rejectOtherFiles(file: string, linesFile: string, input: string): Promise<void> {
  const [source, found, foundLines] = await Promise.all([input, file, linesFile].map(statOf));
  if ([found, foundLines].some((one) => one && one.ino === source?.ino && one.dev === source.dev)) {
    throw usageError("--report is the file to import: name another.");
  }
  const begins = found?.isFile() ? await beginningOf(file) : undefined;
  // An empty file is fine: mktemp makes one.
  const isOther = begins !== undefined && begins !== "" && begins !== header;
  const isLeft = begins !== header && foundLines !== undefined;
  if (!isOther && !isLeft) return;
  throw usageError(
    `${isOther ? file : linesFile} is there already, and not from this import: move it away, or name another place ` +
      "with --report.",
  );
}

/** @returns undefined when there is no such file, or standard input is closed */
async function statOf(file: string) {
  try {
    return file === "-" ? fstatSync(process.stdin.fd) : await stat(file);
  } catch {
    return undefined;
  }
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
