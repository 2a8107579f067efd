import type { Page } from "../domain/pagination.ts";

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
