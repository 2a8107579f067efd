/**
 * Walking a whole list page by page, while others add to it and take from it. Pages are counted from the newest
 * item, so what comes in or goes moves the items that are still to come to other places. Both ways below give
 * each item that was there from beginning to end, once.
 */

import { ListChangedError } from "./errors.ts";
import type { Pagination } from "./generated/types.ts";

export interface LoadedPage<Item> {
  readonly data: readonly Item[];
  readonly pagination: Pagination;
}

export interface Walk<Item> {
  /** The path of the operation. */
  readonly path: string;
  readonly firstPage: number;
  readonly perPage: number;
  load(page: number): Promise<LoadedPage<Item>>;
}

/** Walks records, which come in the order of their ids, the highest first, and may go from the list. */
export async function* walkRecords<Item>(walk: Walk<Item>, id: keyof Item): AsyncGenerator<Item, void> {
  const { firstPage, perPage, load } = walk;
  let reached = Number.POSITIVE_INFINITY;
  let total: number | undefined;
  for (let page = firstPage; ; ) {
    const { data, pagination } = await load(page);
    const gone = total === undefined ? 0 : total - pagination.total;
    total = pagination.total;
    if (gone > 0 && page > firstPage) {
      // As many may have moved up, to pages that lie behind.
      page = Math.max(firstPage, page - Math.ceil(gone / perPage));
      continue;
    }
    for (const item of data) {
      const number = item[id] as number;
      if (number >= reached) continue;
      reached = number;
      yield item;
    }
    if (page >= pagination.last_page) return;
    page += 1;
  }
}

/**
 * Walks entries, which have no id and never go: new ones come in at the front, and every other moves back by as
 * many. The entry given last, found again where it must be then, proves it.
 * @throws ListChangedError if it is not there: older entries were added, as by an import
 */
export async function* walkEntries<Item>(walk: Walk<Item>): AsyncGenerator<Item, void> {
  const { path, firstPage, perPage, load } = walk;
  /** How many entries lie before the next one to give. */
  let next = (firstPage - 1) * perPage;
  let total: number | undefined;
  let last: string | undefined;
  let moved = false;
  /** How many more will have come in by the next answer, if they come as fast as before. */
  let ahead = 0;
  for (;;) {
    const page = Math.floor((moved ? next - 1 + ahead : next) / perPage) + 1;
    const { data, pagination } = await load(page);
    const offset = (page - 1) * perPage;
    if (total !== undefined && last !== undefined && pagination.total !== total) {
      next += pagination.total - total;
      moved = true;
    }
    const cameIn = pagination.total - (total ?? pagination.total);
    total = pagination.total;
    if (moved) {
      const place = next - 1 - offset;
      if (place >= data.length && page < pagination.last_page) {
        ahead = cameIn;
        continue;
      }
      if (place < 0 && ahead > 0) {
        ahead = 0;
        continue;
      }
      if (JSON.stringify(data[place]) !== last) throw new ListChangedError(path);
      moved = false;
      ahead = 0;
    }
    if (data.length > 0) last = JSON.stringify(data.at(-1));
    yield* data.slice(next - offset);
    next = offset + data.length;
    if (page >= pagination.last_page) return;
  }
}
