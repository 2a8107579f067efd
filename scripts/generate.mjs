#!/usr/bin/env node
/**
 * `npm run generate`: writes every generated file. With --check it writes none, and fails with the names of
 * those that are not what it would write. They come from the declarations in src.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.mjs";

const root = join(import.meta.dirname, "..");
const help = `Usage: npm run generate [-- --check]

Writes schema.sql, docs/api, the generated parts of docs/guides and packages/sdk/src/generated.

  --check   write nothing; fail with the names of stale files
`;

/** The modules that say what the files hold, by the names under which they are built. */
const modules = {
  openapi: "tools/docs/openapi.ts",
  postman: "tools/docs/postman.ts",
  guides: "tools/docs/guide-tables.ts",
  partner: "src/operations/partner.ts",
  operator: "src/operations/operator.ts",
  operation: "src/contract/operation.ts",
  errors: "src/contract/errors.ts",
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

/**
 * Every generated file: its path and what it should hold.
 * @returns {Promise<[path: string, content: string][]>}
 */
async function generate() {
  const { guideFiles } = await compiled("guides");
  const { dumpSchema } = await import("./schema-dump.mjs");
  const { sdkFiles } = await import("./generate-sdk.mjs");
  return [
    ...(await apiFiles()),
    ...guideFiles((/** @type {string} */ path) => contentOf(path)),
    ...(await sdkFiles(compiled)),
    ["schema.sql", await dumpSchema(compiled)],
  ];
}

/**
 * The documents in docs/api, for a service that lies where it does unless it is configured otherwise.
 * @returns {Promise<[path: string, content: string][]>}
 */
async function apiFiles() {
  const { openApiDocument } = await compiled("openapi");
  const { postmanCollection, postmanEnvironment } = await compiled("postman");
  const documents = {
    "openapi.json": openApiDocument("partner", "/api"),
    "operator-openapi.json": openApiDocument("operator", "/api"),
    "loyalty.postman_collection.json": postmanCollection(),
    "loyalty.postman_environment.json": postmanEnvironment("http://127.0.0.1:8080/api"),
  };
  return Object.entries(documents).map(([name, document]) => [
    `docs/api/${name}`,
    `${JSON.stringify(document, null, 2)}\n`,
  ]);
}

async function main() {
  const { values } = parseArgs({ options: { check: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  await bundle(modules, "dist/generate");
  const stale = (await generate()).filter(([path, content]) => contentOf(path) !== content);
  if (values.check) {
    if (stale.length === 0) return;
    console.error(`Stale: ${stale.map(([path]) => path).join(", ")}. Run npm run generate and commit them.`);
    process.exitCode = 1;
    return;
  }
  for (const [path, content] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    console.log(`Wrote ${path}`);
  }
  if (stale.length === 0) console.log("Nothing to write: all generated files are fresh.");
}

await main();
