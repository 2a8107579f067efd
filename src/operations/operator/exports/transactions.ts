import { exportEntries } from "../../../database/ledger/transaction-list.ts";
import { exportedEntry, exportOperation } from "../../exports.ts";
import { entryNo } from "../../transactions.ts";

export const exportTransactions = exportOperation({
  rows: "transactions",
  noun: "entries",
  summary: "Export transactions",
  description:
    "The ledger of a business in full, in the order in which it was recorded, some thousand entries at a time. Ask " +
    "again with next_after_entry_no until it is null; entries recorded meanwhile come at the end.",
  message: "Transactions exported.",
  row: exportedEntry,
  key: "entry_no",
  keySchema: entryNo,
  read: exportEntries,
});
