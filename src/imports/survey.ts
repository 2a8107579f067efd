/**
 * Finds how a file is written, from all its lines, before any of them is imported. It keeps only what decides.
 */
import { withoutMark } from "../domain/csv.ts";
import type { ImportKind } from "../operations/import-kinds.ts";
import { FormOfNumbers } from "./amounts.ts";
import { fieldsOf, findColumns } from "./columns.ts";
import type { TextRecord } from "./csv.ts";
import { FormOfDays } from "./times.ts";
import type { Column, Writing } from "./writing.ts";

export class Survey {
  readonly #kind: ImportKind;
  readonly #names: readonly string[];
  readonly #writing: Writing;
  readonly #amounts: readonly Column[];
  readonly #numbers: FormOfNumbers | undefined;
  readonly #days: readonly (readonly [column: Column, form: FormOfDays])[];

  /** @param columns those of the file, as they are found without the survey */
  constructor(kind: ImportKind, names: readonly string[], columns: readonly Column[], writing: Writing) {
    const { decimals, currency = "", decimalSign } = writing;
    this.#kind = kind;
    this.#names = names;
    this.#writing = writing;
    this.#amounts = columns.filter(({ field }) => fieldsOf(kind)[field]?.unit === "minor_units");
    const isDay = ({ field }: Column) => /^(?:date|moment)$/.test(fieldsOf(kind)[field]?.format ?? "");
    const dated = writing.dateFormat === undefined ? columns.filter(isDay) : [];
    this.#days = dated.map((column) => [column, new FormOfDays()]);
    if (decimals !== undefined && decimalSign === undefined)
      this.#numbers = new FormOfNumbers({ decimals, currency });
  }

  add({ fields, line }: TextRecord): void {
    for (const { index } of this.#amounts) {
      const text = fields[index];
      if (text) this.#numbers?.add(text, line);
    }
    for (const [{ index }, form] of this.#days) form.add(withoutMark(fields[index] ?? ""), line);
  }

  /** The columns as the file writes them. */
  columns(): Column[] {
    const { decimalSign } = this;
    const dayForms = new Map(
      this.#days.flatMap(([{ field }, { form }]) => (form === undefined ? [] : [[field, form] as const])),
    );
    return findColumns(this.#kind, this.#names, { ...this.#writing, decimalSign, dayForms });
  }

  /** The sign before the decimals of amounts, if it is said or the amounts tell. */
  get decimalSign() {
    return this.#writing.decimalSign ?? this.#numbers?.sign;
  }

  /** The forms of days that were found. */
  dateFormats(): { field: string; format: string }[] {
    return this.#days.flatMap(([{ field }, { form }]) =>
      form === undefined ? [] : { field, format: form.format },
    );
  }

  /** What was found, as sentences. */
  texts(): string[] {
    const days = this.#days.map(([{ field }, form]) => form.text(field));
    return [this.#numbers?.text, ...days].filter((text) => text !== undefined);
  }
}
