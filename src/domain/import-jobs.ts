/** Files that shops have, and the jobs that import them. */
import type { DecimalSign } from "./amount-text.ts";

export const importNames = ["members", "sales", "vouchers"] as const;
export type ImportName = (typeof importNames)[number];

/**
 * uploading: parts of the file are missing. checking: a job reads all lines and imports none. cancelled: it can be started again, and
 * goes on where it was. failed: the file or the options are wrong.
 */
export const importStates = [
  "uploading",
  "uploaded",
  "checking",
  "checked",
  "importing",
  "cancelled",
  "ended",
  "failed",
] as const;
export type ImportState = (typeof importStates)[number];

/** Whether a job works in this state. */
export const isRunning = (state: ImportState) => state === "checking" || state === "importing";

/** What files can be written in. UTF-16 is known by its byte order mark. */
export const encodings = ["UTF-8", "Windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

/** The systems whose exports are known. */
export const systems = [
  "square",
  "shopify",
  "loyverse",
  "woocommerce",
  "lightspeed-x",
  "lightspeed-ecom",
  "magento",
] as const;
export type System = (typeof systems)[number];

/** In which amounts are written: 12.50, or 1250. */
export const amountUnits = ["major", "minor"] as const;
export type AmountUnit = (typeof amountUnits)[number];

/** Further names of locations in a file are not looked up. */
export const mostPlaces = 200;

/** Names of options of a kind. */
export const mostMappings = 100;

/** A file, unpacked. */
export const mostFileBytes = 1_000_000_000;
/** All files of a business, as they are uploaded. */
export const mostBytesOfBusiness = 5_000_000_000;
/** Of a file as it is uploaded. */
export const mostPartBytes = 2_000_000;
/** After so many days, a file and its rejected lines are deleted. */
export const fileDays = 7;
/** Further rejected lines are counted, but not kept. */
export const mostRejectedLines = 100_000;

/** How a file is to be read and imported. What is not said is found from the file, or has the default of the operation. */
export interface ImportOptions {
  readonly delimiter?: string;
  readonly encoding?: Encoding;
  /** The names of the columns, if the first line is not a header. */
  readonly column_names?: readonly string[];
  /** Whether the first line is not a header, and columns are called by their numbers. */
  readonly no_header?: boolean;
  /** The columns of fields whose names differ. A field with an empty column is not imported. */
  readonly columns?: readonly { readonly field: string; readonly column: string }[];
  /** The texts of empty cells. */
  readonly defaults?: readonly { readonly field: string; readonly value: string }[];
  readonly from?: System;
  readonly date_format?: string;
  readonly decimal?: DecimalSign;
  readonly amount_unit?: AmountUnit;
  readonly country?: string;
  /** Whether lines with one reference are one sale. */
  readonly join_lines?: boolean;
  /** What names of locations mean. Lines with a name without a location are left out. */
  readonly locations?: readonly { readonly name: string; readonly location_id: number | null }[];
  /** Fields of the request that imports a chunk of lines. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** How a file is written. */
export interface ImportForm {
  /** The system that exported the file, if that is said or the columns tell. */
  readonly from: System | null;
  readonly encoding: string;
  readonly delimiter: string;
  /** The names of the columns. */
  readonly header: readonly string[];
  readonly columns: readonly { readonly field: string; readonly column: string }[];
  readonly unused: readonly string[];
  readonly decimal: DecimalSign | null;
  /** Null when it is not clear. */
  readonly amount_unit: AmountUnit | null;
  readonly date_formats: readonly { readonly field: string; readonly format: string }[];
  /** The names of locations, each with its location, or null if it is not known or its lines are left out. */
  readonly locations: readonly ImportPlace[];
  /** What was found, as sentences. */
  readonly notes: readonly string[];
  /** How many lines it has; null before all are checked. */
  readonly lines: number | null;
  /** The first lines, as they are read. */
  readonly sample: readonly ImportSample[];
  /** The bytes of the header line, in base64; null without one. */
  readonly header_line: string | null;
}

export interface ImportPlace {
  readonly name: string;
  readonly lines: number;
  readonly location_id: number | null;
  readonly left_out: boolean;
}

export interface ImportSample {
  readonly line: number;
  readonly values: readonly { readonly field: string; readonly sample_value: string }[];
}

/** What became of the lines of a file. */
export interface ImportResult {
  readonly lines: number;
  /** In a check: those that would be imported. */
  readonly imported: number;
  readonly skipped: number;
  readonly rejected: number;
  /** Lines that are nothing for the service, such as those without a customer. */
  readonly left_out: number;
  /** Further lines of receipts, whose amounts are added to the first line. */
  readonly joined: number;
  /** Skipped sales that were imported without points. */
  readonly without_points: number;
  /** Skipped sales that earn points now. */
  readonly points_added: number;
  /** The lines that are not rejected and have an amount or points, in minor units. */
  readonly sums: {
    readonly lines: number;
    readonly amount: number;
    readonly smallest: number;
    readonly largest: number;
    readonly points: number;
    readonly first_day: string | null;
    readonly last_day: string | null;
  };
  /** The reasons for rejection, the most frequent first, each with its first lines. */
  readonly reasons: readonly {
    readonly reason: string;
    readonly lines: number;
    readonly first_lines: readonly number[];
  }[];
  /** What else there is to know, as sentences. */
  readonly notes: readonly string[];
}
