import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listTransactions } from "../../../database/ledger/transaction-list.ts";
import { locationId } from "../../records.ts";
import { checkPeriod, transaction, transactionFilters } from "../../transactions.ts";

export const listTransactionsForOperator = listOperation({
  path: "/op/transactions/list",
  summary: "List transactions",
  description:
    "Lists the ledger of a business, newest first: every change of a wallet, of points, of unused vouchers and of sales.",
  message: "Transactions listed.",
  input: {
    business_id: fields.businessId,
    location_id: Type.Optional(locationId),
    ...transactionFilters,
  },
  output: transaction,
  check: checkPeriod,
  list: ({ sql, services: { lookUps, scans }, caller, input, page }) =>
    listTransactions({ sql, lookUps, scans }, caller, input, page),
});
