#!/usr/bin/env node
/**
 * `npm run build`: the client with its types, the service and the `loyalty` command as one file each, and the documentation
 * that the service serves. Loaded from one file, the command starts in 0.22 s instead of 0.36 s. `npm run check` checks the
 * types.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundle } from "./bundle.mjs";

const root = join(import.meta.dirname, "..");
execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--build", "packages/sdk"], {
  cwd: root,
  stdio: ["ignore", 2, 2],
});
await bundle({ main: "src/main.ts", "cli/main": "src/cli/main.ts" }, "dist");
await bundle({ site: "tools/docs/site.ts" }, "dist/generate");
const { siteFiles } = await import("../dist/generate/site.js");
const [site, unfinished] = [join(root, "dist/site"), join(root, `dist/site.${process.pid}`)];
for (const [path, content] of siteFiles()) {
  const file = join(unfinished, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
rmSync(site, { recursive: true, force: true });
renameSync(unfinished, site);
