/** How a file writes its columns and values, and how they are read. */

import type { DecimalSign } from "../domain/amount-text.ts";
import type { System } from "../domain/imports/jobs.ts";
import type { Made, Places, Texts } from "../operations/imports/file-fields.ts";
import type { DayForm } from "./form/times.ts";

/** The value of a text, or a problem that completes a sentence that begins with the field's name. */
export type Value = string | number | Problem;

export interface Problem {
  readonly problem: string;
  /** The problem without the text of the cell, by which rejections are counted. */
  readonly kind?: string;
}

export interface Column {
  readonly field: string;
  /** -1 when all values are the fallback. */
  readonly index: number;
  /** The text of an empty cell. */
  readonly fallback: string;
  readonly read: (text: string) => Value;
  /** For a field that is not one of a line: completes those of the line. */
  readonly make?: ((text: string, texts: Texts) => Made) | undefined;
  /** With `make`: the fields of a line that it completes. */
  readonly makes?: readonly string[] | undefined;
  /** Whether the next column has no name. Behind an amount, it can have the decimals, if the sign before them is the delimiter. */
  readonly isBeforeNameless?: boolean;
}

/** Texts by field, such as the columns of --column. */
export type TextByField = ReadonlyMap<string, string>;

/** How columns are named and values are written in the file. */
export interface Writing {
  /** The names of columns. A field with an empty name is not imported. */
  readonly column?: TextByField | undefined;
  /** The number of the column of each field, from 0, if the columns were found before. */
  readonly indexes?: Readonly<Record<string, number>>;
  /** A preset. */
  readonly from?: System | undefined;
  /** The texts of empty cells. */
  readonly default?: TextByField | undefined;
  /** Of the currency, when amounts are in its major unit. */
  readonly decimals?: number | undefined;
  /** The sign before fractions of points, if that is known. */
  readonly pointsSign?: DecimalSign | undefined;
  /** The code of the currency, whose sign can stand beside an amount. */
  readonly currency?: string | undefined;
  /** The sign before the decimals of amounts in major units, if that is known. */
  readonly decimalSign?: DecimalSign | undefined;
  /** Whose national phone numbers are understood. */
  readonly country?: string | null;
  readonly dateFormat?: DayForm | undefined;
  /** The forms of days that were found, by field, where none was said. */
  readonly dayForms?: ReadonlyMap<string, DayForm>;
  /** What names of locations mean. */
  readonly places?: Places;
}
