/** Converts the records of a file into the lines that are imported. */
import { divide, type LineInput, mostSaleLines } from "../domain/engine/lines.ts";
import { isOfReceiptLine, type Texts } from "../operations/imports/file-fields.ts";
import type { ImportKind } from "../operations/imports/import-kinds.ts";
import { memberNames } from "../operations/imports/imported-sales.ts";
import type { TextRecord } from "./file/csv.ts";
import type { Numbers } from "./hashes.ts";
import type { Column, Problem } from "./writing.ts";

/** Why a line is not imported. */
export interface Rejection {
  readonly line: number;
  /** Empty for the line as a whole. */
  readonly field: string;
  readonly message: string;
  /** The message without what differs between lines, by which rejections are counted. By default, the message. */
  readonly reason?: string;
}

/** A line as the service takes it: its fields besides these. */
export interface Line extends Readonly<Record<string, unknown>> {
  readonly line: number;
  /** Fields whose text is not a value. The service checks the other fields, and does not import the line. */
  readonly unreadable?: readonly string[];
}

/** The records of one receipt, or one record. */
type Records<One extends TextRecord> = readonly [One, ...One[]];

/** Records, their line to send unless the number of columns is wrong, and the reasons to reject it that are known so far. */
export interface ReadLine<Record extends TextRecord = TextRecord> {
  readonly records: Records<Record>;
  readonly line: Line | undefined;
  readonly rejections: readonly Rejection[];
  /** Why the line is left out: it is not wrong, but nothing for the service. */
  readonly leftOut?: string;
  /** For a sale with lines of a receipt: how they compare with its amount. */
  readonly fit?: Fit;
  /** Whether all lines of the receipt have the same amount, which is summed. */
  readonly isRepeated?: boolean;
}

export type Fit = "exact" | "short" | "over";

/** The cells of one receipt: of each column, the first one that is not empty. */
const joinedCells = (records: readonly TextRecord[], width: number): string[] =>
  Array.from(
    { length: width },
    (_, index) => records.find(({ fields }) => fields[index])?.fields[index] ?? "",
  );

/**
 * Sums the amounts of a receipt of several lines.
 * @param isOfReceipt whether lines have amounts of their own. Then it takes the one amount that all lines have.
 * @returns whether several lines have amounts, which are all the same
 */
function addAmounts(
  records: readonly TextRecord[],
  columns: readonly Column[],
  values: Record<string, string | number>,
  unread: Unread[],
  isOfReceipt: boolean,
): boolean {
  const column = columns.find(({ field }) => field === "amount");
  if (column === undefined) return false;
  const { field, index, read } = column;
  const texts = records.map(({ fields }) => fields[index] ?? "").filter((text) => text !== "");
  const amounts = texts.map((text) => ({ text, value: read(text) }));
  const [first, ...others] = amounts;
  const other = others.find(({ value }) => value !== first?.value);
  const wrong =
    amounts.find(({ value }) => typeof value === "object") ??
    (isOfReceipt && other && { text: other.text, value: { problem: ofReceipt } });
  if (wrong && field in values) {
    delete values[field];
    unread.push({ field, fields: [field], text: wrong.text, problem: wrong.value as Problem });
  } else if (!wrong && first !== undefined && !isOfReceipt)
    values[field] = amounts.reduce((sum, { value }) => sum + Number(value), 0);
  return !isOfReceipt && others.length > 0 && other === undefined && first?.value !== 0;
}

const ofReceipt =
  "differs within the receipt: with line_amount or line_price, it is that of the whole receipt";

/**
 * Whether a record can be a line of a receipt: its cells are the same or empty, besides its amounts.
 * @param cells those of the receipt so far
 */
export function isOfReceipt(
  columns: readonly Column[],
  reference: string,
  cells: readonly string[],
  { fields }: TextRecord,
): boolean {
  const index = columns.find(({ field }) => field === reference)?.index ?? -1;
  if (!fields[index] || cells[index] !== fields[index]) return false;
  return columns.every(({ field, index }) => {
    const cell = fields[index];
    return field === "amount" || isOfReceiptLine(field) || !cell || (cells[index] || cell) === cell;
  });
}

/**
 * The lines of a receipt, which must add up to its amount. What they lack, such as a delivery, becomes a line of its own. What they
 * have too much, such as before a discount, is taken from all lines in proportion.
 * @param columns those of lines, and that of the amount
 */
function receiptOf(columns: readonly Column[], records: readonly TextRecord[], amount: number) {
  const read = records.map((record) => valuesOf({ needs: [] }, columns, [record]));
  const all = read.flatMap(({ values }): LineInput[] => {
    const { line_sku, line_category, line_quantity = 1, line_price, line_amount } = values;
    const times =
      line_price === undefined ? values.amount : Math.round(Number(line_price) * Number(line_quantity));
    const own = Number(line_amount ?? times ?? Number.NaN);
    if (!(own >= 0)) return [];
    return [
      {
        ...(line_sku !== undefined && { sku: String(line_sku) }),
        ...(line_category !== undefined && { category: String(line_category) }),
        ...(Number.isInteger(line_quantity) &&
          Number(line_quantity) > 0 && { quantity: Number(line_quantity) }),
        amount: own,
      },
    ];
  });
  const unread = read.flatMap((one) => one.unread.filter(({ field }) => isOfReceiptLine(field)));
  const some = all.slice(0, mostSaleLines - 1);
  const amounts = some.map((line) => line.amount);
  const rest = amount - amounts.reduce((sum, one) => sum + one, 0);
  const fit: Fit = rest === 0 ? "exact" : rest > 0 ? "short" : "over";
  const fitted = rest < 0 ? divide(amounts, amount) : amounts;
  const lines = some.map((line, index) => ({ ...line, amount: fitted[index] as number }));
  return { lines: rest > 0 ? [...lines, { amount: rest }] : lines, fit, unread };
}

interface Unread {
  readonly field: string;
  /** The fields of the line that are missing for it. */
  readonly fields: readonly string[];
  readonly text: string;
  readonly problem: Problem;
}

/** The word of a sale that was undone, and its field. */
type Undone = Readonly<Record<"field" | "text" | "how", string>>;

/** Whether a line is a refund. With the word of a sale that was undone, it can be left out, or not be clear. */
function refundOf(
  undone: Undone | undefined,
  amount: number,
  isRefund: boolean,
): { readonly isRefund: boolean; readonly leftOut?: string; readonly unclear?: Unread } {
  if (undone === undefined) return { isRefund };
  const { field, text, how } = undone;
  if (how === "refunded" && (isRefund || amount < 0)) return { isRefund: true };
  if (isRefund || amount >= 0) return { isRefund, leftOut: `with ${text}` };
  const problem = `is ${text}, and the amount is negative: say refund if the line takes a sale back, or leave it away`;
  return { isRefund, unclear: { field, fields: [field], text, problem: { problem, kind: problem } } };
}

/** The texts of a line, completed by columns that are not fields of it. */
function textsOf(columns: readonly Column[], cells: readonly string[]) {
  const texts: Texts = {};
  const unread: Unread[] = [];
  let leftOut: string | undefined;
  let undone: Undone | undefined;
  let isRefund = false;
  for (const { field, index } of columns) texts[field] = cells[index] ?? "";
  // Columns that complete others come first.
  for (const { field, fallback, make, makes = [field] } of columns) {
    const text = texts[field] || fallback;
    texts[field] = text;
    if (make === undefined || text === "") continue;
    const made = make(text, texts);
    if ("leftOut" in made) {
      if (made.undone === undefined) leftOut ??= made.leftOut;
      else undone ??= { field, text, how: made.undone };
    } else if ("problem" in made) unread.push({ field, fields: makes, text, problem: made });
    else {
      Object.assign(texts, made.texts);
      isRefund ||= made.isRefund === true;
    }
  }
  return { texts, unread, leftOut, undone, isRefund };
}

/**
 * The values of a line, and the texts that can't be read.
 * @param records those of one receipt
 * @param cells theirs together
 * @param isOfReceipt whether the amount is that of all records
 */
export function valuesOf(
  { needs }: Pick<ImportKind, "needs">,
  columns: readonly Column[],
  records: readonly TextRecord[],
  cells: readonly string[] = records[0]?.fields ?? [],
  isOfReceipt = false,
) {
  const { texts, unread, undone, ...found } = textsOf(columns, cells);
  let { leftOut } = found;
  const values: Record<string, string | number> = {};
  const naming: readonly string[] = needs.includes(memberNames) ? memberNames : [];
  const name = naming.find((field) => texts[field]);
  if (naming.length > 0 && name === undefined) leftOut ??= "without a customer";
  for (const { field, make, read } of columns) {
    const text = texts[field] as string;
    // A line names its customer by the first of its names.
    if (make !== undefined || text === "" || (field !== name && naming.includes(field))) continue;
    const value = read(text);
    if (typeof value === "object") unread.push({ field, fields: [field], text, problem: value });
    else values[field] = value;
  }
  const isRepeated = records.length > 1 && addAmounts(records, columns, values, unread, isOfReceipt);
  const { amount: read, refunded_amount, currency } = values;
  // They are fields of files, and not of lines.
  if (refunded_amount !== undefined) delete values.refunded_amount;
  if (currency !== undefined) delete values.currency;
  if (read === 0) leftOut ??= "with an amount of 0";
  if (read === undefined) return { values, unread, leftOut, isRepeated };
  const amount = Number(read);
  const { isRefund, unclear, ...because } = refundOf(undone, amount, found.isRefund);
  leftOut ??= because.leftOut;
  if (unclear !== undefined) unread.push(unclear);
  if (isRefund) values.amount = -Math.abs(amount);
  else if (refunded_amount !== undefined && amount > 0) {
    values.amount = Math.max(0, amount - Math.abs(Number(refunded_amount)));
    if (values.amount === 0) leftOut ??= "that were refunded";
  }
  return { values, unread, leftOut, isRepeated };
}

/**
 * Makes the function that turns records into lines. It must see every record of the file, in their order.
 * @param width the number of columns. Missing cells at the end of a row are empty.
 * @param counts how often a text was seen
 */
export function lineMaker(
  kind: ImportKind,
  columns: readonly Column[],
  width: number,
  counts: Numbers,
): <Record extends TextRecord>(records: Records<Record>) => ReadLine<Record> {
  const { reference, countsEqual } = kind;
  const own = columns.filter(({ field }) => !isOfReceiptLine(field));
  const ofLines = columns.filter(({ field }) => field === "amount" || isOfReceiptLine(field));
  const isOfReceipt = columns.some(({ field }) => field === "line_amount" || field === "line_price");
  const equalBefore = (text: string) => {
    const before = counts.get(text);
    counts.set(text, before + 1);
    return before;
  };
  return (records) => {
    const [record] = records;
    const bad = { records, line: undefined, rejections: none };
    const most = Math.max(...records.map((one) => usedColumns(one, width)));
    if (most > width) {
      const problem = `has ${most} columns instead of ${width}`;
      return { ...bad, rejections: [rejectLine(record, "", problem)] };
    }
    const broken = records.find(({ isBroken }) => isBroken);
    if (broken !== undefined)
      return { ...bad, rejections: [rejectLine(broken, "", "has text behind a quoted text")] };
    const cells = records.length === 1 ? record.fields : joinedCells(records, width);
    const { values, unread, leftOut, isRepeated } = valuesOf(kind, own, records, cells, isOfReceipt);
    if (leftOut !== undefined) return { ...bad, leftOut };
    const receipt =
      own.length < columns.length && Number(values.amount) > 0
        ? receiptOf(ofLines, records, Number(values.amount))
        : undefined;
    unread.push(...(receipt?.unread ?? []));
    const rejections = unread.map(({ field, problem }) =>
      rejectLine(record, field, problem.problem, problem.kind),
    );
    const unreadable = unread.flatMap(({ fields }) => fields);
    // Lines with the same text are several sales. The same values in another text are the same sale, written in another way.
    // A sale can have several refunds.
    const counted = countsEqual && (values[reference] === undefined || Number(values.amount) < 0);
    const equal = counted ? equalBefore(JSON.stringify(own.map(({ index }) => cells[index] ?? ""))) : 0;
    const line = values as Record<string, unknown> & { line: number };
    line.line = record.line;
    if (equal > 0) line.equal_before = equal;
    if (unreadable.length > 0) line.unreadable = unreadable;
    if (receipt !== undefined) line.lines = receipt.lines;
    return { records, line, rejections, isRepeated, ...(receipt && { fit: receipt.fit }) };
  };
}

const none: readonly never[] = [];

/** How many columns a record has, if these are more than those of the file and not empty. */
const usedColumns = ({ fields }: TextRecord, width: number) =>
  fields.length <= width ? width : fields.findLastIndex((text) => text !== "") + 1;

/** @param kind the problem without what differs between lines */
function rejectLine(
  { line, lastLine }: TextRecord,
  field: string,
  problem: string,
  kind = problem,
): Rejection {
  // A quote that is not closed joins lines. A field of several lines may be the only sign of it.
  const where = lastLine > line ? ` (lines ${line} to ${lastLine}: is a quote not closed?)` : "";
  const subject = field === "" ? "The line" : field;
  return { line, field, message: `${subject} ${problem}${where}.`, reason: `${subject} ${kind}.` };
}
