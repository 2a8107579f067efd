#!/usr/bin/env node
/** Builds the client: its modules with their types, and the same modules for programs that load them with require. */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const output = join(root, "packages/sdk/dist");
const common = join(output, "cjs");

// The compiler must not take the copies of types for its own.
rmSync(common, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--build", "packages/sdk"], {
  cwd: root,
  stdio: ["ignore", 2, 2],
});
// Types are read as those of a CommonJS module if the nearest package.json says so. Modules are not bundled, so that both entries
// of the package have the same classes of errors.
const modules = readdirSync(output, { recursive: true, encoding: "utf8" });
for (const path of modules.filter((path) => path.endsWith(".d.ts"))) {
  cpSync(join(output, path), join(common, path));
}
await build({
  entryPoints: modules.filter((path) => path.endsWith(".js")).map((path) => join(output, path)),
  outdir: common,
  format: "cjs",
  platform: "neutral",
  target: "node20",
});
writeFileSync(join(common, "package.json"), '{ "type": "commonjs" }\n');
