import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { type ConnectionSettings, openDatabase } from "../../src/database/connection.ts";
import { migrate } from "../../src/database/migrate.ts";
import { startEmbeddedDatabase } from "../../src/postgres/embedded.ts";
import { demoTemplate, templateDatabase } from "./database.ts";
import { keepFilesInMemory } from "./memory-files.ts";

declare module "vitest" {
  interface ProvidedContext {
    server: ConnectionSettings;
    /** Where the run's installation is built, if a test wants one. */
    installations: string;
  }
}

const repository = join(import.meta.dirname, "../..");
const pool = { connections: 1, statementTimeoutMilliseconds: 60_000, applicationName: "loyalty tests" };

/**
 * One PostgreSQL for the whole run: the server of TEST_DATABASE_URL, or an embedded one in a temporary
 * directory. On it a migrated template, of which every test file gets a clone of its own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removeFiles = await keepFilesInMemory();
  if (needsBuild()) await promisify(execFile)(process.execPath, [join(repository, "scripts/build.mjs")]);
  const url = process.env.TEST_DATABASE_URL;
  const { server, stop } =
    url === undefined ? await startPrivateServer() : { server: settingsOf(url), stop: async () => {} };
  const admin = openDatabase(server, pool);
  const dropTemplates = async () => {
    for (const name of [templateDatabase, demoTemplate]) await admin.query(`DROP DATABASE IF EXISTS ${name}`);
  };
  await dropTemplates();
  await admin.query(`CREATE DATABASE ${templateDatabase}`);
  const template = openDatabase({ ...server, database: templateDatabase }, pool);
  await migrate(template);
  await template.end();
  project.provide("server", server);
  const installations = await mkdtemp(join(tmpdir(), "loyalty-installations-"));
  await chmod(installations, 0o755);
  project.provide("installations", installations);
  // In watch mode the source has changed: it is built anew.
  project.onTestsRerun(async () => {
    for (const name of await readdir(installations)) await rm(join(installations, name), { recursive: true });
  });
  return async () => {
    await rm(installations, { recursive: true, force: true });
    await dropTemplates();
    await admin.end();
    await stop();
    await removeFiles();
  };
}

/** Tests that start what the build made, or read its pages. */
const ofBuiltFiles =
  /dist\/|\/docs\b|\/console|openapi\.json|support\/(?:chromium|cli|console|installation|service-process)\.ts/;

/** A build takes 13 s, and 30 s if the pages have changed. A run of a few files, such as while a rule is written, often needs none. */
function needsBuild(): boolean {
  if (!isStale()) return false;
  const filters = process.argv.slice(2).filter((word) => !/^(?:run$|-)/.test(word));
  const hasPages = ["site", "console"].every((folder) => existsSync(join(repository, "dist", folder)));
  if (filters.length === 0 || !hasPages) return true;
  return tested
    .flatMap(pathsIn)
    .filter((path) => path.endsWith(".test.ts") && filters.some((filter) => path.includes(filter)))
    .some((path) => ofBuiltFiles.test(readFileSync(join(repository, path), "utf8")));
}

const tested = ["src", "test", "tools", "packages"];

/** The files and folders in a file or folder of the repository, without what programs wrote. */
function pathsIn(path: string): string[] {
  if (!statSync(join(repository, path)).isDirectory()) return [path];
  const names = readdirSync(join(repository, path), { recursive: true, encoding: "utf8" });
  const paths = names.map((name) => `${path}/${name.replaceAll("\\", "/")}`);
  return [path, ...paths.filter((name) => !/\/(?:node_modules|dist)(?:\/|$)/.test(name))];
}

/** Whether anything but tests has changed since the last build, or was added or removed. */
function isStale(): boolean {
  const last = join(repository, "dist/pages.digest");
  if (!existsSync(last)) return true;
  const builtAt = statSync(last).mtimeMs;
  const sources = ["src", "tools", "packages", "scripts", "bin", "docs", "examples", "migrations", "demo"];
  const files = ["package-lock.json", "CHANGELOG.md", "README.md", "SECURITY.md"];
  return [...sources, ...files]
    .flatMap(pathsIn)
    .filter((path) => !path.endsWith(".test.ts"))
    .some((path) => statSync(join(repository, path)).mtimeMs > builtAt);
}

async function startPrivateServer() {
  const dataDirectory = await mkdtemp(join(tmpdir(), "loyalty-test-"));
  // The suite's databases live as long as the suite: durability is for the tests that start a server of their own.
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: "200",
  };
  const embedded = await startEmbeddedDatabase({ dataDirectory, settings });
  return {
    server: embedded.connection,
    stop: async () => {
      await embedded.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

function settingsOf(url: string): ConnectionSettings {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get("host") ?? decodeURIComponent(hostname),
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1) || "postgres",
  };
}
