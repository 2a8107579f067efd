/** The rows about a member that are exported as they are stored: its records, and those of other tables that say so (tables.ts). */
import type { Connection } from "../connection.ts";
import { type BusinessTime, wallClock } from "../rows.ts";
import { fragment, list, nameInSql, raw } from "../sql.ts";
import { type MemberTable, memberTables } from "../tables.ts";
import { kindNames, kinds, restoredRecords, storageOf } from "./kinds.ts";

const kindOfTable = (table: string) => kindNames.find((kind) => kinds[kind].table === table);

const exported = memberTables.filter(({ exported }) => exported === "records").reverse();

/** The name of a table in the export: its kind, if it has records. */
const nameInExport = ({ name }: MemberTable) => kindOfTable(name) ?? name;

/** The tables of the export, with their personal columns. */
export const exportedTables = exported.map((table) => ({
  name: nameInExport(table),
  personal: Object.keys(table.erased),
}));

/**
 * Reads the rows of a member. Their times are wall-clock times of the business.
 * @param numbers only records with a number after `after`, up to `through` if it is given. The number is that of a record's first
 *   entry, or of the record that it is a part of. Rows without a number have number 1.
 */
export async function exportRecords(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  contactId: number,
  numbers: { readonly after: number; readonly through: number | undefined },
): Promise<Record<string, Record<string, unknown>[]>> {
  const { after, through } = numbers;
  const ofMember = fragment`business_id = ${businessId} AND contact_id = ${contactId}`;
  const rowsOf = async ({ name, columns, erased }: MemberTable) => {
    const kind = kindOfTable(name);
    const fields = [...columns, ...Object.keys(erased)].filter((column) => column !== "business_id");
    const { key, number: field = "1::bigint", partOf } = kind ? storageOf(kind) : { key: fields };
    const number = raw(field);
    const selected = fields.map((column) =>
      column === "created_at" ? fragment`${wallClock(column, timeZone)} AS created_at` : nameInSql(column),
    );
    const isOfMember =
      partOf === undefined
        ? ofMember
        : fragment`business_id = ${businessId}
          AND ${number} IN (SELECT ${number} FROM ${raw(storageOf(partOf).table)} WHERE ${ofMember})`;
    const rows = await sql<Record<string, unknown>[]>`
      SELECT ${list(selected)} FROM ${nameInSql(name)} WHERE ${isOfMember} AND ${number} > ${after}
        ${through === undefined ? fragment`` : fragment`AND ${number} <= ${through}`}
      ORDER BY ${list(key.map(nameInSql))}`;
    return kind === undefined ? rows : restoredRecords(kind, rows);
  };
  const found = exported.map(async (table) => [nameInExport(table), await rowsOf(table)] as const);
  return Object.fromEntries(await Promise.all(found));
}
