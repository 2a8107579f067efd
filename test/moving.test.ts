/** Moving between the embedded PostgreSQL and one's own, by the commands of docs/BACKUPS.md. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Database, openDatabase } from "../src/database/connection.ts";
import { useInstallation } from "./support/installation.ts";
import { startService } from "./support/service-process.ts";

type Environment = Record<string, string>;

const installation = useInstallation();
const database = `loyalty_${randomBytes(6).toString("hex")}`;
let directory = "";
let admin: Database;
let own: Environment;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-moving-"));
  const server = inject("server");
  const settings = { connections: 1, statementTimeoutMilliseconds: 30_000, applicationName: "loyalty tests" };
  admin = openDatabase(server, settings);
  await admin.query(`CREATE DATABASE ${database}`);
  own = {
    DATABASE_URL: `postgres:///${database}`,
    PGHOST: server.host,
    PGPORT: String(server.port),
    PGUSER: server.user,
    PGPASSWORD: server.password,
  };
});
afterAll(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await admin.end();
  await rm(directory, { recursive: true, force: true });
});

async function loyalty(words: readonly string[], environment: Environment): Promise<string> {
  const program = "dist/cli/main.js";
  const command = startService({
    directory: installation.directory,
    program,
    arguments: words,
    environment,
  });
  let out = "";
  command.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  expect([await command.ended(), words], command.said).toEqual([0, words]);
  return out;
}

/** Starts the service, verifies its ledger, and exports all entries with the balances after them. */
async function entriesOf(environment: Environment): Promise<string> {
  const service = startService({ directory: installation.directory, environment });
  try {
    const PORT = new URL(await service.ready()).port;
    await loyalty(["verify"], { ...environment, PORT });
    return await loyalty(["export", "transactions", "--business", "1"], { ...environment, PORT });
  } finally {
    await service.stop();
  }
}

it("keeps every entry and balance, there and back", async () => {
  const embedded = { LOYALTY_DATA_DIR: join(directory, "data") };
  const before = await entriesOf(embedded);
  expect(before.split("\n").length).toBeGreaterThan(100);

  const [there, back] = [join(directory, "there"), join(directory, "back")];
  const nowhere = { LOYALTY_DATA_DIR: join(directory, "nowhere") };
  await loyalty(["backup", there], embedded);
  await loyalty(["restore", there], { ...nowhere, ...own });
  const secrets = {
    LOYALTY_SECRET_FILE: join(there, "secret"),
    LOYALTY_OPERATOR_KEY_FILE: join(there, "operator.key"),
  };
  expect(await entriesOf({ ...nowhere, ...own, ...secrets })).toBe(before);

  await loyalty(["backup", back], { ...nowhere, ...own });
  const again = { LOYALTY_DATA_DIR: join(directory, "again") };
  await loyalty(["restore", back], again);
  expect(await entriesOf({ ...again, ...secrets })).toBe(before);
}, 180_000);
