/** Lists the lots of a member, and extends the validity of the lots of a business. */
import { leftOf } from "../../domain/engine/lots.ts";
import { offsetOf, type PageRequest, readFor } from "../../domain/pagination.ts";
import type { Lot } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import { behind, newestFirst, requiredRow } from "../rows.ts";
import { fragment, raw } from "../sql.ts";
import { recordColumns } from "./kinds.ts";
import { saveRecords } from "./saving.ts";

const lotColumns = recordColumns("lot", "l");
export function listOpenLots(tx: Connection, businessId: number, contactId: number) {
  return tx<Lot[]>`
    SELECT ${lotColumns} FROM points_lot l
    WHERE l.business_id = ${businessId} AND l.contact_id = ${contactId} AND l.is_open ORDER BY l.lot_id`;
}

export interface LotFilter {
  readonly contactId: number;
  readonly includeClosed: boolean;
  /** Lots that differ from the stored ones, because the member was settled in memory. */
  readonly settled: readonly Lot[];
  /** How many rows of the list come before the lots. */
  readonly before: number;
}

/** FROM and WHERE of the lots of a member. */
export const lotsOf = (businessId: number, contactId: number) =>
  fragment`FROM points_lot l WHERE l.business_id = ${businessId} AND l.contact_id = ${contactId}`;

/** The lots of a page of a member's list, newest first, one more than it shows, and their number in all. */
export async function listLots(
  tx: Connection,
  businessId: number,
  { contactId, includeClosed, settled, before }: LotFilter,
  page: PageRequest,
): Promise<{ readonly total: number | undefined; readonly rows: readonly Lot[] }> {
  const ofMember = lotsOf(businessId, contactId);
  // Settled lots may have been closed.
  const closed = includeClosed ? [] : settled.filter((lot) => leftOf(lot) === 0).map(({ lot_id }) => lot_id);
  const listed = fragment`${ofMember} ${includeClosed ? fragment`` : raw("AND l.is_open")}
    ${closed.length === 0 ? fragment`` : fragment`AND l.lot_id <> ALL (${closed}::bigint[])`}`;
  const first = Math.max(0, offsetOf(page) - before);
  const limit = Math.max(0, Math.min(readFor(page), offsetOf(page) + readFor(page) - before));
  const [counted, rows] = await Promise.all([
    page.after === undefined && requiredRow(tx<{ total: number }[]>`SELECT count(*) AS total ${listed}`),
    // The rows before the page are only read in the index.
    tx<Lot[]>`
      SELECT ${lotColumns} FROM (
        SELECT l.lot_id ${listed} ${behind(newestFirst("l.lot_id"), page.after)}
        ORDER BY l.lot_id DESC LIMIT ${limit} OFFSET ${first}
      ) AS page CROSS JOIN LATERAL (SELECT * ${ofMember} AND l.lot_id = page.lot_id OFFSET 0) AS l
      ORDER BY l.lot_id DESC`,
  ]);
  const changed = new Map(settled.map((lot) => [lot.lot_id, lot]));
  return {
    total: counted ? counted.total : undefined,
    rows: rows.map((lot) => changed.get(lot.lot_id) ?? lot),
  };
}

export interface Extended {
  readonly lots: number;
  readonly points: number;
  /** How many lots another call would extend. */
  readonly remaining: number;
}

const lotsAtOnce = 10_000;

/**
 * Extends the validity of lots that would expire before a day. The caller holds the ledger's lock.
 * @param range `today`; `dueBefore`: the day before which the lots would expire; `validThrough`: their new last day
 * @param onlyCount whether to count the lots without a change
 */
export async function extendLots(
  tx: Connection,
  businessId: number,
  range: { readonly today: string; readonly dueBefore: string; readonly validThrough: string },
  now: string,
  onlyCount: boolean,
): Promise<Extended> {
  const { today, dueBefore, validThrough } = range;
  const found = fragment`
    FROM points_lot l WHERE l.business_id = ${businessId} AND l.is_open AND l.expires_on > ${today}::date
      AND l.expires_on <= ${dueBefore}::date AND l.expires_on <= ${validThrough}::date`;
  const [{ all, expires_on }, lots] = await Promise.all([
    requiredRow(tx<{ all: number; expires_on: string }[]>`
      SELECT count(*) AS all, (${validThrough}::date + 1)::text AS expires_on ${found}`),
    tx<(Lot & { readonly contact_id: number })[]>`
      SELECT l.contact_id, ${lotColumns} ${found} ORDER BY l.contact_id, l.lot_id LIMIT ${lotsAtOnce}`,
  ]);
  if (!onlyCount && lots.length > 0) {
    const changes = lots.map(({ contact_id, ...before }) => {
      return {
        business_id: businessId,
        contact_id,
        created_at: now,
        before,
        after: { ...before, expires_on },
      };
    });
    await saveRecords(tx, { lot: changes });
  }
  const points = lots.reduce((sum, lot) => sum + leftOf(lot), 0);
  return { lots: lots.length, points, remaining: all - lots.length };
}
