/** Records as tables and lists of fields, for people. */
import { cutText, pad, printable, type Terminal, widthOf } from "./terminal.ts";

export type Row = Readonly<Record<string, unknown>>;

const gap = "  ";
/** Columns are not made narrower than this. */
const narrowest = 6;

const itemText = (item: unknown) =>
  isRecord(item) ? Object.values(item).map(cellText).join(" ") : cellText(item);

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(itemText).join(", ");
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** Columns of ids, codes, kinds, days and times. Like numbers, they are never cut in narrow tables. */
const whole = /(?:_id|_at|_on|_code|_type|_number|currency)$/;

/** A column to lay out: its name, the width of its widest value, and how its values are written. */
interface Column {
  readonly name: string;
  readonly cells: number;
  readonly isNumeric: boolean;
  readonly mayBeCut: boolean;
}

function columnOf(name: string, rows: readonly Row[]): Column {
  const cells = Math.max(0, ...rows.map((row) => widthOf(cellText(row[name]))));
  const isNumeric = rows.every((row) => isNumberOrMoney(row[name]));
  return { name, cells, isNumeric, mayBeCut: !isNumeric && !whole.test(name) };
}

/** Names of columns take so many lines at most. They are broken after underscores only. */
const mostHeaderLines = 4;

/** The lines of a name that is broken to fit a width, as far as its words do. */
function brokenName(name: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of name.split(/(?<=_)/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length <= width) lines.splice(-1, 1, last + word);
    else lines.push(word);
  }
  return lines;
}

/** The least width of a name that is broken into so many lines. */
function nameWidth(name: string, lines: number): number {
  const widest = Math.max(...brokenName(name, 0).map((word) => word.length));
  for (let width = widest; ; width += 1) if (brokenName(name, width).length <= lines) return width;
}

/** The widths of columns without a cut, and with cuts down to a number of characters. */
function widthsOf(columns: readonly Column[], headerLines: number, cutTo = Number.POSITIVE_INFINITY) {
  return columns.map(({ name, cells, mayBeCut }) =>
    Math.max(nameWidth(name, headerLines), mayBeCut ? Math.min(cells, cutTo) : cells),
  );
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
}

/** The smallest number of lines for the names of columns with which the table fits, from some number on. */
function fittingHeader(columns: readonly Column[], room: number, from: number, cutTo?: number) {
  for (let lines = from; lines <= mostHeaderLines; lines += 1) {
    if (totalOf(widthsOf(columns, lines, cutTo)) <= room) return lines;
  }
  return undefined;
}

/** Text is not cut to less than this if a column can be left out instead. */
const comfortable = 8;

/**
 * Chooses the columns of a table. The last ones are left out if they don't fit, and others are added if they fit in full.
 * @param preferred the columns to show, the most important first
 * @param others columns to add on a wide terminal
 */
export function fittingColumns(
  preferred: readonly string[],
  others: readonly string[],
  rows: readonly Row[],
  { width }: Terminal,
): string[] {
  const room = width ?? roomWithoutTerminal;
  const chosen = preferred.map((name) => columnOf(name, rows));
  while (chosen.length > 1 && fittingHeader(chosen, room, 1, comfortable) === undefined) chosen.pop();
  // A terminal on which the names need several lines is not wide.
  const isWide = width !== undefined && fittingHeader(chosen, room, 1) === 1;
  for (const column of isWide ? others.map((name) => columnOf(name, rows)) : []) {
    if (totalOf(widthsOf([...chosen, column], 1)) <= room) chosen.push(column);
  }
  return chosen.map(({ name }) => name);
}

const roomWithoutTerminal = 100;

/**
 * Rows as a table, a line each. Names of columns go over several lines, and then text is cut, to make the table fit.
 * @param room how wide it may be; by default as wide as the terminal, or 100 columns
 * @returns lines
 */
export function tableLines(
  names: readonly string[],
  rows: readonly Row[],
  terminal: Terminal,
  room = terminal.width ?? roomWithoutTerminal,
): string[] {
  const columns = names.map((name) => columnOf(name, rows));
  const headerLines =
    fittingHeader(columns, room, 1) ?? fittingHeader(columns, room, 2, narrowest) ?? mostHeaderLines;
  const widths = narrowed(columns, headerLines, room);
  const lineOf = (texts: readonly string[]) =>
    texts
      .map((text, at) => {
        const width = widths[at] as number;
        return pad(cutText(text, width), width, columns[at]?.isNumeric ? "right" : "left");
      })
      .join(gap)
      .trimEnd();
  const broken = names.map((name, at) => brokenName(name, widths[at] as number));
  const height = Math.max(0, ...broken.map((lines) => lines.length));
  const header = Array.from({ length: height }, (_, line) =>
    lineOf(broken.map((lines) => lines[line - height + lines.length] ?? "")),
  );
  const body = rows.map((row) => lineOf(names.map((name) => cellText(row[name]))));
  return [...header.map((line) => terminal.style("bold", line)), ...body];
}

/** Numbers and amounts of money are aligned to the right. */
function isNumberOrMoney(value: unknown): boolean {
  return typeof value === "number" || value === null || /^-?[\d,]+(?:\.\d+)? \w+$/.test(String(value));
}

/** Narrows the widest column that may be cut, until all columns fit or none can be cut. */
function narrowed(columns: readonly Column[], headerLines: number, room: number): readonly number[] {
  const widths = widthsOf(columns, headerLines);
  const least = widthsOf(columns, headerLines, narrowest);
  while (totalOf(widths) > room) {
    const cuttable = widths.map((width, at) => (width > (least[at] as number) ? width : 0));
    const widest = Math.max(...cuttable);
    if (widest === 0) break;
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
