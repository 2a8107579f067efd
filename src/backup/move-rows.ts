/** Copies the rows of a business between two databases, and compares them. */
import { pipeline } from "node:stream/promises";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { advancePast } from "../database/cell.ts";
import type { Session } from "../database/connection.ts";
import {
  addAuditEntries,
  addKeysOfOperators,
  digestRows,
  makeIncoming,
  operatorsKeysOf,
  sumLedger,
} from "../database/moving.ts";
import { quotedName } from "../database/sql.ts";
import { analyze, rowsToAnalyze } from "../database/statistics.ts";
import { OperatorError } from "../domain/operator-error.ts";
import { copyOf, copyWhere, countRows, findMovedTables, ownRows, type Rows } from "./copy.ts";

export interface Moved {
  readonly tables: number;
  readonly rows: number;
  readonly members: number;
  readonly entries: number;
}

interface Copy {
  readonly from: Session;
  readonly to: Session;
  readonly businessId: number;
  readonly onRows: (rows: number, all: number) => void;
}

interface Table extends Rows {
  readonly identities: Readonly<Record<string, number | null>>;
  readonly condition: string;
  /** The table into which the rows are copied. */
  readonly place: string;
}

/** The tables in the order of their references, with the rows that move. Rows that may be in the other place already come first into temporary tables. */
async function tablesToMove(from: Session, businessId: number): Promise<Table[]> {
  return (await findMovedTables(from)).flatMap(({ table, columns, identities }) => {
    const own = { table, columns, identities, condition: ownRows(businessId), place: table };
    // The audit log is numbered anew.
    if (table === "audit_entry") return [{ ...own, identities: {}, place: `incoming_${table}` }];
    if (table !== "idempotency_key") return [own];
    return [own, { ...own, condition: operatorsKeysOf(businessId), place: `incoming_${table}` }];
  });
}

/** Copies all rows, and checks that they are equal. @throws OperatorError when they differ */
export async function copyRows({ from, to, businessId, onRows }: Copy): Promise<Moved> {
  for (const session of [from, to]) await session`LOCK TABLE migration IN ROW SHARE MODE`;
  const tables = await tablesToMove(from, businessId);
  let rows = 0;
  for (const { table, columns, condition, place } of tables) {
    if (place !== table) await makeIncoming(to, table, columns);
    const source = from.copy(copyTo(`${copyWhere({ table, columns }, condition)} TO STDOUT`));
    const target = to.copy(copyFrom(`${copyOf({ table: place, columns })} FROM STDIN`));
    await pipeline(
      source,
      countRows((count) => onRows(rows + count, 0)),
      target,
    );
    rows += target.rowCount;
    // Rows of the next tables are looked up in this one.
    if (target.rowCount >= rowsToAnalyze) await analyze(to, [place]);
  }
  for (const { table, columns, condition, place } of tables) {
    const [here, there] = await Promise.all([
      digestRows(from, { table, columns, condition }),
      digestRows(to, { table: place, columns, condition }),
    ]);
    if (here.rows === there.rows && here.digest === there.digest) continue;
    throw new OperatorError(
      `The rows of the table ${table} differ after they were copied. Nothing was moved.`,
    );
  }
  const audit = tables.find(({ table }) => table === "audit_entry");
  await addAuditEntries(to, audit?.columns.filter((column) => column !== "audit_id") ?? []);
  await addKeysOfOperators(to);
  const { members, entries, wrong } = await sumLedger(to, businessId);
  if (wrong > 0) {
    throw new OperatorError(
      `${wrong} balances are not the sums of their entries. Nothing was moved. See: loyalty verify --business ${businessId}`,
    );
  }
  // This is last, because writes of other businesses wait for the sequences until the commit.
  for (const { table, identities, condition } of tables)
    await advancePast(to, table, Object.keys(identities), `${quotedName(table)} WHERE ${condition}`);
  return { tables: new Set(tables.map(({ table }) => table)).size, rows, members, entries };
}
