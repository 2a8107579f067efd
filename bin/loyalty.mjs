#!/usr/bin/env node
/**
 * Runs the `loyalty` command. A copy of the repository, where nothing was built yet or not since the source
 * changed, is built first: so that it works after `npm ci`, and never runs what is no longer there to read.
 */
import "./node-version.mjs";
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const program = join(root, "dist/cli/main.js");
const bundler = join(root, "node_modules/esbuild");
const sources = ["src", "packages/sdk/src"].map((folder) => join(root, folder)).filter(existsSync);

if (!existsSync(program) || (canBuild() && isStale())) build();
const cache = compileCache();
// Node 22 and later: most of a short command's time is compiling what it loads.
if (cache !== undefined) module.enableCompileCache?.(cache);
await import(program);

/**
 * A directory for compiled code that only the owner of the installation may write, who may write the program as well.
 * Node's own choice is below the system's temporary directory, where any account could lay down code for root to run.
 * Other accounts go without: what they left here would be in the owner's way.
 */
function compileCache() {
  // Windows has a temporary directory for each account.
  const account = process.getuid?.();
  const directory = join(root, "dist/.compile-cache");
  try {
    if (account !== undefined && statSync(root).uid !== account) return undefined;
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    const found = lstatSync(directory);
    const guarded = account === undefined || (found.uid === account && (found.mode & 0o022) === 0);
    return guarded && found.isDirectory() ? directory : undefined;
  } catch {
    // It can't be written: the program works without.
    return undefined;
  }
}

/** Without its development dependencies, an installation is what it is. */
function canBuild() {
  return existsSync(bundler) && sources.length > 0;
}

function isStale() {
  const builtAt = statSync(program).mtimeMs;
  return sources.some((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).some(
      (file) => /(?<!\.test)\.ts$/.test(file) && statSync(join(folder, file)).mtimeMs > builtAt,
    ),
  );
}

function build() {
  if (!canBuild()) {
    process.stderr.write(
      "The service is not built, and can't be without its development dependencies: npm ci.\n",
    );
    process.exit(1);
  }
  if (process.stderr.isTTY) process.stderr.write("Building …\n");
  try {
    // As `npm run build` does, without what only the service needs. Standard output is for what the command prints.
    execFileSync(process.execPath, ["scripts/build.mjs", "--command"], {
      cwd: root,
      stdio: ["ignore", 2, 2],
    });
  } catch {
    process.stderr.write("The build failed: see above.\n");
    process.exit(1);
  }
}
