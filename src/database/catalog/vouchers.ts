import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";
import { fragment } from "../sql.ts";

export interface VoucherRow {
  readonly voucher_id: number;
  readonly campaign_name: string;
  readonly coupon_code: string;
  readonly coupon_value: number;
  readonly archived: boolean;
  readonly location_id: number | null;
}

/** A voucher definition, archived or not. */
export async function findVoucher(
  sql: Connection,
  businessId: number,
  voucherId: number,
): Promise<VoucherRow | undefined> {
  const [row] = await sql<VoucherRow[]>`
    SELECT voucher_id, campaign_name, coupon_code, coupon_value, archived, location_id
    FROM voucher WHERE business_id = ${businessId} AND voucher_id = ${voucherId}`;
  return row;
}

/** Makes a voucher definition. */
export async function insertVoucher(
  tx: Connection,
  businessId: number,
  voucher: Omit<VoucherRow, "voucher_id" | "archived">,
): Promise<VoucherRow> {
  const [row] = await tx<VoucherRow[]>`
    INSERT INTO voucher (business_id, campaign_name, coupon_code, coupon_value, location_id)
    VALUES (${businessId}, ${voucher.campaign_name}, ${voucher.coupon_code}, ${voucher.coupon_value},
      ${voucher.location_id})
    RETURNING voucher_id, campaign_name, coupon_code, coupon_value, archived, location_id`;
  return row as VoucherRow;
}

/** A page of the voucher definitions of a business, newest first, with the total. */
export async function listVouchers(
  sql: Connection,
  businessId: number,
  filter: { include_archived?: boolean | undefined },
  page: PageRequest,
): Promise<Page<VoucherRow>> {
  const matching = fragment`FROM voucher WHERE business_id = ${businessId}
    ${filter.include_archived === true ? fragment`` : fragment`AND NOT archived`}`;
  const rows = await sql<(VoucherRow & { total: number })[]>`
    WITH counted AS MATERIALIZED (SELECT count(*) AS total ${matching}),
    listed AS (
      SELECT voucher_id, campaign_name, coupon_code, coupon_value, archived, location_id ${matching}
      ORDER BY voucher_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY voucher_id DESC`;
  return pageOf(rows, "voucher_id");
}

/** Finds a voucher definition and locks it to the end of the transaction. */
export async function lockVoucher(
  tx: Connection,
  businessId: number,
  voucherId: number,
): Promise<VoucherRow | undefined> {
  const [row] = await tx<VoucherRow[]>`
    SELECT voucher_id, campaign_name, coupon_code, coupon_value, archived, location_id
    FROM voucher WHERE business_id = ${businessId} AND voucher_id = ${voucherId} FOR NO KEY UPDATE`;
  return row;
}

/** Replaces a voucher definition, whose lock the caller holds. */
export async function updateVoucher(tx: Connection, businessId: number, voucher: VoucherRow): Promise<void> {
  await tx`
    UPDATE voucher SET campaign_name = ${voucher.campaign_name}, coupon_code = ${voucher.coupon_code},
      coupon_value = ${voucher.coupon_value}, archived = ${voucher.archived}, location_id = ${voucher.location_id}
    WHERE business_id = ${businessId} AND voucher_id = ${voucher.voucher_id}`;
}
