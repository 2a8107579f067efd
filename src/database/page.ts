import type { Page } from "../domain/pagination.ts";

/**
 * Splits the rows of a paginated statement into rows and total. The total is on every row; a page without rows is one
 * row of nulls with the total.
 * @param id a column that is null in no row of the list
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
