/** Shared by the exports. They continue after a key, so that each page takes the same time. */

import {
  type ErrorCode,
  type FieldError,
  fields,
  Rejection,
  readOperation,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "../contract/declare.ts";
import type { Connection } from "../database/connection.ts";
import type { ExportedSale } from "../database/engine/sales.ts";
import { type ExportPage, exportEntries } from "../database/ledger/transaction-list.ts";
import type { BusinessTime } from "../database/rows.ts";
import { recordedRate } from "../domain/engine/earning/earning.ts";
import { mostSaleLines } from "../domain/engine/lines.ts";
import { mostPromotions } from "../domain/engine/promotions/acting.ts";
import { balanceLimit } from "../domain/ledger.ts";
import { money, points } from "./amounts.ts";
import { recordedStamps, showStamps } from "./promotions/stamps.ts";
import { nullableLocationId, pick, program } from "./records.ts";
import { recordedGrant, showGrants } from "./sales/sale-grants.ts";
import { recordedLine, showLines } from "./sales/sale-lines.ts";
import * as shared from "./sales/sales.ts";
import { account, entryNo, nullableReason, saleOfEntry, transaction, withOrigins } from "./transactions.ts";
import { heldTermFields } from "./vouchers/voucher-definitions.ts";

export const maximumExportRows = 5000;
const defaultExportRows = 1000;

export const exportAfter = (description: string) => fields.wholeOr(0, 0, balanceLimit, description);

/** The row after which the next page begins, or undefined when this page is the last. */
export function nextOf<Row>(rows: readonly Row[], limit: number): Row | undefined {
  return rows.length < limit ? undefined : rows.at(-1);
}

interface Export<Key extends string> {
  /** The rows, as the path and the response call them. */
  readonly rows: "members" | "sales" | "transactions" | "vouchers" | "codes";
  /** The rows, as texts call them. */
  readonly noun: string;
  /** The rows with their order. The description of the operation begins with it. */
  readonly returns: string;
  /** Further sentences of the description. */
  readonly more?: string;
  readonly row: TObject;
  /** What narrows the rows. */
  readonly filters?: {
    readonly fields: TProperties;
    readonly errors: readonly ErrorCode[];
    readonly check: (input: object) => FieldError[];
    readonly read: (sql: Connection, businessId: number, input: object) => Promise<object | Rejection>;
  };
  /** The field of a row after which the next page begins. */
  readonly key: Key;
  read(
    sql: Connection,
    of: BusinessTime,
    page: ExportPage & object,
  ): Promise<readonly { readonly [K in Key]: number }[]>;
}

/** Makes an operation that exports all rows of a kind, page by page. */
export function exportOperation<Key extends string>(declared: Export<Key>) {
  const { rows: name, noun, returns, more = "", row, filters, key, read } = declared;
  const [after, next] = [`after_${key}`, `next_after_${key}`];
  return readOperation({
    path: `/op/exports/${name}`,
    role: "manager",
    summary: `Export ${name}`,
    description: `Returns ${returns}, some thousand at a time. Repeat the request with ${next} as ${after} until it is null.${more}`,
    message: `${name.charAt(0).toUpperCase()}${name.slice(1)} exported.`,
    input: {
      business_id: fields.businessId,
      [after]: exportAfter(`Only ${noun} after this one.`),
      limit: fields.wholeOr(defaultExportRows, 1, maximumExportRows, "The maximum number of rows."),
      ...filters?.fields,
    },
    errors: filters?.errors ?? [],
    check: (input) => filters?.check(input) ?? [],
    output: Type.Object({
      [name]: Type.Array(row, { maxItems: maximumExportRows, description: `The ${noun}.` }),
      [next]: fields.nullable(
        row.properties[key] as TSchema,
        `Send it as ${after} to get the next page; null at the end.`,
        1000,
      ),
    }),
    async read({ sql, caller, input }) {
      const { limit = defaultExportRows, [after]: from = 0 } = input as Record<string, number>;
      const narrowed = await filters?.read(sql, caller.businessId, input);
      if (narrowed instanceof Rejection) return narrowed;
      const rows = await read(sql, caller, { ...narrowed, after: from, limit });
      return { [name]: rows, [next]: nextOf(rows, limit)?.[key] ?? null };
    },
  });
}

const { created_at, ...recorded } = transaction.properties;

export const exportedEntry = Type.Object({
  entry_no: entryNo,
  created_at,
  account: account,
  ...recorded,
  ...saleOfEntry,
  location_id: nullableLocationId,
  integration_id: fields.nullable(fields.integrationId, "The integration that wrote the entry, or null."),
  reason: nullableReason,
});

/** Entries in the order of recording, with their sales. */
export async function exportedEntries(sql: Connection, business: BusinessTime, page: ExportPage) {
  const read = await exportEntries(sql, business, page);
  const entries = await withOrigins(sql, business.businessId, read);
  return entries.map((entry) => pick(entry, exportedEntry));
}

/** The rate with which a sale was recorded. */
const rate = Type.Pick(program, [
  ...(["earn_points", "earn_amount", "earn_minimum_amount", "maximum_points_per_order"] as const),
]);

export const exportedSale = Type.Object({
  sale_id: fields.saleId,
  created_at: fields.timestamp,
  sold_on: fields.day("The day of the sale."),
  contact_id: fields.contactId,
  location_id: fields.locationId,
  reference_id: shared.reference,
  amount: money("The total of the sale", 6500),
  eligible_amount: money("The part of the total that could earn points", 6500),
  ...shared.payment,
  amount_due: money("The amount that the customer paid at the till", 4000),
  refunded: money("The refunded part of the total", 1500),
  points_earned: points("Points that the sale earned.", 60),
  points_clawed: points("The part of these points that refunds took back."),
  points_spent: points("The part of these points that was spent.", 15),
  points_expired: points("The part of these points that expired."),
  points_left: points("The part of these points that is left, including pending points.", 45),
  matures_on: shared.nullableDay("The first day on which they can be spent; null if there are none."),
  valid_through: shared.nullableDay("The last day on which they can be spent; null if they don't expire."),
  sold_at: shared.soldAt,
  earning_base: money("The amount that earned", 6000),
  rate: fields.nullable(rate, "The rate with which it was recorded; null without a program.", null),
  lines: Type.Array(recordedLine, {
    maxItems: mostSaleLines,
    description: "The lines of the receipt. Empty if the sale was recorded without lines.",
  }),
  promotions: Type.Array(recordedGrant, {
    maxItems: mostPromotions,
    description: "What promotions gave for the sale.",
  }),
  stamp_cards_given: recordedStamps,
});

/** A sale, as an export shows it. */
export function showExportedSale({ receipt_lines, grants, stamps, ...sale }: ExportedSale) {
  const shown = pick(sale, Type.Omit(exportedSale, ["rate", "lines", "promotions", "stamp_cards_given"]));
  const lines = showLines({ ...sale, receipt_lines });
  return {
    ...shown,
    rate: recordedRate(sale),
    lines,
    promotions: showGrants(grants),
    stamp_cards_given: showStamps(stamps),
  };
}

export const exportedVoucher = Type.Object({
  held_voucher_id: fields.heldVoucherId,
  contact_id: fields.contactId,
  phone_number: fields.phoneNumber,
  external_ref: fields.nullableExternalRef,
  voucher_id: fields.voucherId,
  campaign_name: fields.campaignName,
  coupon_code: fields.couponCode,
  coupon_value: fields.couponValue,
  ...heldTermFields,
  location_id: nullableLocationId,
  issued_on: fields.day("The day on which it was issued."),
  valid_through: shared.nullableDay("The last day on which it can be used; null if it does not lapse."),
  reference_id: shared.reference,
});
