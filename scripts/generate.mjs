#!/usr/bin/env node
/**
 * `npm run generate`: writes every generated file. With --check it writes none, and fails with the names of
 * those that are not what it would write. They come from the declarations in src, and from a service that it starts.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.mjs";

const root = join(import.meta.dirname, "..");
const help = `Usage: npm run generate [-- --check]

Writes schema.sql, docs/api, the generated parts of docs/guides, and packages/*/src/generated.

  --check   write nothing; fail with the names of stale files
`;

/** The modules that say what the files hold, by the names under which they are built. */
const modules = {
  openapi: "tools/docs/openapi.ts",
  play: "tools/docs/play.ts",
  examples: "tools/docs/examples.ts",
  guides: "tools/docs/guide-tables.ts",
  operations: "src/operations/operations.ts",
  operation: "src/contract/operation.ts",
  errors: "src/contract/errors.ts",
  events: "src/operations/events/event-data.ts",
  fields: "src/contract/fields.ts",
  embedded: "src/postgres/embedded.ts",
  connection: "src/database/connection.ts",
  migrate: "src/database/migrate.ts",
};

/** @param {keyof typeof modules} name */
const compiled = (name) => import(join(root, "dist/generate", `${name}.js`));

/** @param {string} path */
function contentOf(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
}

/** @typedef {[path: string, content: string]} File a generated file: its path and what it should hold */

/**
 * The files that come from a running database and service. The examples are part of other files.
 * @returns {Promise<File[]>}
 */
async function recordedFiles() {
  const { startEmbeddedDatabase } = await compiled("embedded");
  const { playStory } = await compiled("play");
  const { examplesFile } = await compiled("examples");
  const { dumpSchema } = await import("./schema-dump.mjs");
  const dataDirectory = await mkdtemp(join(tmpdir(), "loyalty-generate-"));
  // The service does not start without its pages, and some can't be built without the examples.
  for (const path of ["dist/site/docs/404.html", "dist/console/index.en.html", "dist/console/assets/empty"]) {
    if (!existsSync(join(root, path))) write(path, "");
  }
  try {
    // The data is thrown away at once: nothing has to survive a crash.
    const { connection, stop } = await startEmbeddedDatabase({ dataDirectory, settings: { fsync: "off" } });
    try {
      return [
        ["schema.sql", await dumpSchema(compiled, connection)],
        [examplesFile, asFile(await playStory(connection))],
      ];
    } finally {
      await stop();
    }
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

/**
 * The files that come from the declarations and from the examples.
 * @returns {Promise<File[]>}
 */
async function derivedFiles() {
  const { guideFiles } = await compiled("guides");
  const { sdkFiles } = await import("./generate-sdk.mjs");
  const { consoleFiles } = await import("./generate-console.mjs");
  return [
    ...(await apiFiles()),
    ...guideFiles((/** @type {string} */ path) => contentOf(path)),
    ...(await sdkFiles(compiled)),
    ...(await consoleFiles(compiled)),
  ];
}

/**
 * The documents in docs/api, for a service that lies where it does unless it is configured otherwise.
 * @returns {Promise<File[]>}
 */
async function apiFiles() {
  const { openApiDocument } = await compiled("openapi");
  const documents = {
    "openapi.json": openApiDocument("partner", "/api"),
    "operator-openapi.json": openApiDocument("operator", "/api"),
  };
  return Object.entries(documents).map(([name, document]) => [`docs/api/${name}`, asFile(document)]);
}

/** @param {unknown} document */
function asFile(document) {
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function main() {
  const { values } = parseArgs({ options: { check: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  await bundle(modules, "dist/generate");
  const stale = [];
  for (const files of [recordedFiles, derivedFiles]) {
    for (const [path, content] of await files()) {
      if (contentOf(path) === content) continue;
      stale.push(path);
      if (!values.check) write(path, content);
    }
  }
  if (!values.check) {
    console.log(stale.length === 0 ? "All generated files are fresh." : `Wrote ${stale.join(", ")}.`);
  } else if (stale.length > 0) {
    console.error(`Stale: ${stale.join(", ")}. Run npm run generate and commit them.`);
    process.exitCode = 1;
  }
}

/**
 * @param {string} path
 * @param {string} content
 */
function write(path, content) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

await main();
