import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { reversalObstacles, reversals } from "../../../database/engine/origins.ts";
import { listTransactions } from "../../../database/ledger/transaction-list.ts";
import { locationId, nullableLocationId } from "../../records.ts";
import {
  checkPeriod,
  entryNo,
  nullableReason,
  saleOfEntry,
  transaction,
  transactionFilters,
  withOrigins,
} from "../../transactions.ts";

export const listTransactionsForOperator = listOperation({
  path: "/op/transactions/list",
  role: "viewer",
  summary: "List transactions",
  message: "Transactions listed.",
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
    ...saleOfEntry,
    location_id: nullableLocationId,
    reason: nullableReason,
    reversal: fields.nullable(
      fields.choice(reversals, "The operation."),
      "How the entry can be taken back, or null. wallet: the reversal of a top-up or payment, whose movement_id is entry_no. " +
        "reward_points: the reversal of a redemption, whose redemption_id is entry_no.",
      "wallet",
    ),
    reversal_obstacle: fields.nullable(
      fields.choice(reversalObstacles, "The error."),
      "The error with which this would be rejected now, or null. insufficient_balance: the wallet has less than the top-up with its " +
        "bonus. voucher_not_usable: the voucher that the points bought was used or has lapsed.",
      null,
    ),
  }),
  check: checkPeriod,
  async list({ sql, services: { lookUps, scans }, caller, input, page }) {
    const listed = await listTransactions({ sql, lookUps, scans }, caller, input, page);
    return { ...listed, rows: await withOrigins(sql, caller.businessId, listed.rows) };
  },
});
