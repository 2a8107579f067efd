/** Loads rows in large statements, with the indexes and foreign keys of large loads made after the rows. */
import type { Connection } from "../../src/database/connection.ts";
import { fragment, identifier, list, raw } from "../../src/database/sql.ts";

const rowsAtOnce = 5000;
const reportEveryMilliseconds = 5000;

/** Loads lines into a table: values between tabs, \\N for null. */
export async function load(
  tx: Connection,
  table: string,
  columns: string,
  lines: Iterable<string>,
  report: (rows: number) => void,
): Promise<void> {
  const names = columns.split(",").map((name) => name.trim());
  const types = await typesOf(tx, table);
  let values: (string | null)[][] = names.map(() => []);
  let rows = 0;
  let reportedAt = performance.now();
  const insert = async () => {
    const arrays = values.map((column, index) => {
      const type = raw(types.get(names[index] as string) as string);
      return fragment`unnest(${column}::text[])::${type}`;
    });
    await tx`INSERT INTO ${identifier(table)} (${list(names.map(identifier))}) SELECT ${list(arrays)}`;
    values = names.map(() => []);
  };
  for (const line of lines) {
    for (const [index, value] of line.trimEnd().split("\t").entries()) {
      values[index]?.push(value === "\\N" ? null : value);
    }
    rows += 1;
    if (rows % rowsAtOnce === 0) await insert();
    if (performance.now() - reportedAt > reportEveryMilliseconds) {
      reportedAt = performance.now();
      report(rows);
    }
  }
  await insert();
}

async function typesOf(tx: Connection, table: string): Promise<Map<string, string>> {
  const rows = await tx<{ name: string; type: string }[]>`
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type
    FROM pg_attribute WHERE attrelid = ${table}::regclass AND attnum > 0`;
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/**
 * Takes the foreign keys and the indexes that no constraint needs off some tables while `work` fills them.
 * @param say called before each one is made again
 */
export async function withoutIndexes(
  tx: Connection,
  tables: readonly string[],
  work: () => Promise<void>,
  say: (line: string) => void,
): Promise<void> {
  const foreignKeys = await tx<{ table: string; name: string; definition: string }[]>`
    SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY (${tables}::regclass[])`;
  const indexes = await tx<{ name: string; definition: string }[]>`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid = ANY (${tables}::regclass[])
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`;
  for (const { table, name } of foreignKeys)
    await tx`ALTER TABLE ${identifier(table)} DROP CONSTRAINT ${identifier(name)}`;
  for (const { name } of indexes) await tx`DROP INDEX ${identifier(name)}`;
  await work();
  for (const { name, definition } of indexes) {
    say(`making index ${name} …`);
    await tx.query(definition);
  }
  for (const { table, name, definition } of foreignKeys) {
    say(`checking ${name} …`);
    await tx.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  }
}
