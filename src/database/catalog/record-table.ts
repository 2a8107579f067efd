/** The statements for records that operators make, change and list: they differ in the table and its columns only. */
import type { PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { first, type Order, only, readPage } from "../rows.ts";
import { type Fragment, fragment, identifier, list, type SqlValue } from "../sql.ts";

/** Some fields of a record; the others stay. */
export type ChangeOf<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/** The assignments of a change: a field that is not given keeps its value. */
export function assignmentsOf<Fields extends object>(
  fields: readonly (keyof Fields & string)[],
  change: ChangeOf<Fields>,
): Fragment {
  const value = (field: keyof Fields) => (change[field] ?? null) as SqlValue;
  return list(
    fields.map((field) => fragment`${identifier(field)} = coalesce(${value(field)}, ${identifier(field)})`),
  );
}

/**
 * A table of a business's records.
 * @param id the column with the number of a record
 * @param fields the other columns, none of which is cleared by a change
 * @param order of a list of them
 * @param present a condition to follow others: which rows are there
 */
export function recordTable<Row extends object, Id extends keyof Row & string>(
  name: string,
  id: Id,
  fields: readonly Exclude<keyof Row & string, Id>[],
  order: Order,
  present = fragment``,
) {
  const table = identifier(name);
  const columns = list([id, ...fields].map(identifier));
  const one = (businessId: number, recordId: number) =>
    fragment`business_id = ${businessId} AND ${identifier(id)} = ${recordId} ${present}`;
  return {
    insert: (tx: Connection, businessId: number, record: Omit<Row, Id>) =>
      only(tx<Row[]>`
        INSERT INTO ${table} (business_id, ${list(fields.map(identifier))})
        VALUES (${businessId}, ${list(fields.map((field) => (record as Row)[field] as SqlValue))})
        RETURNING ${columns}`),
    find: (sql: Connection, businessId: number, recordId: number) =>
      first(sql<Row[]>`SELECT ${columns} FROM ${table} WHERE ${one(businessId, recordId)}`),
    /** Finds a record and locks it to the end of the transaction. */
    lock: (tx: Connection, businessId: number, recordId: number) =>
      first(tx<Row[]>`SELECT ${columns} FROM ${table} WHERE ${one(businessId, recordId)} FOR NO KEY UPDATE`),
    /** Changes the fields given. @returns undefined when there is no such record */
    change: (tx: Connection, businessId: number, recordId: number, change: ChangeOf<Omit<Row, Id>>) =>
      first(tx<Row[]>`
        UPDATE ${table} SET ${assignmentsOf(fields, change)} WHERE ${one(businessId, recordId)}
        RETURNING ${columns}`),
    /** A page of the records that meet a condition, with the total. */
    page: (sql: Connection, businessId: number, page: PageRequest, which = present) => {
      const from = fragment`FROM ${table} WHERE business_id = ${businessId} ${which}`;
      return readPage<Row>(sql, { columns, from, id, order }, page);
    },
  };
}
