/** Records as tables and lists of fields, for people. */
import type { Terminal } from "./terminal.ts";
import { cut, pad, printable, widthOf } from "./text-width.ts";

export type Row = Readonly<Record<string, unknown>>;

const gap = "  ";
/** A column narrower than this tells nothing. */
const narrowest = 6;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cellText).join(", ");
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/**
 * Rows as a table. In a terminal that is too narrow even for cut cells, each row becomes a list of its fields.
 * @returns lines
 */
export function tableOf(columns: readonly string[], rows: readonly Row[], terminal: Terminal): string[] {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column])));
  const numeric = columns.map((column) =>
    rows.every((row) => typeof row[column] === "number" || row[column] === null),
  );
  // In a narrow terminal, names go over two lines.
  for (const header of [[columns], overTwoLines(columns)]) {
    const natural = columns.map((_, at) =>
      Math.max(...[...header, ...cells].map((row) => widthOf(row[at] as string))),
    );
    const narrow = header.length > 1;
    const widths = fitWidths(natural, narrow ? numeric : natural.map(() => true), terminal.width);
    if (widths === undefined) continue;
    const lineOf = (texts: readonly string[]) => joinCells(texts, widths, numeric);
    return [...header.map((line) => terminal.style("bold", lineOf(line))), ...cells.map(lineOf)];
  }
  return rows.flatMap((row) => [...recordOf(row, terminal), ""]).slice(0, -1);
}

/** wallet_balance as wallet_ above balance. */
function overTwoLines(columns: readonly string[]): string[][] {
  const cuts = columns.map((column) => column.lastIndexOf("_") + 1);
  return [
    columns.map((column, at) => column.slice(0, cuts[at])),
    columns.map((column, at) => column.slice(cuts[at])),
  ];
}

function joinCells(texts: readonly string[], widths: readonly number[], numeric: readonly boolean[]): string {
  return texts
    .map((text, at) => {
      const width = widths[at] as number;
      return pad(cut(text, width), width, numeric[at] ? "right" : "left");
    })
    .join(gap)
    .trimEnd();
}

/** Takes from the widest column that may be cut until all fit. @returns undefined when they can't */
function fitWidths(
  natural: readonly number[],
  uncut: readonly boolean[],
  room: number | undefined,
): readonly number[] | undefined {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
  while (room !== undefined && total() > room) {
    const cuttable = widths.map((width, at) => (uncut[at] ? 0 : width));
    const widest = Math.max(...cuttable);
    if (widest <= narrowest) return undefined;
    widths[cuttable.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** One record, a field a line; records inside it are indented. @returns lines */
export function recordOf(record: Row, terminal: Terminal, indent = ""): string[] {
  const width = Math.max(0, ...Object.keys(record).map(widthOf));
  return Object.entries(record).flatMap(([name, value]) => {
    const label = indent + terminal.style("bold", pad(name, width, "left"));
    if (isRecordList(value)) {
      const lines = value.flatMap((item) => recordOf(item, terminal, `${indent}  `));
      return [label.trimEnd(), ...lines];
    }
    if (isRecord(value)) return [label.trimEnd(), ...recordOf(value, terminal, `${indent}  `)];
    return [`${label}${gap}${cellText(value)}`];
  });
}

function isRecord(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRecordList(value: unknown): value is Row[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}
