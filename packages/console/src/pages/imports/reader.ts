/** How files are read. The build puts the code of `loyalty import` here (tools/console/import-files.ts). */
import type { DecimalSign } from "../../../../../src/domain/amount-text.ts";
import type { Fields } from "../../api/declarations.ts";

export interface FileForm {
  /** The text between columns; by default, that of the first lines. */
  readonly delimiter: string | undefined;
  /** One of `encodings`. A byte order mark says more. */
  readonly encoding: string;
  /** The system that exported the file. */
  readonly from: string | undefined;
  /** The columns of fields whose names differ. A field with an empty name is not imported. */
  readonly columns: Readonly<Record<string, string>>;
  /** Of the currency, when amounts are in its major unit. */
  readonly decimals: number | undefined;
  readonly currency: string;
  /** The sign before decimals, if it is known. */
  readonly decimalSign: DecimalSign | undefined;
  readonly country: string | null;
  /** How days are written, such as DD/MM/YYYY, besides 2026-04-17. */
  readonly dateFormat: string | undefined;
}

export interface RejectedLine {
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

type ChunkResult = Readonly<{ imported: number; rejected: readonly RejectedLine[] }>;

export interface Totals {
  readonly isDryRun: boolean;
  readonly lines: number;
  readonly imported: number;
  readonly skipped: number;
  readonly rejected: number;
  readonly rejections: readonly RejectedLine[];
}

export interface ImportFile {
  /** Why it can't be imported in this form. */
  readonly problem: string | undefined;
  /** How it is written, as its lines tell. */
  readonly notes: readonly string[];
  readonly header: readonly string[];
  readonly lines: number;
  /** The columns that were found, by field. */
  readonly columns: Readonly<Record<string, string>>;
  /** Sends the lines in parts, and tells what became of those so far. */
  send(
    isDryRun: boolean,
    post: (lines: readonly object[]) => Promise<ChunkResult>,
    tell: (totals: Totals) => void,
  ): Promise<void>;
  /** The texts of a line. */
  cells(line: number): readonly string[];
}

export type ImportName = "members" | "sales" | "vouchers";

/** The systems whose exports are known. */
export const systems: readonly string[] = [];

/** What files can be written in. */
export const encodings: readonly string[] = [];

export function readFile(
  _name: ImportName,
  _fields: Fields,
  _bytes: Uint8Array,
  _form: FileForm,
): ImportFile {
  throw new Error("The console was not built.");
}
