/** Pages of a list (spec section 2.4). */

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** The rows of a page, and the number of rows of the whole list, from one snapshot. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

export interface Pagination {
  readonly total: number;
  readonly per_page: number;
  readonly current_page: number;
  readonly last_page: number;
  readonly from: number;
  readonly to: number;
}

export const defaultPage = 1;
export const defaultPerPage = 15;
export const maximumPerPage = 100;

/** How many items precede the page, up to the largest exact integer. No list is as long, so pages from there on are empty. */
export function offsetOf({ page, perPage }: PageRequest): number {
  return Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
}

/** Describes a page. On an empty one, `from` and `to` are 0. An empty list has one page. @param rows of this page */
export function paginate(request: PageRequest, total: number, rows: number): Pagination {
  const offset = offsetOf(request);
  return {
    total,
    per_page: request.perPage,
    current_page: request.page,
    last_page: Math.max(1, Math.ceil(total / request.perPage)),
    from: rows === 0 ? 0 : offset + 1,
    to: rows === 0 ? 0 : offset + rows,
  };
}
