/** All records of a member, as they are stored. */
import type { Kind } from "../../domain/records.ts";
import type { Connection } from "../connection.ts";
import { type BusinessTime, wallClock } from "../rows.ts";
import { fragment, list, raw } from "../sql.ts";
import { kindNames, storageOf } from "./kinds.ts";

/**
 * Reads the records of a member by kind. Their times are wall-clock times of the business.
 * @param numbers only records with a number after `after`, up to `through` if it is given. The number is that of a record's first
 *   entry, or of the record that it is a part of. Records without a number have number 1.
 */
export async function exportRecords(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  contactId: number,
  numbers: { readonly after: number; readonly through: number | undefined },
): Promise<Record<string, object[]>> {
  const { after, through } = numbers;
  const ofMember = fragment`business_id = ${businessId} AND contact_id = ${contactId}`;
  const recordsOf = (kind: Kind) => {
    const { table, columns, more, key, number: field = "1::bigint", partOf } = storageOf(kind);
    const number = raw(field);
    const fields = [...new Set([...more, ...columns])].map((field) =>
      field === "created_at" ? fragment`${wallClock(field, timeZone)} AS created_at` : raw(field),
    );
    const isOfMember =
      partOf === undefined
        ? ofMember
        : fragment`business_id = ${businessId}
          AND ${number} IN (SELECT ${number} FROM ${raw(storageOf(partOf).table)} WHERE ${ofMember})`;
    return sql<object[]>`
      SELECT ${list(fields)} FROM ${raw(table)} WHERE ${isOfMember} AND ${number} > ${after}
        ${through === undefined ? fragment`` : fragment`AND ${number} <= ${through}`}
      ORDER BY ${raw(key.join(", "))}`;
  };
  const found = kindNames.map(async (kind) => [kind, await recordsOf(kind)] as const);
  return Object.fromEntries(await Promise.all(found));
}
