/**
 * Finds how a file is written, from all its lines, before any of them is imported. It keeps only what decides. The console does it
 * with the same code, so it loads nothing of Node.
 */
import { FormOfNumbers } from "./amounts.ts";
import { findColumns, type ImportSubject } from "./columns.ts";
import type { TextRecord } from "./csv.ts";
import type { Column, Writing } from "./writing.ts";

export class Survey {
  readonly #kind: ImportSubject;
  readonly #names: readonly string[];
  readonly #writing: Writing;
  readonly #amounts: readonly Column[];
  readonly #numbers: FormOfNumbers | undefined;

  /** @param columns those of the file, as they are found without the survey */
  constructor(kind: ImportSubject, names: readonly string[], columns: readonly Column[], writing: Writing) {
    const { decimals, currency = "", decimalSign } = writing;
    this.#kind = kind;
    this.#names = names;
    this.#writing = writing;
    this.#amounts = columns.filter(({ field }) => kind.fields[field]?.unit === "minor_units");
    if (decimals !== undefined && decimalSign === undefined)
      this.#numbers = new FormOfNumbers({ decimals, currency });
  }

  add({ fields, line }: TextRecord): void {
    for (const { index } of this.#amounts) {
      const text = fields[index];
      if (text) this.#numbers?.add(text, line);
    }
  }

  /** The columns as the file writes them. */
  columns(): Column[] {
    const decimalSign = this.#writing.decimalSign ?? this.#numbers?.sign;
    return findColumns(this.#kind, this.#names, { ...this.#writing, decimalSign });
  }

  /** What was found, as sentences. */
  texts(): string[] {
    return [this.#numbers?.text].filter((text) => text !== undefined);
  }
}
