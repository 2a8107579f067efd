import { exportEntries } from "../../../database/ledger/transaction-list.ts";
import { exportedEntry, exportOperation } from "../../exports.ts";
import { entryNo } from "../../transactions.ts";

export const exportTransactions = exportOperation({
  rows: "transactions",
  noun: "entries",
  summary: "Export transactions",
  description:
    "Returns the whole ledger of a business, in the order in which it was recorded, some thousand entries at a time. " +
    "Repeat the request with next_after_entry_no as after_entry_no until it is null. Entries that are recorded " +
    "meanwhile come at the end.",
  message: "Transactions exported.",
  row: exportedEntry,
  key: "entry_no",
  keySchema: entryNo,
  read: exportEntries,
});
