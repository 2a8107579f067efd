import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { exportEntries } from "../../../database/ledger/transaction-list.ts";
import {
  defaultExportRows,
  exportAfter,
  exportedEntry,
  exportLimit,
  maximumExportRows,
  nextOf,
} from "../../exports.ts";
import * as operator from "../../operator-fields.ts";

export const exportTransactions = readOperation({
  path: "/op/exports/transactions",
  summary: "Export transactions",
  description:
    "The ledger of a business in full, in the order in which it was recorded, some thousand entries at a time. Ask " +
    "again with next_after_entry_no until it is null; entries recorded meanwhile come at the end.",
  message: "Transactions exported.",
  input: {
    business_id: fields.businessId,
    after_entry_no: Type.Optional(exportAfter("Only entries after this one.")),
    limit: Type.Optional(exportLimit),
  },
  output: Type.Object({
    transactions: Type.Array(exportedEntry, { maxItems: maximumExportRows, description: "The entries." }),
    next_after_entry_no: fields.nullable(
      operator.entryNo,
      "Send it as after_entry_no to go on; null at the end.",
      1000,
    ),
  }),
  async read({ sql, caller, input: { after_entry_no = 0, limit = defaultExportRows } }) {
    const transactions = await exportEntries(sql, caller, { after: after_entry_no, limit });
    return { transactions, next_after_entry_no: nextOf(transactions, limit)?.entry_no ?? null };
  },
});
