/**
 * Finds how a file is written, from all its lines, before any of them is imported. It keeps only what decides.
 */
import { withoutMark } from "../domain/csv.ts";
import { mostPlaces } from "../domain/imports/jobs.ts";
import { nameKey } from "../domain/text.ts";
import type { Places } from "../operations/imports/file-fields.ts";
import type { ImportKind } from "../operations/imports/import-kinds.ts";
import type { TextRecord } from "./file/csv.ts";
import { FormOfNumbers, fractionOfPoints } from "./form/amounts.ts";
import { fieldsOf, findColumns } from "./form/columns.ts";
import { FormOfDays } from "./form/times.ts";
import { linesText } from "./totals.ts";
import type { Column, Writing } from "./writing.ts";

export class Survey {
  readonly #kind: ImportKind;
  readonly #names: readonly string[];
  readonly #writing: Writing;
  readonly #amounts: readonly Column[];
  readonly #points: readonly Column[];
  readonly #fractions = { lines: 0, first: "" };
  readonly #wholes = new FormOfNumbers({ decimals: 0, currency: "" });
  /** Undefined for amounts in minor units. */
  readonly #numbers: FormOfNumbers | undefined;
  readonly #days: readonly (readonly [column: Column, form: FormOfDays])[];
  readonly #location: Column | undefined;
  /** By their keys. */
  readonly #places = new Map<string, { name: string; lines: number }>();

  /** @param columns those of the file, as they are found without the survey */
  constructor(kind: ImportKind, names: readonly string[], columns: readonly Column[], writing: Writing) {
    const { decimals, currency = "" } = writing;
    this.#kind = kind;
    this.#names = names;
    this.#writing = writing;
    const measuring = (unit: string) => columns.filter(({ field }) => fieldsOf(kind)[field]?.unit === unit);
    this.#amounts = measuring("minor_units");
    this.#points = measuring("points");
    const isDay = ({ field }: Column) => /^(?:date|moment)$/.test(fieldsOf(kind)[field]?.format ?? "");
    const dated = writing.dateFormat === undefined ? columns.filter(isDay) : [];
    this.#days = dated.map((column) => [column, new FormOfDays()]);
    this.#location = columns.find(({ field }) => field === "location");
    if (decimals !== undefined) this.#numbers = new FormOfNumbers({ decimals, currency });
  }

  add({ fields, line }: TextRecord): void {
    for (const { index, fallback } of this.#amounts) {
      const text = fields[index] || fallback;
      if (text) this.#numbers?.add(text, line);
    }
    for (const { index } of this.#points) {
      const text = fields[index] ?? "";
      if (text) this.#wholes.add(text, line);
      if (!/[1-9]/.test(fractionOfPoints.exec(text)?.[0] ?? "")) continue;
      this.#fractions.lines += 1;
      this.#fractions.first ||= `${text} in line ${line}`;
    }
    if (this.#location !== undefined) this.#addPlace(fields[this.#location.index] || this.#location.fallback);
    for (const [{ index }, form] of this.#days) form.add(withoutMark(fields[index] ?? ""), line);
  }

  #addPlace(name: string): void {
    const place = this.#places.get(nameKey(name));
    if (place !== undefined) place.lines += 1;
    else if (name !== "" && this.#places.size < mostPlaces)
      this.#places.set(nameKey(name), { name, lines: 1 });
  }

  /** The columns as the file writes them. */
  columns(places: Places): Column[] {
    const { decimalSign, pointsSign } = this;
    const dayForms = new Map(
      this.#days.flatMap(([{ field }, { form }]) => (form === undefined ? [] : [[field, form] as const])),
    );
    return findColumns(this.#kind, this.#names, {
      ...this.#writing,
      decimalSign,
      pointsSign,
      dayForms,
      places,
    });
  }

  /** The sign before the decimals of amounts, if it is said or the amounts tell. */
  get decimalSign() {
    return this.#writing.decimalSign ?? this.#numbers?.sign;
  }

  /** The sign before fractions of points. Points are whole, so three digits behind a sign are thousands, unless amounts tell otherwise. */
  get pointsSign() {
    const [said, own, ofAmounts] = [this.#writing.decimalSign, this.#wholes.sign, this.#numbers?.sign];
    return said ?? (ofAmounts === undefined || ofAmounts === own ? own : undefined);
  }

  get unit() {
    return this.#numbers === undefined ? "minor" : this.#numbers.unit;
  }

  get unitProblem(): string {
    return this.#numbers?.unitProblem(this.#writing.currency ?? "") ?? "";
  }

  /** The forms of days that were found. */
  dateFormats(): { field: string; format: string }[] {
    return this.#days.flatMap(([{ field }, { form }]) =>
      form === undefined ? [] : { field, format: form.format },
    );
  }

  /** The names of locations, the most frequent first. */
  locations(places: Places) {
    const found = [...this.#places].map(([key, place]) => {
      return { ...place, location_id: places.get(key) ?? null, left_out: places.get(key) === null };
    });
    return found.sort((one, other) => other.lines - one.lines);
  }

  /** What was found, as sentences. */
  texts(places: Places): string[] {
    const days = this.#days.map(([{ field }, form]) => form.text(field));
    const unknown = this.locations(places).filter((one) => one.location_id === null && !one.left_out);
    const names = unknown.map(({ name, lines }) => `"${name}" (${linesText(lines)})`);
    const ofPlaces =
      names.length === 0
        ? undefined
        : `Names that are no location's: ${names.join(", ")}. Say in locations what they mean.`;
    const { lines, first } = this.#fractions;
    const ofPoints =
      lines > 0
        ? `Points are whole: fractions are left away in ${linesText(lines)}, such as ${first}.`
        : undefined;
    const { decimalSign } = this.#writing;
    const ofAmounts = decimalSign === undefined ? [this.#numbers?.text, this.#numbers?.unitText] : [];
    const grouped = decimalSign === undefined && this.pointsSign ? this.#wholes.groupingText : undefined;
    return [...ofAmounts, ofPoints, grouped, ...days, ofPlaces].filter((text) => text !== undefined);
  }
}
