import type { MaybeRow, PendingQuery, RowList, UnsafeQueryOptions } from "postgres";
import type { Connection } from "./connection.ts";

/**
 * The parameters of a statement whose text is put together from parts. The driver's own fragments are taken apart
 * again for each call, and a value that several of them name is sent as often: of a statement with many parts, that
 * costs more than the database takes for it.
 */
export class Parameters {
  readonly values: (string | number)[] = [];

  /** @returns what stands for the value in the statement, as often as it is needed */
  add(value: string | number, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  /** Runs the statement that they were added to. */
  run<Row extends MaybeRow>(sql: Connection, text: string): PendingQuery<Row[]> {
    return sql.unsafe<Row[]>(text, this.values, { prepare: true });
  }
}

type Value = string | number | null;
/** Of the parameters of a statement. */
export type Values<Name extends string> = Readonly<Record<Name, Value>>;

/** What scripts/patch-postgres.mjs adds. */
interface MendedQueryOptions extends UnsafeQueryOptions {
  /** Parameters of each time that the statement is run. */
  sets?: Value[][];
}

/**
 * A statement whose text is always the same, with `:name` for its parameters; in quotes, too, and in comments. For
 * statements of many parameters that are sent all the time: of a template, the driver would put the text together anew
 * each time.
 */
export class FixedStatement<Name extends string> {
  readonly #text: string;
  readonly #names: Name[] = [];

  constructor(text: string) {
    this.#text = text.replace(/(?<![:\w]):([a-z_][a-z0-9_]*)/g, (_, found: string) => {
      const name = found as Name;
      if (!this.#names.includes(name)) this.#names.push(name);
      return `$${this.#names.indexOf(name) + 1}`;
    });
  }

  /** Sends the statement at once. */
  send<Row extends MaybeRow>(tx: Connection, values: Values<Name>): PendingQuery<Row[]> {
    return tx.unsafe<Row[]>(this.#text, this.#parameters(values), { prepare: true }).execute();
  }

  /**
   * Sends the statement at once, to be run several times in a row in one transaction, which is committed after the last:
   * one message, and one answer. The time that a connection may owe an answer is for all of them.
   * @param tx a connection that is in no transaction
   * @param sets at least one
   * @returns what each time returned
   * @throws when one of them failed: then all are rolled back
   */
  async sendAll<Row extends MaybeRow>(
    tx: Connection,
    sets: readonly Values<Name>[],
  ): Promise<readonly RowList<Row[]>[]> {
    const all = sets.map((values) => this.#parameters(values));
    const options: MendedQueryOptions = { prepare: true, sets: all };
    return (await tx.unsafe(this.#text, all[0], options).execute()) as unknown as RowList<Row[]>[];
  }

  #parameters(values: Values<Name>): Value[] {
    return this.#names.map((name) => values[name]);
  }
}
