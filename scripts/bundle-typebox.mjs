#!/usr/bin/env node
/**
 * Makes one file of each entry point of typebox, beside what was built: Node finds dist/node_modules before
 * node_modules. Typebox comes as 700 files, whose loading took half of the time in which the service and the
 * `loyalty` command start. Without the bundle they work as well, only later.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const source = join(root, "node_modules/typebox");
const target = join(root, "dist/node_modules/typebox");
/** Those that the service imports. */
const entryPoints = [".", "./compile", "./error", "./format", "./system"];

const fileOf = (entryPoint) => (entryPoint === "." ? "index" : entryPoint.slice(2));
const read = (folder) => readFileSync(join(folder, "package.json"), "utf8");

const { name, version, license, exports } = JSON.parse(read(source));
const files = Object.fromEntries(entryPoints.map((each) => [each, `./${fileOf(each)}.js`]));
const description = `${JSON.stringify({ name, version, license, type: "module", exports: files }, null, 2)}\n`;
if (!existsSync(join(target, "package.json")) || read(target) !== description) await bundle();

async function bundle() {
  // Whole or not at all: a half would keep Node from the original.
  const unfinished = `${target}.${process.pid}`;
  await build({
    entryPoints: entryPoints.map((each) => ({ in: join(source, exports[each].import), out: fileOf(each) })),
    outdir: unfinished,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
  });
  copyFileSync(join(source, "license"), join(unfinished, "license"));
  writeFileSync(join(unfinished, "package.json"), description);
  rmSync(target, { recursive: true, force: true });
  renameSync(unfinished, target);
}
