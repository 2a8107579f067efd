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
import { fieldsOf } from "./form/columns.ts";
import { FormOfDays } from "./form/times.ts";
import { linesText } from "./totals.ts";
import type { Column, Writing } from "./writing.ts";

export class Survey {
  readonly #writing: Writing;
  readonly #amounts: readonly Column[];
  readonly #points: readonly Column[];
  readonly #fractions = { lines: 0, first: "" };
  /** Records of several lines. */
  readonly #long = { records: 0, first: "" };
  /** Lines with something in a nameless column behind an amount, and those where it can be the decimals. */
  readonly #cut = { filled: 0, lines: 0, first: "" };
  readonly #wholes = new FormOfNumbers({ decimals: 0, currency: "" });
  /** Undefined for amounts in minor units. */
  readonly #numbers: FormOfNumbers | undefined;
  readonly #dated: readonly Column[];
  readonly #days: readonly (readonly [column: Column, form: FormOfDays])[];
  readonly #location: Column | undefined;
  /** What names of locations mean. */
  readonly #known: Places;
  /** Those of the file, by their keys. */
  readonly #places = new Map<string, { name: string; lines: number }>();
  #unknown = 0;

  /** @param columns those of the file, as they are found without the survey */
  constructor(kind: ImportKind, columns: readonly Column[], writing: Writing) {
    const { decimals, currency = "", places = new Map() } = writing;
    this.#known = places;
    this.#writing = writing;
    const measuring = (unit: string) => columns.filter(({ field }) => fieldsOf(kind)[field]?.unit === unit);
    this.#amounts = measuring("minor_units");
    this.#points = measuring("points");
    const isDay = ({ field }: Column) => /^(?:date|moment)$/.test(fieldsOf(kind)[field]?.format ?? "");
    this.#dated = columns.filter(isDay);
    const unknown = writing.dateFormat === undefined ? this.#dated : [];
    this.#days = unknown.map((column) => [column, new FormOfDays()]);
    this.#location = columns.find(({ field }) => field === "location");
    if (decimals !== undefined) this.#numbers = new FormOfNumbers({ decimals, currency });
  }

  add({ fields, line, lastLine }: TextRecord): void {
    if (lastLine > line) {
      this.#long.records += 1;
      this.#long.first ||= `lines ${line} to ${lastLine}`;
    }
    const { decimals } = this.#writing;
    for (const { index, fallback, isBeforeNameless } of this.#amounts) {
      const text = fields[index] || fallback;
      if (text) this.#numbers?.add(text, line);
      const next = fields[index + 1] ?? "";
      if (!isBeforeNameless || next === "") continue;
      this.#cut.filled += 1;
      if (!/^[-+]?\d+$/.test(text) || next.match(/^\d+/)?.[0].length !== decimals) continue;
      this.#cut.lines += 1;
      this.#cut.first ||= `${text} in line ${line}, before ${next}`;
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
    const key = nameKey(name);
    const place = this.#places.get(key);
    if (place !== undefined) place.lines += 1;
    else if (name !== "" && (this.#known.has(key) || this.#unknown < mostPlaces)) {
      this.#places.set(key, { name, lines: 1 });
      if (!this.#known.has(key)) this.#unknown += 1;
    }
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

  /**
   * Why amounts of a file with commas can't be read as they are; empty if they can. If most texts there have another form, the column is
   * something else.
   */
  get cutProblem(): string {
    const { filled, lines, first } = this.#cut;
    if (2 * lines <= filled) return "";
    const text = "Amounts are cut at the commas before their decimals, because these are the delimiter, too";
    return `${text}: ${first}. Export the file with another delimiter, or with amounts in quotes.`;
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

  /** The names of locations, the most frequent first, and what the known ones mean. If there are too many, known ones are not listed. */
  locations() {
    const known = this.#known;
    const names = [...this.#places].sort(([, one], [, other]) => other.lines - one.lines);
    const some = [true, false].flatMap((is) => names.filter(([key]) => known.has(key) !== is));
    const listed = new Set(some.slice(0, mostPlaces));
    const locations = names.flatMap((one) => {
      const [key, place] = one;
      const id = known.get(key);
      return listed.has(one) ? [{ ...place, location_id: id ?? null, left_out: id === null }] : [];
    });
    return { locations, places: [...known].filter(([key]) => this.#places.has(key)) };
  }

  get #longText(): string | undefined {
    const { records, first } = this.#long;
    const text = `Records of several lines: ${records.toLocaleString("en")}, such as ${first}.`;
    return records === 0
      ? undefined
      : `${text} If a record should have one line, a quote is not closed there.`;
  }

  get #birthsText(): string | undefined {
    const births = this.#dated.find(({ field }) => field === "date_of_birth");
    const found = this.#days.find(([column]) => column === births)?.[1].form;
    const form = this.#writing.dateFormat ?? found;
    if (births === undefined || form === undefined || form.format.includes("YYYY")) return undefined;
    return "Years of date_of_birth have two digits. Those in the future are of the century before.";
  }

  /** What was found, as sentences. */
  texts(): string[] {
    const days = this.#days.map(([{ field }, form]) => form.text(field));
    const unknown = this.locations().locations.filter((one) => one.location_id === null && !one.left_out);
    const names = unknown.map(({ name, lines }) => `"${name}" (${linesText(lines)})`);
    const ofPlaces =
      names.length === 0
        ? undefined
        : `Names that are no location's: ${names.join(", ")}. ${
            names.join().includes("\ufffd")
              ? "They have letters that can't be read: encoding Windows-1252 reads files of older spreadsheets."
              : "Say in locations what they mean."
          }`;
    const { lines, first } = this.#fractions;
    const ofPoints =
      lines > 0
        ? `Points are whole: fractions are left away in ${linesText(lines)}, such as ${first}.`
        : undefined;
    const { decimalSign } = this.#writing;
    const ofAmounts = decimalSign === undefined ? [this.#numbers?.text, this.#numbers?.unitText] : [];
    const grouped = decimalSign === undefined && this.pointsSign ? this.#wholes.groupingText : undefined;
    return [this.#longText, ...ofAmounts, ofPoints, grouped, ...days, this.#birthsText, ofPlaces].filter(
      (text) => text !== undefined,
    );
  }
}
