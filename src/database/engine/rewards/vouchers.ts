/** The vouchers of a member. */
import type { LocationAccess } from "../../../domain/access/access.ts";
import type { VoucherDefinition } from "../../../domain/engine/rules.ts";
import type { Page, PageRequest } from "../../../domain/pagination.ts";
import type { HeldVoucher } from "../../../domain/records.ts";
import type { Connection } from "../../connection.ts";
import type { ExportPage } from "../../ledger/transaction-list.ts";
import { type BusinessTime, inTurn, type ListSource, newestFirst, readPage, wallClock } from "../../rows.ts";
import { fragment } from "../../sql.ts";
import { recordColumns } from "../kinds.ts";
import { definitionColumns } from "../rules.ts";

/** All vouchers of a member that can still be used. */
export function listVouchersHeld(tx: Connection, businessId: number, contactId: number) {
  return tx<HeldVoucher[]>`
    SELECT ${recordColumns("held_voucher", "v")} FROM held_voucher v
    WHERE v.business_id = ${businessId} AND v.contact_id = ${contactId} AND v.status = 'held'`;
}

/** Finds definitions by their numbers, or all, archived or not. */
export function findDefinitions(tx: Connection, businessId: number, ids: readonly number[] | "all") {
  const named = ids === "all" ? fragment`` : fragment`AND voucher_id = ANY (${ids}::bigint[])`;
  return tx<VoucherDefinition[]>`
    SELECT ${definitionColumns} FROM voucher
    WHERE business_id = ${businessId} ${named}`;
}

/** A voucher that a member can still use, with what names the member in another system. */
export interface ExportedVoucher
  extends Pick<HeldVoucher, "held_voucher_id" | "contact_id" | "voucher_id" | "coupon_code" | "coupon_value">,
    Pick<HeldVoucher, "terms">,
    Pick<HeldVoucher, "location_id" | "reference_id" | "issued_on"> {
  readonly phone_number: string;
  readonly external_ref: string | null;
  readonly campaign_name: string;
  readonly valid_through: string | null;
}

/** The vouchers that members can still use, in the order in which they were issued. */
export function exportVouchers(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  { after, limit }: ExportPage,
) {
  return sql<ExportedVoucher[]>`
    WITH clock AS MATERIALIZED (
      SELECT (coalesce(clock_at, clock_timestamp()) AT TIME ZONE ${timeZone})::date AS today
      FROM ledger WHERE business_id = ${businessId}
    )
    SELECT v.held_voucher_id, v.contact_id, m.phone_number, m.external_ref, v.voucher_id, d.campaign_name, v.coupon_code,
      v.coupon_value, v.terms, v.location_id, v.issued_on::text, (v.lapses_on - 1)::text AS valid_through, v.reference_id
    FROM (
      SELECT v.* FROM clock CROSS JOIN held_voucher v
      WHERE v.business_id = ${businessId} AND v.held_voucher_id > ${after} AND v.status = 'held'
        AND (v.lapses_on IS NULL OR v.lapses_on > clock.today)
      ORDER BY v.business_id, v.held_voucher_id LIMIT ${limit}
    ) AS v
    JOIN member m ON m.business_id = v.business_id AND m.contact_id = v.contact_id
    JOIN voucher d ON d.business_id = v.business_id AND d.voucher_id = v.voucher_id
    ORDER BY v.held_voucher_id`;
}

export interface ListedVoucher
  extends Omit<HeldVoucher, "contact_id" | "reference_id" | "lapses_on" | "redemption_id" | "code_id"> {
  readonly campaign_name: string;
  readonly valid_through: string | null;
}

/**
 * A page of the vouchers of a member, newest first, with their number. A voucher whose date has passed is shown as lapsed, also
 * before the ledger says so. A sale at a location that the caller may not use is left out.
 */
export function listHeldVouchers(
  source: Pick<ListSource, "sql" | "scans">,
  { businessId, timeZone, locations }: BusinessTime & { readonly locations: LocationAccess },
  filter: {
    readonly contactId: number;
    readonly status: HeldVoucher["status"] | undefined;
    readonly today: string;
  },
  page: PageRequest,
): Promise<Page<ListedVoucher>> {
  const { contactId, status, today } = filter;
  const seen = locations.everywhere
    ? fragment``
    : fragment`AND (v.location_id IS NULL OR v.location_id = ANY (${[...locations.ids]}::bigint[]))`;
  const visibleSale = locations.everywhere
    ? fragment`v.sale_id`
    : fragment`(
        SELECT s.sale_id FROM sale s WHERE s.business_id = ${businessId} AND s.sale_id = v.sale_id
          AND s.location_id = ANY (${[...locations.ids]}::bigint[])
      )`;
  const of = fragment`FROM held_voucher v WHERE v.business_id = ${businessId} AND v.contact_id = ${contactId}`;
  const shown = fragment`CASE WHEN v.status = 'held' AND v.lapses_on <= ${today}::date THEN 'lapsed' ELSE v.status END`;
  const from = fragment`${of} ${seen} ${status === undefined ? fragment`` : fragment`AND ${shown} = ${status}`}`;
  const joins = fragment`
    CROSS JOIN LATERAL (
      SELECT * FROM held_voucher WHERE business_id = ${businessId} AND held_voucher_id = listed.held_voucher_id OFFSET 0
    ) AS v JOIN voucher d ON d.business_id = v.business_id AND d.voucher_id = v.voucher_id`;
  const columns = fragment`v.held_voucher_id, v.voucher_id, d.campaign_name, v.coupon_code, v.coupon_value, v.terms, v.covered,
    v.location_id, ${shown} AS status, v.issued_on::text, (v.lapses_on - 1)::text AS valid_through,
    ${wallClock("v.redeemed_at", timeZone)} AS redeemed_at, ${visibleSale} AS sale_id`;
  const list = { columns, from, joins, sort: newestFirst("v.held_voucher_id") };
  return inTurn(source, businessId, of, () => readPage<ListedVoucher>(source.sql, list, page));
}
