/**
 * Finds out what a file is before it is read as CSV: other kinds of files, its encoding, and the text between its columns.
 */

import type { Encoding } from "../../domain/imports/jobs.ts";
import { RecordReader } from "./csv.ts";

/** How many bytes of a file are looked at. */
export const headBytes = 65_536;

const other = (what: string, remedy: string) => `The file is ${what}, not a CSV file. ${remedy}`;
const exported = "Export the list as CSV in the system that has it.";
const saved = "Open it, save it as CSV in UTF-8, and import that file.";

/** By how a file begins, one byte a character, with \\ufffd for control characters. The first one that fits counts. */
const kinds: readonly (readonly [begins: RegExp, text: string])[] = [
  [/^\x89PNG|^\xff\xd8\xff|^GIF8|^RIFF....WEBP/s, other("a picture", exported)],
  [/^%PDF-/, other("a PDF document", exported)],
  [
    /^PK\ufffd\ufffd.*?(?:\[Content_Types\]|xl\/|opendocument\.spreadsheet|\.iwa)/s,
    other("a spreadsheet", saved),
  ],
  [/^\xd0\xcf\ufffd\xe0/, other("a spreadsheet", saved)],
  [/^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|table|\?xml)/i, other("a web page or XML", saved)],
  [/^(?:\xef\xbb\xbf)?\s*(?:\[\s*\{|\{\s*")/, other("JSON", exported)],
];

/** What is wrong with a file that is known to be no CSV. @param head its first bytes */
export function wrongFile(head: Uint8Array): string | undefined {
  const text = Array.from(head.subarray(0, 4096), (byte) => String.fromCharCode(byte))
    .join("")
    .replace(/[^\P{Cc}\t\r\n\x80-\x9f]/gu, "\ufffd");
  return kinds.find(([begins]) => begins.test(text))?.[1];
}

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

/**
 * Finds the text between columns: the one by which most lines have as many columns as the first one.
 * @param head the beginning of the file
 */
export function findDelimiter(head: string): string {
  const text = head.replace(/^\ufeff/, "");
  const said = /^sep=(.)\r?\n/.exec(text)?.[1];
  if (said !== undefined) return said;
  const scored = delimiters.map((delimiter) => {
    const [first = 1, ...others] = columnsOfLines(text, delimiter);
    const same = others.filter((count) => count === first).length;
    // A line can lack its last cells, and has no more than the first one.
    const fewer = others.filter((count) => count > 1 && count < first).length;
    const share = first === 1 ? -1 : others.length === 0 ? 1 : (same + fewer / 2) / others.length;
    return { delimiter, share, first };
  });
  const [best] = scored.sort((one, two) => two.share - one.share || two.first - one.first);
  return best !== undefined && best.share > 0 ? best.delimiter : ",";
}

/** How many columns each of the first lines has. The last line can be cut off. */
function columnsOfLines(text: string, delimiter: string): number[] {
  const read = (lines: string) => new RecordReader(delimiter).read(Buffer.from(lines), false);
  const whole = read(text);
  const records = whole.length > 0 ? whole : read(`${text}\n`);
  return records.slice(0, mostSampled).map(({ fields }) => fields.length);
}
