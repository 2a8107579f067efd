/** Loads lines by COPY, with the indexes and foreign keys of large loads made after the rows. */
import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { TransactionSql } from "postgres";

const bufferCharacters = 256 * 1024;
const reportEveryMilliseconds = 5000;

/** Copies the lines into a table. */
export async function copy(
  tx: TransactionSql,
  table: string,
  columns: string,
  lines: Iterable<string>,
  report: (rows: number) => void,
): Promise<void> {
  const stream = await tx.unsafe(`COPY ${table} (${columns}) FROM STDIN`).writable();
  const done = finished(stream);
  let buffer = "";
  let rows = 0;
  let reportedAt = performance.now();
  for (const line of lines) {
    buffer += line;
    rows += 1;
    if (buffer.length < bufferCharacters) continue;
    const full = !stream.write(buffer);
    buffer = "";
    if (full) await Promise.race([once(stream, "drain"), done]);
    if (performance.now() - reportedAt > reportEveryMilliseconds) {
      reportedAt = performance.now();
      report(rows);
    }
  }
  stream.end(buffer);
  await done;
}

/**
 * Takes the foreign keys and the indexes that no constraint needs off some tables while `work` fills them.
 * @param say called before each one is made again
 */
export async function withoutIndexes(
  tx: TransactionSql,
  tables: readonly string[],
  work: () => Promise<void>,
  say: (line: string) => void,
): Promise<void> {
  const foreignKeys = await tx<{ table: string; name: string; definition: string }[]>`
    SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY (${tables as string[]}::regclass[])`;
  const indexes = await tx<{ name: string; definition: string }[]>`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid = ANY (${tables as string[]}::regclass[])
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`;
  for (const { table, name } of foreignKeys) await tx`ALTER TABLE ${tx(table)} DROP CONSTRAINT ${tx(name)}`;
  for (const { name } of indexes) await tx`DROP INDEX ${tx(name)}`;
  await work();
  for (const { name, definition } of indexes) {
    say(`making index ${name} …`);
    await tx.unsafe(definition);
  }
  for (const { table, name, definition } of foreignKeys) {
    say(`checking ${name} …`);
    await tx.unsafe(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  }
}
