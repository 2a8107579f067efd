import type { Page } from "../domain/pagination.ts";
import { type Connection, safeInteger } from "./connection.ts";
import { FixedStatement, type Values } from "./parameters.ts";

/** Null each where there was no row. */
export type SelectedColumns = readonly (readonly unknown[] | null)[];

/** What a statement of `PageColumns.select` returns, in one row. */
export interface SelectedPage {
  readonly total: number | null;
  readonly columns: SelectedColumns;
}

/**
 * The columns of a page, each of which is read as an array of the rows' values: that costs the server little, and the
 * service much less than to take each row apart.
 */
export class PageColumns<Row extends object> {
  readonly #names: readonly (keyof Row & string)[];
  /** For a select list. */
  readonly list: string;
  /** All of them, of the rows of a page. */
  readonly aggregate: string;

  /** @param names those of a row, of which the first is never null; of numbers, whole ones only */
  constructor(names: readonly (keyof Row & string)[]) {
    this.#names = names;
    this.list = names.join(", ");
    this.aggregate = `json_build_array(${names.map((name) => `array_agg(${name})`)})`;
  }

  /**
   * The statement to read a page by.
   * @param rows one that selects the rows with the total on each, a bigint; of an empty page, none, or one of nulls with it
   */
  select(rows: string): string {
    return `SELECT min(total) AS total, ${this.aggregate} AS columns FROM (${rows}) AS page`;
  }

  /**
   * The page that a statement of `select` returned.
   * @throws RangeError when a number of it is no safe integer
   */
  page([found]: readonly SelectedPage[]): Page<Row> {
    return { total: found?.total ?? 0, rows: this.rows(found?.columns ?? []) };
  }

  /**
   * The rows that these columns are of.
   * @param columns what `aggregate` selected; a row of nulls, which carried the total of an empty page, is none
   * @throws RangeError when a number is no safe integer
   */
  rows(columns: SelectedColumns): Row[] {
    const rows: Record<string, unknown>[] = [];
    for (let at = 0; (columns[0]?.[at] ?? null) !== null; at++) {
      const row: Record<string, unknown> = {};
      for (const [index, name] of this.#names.entries()) {
        const value = columns[index]?.[at];
        row[name] = typeof value === "number" ? safeInteger(value) : value;
      }
      rows.push(row);
    }
    return rows as Row[];
  }
}

/**
 * A statement that reads a first page. Its size is written into it: of a limit that is a parameter the server expects a
 * tenth of all rows, and so plans the statement anew each time, which costs more than reading the page. Each size is a
 * statement of its own then, so it is for few kinds of lists.
 */
export class FirstPageStatement<Row extends object, Name extends string> {
  readonly #columns: PageColumns<Row>;
  readonly #rows: (limit: string) => string;
  readonly #bySize = new Map<number, FixedStatement<Name>>();

  /** @param rows with a limit, what `PageColumns.select` takes; with the parameters of a `FixedStatement` */
  constructor(columns: PageColumns<Row>, rows: (limit: string) => string) {
    this.#columns = columns;
    this.#rows = rows;
  }

  /** @param perPage a whole number, of which there are few: as the contract's per_page */
  async read(sql: Connection, perPage: number, values: Values<Name>): Promise<Page<Row>> {
    return this.#columns.page(await this.#ofSize(perPage).send<SelectedPage>(sql, values));
  }

  #ofSize(perPage: number): FixedStatement<Name> {
    let statement = this.#bySize.get(perPage);
    if (statement === undefined) {
      statement = new FixedStatement(this.#columns.select(this.#rows(`LIMIT ${Number(perPage)}`)));
      this.#bySize.set(perPage, statement);
    }
    return statement;
  }
}

/**
 * Takes apart what a paginated statement answers: its total is on every row, and a page without rows is one row
 * of nulls that carries the total alone.
 * @param id a column that no row of the list has null
 */
export function pageOf<Row extends object>(
  rows: readonly (Row & { readonly total: number })[],
  id: keyof Row,
): Page<Row> {
  const present = rows.filter((row) => row[id] !== null);
  return {
    total: rows[0]?.total ?? 0,
    rows: present.map(({ total: _, ...row }) => row as unknown as Row),
  };
}
