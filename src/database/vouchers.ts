import type { Connection } from "./connection.ts";

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
