/** To whom a named record belongs, and where it was made. */
import type { NamedKind } from "../../domain/decision.ts";
import type { Connection } from "../connection.ts";
import { firstRow, wallClock } from "../rows.ts";
import { raw } from "../sql.ts";
import { storageOf } from "./kinds.ts";

export interface RecordPlace {
  readonly contact_id: number;
  readonly location_id: number | null;
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly created_at: string;
}

/**
 * Finds the place of a record in the order of its key, as members.ts explains.
 * @returns undefined when there is no such record
 */
export function findRecordPlace(sql: Connection, businessId: number, kind: NamedKind, number: number) {
  const [table, id] = [raw(storageOf(kind).table), raw(`${kind}_id`)];
  return firstRow(sql<RecordPlace[]>`
    SELECT r.contact_id, r.location_id, ${wallClock("r.created_at", raw("b.time_zone"))} AS created_at
    FROM (
      SELECT * FROM ${table} WHERE business_id = ${businessId} AND ${id} >= ${number}
      ORDER BY business_id, ${id} LIMIT 1
    ) AS r JOIN business b ON b.business_id = r.business_id
    WHERE r.${id} = ${number}`);
}
