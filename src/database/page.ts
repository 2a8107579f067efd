import type { Fragment } from "postgres";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import type { Connection } from "./connection.ts";

/**
 * The end of a statement that reads the page. Of a limit or offset that is a parameter the server expects a tenth of
 * all rows, and so plans the statement anew each time, which costs more than reading a first page: there it is written
 * into the statement. Each size of a page is a statement of its own then, so it is for few kinds of lists.
 */
export function limitTo(sql: Connection, page: PageRequest): Fragment {
  if (page.page > 1) return sql`LIMIT ${page.perPage} OFFSET ${offsetOf(page)}`;
  // A whole number, by the schema of per_page.
  return sql`${sql.unsafe(`LIMIT ${Number(page.perPage)}`)}`;
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
