#!/usr/bin/env node
/**
 * `npm run generate`: writes every generated file. With --check it writes none, and fails with the names of
 * those that are not what it would write. It runs on the compiled service, which it builds first.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const help = `Usage: npm run generate [-- --check]

Writes schema.sql, docs/api, the generated parts of docs/guides and packages/sdk/src/generated.

  --check   write nothing; fail with the names of stale files
`;

/** @param {string} path of a compiled module, below dist */
const compiled = (path) => import(join(root, "dist", path));

/** @param {string} path */
function contentOf(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
}

/**
 * Every generated file: its path and what it should hold.
 * @returns {Promise<[path: string, content: string][]>}
 */
async function generate() {
  const { apiFiles } = await compiled("documents/files.js");
  const { guideFiles } = await compiled("documents/guide-tables.js");
  const { dumpSchema } = await import("./schema-dump.mjs");
  const { sdkFiles } = await import("./generate-sdk.mjs");
  return [
    ...apiFiles(),
    ...guideFiles((/** @type {string} */ path) => contentOf(path)),
    ...(await sdkFiles(compiled)),
    ["schema.sql", await dumpSchema(compiled)],
  ];
}

async function main() {
  const { values } = parseArgs({ options: { check: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  execFileSync(join(root, "node_modules/.bin/tsc"), ["--build", "tsconfig.build.json"], {
    cwd: root,
    stdio: "inherit",
  });
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
