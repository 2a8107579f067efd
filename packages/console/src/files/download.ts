import { csvLine } from "../../../../src/domain/csv.ts";

/** Gives the person a file. */
export function download(name: string, type: string, content: BlobPart | BlobPart[]): void {
  const url = URL.createObjectURL(new Blob([content].flat() as BlobPart[], { type }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** Gives the person a file for a spreadsheet. */
export function saveCsv(name: string, rows: readonly (readonly unknown[])[]): void {
  // The mark tells spreadsheets that it is UTF-8.
  download(`${name}.csv`, "text/csv", ["\uFEFF", ...rows.map((row) => `${csvLine(row)}\r\n`)]);
}
