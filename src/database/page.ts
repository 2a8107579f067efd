import type { Fragment } from "postgres";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import type { Connection } from "./connection.ts";

/**
 * The end of a statement that reads a page. The limit, and where a first page begins, are written into it: of a
 * parameter the server expects a tenth of all rows, and so plans the statement anew each time, which for a page costs
 * more than reading it.
 */
export function limitTo(sql: Connection, page: PageRequest): Fragment {
  // Whole numbers, by the schemas of page and per_page.
  const limit = sql.unsafe(`LIMIT ${Number(page.perPage)}`);
  return page.page === 1 ? sql`${limit}` : sql`${limit} OFFSET ${offsetOf(page)}`;
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
