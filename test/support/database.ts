import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, inject } from "vitest";
import { type ConnectionSettings, type Database, openDatabase } from "../../src/database/connection.ts";
import {
  serviceConnectionName as applicationName,
  type DatabasePools,
  endPools,
  openPools,
} from "../../src/database/pools.ts";

export const templateDatabase = "loyalty_template";
/** The same with the demo business, if a test has made it. */
export const demoTemplate = `${templateDatabase}_demo`;

export interface TestDatabase extends DatabasePools {
  readonly connection: ConnectionSettings;
}

/**
 * Connections as the service has them for postings. But a transaction in which nothing happens for two seconds goes on: a machine
 * with too much to do may stop a test in the middle of a group.
 */
function openPatientPostings(connection: ConnectionSettings): Database {
  const serverSettings = { lock_timeout: "250ms" };
  return openDatabase(connection, {
    connections: 2,
    statementTimeoutMilliseconds: 30_000,
    applicationName,
    serverSettings,
  });
}

/**
 * A clone of a template for the calling test file, made before its tests and dropped after.
 * @param makeTemplate returns the name of another template
 */
export function useDatabase(makeTemplate = async () => templateDatabase): TestDatabase {
  let sql: Database | undefined;
  let pools: DatabasePools | undefined;
  let connection: ConnectionSettings | undefined;
  const open = (database: string, connections: number) =>
    openDatabase(
      { ...inject("server"), database },
      { connections, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" },
    );

  beforeAll(async () => {
    const name = `loyalty_${randomBytes(6).toString("hex")}`;
    const template = await makeTemplate();
    const admin = open(inject("server").database, 1);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
    await admin.end();
    connection = { ...inject("server"), database: name };
    sql = open(name, 16);
    pools = { ...openPools(connection, 8), postings: openPatientPostings(connection) };
  });
  afterAll(async () => {
    await sql?.end();
    if (pools !== undefined) await endPools(pools);
    const admin = open(inject("server").database, 1);
    await admin.query(`DROP DATABASE IF EXISTS ${connection?.database} WITH (FORCE)`);
    await admin.end();
  });
  return {
    get sql() {
      return sql as Database;
    },
    get lookUps() {
      return pools?.lookUps as Database;
    },
    get postings() {
      return pools?.postings as Database;
    },
    get longRunning() {
      return pools?.longRunning as Database;
    },
    get connection() {
      return connection as ConnectionSettings;
    },
  };
}
