#!/usr/bin/env node
/**
 * Makes one file of each entry point of typebox, beside what was built: Node finds dist/node_modules before
 * node_modules. Typebox comes as 700 files, whose loading took half of the time in which the service and the
 * `loyalty` command start. Without the bundle they work as well, only later.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const source = join(root, "node_modules/typebox");
const target = join(root, "dist/node_modules/typebox");
/** Those that the service imports. */
const entryPoints = [".", "./compile", "./error", "./format", "./system"];

const read = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const { name, version, license, exports } = read(source);
if (!existsSync(join(target, "package.json")) || read(target).version !== version) await bundle();

async function bundle() {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const fileOf = (entryPoint) => (entryPoint === "." ? "index" : entryPoint.slice(2));
  const sourceOf = (entryPoint) => join(source, exports[entryPoint].import);
  await build({
    entryPoints: entryPoints.map((entryPoint) => ({ in: sourceOf(entryPoint), out: fileOf(entryPoint) })),
    outdir: target,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
  });
  copyFileSync(join(source, "license"), join(target, "license"));
  const files = Object.fromEntries(entryPoints.map((each) => [each, `./${fileOf(each)}.js`]));
  // Last: what is half made is made again.
  const description = { name, version, license, type: "module", exports: files };
  writeFileSync(join(target, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
}
