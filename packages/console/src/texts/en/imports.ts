/** The texts about imports. Only their pages have them. */
import { countedText, wholeText } from "../decimals.ts";

const lines = (count: number) => countedText(count, "line", "lines");

export const importTexts = {
  title: "Imports",
  explanation:
    "Members, sales and vouchers from CSV files. A file is checked before you import it. You can correct it and import it again: no line is imported twice. What was imported before stays as it is, with its balances and tiers.",
  what: "What the file has",
  names: { members: "Members", sales: "Sales", vouchers: "Vouchers" },
  file: "File",
  choose: "Choose a CSV file …",
  upload: "Upload and check",
  accepted: (columns: string) =>
    `The first line names the columns, such as: ${columns}. Not all are required. If your file has other names, match them after the upload. The file can be compressed, with gzip or zip.`,
  tooLarge: (gigabytes: number) => `The file has more than ${gigabytes} GB. Divide it, and import the parts.`,
  uploading: "The file is being uploaded. Stay on this page.",
  empty: "Nothing was uploaded in the last days.",
  notUploaded:
    "Parts of the file are missing. If it is not being uploaded in another tab, cancel this, and upload the file again.",
  deleteFile: "Delete the file",
  fileDeleted: "The file is deleted.",
  failed: "This can't go on.",
  chooseColumns: "Choose the columns below.",
  columns: "Columns of the file",
  noColumn: "No column",
  unused: (columns: string) => `Not imported: ${columns}`,
  checkFirst: "Check the file",
  check: "Check again",
  options: "Change how it is read",
  otherKind: "Import as something else",
  start: (count: number) => `Import ${lines(count)}`,
  goOn: "Go on",
  checking: (done: number) => `The file is being checked: ${lines(done)} so far.`,
  importing: (done: number, total: number) =>
    `The file is being imported: ${wholeText(done)} of ${lines(total)}. You can leave this page.`,
  place: (name: string) => `Location: ${name}`,
  lines: (count: number) => lines(count),
  unknownPlace: "Not known",
  leftOutPlace: "Leave these lines out",
  ofCheck: {
    title: "What an import would do",
    lines: "Lines",
    imported: "Can be imported",
    skipped: "Imported before",
    rejected: "Would be rejected",
    left_out: "Would be left out",
    reasons: "Lines that would be rejected",
  },
  ofImport: {
    title: "What was imported",
    lines: "Lines",
    imported: "Imported",
    skipped: "Imported before",
    rejected: "Rejected",
    left_out: "Left out",
    reasons: "Rejected lines",
  },
  written: (encoding: string, delimiter: string) =>
    `The encoding is ${encoding.toUpperCase()}. Between the columns: ${delimiter.toLowerCase()}.`,
  save: "Save the rejected lines",
} as const;

/** What the service says of an import, as people read it. The service says it in English. */
export const importSentence = (text: string): string => text;
