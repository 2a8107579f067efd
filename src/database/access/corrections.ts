/** What operators with limits have corrected by hand. */
import type { Corrected } from "../../domain/access/operators.ts";
import type { Connection } from "../connection.ts";
import { insertOf, tableOf } from "../sql.ts";

export interface CorrectionRow extends Corrected {
  readonly business_id: number;
  readonly operator_number: number;
  /** The last day on which the operator corrected, YYYY-MM-DD. */
  readonly day: string;
}

type Named = Pick<CorrectionRow, "business_id" | "operator_number">;

/** The caller holds the locks of the ledgers. */
export function findCorrections(tx: Connection, wanted: readonly Named[]) {
  return tx<CorrectionRow[]>`
    SELECT c.business_id, c.operator_number, to_char(c.day, 'YYYY-MM-DD') AS day, c.amount, c.points
    FROM ${tableOf("wanted", wanted, "business_id bigint, operator_number bigint")}
    JOIN operator_correction c
      ON c.business_id = wanted.business_id AND c.operator_number = wanted.operator_number`;
}

export function saveCorrections(tx: Connection, rows: readonly CorrectionRow[]) {
  const columns = "business_id bigint, operator_number bigint, day date, amount bigint, points bigint";
  return tx`
    ${insertOf("operator_correction", rows, columns)}
    ON CONFLICT (business_id, operator_number) DO UPDATE SET
      day = excluded.day, amount = excluded.amount, points = excluded.points`;
}
