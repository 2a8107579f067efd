/** Pages of a list: by their numbers, or after a place. */

/** The part of a list that is wanted. */
export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** The place after which the page begins, instead of its number. */
  readonly after?: Place | undefined;
}

/** The place of an item in a list: the values by which the list is sorted, in text. */
export type Place = readonly string[];

/** The rows of a page, and the number of rows of the whole list, from one snapshot. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Undefined for a page after a place, which costs no total. */
  readonly total: number | undefined;
  /** The place of the last row; undefined at the end of the list. */
  readonly next: Place | undefined;
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

/**
 * How many items precede the page, up to the largest exact integer. No list is as long, so pages from there on are empty. 0 for a
 * page after a place.
 */
export function offsetOf({ page, perPage, after }: PageRequest): number {
  return after === undefined ? Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER) : 0;
}

/** How many items to read for a page: one more than it has, which tells whether others follow. */
export const readFor = ({ perPage }: PageRequest) => perPage + 1;

/**
 * Makes a page of the rows that were read for it.
 * @param read up to `readFor(request)` of them
 * @param placeOf the place of a row
 */
export function pageOf<Row>(
  { perPage }: PageRequest,
  read: readonly Row[],
  total: number | undefined,
  placeOf: (row: Row) => Place,
): Page<Row> {
  const rows = read.slice(0, perPage);
  return { rows, total, next: read.length > perPage ? placeOf(rows[perPage - 1] as Row) : undefined };
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
