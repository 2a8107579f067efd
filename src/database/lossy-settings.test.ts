import { expect, it } from "vitest";
import { useDatabase } from "../../test/support/database.ts";
import { openDatabase } from "./connection.ts";
import { findLossySettings } from "./lossy-settings.ts";

const database = useDatabase();

it("tells of settings by which a crash takes what was acknowledged", async () => {
  const warningsWith = async (synchronous_commit: string) => {
    const sql = openDatabase(database.connection, {
      connections: 1,
      statementTimeoutMilliseconds: 10_000,
      applicationName: "lossy",
      serverSettings: { synchronous_commit },
    });
    const warnings = await findLossySettings(sql);
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
