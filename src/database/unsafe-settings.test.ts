import { expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { openDatabase } from "./connection.ts";
import { findUnsafeSettings } from "./unsafe-settings.ts";

const database = useDatabase();

it("tells of settings by which a crash takes what was acknowledged", async () => {
  const warningsWith = async (synchronous_commit: string) => {
    const sql = openDatabase(database.connection, {
      connections: 1,
      statementTimeoutMilliseconds: 10_000,
      applicationName: "lossy",
      serverSettings: { synchronous_commit },
    });
    const warnings = await findUnsafeSettings(sql);
    await sql.end();
    return warnings.filter((line) => line.includes("synchronous_commit"));
  };
  expect(await warningsWith("on")).toEqual([]);
  expect(await warningsWith("local")).toEqual([]);
  expect(await warningsWith("off")).toEqual([
    "Warning: synchronous_commit is off in this database: a crash of its machine may take what was acknowledged. " +
      "Set it to on.",
  ]);
});

it("tells of a language in which an address in capitals is another one", async () => {
  const name = `turkish_${process.pid}`;
  await database.sql.query(
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C' ENCODING 'UTF8'`,
  );
  const sql = openDatabase(
    { ...database.connection, database: name },
    { connections: 1, statementTimeoutMilliseconds: 10_000, applicationName: "turkish" },
  );
  const warnings = await findUnsafeSettings(sql);
  await sql.end();
  await database.sql.query(`DROP DATABASE ${name}`);
  expect(warnings.filter((line) => line.includes("small letter of I"))).toHaveLength(1);
  const here = await findUnsafeSettings(database.sql);
  expect(here.filter((line) => line.includes("small letter of I"))).toEqual([]);
});
