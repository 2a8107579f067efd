import type { Database } from "./connection.ts";

/** What a crash may destroy when the setting is off. */
const lossy: Readonly<Record<string, string>> = {
  fsync: "may ruin the database",
  full_page_writes: "may ruin the database",
  synchronous_commit: "may take what was acknowledged",
};

/**
 * Checks whether the settings of the database let a crash destroy what was acknowledged, and whether its
 * locale compares `INFO@…` and `info@…` as equal, which a Turkish one does not.
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
