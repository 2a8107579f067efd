/**
 * Compiles the package when it is packed, or installed from its folder. Where there is no compiler, what was compiled
 * before will do; and the repository itself can be installed without one, to run what was built elsewhere.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = import.meta.dirname;
const repository = join(folder, "../..");
const compiler = pathOf("typescript/package.json")?.replace(/package\.json$/, "bin/tsc");

if (compiler !== undefined) {
  execFileSync(process.execPath, [compiler, "--build", folder], { stdio: "inherit" });
} else if (!existsSync(join(folder, "dist/index.js")) && process.env.npm_config_local_prefix !== repository) {
  process.stderr.write(
    `loyalty-sdk is not compiled yet, and there is no compiler: run npm ci in ${repository} first.\n`,
  );
  process.exitCode = 1;
}

/** @param {string} file of a package */
function pathOf(file) {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return undefined;
  }
}
