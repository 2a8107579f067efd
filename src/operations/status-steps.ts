/** Operations that move a record of the rules, such as a promotion, to another status: pause, resume and end. */
import {
  type ErrorCode,
  type FieldError,
  fields,
  type Rejection,
  reject,
  type TObject,
  Type,
  writeOperation,
  wrongValue,
} from "../contract/declare.ts";
import type { WriteOperation } from "../contract/operation.ts";
import type { RecordStatus, RecordTable } from "../database/catalog.ts";
import type { Connection } from "../database/connection.ts";
import { lockSettings } from "../database/engine/rules.ts";
import type { AuditEvent } from "../domain/audit-events.ts";
import { nameKey } from "../domain/text.ts";
import { pick } from "./records.ts";

/** Finds a record that is to be changed. Changes of the rules wait for each other here. */
export async function findToChange<Row extends object, Id extends keyof Row & string>(
  table: Pick<RecordTable<Row, Id>, "find">,
  tx: Connection,
  businessId: number,
  id: number,
) {
  await lockSettings(tx, businessId);
  return table.find(tx, businessId, id);
}

/** The names of records are compared without regard to case and blanks. */
const nameFold = (name: string) => nameKey(name).replace(/\s+/gu, " ");

/**
 * Why a record can't be told from another one, or is one too many.
 * @param others those that have not ended
 * @param kind what the records are called, and how many there can be
 */
export function problemsOfName<Other extends { readonly name: string }>(
  { name }: { readonly name: string },
  others: readonly Other[],
  kind: { readonly plural: string; readonly most: number; readonly called: (other: Other) => string },
): FieldError[] {
  const { plural, most, called } = kind;
  const namesake = others.find((other) => nameFold(other.name) === nameFold(name));
  const problems = [
    ...(namesake === undefined ? [] : [`must differ from that of ${called(namesake)}`]),
    ...(others.length < most
      ? []
      : [`can't be added: ${most} ${plural} have not ended, and there can't be more. End one first`]),
  ];
  return problems.map((problem) => wrongValue("name", problem));
}

interface Stepping<Row extends { readonly status: RecordStatus }, Id extends keyof Row & string> {
  readonly table: Pick<RecordTable<Row, Id>, "find" | "update">;
  readonly id: Id;
  /** As operators see it. */
  readonly schema: TObject;
  readonly notFound: ErrorCode;
  readonly ended: ErrorCode;
  /** Rejects one that could not act. */
  rejectActive(tx: Connection, businessId: number, record: Row): Promise<Rejection | undefined>;
}

/** Makes the function that declares an operation which moves a record to another status. */
export const statusStepOf =
  <Row extends { readonly status: RecordStatus }, Id extends keyof Row & string>(of: Stepping<Row, Id>) =>
  (
    declared: Pick<WriteOperation, "path" | "summary" | "message" | "description"> & {
      readonly event: AuditEvent;
      readonly confirm?: string;
    },
    status: RecordStatus,
  ) =>
    writeOperation({
      role: "manager",
      ...declared,
      input: { business_id: fields.businessId, ...Type.Pick(of.schema, [of.id]).properties },
      output: of.schema,
      errors: [of.notFound, of.ended, "validation_failed"],
      async write({ input, tx, caller: { businessId }, audit }) {
        const id = (input as Record<string, number>)[of.id] as number;
        const known = await findToChange(of.table, tx, businessId, id);
        if (known === undefined) return reject(of.notFound as never);
        if (known.status === "ended") return reject(of.ended as never);
        // One that can't act any more can still be paused or ended.
        const rejected =
          status === "active" ? await of.rejectActive(tx, businessId, { ...known, status }) : undefined;
        if (rejected !== undefined) return rejected;
        const updated = await of.table.update(tx, businessId, id, { status } as never);
        if (updated === undefined) return reject(of.notFound as never);
        audit(updated);
        return pick(updated.after, of.schema);
      },
    });
