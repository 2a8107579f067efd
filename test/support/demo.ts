/** The demo business in a database of one's own. To make it takes seconds, so that it is made once for all test files. */
import { existsSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import type { DemoFile } from "../../src/data-directory.ts";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { provideDemo } from "../../src/demo/demo.ts";
import { demoTemplate, type TestDatabase, templateDatabase, useDatabase } from "./database.ts";

const open = (database = inject("server").database) =>
  openDatabase(
    { ...inject("server"), database },
    { connections: 1, statementTimeoutMilliseconds: 60_000, applicationName: "loyalty tests" },
  );
/** Only it has the secret of the business. */
const file = () => join(inject("installations"), "demo.json");
const lock = 4_711;

/** Makes the template, unless another test file has made it. @returns its name */
async function makeTemplate(): Promise<string> {
  const admin = open();
  try {
    await admin`SELECT pg_advisory_lock(${lock})`;
    const [known] = await admin`SELECT FROM pg_database WHERE datname = ${demoTemplate}`;
    if (known !== undefined && existsSync(file())) return demoTemplate;
    await admin.query(`DROP DATABASE IF EXISTS ${demoTemplate} WITH (FORCE)`);
    // It gets its name when it is complete.
    const draft = `${demoTemplate}_draft`;
    await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${draft} TEMPLATE ${templateDatabase} STRATEGY FILE_COPY`);
    const sql = open(draft);
    await provideDemo(sql, { dataDirectory: inject("installations"), baseUrl: "http://127.0.0.1" });
    await sql.end();
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${demoTemplate}`);
    return demoTemplate;
  } finally {
    await admin.end();
  }
}

/** Like useDatabase, with the demo business. */
export const useDemoDatabase = (): TestDatabase => useDatabase(makeTemplate);

/** Puts the file of the demo business into a folder, as the start of a service at a URL does. */
export async function demoIn(sql: Database, dataDirectory: string, baseUrl: string): Promise<DemoFile> {
  await copyFile(file(), join(dataDirectory, "demo.json"));
  const outcome = await provideDemo(sql, { dataDirectory, baseUrl });
  if (outcome.status === "absent") throw new Error("The database has another business.");
  return outcome.demo;
}
