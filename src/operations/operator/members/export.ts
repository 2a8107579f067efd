import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { exportedTables, exportRecords } from "../../../database/engine/export.ts";
import { listMergedInto } from "../../../database/members/members.ts";
import { findMemberRecord } from "../../../database/members/records.ts";
import { exportAfter, exportedEntries, exportedEntry, maximumExportRows, nextOf } from "../../exports.ts";
import { member } from "../../members/members.ts";
import { entryNo } from "../../transactions.ts";

const spoken = (name: string) => name.replaceAll("_", " ");

/** The rows of a table. The personal columns are marked, so that the documents name them. */
function storedRecords({ name, personal }: (typeof exportedTables)[number]) {
  const columns = personal.map((column) => [
    column,
    fields.personal(Type.Unknown({ description: `The column ${column}.`, examples: [null] })),
  ]);
  return Type.Array(Type.Object(Object.fromEntries(columns), { additionalProperties: true }), {
    maxItems: 100_000,
    description: `Records of the kind "${spoken(name)}", with the columns of their table.`,
  });
}

export const exportMemberOperation = readOperation({
  path: "/op/members/export",
  role: "manager",
  summary: "Export what is stored about a member",
  description:
    "Returns all data of one member: the member, its ledger entries, and its records as they are stored " +
    `(${exportedTables.map(({ name }) => spoken(name)).join(", ")}). ` +
    "Entries come some thousand at a time, with the records that they began: repeat the " +
    "request with next_after_entry_no as after_entry_no until it is null. The sales by day and the tier come with the first " +
    "ones. The hash of the password is left out.",
  message: "Member exported.",
  input: {
    business_id: fields.businessId,
    contact_id: fields.contactId,
    after_entry_no: exportAfter("Only entries and records after this one."),
  },
  output: Type.Object({
    member: Type.Object(member.properties, { description: "All fields of the member." }),
    merged_contact_ids: Type.Array(fields.contactId, {
      maxItems: 1000,
      description: "The members that were merged into it, which are exported by these numbers.",
      examples: [[]],
    }),
    transactions: Type.Array(exportedEntry, { maxItems: maximumExportRows, description: "The entries." }),
    records: Type.Object(
      Object.fromEntries(exportedTables.map((table) => [table.name, storedRecords(table)])),
      {
        description: "The records that these entries began, by kind.",
      },
    ),
    next_after_entry_no: fields.nullable(
      entryNo,
      "Send it as after_entry_no to get the next page; null at the end.",
      null,
    ),
  }),
  errors: ["member_not_found"],
  read: ({ sql, caller, input: { contact_id, after_entry_no = 0 }, reject }) =>
    sql.begin(async (tx) => {
      const member = await findMemberRecord(tx, caller, contact_id);
      if (member === undefined) return reject("member_not_found");
      const page = { after: after_entry_no, limit: maximumExportRows, contactId: contact_id };
      const transactions = await exportedEntries(tx, caller, page);
      const next = nextOf(transactions, maximumExportRows)?.entry_no ?? null;
      const numbers = { after: after_entry_no, through: next ?? undefined };
      const records = await exportRecords(tx, caller, contact_id, numbers);
      const merged_contact_ids = await listMergedInto(tx, caller.businessId, contact_id);
      return { member, merged_contact_ids, transactions, records, next_after_entry_no: next };
    }, "ISOLATION LEVEL REPEATABLE READ READ ONLY"),
});
