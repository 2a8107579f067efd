import type { MaybeRow, PendingQuery } from "postgres";
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
}

/**
 * A statement whose text is always the same, with `:name` for its parameters; in quotes, too, and in comments. For statements of many parameters that
 * are sent all the time: of a template, the driver would put the text together anew each time.
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
  send<Row extends MaybeRow>(
    tx: Connection,
    values: Readonly<Record<Name, string | number>>,
  ): PendingQuery<Row[]> {
    const parameters = this.#names.map((name) => values[name]);
    return tx.unsafe<Row[]>(this.#text, parameters, { prepare: true }).execute();
  }
}
