/**
 * Copies the rows of a business to another database while the business accepts writes: first all rows, and then, pass by pass, those
 * that have changed since. The target is one transaction, so nothing is left of a copy that does not end. Each pass reads one snapshot.
 */
import { pipeline } from "node:stream/promises";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { advancePast } from "../database/cell.ts";
import type { Session } from "../database/connection.ts";
import { requireEqualSchemas } from "../database/migrate.ts";
import {
  addAuditEntries,
  addKeysOfOperators,
  applyIncoming,
  beginPass,
  type Changes,
  changedSince,
  countWrongBalances,
  deleteOthers,
  digestRows,
  findChanges,
  findPrimaryKeys,
  makeIncoming,
  operatorsKeysOf,
  type RowsDigest,
} from "../database/moving.ts";
import { quotedName } from "../database/sql.ts";
import { analyze, rowsToAnalyze } from "../database/statistics.ts";
import { tables } from "../database/tables.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { copyOf, copyWhere, countRows, findMovedTables, ownRows, type Rows } from "./copy.ts";

export interface Moved {
  readonly tables: number;
  readonly rows: number;
  readonly members: number;
  readonly entries: number;
}

export interface Pass {
  readonly rows: number;
  readonly milliseconds: number;
}

interface Table extends Rows {
  readonly key: string[];
  readonly identities: Readonly<Record<string, number | null>>;
  readonly condition: string;
  readonly expires: boolean;
  /** Adds copied rows from a temporary table, if the rows may be in the other database already. */
  readonly add?: (to: Session, columns: readonly string[]) => Promise<unknown>;
}

interface Copy {
  /** In no transaction. Each pass is one. */
  readonly from: Session;
  readonly to: Session;
  readonly businessId: number;
  readonly onRows: (rows: number, all: number) => void;
}

export class RowCopy {
  readonly #copy: Copy;
  #tables: Table[] = [];
  /** The oldest transaction that may have changed rows since the previous pass. */
  #oldest: string | undefined;
  /** How many rows of the business the tables have in the other database. */
  readonly #there = new Map<string, number>();

  constructor(copy: Copy) {
    this.#copy = copy;
  }

  /**
   * Brings the other database to a snapshot of this one.
   * @param andThen is called while this one is read in the snapshot. Without it, rows that have expired meanwhile may stay there
   * @returns how many rows were copied, and for how long
   */
  async pass(andThen?: () => Promise<void>): Promise<Pass> {
    const { from, to, businessId } = this.#copy;
    const startedAt = performance.now();
    await from.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
    for (const session of [from, to]) await session`LOCK TABLE migration IN ROW SHARE MODE`;
    // A service may have migrated its database between two passes.
    await requireEqualSchemas(from, to);
    const oldest = await beginPass(from);
    const changed = this.#oldest === undefined ? "true" : changedSince(this.#oldest);
    this.#tables = await tablesToMove(from, businessId);
    let rows = 0;
    const reduced: Table[] = [];
    for (const table of this.#tables) {
      if (this.#oldest === undefined && table.add === undefined) {
        rows += await this.#copyAll(table, rows);
        continue;
      }
      const changes = await this.#copyChanges(table, changed, rows);
      rows += changes.rows;
      const isReduced = table.add === undefined && changes.all !== this.#there.get(table.table);
      if (isReduced && (andThen !== undefined || !table.expires)) reduced.unshift(table);
    }
    // Rows that are gone are deleted last, because rows that have changed since may have referred to them.
    for (const table of reduced) await this.#deleteGone(table);
    this.#oldest = oldest;
    const milliseconds = performance.now() - startedAt;
    await andThen?.();
    await from.commit();
    return { rows, milliseconds };
  }

  /** Compares all rows, in the snapshot of the last pass, and each balance with the sum of its entries. */
  async compare(): Promise<void> {
    const { from, to, businessId } = this.#copy;
    for (const { table, columns, condition, add } of this.#tables) {
      if (add !== undefined) continue;
      const [here, there] = await Promise.all([
        digestRows(from, { table, columns, condition }),
        digestRows(to, { table, columns, condition }),
      ]);
      requireEqual(table, here, there);
    }
    const wrong = await countWrongBalances(to, businessId);
    if (wrong === 0) return;
    throw new OperatorError(
      `${wrong} balances are not the sums of their entries. Nothing was moved. See: loyalty verify --business ${businessId}`,
    );
  }

  /** Ends the copy. Writes of other businesses wait for the sequences of ids until the commit. */
  async end(): Promise<Moved> {
    for (const { table, identities, condition } of this.#tables)
      await advancePast(
        this.#copy.to,
        table,
        Object.keys(identities),
        `${quotedName(table)} WHERE ${condition}`,
      );
    const of = (table: string) => this.#there.get(table) ?? 0;
    const rows = [...this.#there.values()].reduce((sum, count) => sum + count, 0);
    const tables = new Set(this.#tables.map(({ table }) => table)).size;
    return { tables, rows, members: of("member"), entries: of("ledger_entry") };
  }

  async #copyAll({ table, columns, condition }: Table, before: number): Promise<number> {
    const rows = await this.#send({ table, columns }, condition, table, before);
    this.#there.set(table, rows);
    // Rows of the next tables are looked up in this one.
    if (rows >= rowsToAnalyze) await analyze(this.#copy.to, [table]);
    return rows;
  }

  async #copyChanges(of: Table, changed: string, before: number): Promise<Changes> {
    const { from, to } = this.#copy;
    const { table, columns, condition, add } = of;
    const changes = await findChanges(from, { table, columns, condition, changed });
    if (changes.rows === 0) return changes;
    const place = `incoming_${table}`;
    await makeIncoming(to, table, columns);
    const copied = await this.#send({ table, columns }, changes.condition, place, before);
    requireEqual(table, changes, await digestRows(to, { table: place, columns, condition: "true" }));
    if (copied >= rowsToAnalyze) await analyze(to, [place]);
    if (add !== undefined) await add(to, columns);
    else this.#there.set(table, (this.#there.get(table) ?? 0) + (await applyIncoming(to, of)));
    return changes;
  }

  /** Deletes the rows that this database has no more. */
  async #deleteGone({ table, columns, key, condition }: Table): Promise<void> {
    const { to } = this.#copy;
    await makeIncoming(to, table, columns);
    const kept = await this.#send({ table, columns: key }, condition, `incoming_${table}`, 0);
    if (kept >= rowsToAnalyze) await analyze(to, [`incoming_${table}`]);
    const gone = await deleteOthers(to, { table, key, condition });
    if (kept !== (this.#there.get(table) ?? 0) - gone) throw differ(table);
    this.#there.set(table, kept);
  }

  async #send({ table, columns }: Rows, condition: string, place: string, before: number): Promise<number> {
    const { from, to, onRows } = this.#copy;
    const source = from.copy(copyTo(`${copyWhere({ table, columns }, condition)} TO STDOUT`));
    const target = to.copy(copyFrom(`${copyOf({ table: place, columns })} FROM STDIN`));
    await pipeline(
      source,
      countRows((count) => onRows(before + count, 0)),
      target,
    );
    return target.rowCount;
  }
}

/** The tables in the order of their references, with the rows that move. */
async function tablesToMove(from: Session, businessId: number): Promise<Table[]> {
  const keys = await findPrimaryKeys(from);
  return (await findMovedTables(from)).flatMap(({ table, columns, identities }) => {
    const key = [...(keys.get(table) ?? [])];
    const known = tables[table];
    const expires = known?.owner !== "installation" && known?.expires === true;
    const own = { table, columns, identities, key, expires, condition: ownRows(businessId) };
    // The audit log is numbered anew.
    if (table === "audit_entry") return [{ ...own, identities: {}, add: addAuditEntries }];
    if (table !== "idempotency_key") return [own];
    return [own, { ...own, condition: operatorsKeysOf(businessId), add: addKeysOfOperators }];
  });
}

function requireEqual(table: string, here: RowsDigest, there: RowsDigest): void {
  if (here.rows !== there.rows || here.digest !== there.digest) throw differ(table);
}

const differ = (table: string) =>
  new OperatorError(
    `The rows of the table ${table} differ after they were copied. Nothing was moved. Repeat the command. If they differ again, ` +
      "that is a fault of the service: please report it.",
  );
