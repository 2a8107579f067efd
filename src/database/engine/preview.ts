/** Reads recorded sales for a preview of rules. */
import type { PreviewedSale } from "../../domain/engine/preview.ts";
import type { Connection } from "../connection.ts";
import { requiredRow } from "../rows.ts";

export interface MemberRange {
  /** Only members with larger numbers. */
  readonly after: number;
  /** The last member; null: to the end. */
  readonly last: number | null;
}

interface SalesToPreview extends MemberRange {
  /** The first and the last day of the sales. */
  readonly from: string;
  readonly through: string;
}

type Row = PreviewedSale & { readonly sale_id: number; readonly sold_on: string };

/** Between two pages, the process responds to other requests. */
const pageRows = 1000;

export async function countMembersIn(tx: Connection, businessId: number, { after, last }: MemberRange) {
  const { members } = await requiredRow(tx<{ members: number }[]>`
    SELECT count(*) AS members FROM member
    WHERE business_id = ${businessId} AND contact_id > ${after} AND contact_id <= ${last ?? Number.MAX_SAFE_INTEGER}`);
  return members;
}

/** The sales of some members and days, in pages, in the order of members and days. */
export async function* readSalesToPreview(
  tx: Connection,
  businessId: number,
  { after, last, from, through }: SalesToPreview,
): AsyncGenerator<readonly Row[]> {
  let place = { contact_id: after, sold_on: "infinity", sale_id: Number.MAX_SAFE_INTEGER };
  for (let isMore = true; isMore; ) {
    const rows = await tx<Row[]>`
      SELECT contact_id, sold_on::text, sale_id, amount, eligible_amount, voucher_amount + points_amount AS paid_otherwise,
        refunded, points_earned - CASE WHEN refunded = 0 THEN 0 ELSE (
          SELECT sum(points_clawed + points_excused + points_owed + points_forgiven) FROM sale_refund r
          WHERE r.business_id = s.business_id AND r.sale_id = s.sale_id
        ) END::bigint AS points_kept
      FROM sale s
      WHERE business_id = ${businessId} AND contact_id <= ${last ?? Number.MAX_SAFE_INTEGER}
        AND (contact_id, sold_on, sale_id) > (${place.contact_id}, ${place.sold_on}::date, ${place.sale_id})
        AND sold_on BETWEEN ${from}::date AND ${through}::date
      ORDER BY contact_id, sold_on, sale_id LIMIT ${pageRows}`;
    yield rows;
    const end = rows.at(-1);
    isMore = end !== undefined && rows.length === pageRows;
    place = end ?? place;
  }
}
