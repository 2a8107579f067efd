import type { Database } from "./connection.ts";

/** What each of them, when it is off, lets a crash take. */
const lossy: Readonly<Record<string, string>> = {
  fsync: "may ruin the database",
  full_page_writes: "may ruin the database",
  synchronous_commit: "may take what was acknowledged",
};

/**
 * Looks whether the database keeps what it acknowledges, as far as its settings tell.
 * @returns a line for the operator for each that is off
 */
export async function findLossySettings(sql: Database): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT name FROM pg_settings WHERE name = ANY (${Object.keys(lossy)}::text[]) AND setting = 'off' ORDER BY name`;
  return rows.map(
    ({ name }) =>
      `Warning: ${name} is off in this database: a crash of its machine ${lossy[name]}. Set it to on.`,
  );
}
