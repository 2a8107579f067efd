/** The personal values that requests and tables have, to look for where none may be. */
import type { Connection } from "../../src/database/connection.ts";
import { personalNames } from "../../src/database/personal.ts";
import { nameInSql } from "../../src/database/sql.ts";
import { memberTables } from "../../src/database/tables.ts";

/** Shorter ones stand in other texts by chance. */
const isDistinct = (value: unknown): value is string => typeof value === "string" && value.length >= 4;

/** The values of all personal fields in a body, also inside. */
export function personalValuesIn(body: unknown): string[] {
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    personalNames.has(name) && isDistinct(value) ? [value] : personalValuesIn(value),
  );
}

/** The values of all personal columns. */
export async function storedPersonalValues(sql: Connection): Promise<string[]> {
  const columns = memberTables.flatMap(({ name, erased }) =>
    Object.keys(erased).map((column) => ({ table: name, column })),
  );
  const found = await Promise.all(
    columns.map(
      ({ table, column }) => sql<{ value: unknown }[]>`
        SELECT DISTINCT ${nameInSql(column)}::text AS value FROM ${nameInSql(table)}`,
    ),
  );
  return found.flat().flatMap(({ value }) => (isDistinct(value) ? [value] : []));
}

/** The tables in which a text stands anywhere. */
export async function tablesWith(sql: Connection, text: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`;
  const found = await Promise.all(
    tables.map(({ name }) => {
      const table = nameInSql(name);
      return sql<{ found: boolean }[]>`
        SELECT EXISTS (SELECT FROM ${table} AS t WHERE position(${text} IN t::text) > 0) AS found`;
    }),
  );
  return tables.map(({ name }) => name).filter((_, index) => found[index]?.[0]?.found);
}
