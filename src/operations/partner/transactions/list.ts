import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listTransactions } from "../../../database/ledger/transaction-list.ts";
import { pick } from "../../records.ts";
import { checkPeriod, transaction, transactionFilters } from "../../transactions.ts";

export const listTransactionsOperation = listOperation({
  path: "/sp/transactions/list",
  scope: "wa.wallet.read",
  summary: "List transactions",
  message: "Transactions listed.",
  description:
    "Lists the ledger of the business, newest first: every change of a wallet, of points, of unused vouchers and of " +
    "sales. An integration limited to some locations sees the entries of these locations and the entries without a " +
    "location.",
  input: { location_id: Type.Optional(fields.locationId), ...transactionFilters },
  output: transaction,
  check: checkPeriod,
  async list({ sql, services: { lookUps, scans }, caller, input, page }) {
    const listed = await listTransactions({ sql, lookUps, scans }, caller, input, page);
    return { ...listed, rows: listed.rows.map((row) => pick(row, transaction)) };
  },
});
