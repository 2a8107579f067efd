import type { Page, PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { fragment } from "../sql.ts";
import { recordTable } from "./record-table.ts";

export interface VoucherRow {
  readonly voucher_id: number;
  readonly campaign_name: string;
  readonly coupon_code: string;
  readonly coupon_value: number;
  readonly archived: boolean;
  readonly location_id: number | null;
}

const vouchers = recordTable<VoucherRow, "voucher_id">(
  "voucher",
  "voucher_id",
  ["campaign_name", "coupon_code", "coupon_value", "archived", "location_id"],
  "newest first",
);

/** A voucher definition, archived or not. */
export const findVoucher = vouchers.find;
export const lockVoucher = vouchers.lock;

export function insertVoucher(
  tx: Connection,
  businessId: number,
  voucher: Omit<VoucherRow, "voucher_id" | "archived"> & { readonly archived?: boolean },
) {
  return vouchers.insert(tx, businessId, { archived: false, ...voucher });
}

/** A page of the voucher definitions of a business, newest first, with the total. */
export function listVouchers(
  sql: Connection,
  businessId: number,
  filter: { include_archived?: boolean | undefined },
  page: PageRequest,
): Promise<Page<VoucherRow>> {
  const which = filter.include_archived === true ? fragment`` : fragment`AND NOT archived`;
  return vouchers.page(sql, businessId, page, which);
}

/** Replaces a voucher definition, whose lock the caller holds. */
export function updateVoucher(tx: Connection, businessId: number, voucher: VoucherRow) {
  return tx`
    UPDATE voucher SET campaign_name = ${voucher.campaign_name}, coupon_code = ${voucher.coupon_code},
      coupon_value = ${voucher.coupon_value}, archived = ${voucher.archived}, location_id = ${voucher.location_id}
    WHERE business_id = ${businessId} AND voucher_id = ${voucher.voucher_id}`;
}
