import type { Database } from "./connection.ts";

/** What each of them, when it is off, lets a crash take. */
const lossy: Readonly<Record<string, string>> = {
  fsync: "may ruin the database",
  full_page_writes: "may ruin the database",
  synchronous_commit: "may take what was acknowledged",
};

/**
 * Looks whether the database keeps what it acknowledges, as far as its settings tell, and whether it takes `INFO@…` and
 * `info@…` for one e-mail address, which it doesn't in Turkish.
 * @returns a line for the operator for each thing that is not as it should be
 */
export async function findUnsafeSettings(sql: Database): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT name FROM pg_settings WHERE name = ANY (${Object.keys(lossy)}::text[]) AND setting = 'off' ORDER BY name`;
  const warnings = rows.map(
    ({ name }) =>
      `Warning: ${name} is off in this database: a crash of its machine ${lossy[name]}. Set it to on.`,
  );
  const [letter] = await sql<{ small: string }[]>`SELECT lower('I') AS small`;
  if (letter?.small !== "i") {
    warnings.push(
      "Warning: in the language of this database the small letter of I is not i, so that e-mail addresses that differ in " +
        "case only can be two members'. Use one with the locale C.UTF-8.",
    );
  }
  return warnings;
}
