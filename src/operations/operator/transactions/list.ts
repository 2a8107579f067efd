import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listTransactions } from "../../../database/ledger/transaction-list.ts";
import { locationId, nullableLocationId } from "../../records.ts";
import { checkPeriod, entryNo, nullableReason, transaction, transactionFilters } from "../../transactions.ts";

export const listTransactionsForOperator = listOperation({
  path: "/op/transactions/list",
  role: "viewer",
  summary: "List transactions",
  description:
    "Lists the ledger of a business, newest first: every change of a wallet, of points, of unused vouchers and of sales, " +
    "with the stored reason.",
  input: {
    business_id: fields.businessId,
    location_id: Type.Optional(locationId),
    ...transactionFilters,
  },
  columns: [
    ...(["created_at", "event_type", "contact_id", "amount", "balance_after"] as const),
    ...(["reason", "reference_id"] as const),
  ],
  output: Type.Object({
    entry_no: entryNo,
    ...transaction.properties,
    location_id: nullableLocationId,
    reason: nullableReason,
  }),
  check: checkPeriod,
  list: ({ sql, services: { lookUps, scans }, caller, input, page }) =>
    listTransactions({ sql, lookUps, scans }, caller, input, page),
});
