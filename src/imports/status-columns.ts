/** Finds columns that say which lines are refunds, in columns of other names. It keeps a few cells of each column. */
import type { ImportKind } from "../operations/imports/import-kinds.ts";
import { isDash, type Meaning, meaningOf } from "../operations/imports/sale-words.ts";
import type { TextRecord } from "./file/csv.ts";
import { columnNamesOf } from "./form/column-words.ts";
import { lettersAndDigits, presets } from "./form/presets.ts";
import type { Column, Writing } from "./writing.ts";

/** What is known of a column that is not imported. */
interface Seen {
  readonly index: number;
  readonly name: string;
  last: string;
  meaning?: Meaning | undefined;
  /** How many lines have a word of a sale. */
  sales: number;
  /** The first cell with such a word, for people. */
  refund?: string;
  none?: string;
  /** The first line with a text that is not known. The text can be personal. */
  other?: number;
}

export class StatusColumns {
  readonly #columns: readonly Seen[];
  #lines = 0;
  /** The fields that no column has. */
  readonly #free: readonly string[];

  /** @param header the names of the columns. @param columns those that were found by their names */
  constructor(kind: ImportKind, header: readonly string[], columns: readonly Column[], writing: Writing) {
    const { column = new Map(), from } = writing;
    const isFree = (field: string) => columns.every((one) => one.field !== field) && column.get(field) !== "";
    this.#free = ["sale_type", "sale_status"].filter(isFree);
    // The columns of a system are known.
    const isKnown = from !== undefined && presets[from][kind.name] !== undefined;
    const isLeftOut = kind.name !== "sales" || isKnown || column.get("sale_type") === "";
    const used = new Set(columns.map(({ index }) => index));
    const statuses = column.get("sale_status") === "" ? columnNamesOf("sales", "sale_status", header) : [];
    const names = new Set(statuses.map(lettersAndDigits));
    this.#columns = header.flatMap((name, index) => {
      const isOther = isLeftOut || used.has(index) || name === "" || name === "-";
      return isOther || names.has(lettersAndDigits(name)) ? [] : [{ index, name, last: "", sales: 0 }];
    });
  }

  add({ fields, line }: Pick<TextRecord, "fields" | "line">): void {
    if (this.#free.length === 0) return;
    this.#lines += 1;
    for (const seen of this.#columns) {
      const text = fields[seen.index] ?? "";
      if (isDash(text)) continue;
      if (text !== seen.last) {
        seen.last = text;
        seen.meaning = meaningOf(text);
        const kind = seen.meaning === "refund" || seen.meaning === "partial" ? "refund" : "none";
        if (seen.meaning === undefined) seen.other ??= line;
        else if (seen.meaning !== "sale") seen[kind] ??= `"${text}" in line ${line}`;
      }
      if (seen.meaning === "sale") seen.sales += 1;
    }
  }

  /**
   * The column that becomes sale_type: all its words are known, one of them is of a refund, and most lines have one of a sale. Words of
   * no sale can be about something else, such as deliveries.
   */
  get taken(): { readonly field: "sale_type"; readonly index: number } | undefined {
    const found = this.#taken;
    return found && { field: "sale_type", index: found.index };
  }

  get #taken(): Seen | undefined {
    if (!this.#free.includes("sale_type")) return undefined;
    return this.#columns.find(
      ({ other, refund, sales }) => other === undefined && refund !== undefined && 2 * sales >= this.#lines,
    );
  }

  /** What was found, as sentences. */
  texts(): string[] {
    const taken = this.#taken;
    const [field = ""] = this.#free.filter((one) => taken === undefined || one !== "sale_type");
    return this.#columns.flatMap((seen) => {
      const { name, refund, none, other } = seen;
      const word = refund ?? none;
      if (word === undefined) return [];
      if (seen === taken)
        return [
          `The column ${name} is taken as sale_type, because it has ${word}. If it does not say which lines are sales, leave sale_type out in columns.`,
        ];
      if (field === "") return [];
      const others = other === undefined ? "" : ` and other words, such as that in line ${other}`;
      return [
        `The column ${name} has ${word}${others}, and is not imported. If it says which lines are sales, say it as ${field} in columns; ` +
          "if not, leave sale_type out in columns.",
      ];
    });
  }
}
