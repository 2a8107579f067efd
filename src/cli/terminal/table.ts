/** Records as tables and lists of fields, for people. */
import { cutText, pad, printable, type Terminal, widthOf } from "./terminal.ts";

export type Row = Readonly<Record<string, unknown>>;

const gap = "  ";
/** Columns are not made narrower than this. */
const narrowest = 6;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cellText).join(", ");
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** Columns of ids, codes, days and times. Like numbers, they are never cut in narrow tables. */
const whole = /(?:_id|_at|_on|_code|_number|currency)$/;

/**
 * Rows as a table, a line each. Names of columns go over two lines, and then text is cut, to make the table fit.
 * @param room how wide it may be; by default as wide as the terminal, or 100 columns
 * @returns lines
 */
export function tableLines(
  columns: readonly string[],
  rows: readonly Row[],
  terminal: Terminal,
  room = terminal.width ?? 100,
): string[] {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column])));
  const numeric = columns.map((column) => rows.every((row) => isNumeric(row[column])));
  const widthsOf = (header: readonly (readonly string[])[]) =>
    columns.map((_, at) => Math.max(...[...header, ...cells].map((row) => widthOf(row[at] as string))));
  const oneLine = widthsOf([columns]);
  const header = totalOf(oneLine) <= room ? [columns] : overTwoLines(columns);
  const mayBeCut = columns.map((column, at) => !numeric[at] && !whole.test(column));
  const widths = fitWidths(widthsOf(header), mayBeCut, room);
  const cellOf = (text: string, at: number) => {
    const width = widths[at] as number;
    return pad(cutText(text, width), width, numeric[at] ? "right" : "left");
  };
  const lineOf = (texts: readonly string[]) => texts.map(cellOf).join(gap).trimEnd();
  return [...header.map((line) => terminal.style("bold", lineOf(line))), ...cells.map(lineOf)];
}

/** Numbers and amounts of money are aligned to the right. */
function isNumeric(value: unknown): boolean {
  return typeof value === "number" || value === null || /^-?[\d,]+(?:\.\d+)? \w+$/.test(String(value));
}

/** wallet_balance as wallet_ above balance. */
function overTwoLines(columns: readonly string[]): (readonly string[])[] {
  const cuts = columns.map((column) => column.lastIndexOf("_") + 1);
  if (cuts.every((cut) => cut === 0)) return [columns];
  return [
    columns.map((column, at) => column.slice(0, cuts[at])),
    columns.map((column, at) => column.slice(cuts[at])),
  ];
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
}

/** Narrows the widest column that may be cut, until all columns fit or none can be cut. */
function fitWidths(
  natural: readonly number[],
  mayBeCut: readonly boolean[],
  room: number,
): readonly number[] {
  const widths = [...natural];
  while (totalOf(widths) > room) {
    const cuttable = widths.map((width, at) => (mayBeCut[at] ? width : 0));
    const widest = Math.max(...cuttable);
    if (widest <= narrowest) break;
    widths[cuttable.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** One record, a field a line; records inside it are indented. @returns lines */
export function linesOfRecord(record: Row, terminal: Terminal, indent = ""): string[] {
  const width = Math.max(0, ...Object.keys(record).map(widthOf));
  return Object.entries(record).flatMap(([name, value]) => {
    const label = indent + terminal.style("bold", pad(name, width, "left"));
    const inner = [value].flat();
    if (inner.length === 0 || !inner.every(isRecord)) return [`${label}${gap}${cellText(value)}`];
    return [label.trimEnd(), ...inner.flatMap((item) => linesOfRecord(item, terminal, `${indent}  `))];
  });
}

export function isRecord(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
