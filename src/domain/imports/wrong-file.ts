/** Other kinds of files that people take for CSV. */

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
