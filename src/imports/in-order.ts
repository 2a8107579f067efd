/** The lines of a file in the order in which they are imported, with the lines of a receipt together. */
import type { ImportForm } from "../operations/imports/import-jobs.ts";
import { type CsvRecord, readRecords } from "./file/csv.ts";
import { FileProblem } from "./file/file-problem.ts";
import { columnsOf, joins } from "./form/find-form.ts";
import { hashedNumbers } from "./hashes.ts";
import type { Job } from "./job.ts";
import { isOfReceipt, lineMaker, type ReadLine } from "./lines.ts";
import type { Column } from "./writing.ts";

export type Read = ReadLine<CsvRecord>;

/**
 * All lines, some at a time. Refunds are last, because files can begin with the newest lines.
 * @param stop called between some lines when the job is to stop
 */
export async function* inOrder(
  job: Job,
  form: ImportForm,
  stop: () => Promise<void>,
): AsyncGenerator<Read[]> {
  const { kind, leased } = job;
  const columns = columnsOf(job, form);
  let hasRefunds = false;
  for (const refunds of [false, true]) {
    if (refunds && !hasRefunds) return;
    // Equal lines are counted from the beginning.
    const toLine = lineMaker(kind, columns, form.header.length, hashedNumbers());
    const checkOrder = joins(job, form) ? orderChecker(leased.options.request) : () => undefined;
    for await (const receipts of receiptsOf(job, form, columns)) {
      if (job.stopped()) await stop();
      const lines = receipts.map((receipt) => toLine(receipt));
      for (const read of lines) if (!isRefund(read)) checkOrder(read);
      hasRefunds ||= lines.some(isRefund);
      yield lines.filter((read) => isRefund(read) === refunds);
    }
  }
}

const isRefund = ({ line }: Read) => line !== undefined && Number(line.amount) < 0;

type Receipt = [CsvRecord, ...CsvRecord[]];

/** No receipt has more. Without a bound, all lines of a file could be one, in memory. */
const mostRecords = 10_000;

function addTo(receipt: Receipt, record: CsvRecord): void {
  receipt.push(record);
  if (receipt.length > mostRecords)
    throw new FileProblem(
      `The receipt of line ${receipt[0].line} has more than ${mostRecords.toLocaleString("en")} lines.`,
      "Is another column the reference_id?",
    );
}

/** The records of a file, those of one receipt together if the options say so. */
async function* receiptsOf(job: Job, form: ImportForm, columns: readonly Column[]) {
  const { kind, source } = job;
  const isJoined = joins(job, form);
  let last: Receipt | undefined;
  /** The first text of each of its columns. */
  let cells: readonly string[] = [];
  for await (const records of readRecords(source.open(), form.delimiter)) {
    const whole: Receipt[] = [];
    for (const record of records) {
      if (record.line <= (form.header_at ?? 0)) continue;
      if (last !== undefined && isJoined && isOfReceipt(columns, kind.reference, cells, record)) {
        addTo(last, record);
        cells = form.header.map((_, index) => cells[index] || (record.fields[index] ?? ""));
      } else {
        if (last !== undefined) whole.push(last);
        last = [record];
        cells = record.fields;
      }
    }
    yield whole;
  }
  if (last !== undefined) yield [last];
}

/**
 * Makes the function that rejects a file whose lines of one receipt are apart: each part would be a sale with too small an amount.
 * @throws FileProblem that names the lines
 */
function orderChecker({ reference_per = [] }: Readonly<Record<string, unknown>>) {
  const seen = hashedNumbers();
  const within = reference_per as readonly string[];
  return ({ line }: Read) => {
    if (line?.reference_id === undefined) return;
    const { reference_id, sold_at = "", location_id } = line;
    const day = within.includes("day") && String(sold_at).slice(0, 10);
    const key = JSON.stringify([reference_id, day, within.includes("location") && location_id]);
    const before = seen.get(key);
    if (before !== 0)
      throw new FileProblem(
        `The lines of ${reference_id} are apart, or differ: see lines ${before} and ${line.line}.`,
        "Lines of one receipt must follow each other, with the same customer and time. Sort the file by reference_id. If receipt numbers " +
          "restart, add reference_per day, location or both.",
      );
    seen.set(key, line.line);
  };
}
