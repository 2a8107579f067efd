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
  after,
  applyIncoming,
  beginPass,
  type Changes,
  changedSince,
  countWrongBalances,
  deleteBefore,
  deleteOthers,
  digestRows,
  findChanges,
  findEnd,
  findOldestBegin,
  findPrimaryKeys,
  makeIncoming,
  operatorsKeysOf,
  type RowsDigest,
} from "../database/moving.ts";
import { quotedName } from "../database/sql.ts";
import { analyze, rowsToAnalyze } from "../database/statistics.ts";
import { type Growth, tables } from "../database/tables.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { copyOf, copyWhere, countRows, findMovedTables, ownRows, type Rows } from "./copy.ts";

export interface Moved {
  readonly tables: number;
  readonly rows: number;
  readonly members: number;
  readonly entries: number;
}

interface Table extends Rows {
  readonly key: string[];
  readonly identities: Readonly<Record<string, number | null>>;
  readonly condition: string;
  readonly growth?: Growth;
  /** Adds copied rows from a temporary table, if the rows may be in the other database already. */
  readonly add?: (to: Session, columns: readonly string[]) => Promise<unknown>;
}

interface Copy {
  /** Its transaction reads one snapshot, and is another one for each pass. */
  readonly from: Session;
  readonly to: Session;
  readonly businessId: number;
  readonly onRows: (rows: number, all: number) => void;
}

const snapshot = "ISOLATION LEVEL REPEATABLE READ READ ONLY";

export class RowCopy {
  readonly #copy: Copy;
  #tables: Table[] = [];
  /** The oldest transaction that may have changed rows since the previous pass. */
  #oldest: string | undefined;
  /** When that transaction began, and the one of this pass. */
  #began = { before: "-infinity", now: "-infinity" };
  /** How many rows of the business the tables have in the other database. */
  readonly #there = new Map<string, number>();

  constructor(copy: Copy) {
    this.#copy = copy;
  }

  /** Begins the transaction of a pass, which reads one snapshot. */
  async begin(): Promise<void> {
    const { from } = this.#copy;
    await from.begin();
    this.#began = { before: this.#began.now, now: await findOldestBegin(from) };
    await from.commit();
    await from.begin(snapshot);
  }

  /** Brings the other database to the snapshot of this one. @returns how many rows were copied */
  async pass(): Promise<number> {
    const { from, to, businessId } = this.#copy;
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
      const changes = await this.#copyChanges(await this.#withoutOldRows(table), changed, rows);
      rows += changes.rows;
      if (table.growth !== undefined) await this.#deleteFirst(table, table.growth);
      else if (table.add === undefined && changes.all !== this.#there.get(table.table))
        reduced.unshift(table);
    }
    // Rows that are gone are deleted last, because rows that have changed since may have referred to them.
    for (const table of reduced) await this.#deleteGone(table);
    this.#oldest = oldest;
    return rows;
  }

  /** Compares all rows, in the snapshot of the last pass, and each balance with the sum of its entries. */
  async compare(): Promise<void> {
    const { from, to, businessId } = this.#copy;
    for (const of of this.#tables) {
      const { table, columns, add } = of;
      if (add !== undefined) continue;
      const condition = await this.#comparable(of);
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

  /** Of a table that grows, only the rows among which the changed ones are, so that the last pass does not read the whole ledger. */
  async #withoutOldRows(of: Table): Promise<Table> {
    const { table, condition, growth } = of;
    if (growth === undefined) return of;
    const last =
      growth.by === "times"
        ? `'${this.#began.before}'`
        : ((await findEnd(this.#copy.to, { table, condition, growth }, "last")) ?? undefined);
    const { erased } = tables[table] as { erased: object };
    const recent = [
      after(growth, last),
      ...(Object.keys(erased).length > 0 ? ["contact_id IS NOT NULL"] : []),
    ];
    return { ...of, condition: `${condition} AND (${recent.join(" OR ")})` };
  }

  /** Deletes the first rows, which this database has no more. Of several rows of one time, some may be left: they are out of date. */
  async #deleteFirst({ table, condition }: Table, growth: Growth): Promise<void> {
    const rows = { table, condition, growth };
    const gone = await deleteBefore(this.#copy.to, rows, await findEnd(this.#copy.from, rows, "first"));
    this.#there.set(table, (this.#there.get(table) ?? 0) - gone);
  }

  /** The condition for the rows that are equal in both databases. */
  async #comparable({ table, condition, growth }: Table): Promise<string> {
    if (growth?.by !== "times") return condition;
    const first = await findEnd(this.#copy.from, { table, condition, growth }, "first");
    return `${condition} AND ${after(growth, first ?? undefined)}`;
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
    const own = { table, columns, identities, key, condition: ownRows(businessId) };
    // The audit log is numbered anew.
    if (table === "audit_entry") return [{ ...own, identities: {}, add: addAuditEntries }];
    const known = tables[table];
    const growing =
      known?.owner !== "installation" && known?.grows_by ? { ...own, growth: known.grows_by } : own;
    if (table !== "idempotency_key") return [growing];
    return [growing, { ...own, condition: operatorsKeysOf(businessId), add: addKeysOfOperators }];
  });
}

function requireEqual(table: string, here: RowsDigest, there: RowsDigest): void {
  if (here.rows !== there.rows || here.digest !== there.digest) throw differ(table);
}

const differ = (table: string) =>
  new OperatorError(`The rows of the table ${table} differ after they were copied. Nothing was moved.`);
