/** The role that docs/POSTGRESQL.md gives the service: neither a superuser nor the owner of the database. */
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { requireTemporaryTables } from "../../src/backup/copy.ts";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { useInstallation } from "../support/installation.ts";
import { startService } from "../support/service-process.ts";
import { testSecret } from "../support/world.ts";

const installation = useInstallation();
const role = `loyalty_${randomBytes(6).toString("hex")}`;
const page = new URL("../../docs/POSTGRESQL.md", import.meta.url);
let directory = "";
let admin: Database;

const open = (database: string) =>
  openDatabase(
    { ...inject("server"), database },
    { connections: 1, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" },
  );

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-role-"));
  admin = open(inject("server").database);
  // The page's own statements, with another name.
  const [, script = ""] = /^```sql\n(CREATE ROLE.*?)^```/ms.exec(await readFile(page, "utf8")) ?? [];
  const [before = "", after = ""] = script.replaceAll(/\bloyalty\b/g, role).split(`\\connect ${role}\n`);
  await runAll(admin, before);
  const inside = open(role);
  await runAll(inside, after);
  await inside.end();
});
afterAll(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${role} WITH (FORCE)`);
  await admin.query(`DROP ROLE IF EXISTS ${role}`);
  await admin.end();
  await rm(directory, { recursive: true, force: true });
});

async function runAll(sql: Database, script: string): Promise<void> {
  for (const statement of script.split(";\n")) if (statement.trim() !== "") await sql.query(statement);
}

it("is enough to create the schema, to serve and to verify", async () => {
  const { host, port } = inject("server");
  const service = startService({
    directory: installation.directory,
    arguments: ["--demo"],
    environment: {
      LOYALTY_SECRET: testSecret,
      LOYALTY_DATA_DIR: directory,
      DATABASE_URL: `postgres:///${role}`,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: role,
      PGPASSWORD: "a-long-password",
    },
  });
  try {
    const baseUrl = await service.ready();
    const key = (await readFile(join(directory, "operator.key"), "utf8")).trim();
    const response = await fetch(`${baseUrl}/op/ledger/verify`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ business_id: 1, part: "entries" }),
    });
    expect(response.status).toBe(200);
  } finally {
    expect(await service.stop()).toBe(0);
  }
  const inside = open(role);
  const rows = await inside.query<{ attribute: boolean }[]>(
    `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication AS attribute FROM pg_roles WHERE rolname = '${role}'`,
  );
  await inside.end();
  expect(rows).toEqual([{ attribute: false }]);
});

it("is enough to import and to move a business, and the command says so when it is not", async () => {
  const asRole = openDatabase(
    { ...inject("server"), database: role, user: role, password: "a-long-password" },
    { connections: 1, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" },
  );
  await asRole.begin(requireTemporaryTables);
  await admin.query(`REVOKE TEMPORARY ON DATABASE ${role} FROM ${role}`);
  await expect(asRole.begin(requireTemporaryTables)).rejects.toThrow(
    `The role ${role} may not make temporary tables in the database ${role}. As an administrator, run: ` +
      `GRANT TEMPORARY ON DATABASE "${role}" TO "${role}"`,
  );
  await asRole.end();
});
