/**
 * Finds out how a file is written before it is read as CSV: its encoding, and the text between its columns.
 */

import type { Encoding } from "../../domain/imports/jobs.ts";
import { RecordReader } from "./csv.ts";

/** How many bytes of a file are looked at. */
export const headBytes = 65_536;

/** The name of an encoding that a TextDecoder knows. @param head the first bytes of the file */
export function decodingOf(head: Uint8Array, encoding: Encoding): string {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  return encoding.toLowerCase();
}

/** Commas are last: texts and amounts have them, too. */
const delimiters = ["\t", ";", "|", ","] as const;
const mostSampled = 200;
/** How many lines above the header can be titles. */
export const mostTitles = 20;

/**
 * Finds the text between columns: the one by which most lines have as many columns as the first one.
 * @param head the beginning of the file
 */
export function findDelimiter(head: string): string {
  const text = head.replace(/^\ufeff/, "");
  const said = /^sep=(.)\r?\n/.exec(text)?.[1];
  if (said !== undefined) return said;
  const counted = delimiters.map((delimiter) => ({ delimiter, counts: columnsOfLines(text, delimiter) }));
  const behind = (titles: number) =>
    bestOf(counted.map(({ delimiter, counts }) => ({ delimiter, counts: counts.slice(titles) })));
  const best = behind(0);
  if (best.share > 0.5) return best.delimiter;
  // A file can begin with titles, which have fewer columns than its lines.
  const widest = Math.max(...counted.map(({ counts: [first = 1] }) => first));
  const others = Array.from({ length: mostTitles }, (_, at) => behind(at + 1))
    .filter(({ share, first, others }) => share > 0.5 && first > widest && others > 0)
    .sort((one, two) => two.share - one.share);
  return others[0]?.delimiter ?? (best.share > 0 ? best.delimiter : ",");
}

interface Counted {
  readonly delimiter: string;
  /** How many columns each line has. */
  readonly counts: readonly number[];
}

/** The delimiter by which the largest share of the lines has as many columns as the first one. */
function bestOf(counted: readonly Counted[]) {
  const scored = counted.map(({ delimiter, counts: [first = 1, ...others] }) => {
    const same = others.filter((count) => count === first).length;
    // A line can lack its last cells, and has no more than the first one.
    const fewer = others.filter((count) => count > 1 && count < first).length;
    const share = first === 1 ? -1 : others.length === 0 ? 1 : (same + fewer / 2) / others.length;
    return { delimiter, share, first, others: others.length };
  });
  scored.sort((one, two) => two.share - one.share || two.first - one.first);
  return scored[0] as (typeof scored)[number];
}

/** How many columns each of the first lines has. The last line can be cut off. */
function columnsOfLines(text: string, delimiter: string): number[] {
  const read = (lines: string) => new RecordReader(delimiter).read(Buffer.from(lines), false);
  const whole = read(text);
  const records = whole.length > 0 ? whole : read(`${text}\n`);
  return records.slice(0, mostSampled).map(({ fields }) => fields.length);
}
