#!/usr/bin/env node
/** `npm run docs`: writes the documentation into a folder, to read it without the service. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildFolder } from "./build-site.mjs";
import { bundle } from "./bundle.mjs";

const help = `Usage: npm run docs [-- --directory DIRECTORY]

Writes the documentation into a folder. Any web server can serve it at the root of a host, also without a network:

  python3 -m http.server --directory release/docs

  --directory DIRECTORY    the folder, which must not exist; by default release/docs
`;
const { values } = parseArgs({ options: { directory: { type: "string" }, help: { type: "boolean" } } });
const directory = resolve(values.directory ?? join(import.meta.dirname, "../release/docs"));
if (values.help || existsSync(directory)) {
  process.stderr.write(
    values.help ? help : `${directory} exists. Delete it, or choose another with --directory.\n`,
  );
  process.exit(values.help ? 0 : 2);
}
await bundle({ site: "tools/docs/site.ts" }, "dist/generate");
const { otherFiles, pageSources } = await import("../dist/generate/site.js");
buildFolder(pageSources(), otherFiles(), directory);
process.stdout.write(`${directory}\n`);
