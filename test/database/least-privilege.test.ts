/** The role that docs/POSTGRESQL.md gives the service: neither a superuser nor the owner of the database. */
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Place, requireTemporaryTables } from "../../src/backup/copy.ts";
import { importBusiness } from "../../src/backup/import-business.ts";
import { makeBackup } from "../../src/backup/make.ts";
import { moveBusiness } from "../../src/backup/move-business.ts";
import { deriveKeys } from "../../src/credentials/keys.ts";
import { prepareInstallation } from "../../src/database/cell.ts";
import { type Database, openDatabase } from "../../src/database/connection.ts";
import { migrate } from "../../src/database/migrate.ts";
import { useInstallation } from "../support/installation.ts";
import { placeOf } from "../support/places.ts";
import { startService } from "../support/service-process.ts";
import { testSecret } from "../support/world.ts";

const installation = useInstallation();
const role = `loyalty_${randomBytes(6).toString("hex")}`;
/** Of another cell. */
const other = `${role}_other`;
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
  for (const name of [role, other]) {
    const [before = "", after = ""] = script.replaceAll(/\bloyalty\b/g, name).split(`\\connect ${name}\n`);
    await runAll(admin, before);
    const inside = open(name);
    await runAll(inside, after);
    await inside.end();
  }
});
afterAll(async () => {
  for (const name of [role, other]) {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.query(`DROP ROLE IF EXISTS ${name}`);
  }
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

const connectionOf = (name: string) => ({
  ...inject("server"),
  database: name,
  user: name,
  password: "a-long-password",
});
const openAs = (name: string) =>
  openDatabase(connectionOf(name), {
    connections: 1,
    statementTimeoutMilliseconds: 30_000,
    applicationName: "loyalty tests",
  });

it("is enough to export, to move and to import a business", async () => {
  const sql = openAs(other);
  await migrate(sql);
  await prepareInstallation(sql, 2, deriveKeys(testSecret).check);
  await sql.end();
  const progress = {
    onProgress: () => undefined,
    onRows: () => undefined,
    signal: new AbortController().signal,
  };
  const [from, to] = [role, other].map((name) => placeOf({ connection: connectionOf(name) })) as [
    Place,
    Place,
  ];
  const source = join(directory, "exported");
  await makeBackup({ ...progress, ...from, productVersion: "1.0.0", target: source, businessId: 1 });
  const nothing = async () => undefined;
  const { moved } = await moveBusiness({
    ...{ ...progress, businessId: 1, from, to, checkRoutes: nothing, route: nothing, writeRoutes: nothing },
    waits: {
      cachesMilliseconds: 0,
      readsMilliseconds: 0,
      locksMilliseconds: 5000,
      pauseMilliseconds: 30_000,
    },
  });
  expect(moved?.members).toBeGreaterThan(0);
  const { businessId } = await importBusiness({ ...progress, ...from, source });
  const here = openAs(role);
  const [found] = await here`SELECT count(*) AS members FROM member WHERE business_id = ${businessId}`;
  await here.end();
  expect(found).toEqual({ members: moved?.members });
});

it("says which tables of a moved business another role owns, before anything is copied", async () => {
  const inside = open(other);
  const [schema] = await inside.query<{ name: string }[]>(
    "SELECT schemaname AS name FROM pg_tables WHERE tablename = 'ledger'",
  );
  await inside.query(`CREATE TABLE ${schema?.name}.of_another_role ()`);
  const nothing = async () => undefined;
  const progress = {
    onProgress: () => undefined,
    onRows: () => undefined,
    signal: new AbortController().signal,
  };
  const [to, from] = [role, other].map((name) => placeOf({ connection: connectionOf(name) })) as [
    Place,
    Place,
  ];
  const move = moveBusiness({
    ...{ ...progress, businessId: 1, from, to, checkRoutes: nothing, route: nothing, writeRoutes: nothing },
  });
  await expect(move).rejects.toThrow("In the database of the old place, 1 tables belong to another role.");
  await inside.query(`DROP TABLE ${schema?.name}.of_another_role`);
  await inside.end();
});

it("says which right is missing to import and to move a business", async () => {
  const asRole = openAs(role);
  await asRole.begin(requireTemporaryTables);
  await admin.query(`REVOKE TEMPORARY ON DATABASE ${role} FROM ${role}`);
  await expect(asRole.begin(requireTemporaryTables)).rejects.toThrow(
    `The role ${role} may not make temporary tables in the database ${role}. As an administrator, run: ` +
      `GRANT TEMPORARY ON DATABASE "${role}" TO "${role}"`,
  );
  await asRole.end();
});
