/** What operators read of promotions, stamp cards and occasions: the record, and what keeps an active one from acting. */
import {
  type ErrorCode,
  type FieldError,
  fields,
  readOperation,
  reject,
  type TObject,
  Type,
} from "../contract/declare.ts";
import type { ReadOperation } from "../contract/operation.ts";
import type { RecordStatus, RecordTable } from "../database/catalog.ts";
import type { Connection } from "../database/connection.ts";
import { pick } from "./records.ts";

const description =
  "What keeps an active one from acting, for all members or for some: what it names is archived, closed, deleted or over, or it gives " +
  "points while points are off. Null: nothing.";
const warning = fields.nullable(
  fields.text(500, "A problem.", "voucher_id must be a voucher that is not archived."),
  description,
  null,
);

interface Reading<Row extends { readonly status: RecordStatus }, Id extends keyof Row & string> {
  readonly table: Pick<RecordTable<Row, Id>, "find">;
  readonly id: Id;
  readonly schema: TObject;
  readonly notFound: ErrorCode;
  problemsOf(sql: Connection, businessId: number, record: Row): Promise<readonly FieldError[]>;
}

/** Makes the function that declares the `get` of a kind of record, and what its list adds. */
export function readsWithWarning<
  Row extends { readonly status: RecordStatus },
  Id extends keyof Row & string,
>({ table, id, schema, notFound, problemsOf }: Reading<Row, Id>) {
  const output = Type.Object({ ...schema.properties, warning });
  const warned = async (sql: Connection, businessId: number, record: Row) => {
    const [problem] = record.status === "active" ? await problemsOf(sql, businessId, record) : [];
    return { ...record, warning: problem?.message ?? null };
  };
  const more = (sql: Connection, businessId: number, records: readonly Row[]) =>
    Promise.all(records.map((record) => warned(sql, businessId, record)));
  const get = (declared: Pick<ReadOperation, "path" | "summary" | "message" | "description">) =>
    readOperation({
      role: "viewer",
      ...declared,
      output,
      input: { business_id: fields.businessId, ...Type.Pick(schema, [id]).properties },
      errors: [notFound],
      async read({ services: { lookUps }, caller: { businessId }, input }) {
        const found = await table.find(lookUps, businessId, (input as Record<Id, number>)[id]);
        if (found === undefined) return reject(notFound as never);
        return pick(await warned(lookUps, businessId, found), output);
      },
    });
  return { get, list: { output, more } };
}
