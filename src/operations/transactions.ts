/** Shared by the lists of transactions, for partners and for operators. */
import { type FieldError, fieldError, fields, Type } from "../contract/declare.ts";
import type { Connection } from "../database/connection.ts";
import { type EntryOrigin, findOrigins, type OriginatedEntry } from "../database/engine/origins.ts";
import { accounts, eventTypeNames } from "../domain/ledger.ts";

/** The filters of the list, except the location. */
export const transactionFilters = {
  contact_id: Type.Optional(fields.contactId),
  event_types: Type.Optional(
    fields.absentWhenEmpty(
      Type.Array(fields.eventType, {
        minItems: 1,
        maxItems: eventTypeNames.length,
        description: "Only entries of these event types.",
      }),
    ),
  ),
  start_date: Type.Optional(fields.day("The first day to list, inclusive.")),
  end_date: Type.Optional(fields.day("The last day to list, inclusive.")),
};

/** A ledger entry. */
export const transaction = Type.Object({
  event_type: fields.eventType,
  contact_id: fields.contactId,
  reference_id: Type.String({
    maxLength: 255,
    format: "plain-text",
    description: "The caller's reference, or a generated one.",
    examples: ["WA-1042"],
  }),
  amount: fields.signedAmount,
  balance_after: fields.balanceAfter,
  created_at: fields.timestamp,
});

/** The sale of an entry, for operators. To find it takes a second statement for each page, so the list of partners does not have it. */
export const saleOfEntry = {
  sale_id: fields.nullable(
    fields.saleId,
    "The sale that the entry belongs to, also as a part of a refund, or null. A refund of the sale takes its entries back.",
    1045,
  ),
  sold_on: fields.nullable(fields.day("The day of the sale."), "The day of the sale.", "2026-04-17"),
};

/** The entries, each with what it belongs to. */
export async function withOrigins<Row extends OriginatedEntry>(
  sql: Connection,
  businessId: number,
  rows: readonly Row[],
) {
  const origins = await findOrigins(sql, businessId, rows);
  const byNumber = new Map(origins.map((origin) => [origin.entry_no, origin]));
  return rows.map((row) => ({ ...row, ...(byNumber.get(row.entry_no) as EntryOrigin) }));
}

export const nullableReason = fields.nullable(fields.reason, "The reason, or null.");
export const entryNo = fields.identifier("The entry's number, in the order of recording.", 1042);
export const account = fields.choice(accounts, "The account of the member that the entry changed.");

/** Checks that the last day is not before the first. */
export function checkPeriod(input: {
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}): FieldError[] {
  const { start_date, end_date } = input;
  if (start_date === undefined || end_date === undefined || start_date <= end_date) return [];
  return [fieldError("end_date", "out_of_range", "must not be before start_date")];
}
