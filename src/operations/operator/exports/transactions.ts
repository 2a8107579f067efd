import { exportedEntries, exportedEntry, exportOperation } from "../../exports.ts";

export const exportTransactions = exportOperation({
  rows: "transactions",
  noun: "entries",
  returns: "the whole ledger of a business, in the order in which it was recorded",
  more: " Entries that are recorded meanwhile come at the end.",
  row: exportedEntry,
  key: "entry_no",
  read: exportedEntries,
});
