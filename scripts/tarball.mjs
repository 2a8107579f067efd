#!/usr/bin/env node
/** Makes an installation of the service that needs only Node: the built files, and the packages that they load. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { included, joined } from "./bundle.mjs";

const help = `Usage: npm run tarball [-- --directory DIRECTORY]

Makes release/loyalty-VERSION-PLATFORM-ARCHITECTURE.tar.gz of what npm run build has built. It runs on this platform only.

  --directory DIRECTORY    only fill this directory, which must not exist
`;
const root = join(import.meta.dirname, "..");
const { name, version, license, type, bin, engines, dependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
/** What the service and the command read, and what people do. */
const parts = [
  ...[
    "bin",
    "demo",
    "migrations",
    "deploy",
    "dist/main.js",
    "dist/start.js",
    "dist/cli/main.js",
    "dist/console",
    "dist/site",
  ],
  ...[".env.example", "CHANGELOG.md", "LICENSE"],
];
/** Types, sources, texts, static libraries and tests of packages, which are more than half of their files. Licenses must stay. */
const needless = /^(?:tests?|benchmarks|examples)$|^(?!licen[cs]e).*\.(?:map|[cm]?ts|md|markdown|a)$/i;

/** What remains of a package that is part of the built files. */
const legal = /^package\.json$|licen[cs]e/i;

/** @param {string} directory */
function fill(directory) {
  mkdirSync(directory, { recursive: true });
  for (const part of parts)
    cpSync(join(root, part), join(directory, part), { recursive: true, verbatimSymlinks: true });
  const loaded = Object.keys(dependencies).filter((name) => !included.includes(name));
  for (const [place, found] of packagesOf(loaded, root)) {
    const source = realpathSync(found);
    const isJoined = joined.includes(place);
    // Packages that are loaded from their sources name them.
    const ofSources = /"(?:\.\/)?src\//.test(readFileSync(join(source, "package.json"), "utf8"))
      ? undefined
      : join(source, "src");
    const filter = (/** @type {string} */ path) =>
      isJoined
        ? path === source || (dirname(path) === source && legal.test(basename(path)))
        : !needless.test(basename(path)) && path !== join(source, "node_modules") && path !== ofSources;
    cpSync(source, join(directory, "node_modules", place), {
      recursive: true,
      verbatimSymlinks: true,
      filter,
    });
  }
  const versions = Object.fromEntries(loaded.map((name) => [name, dependencies[name]]));
  const manifest = { name, version, private: true, license, type, bin, engines, dependencies: versions };
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Finds packages and what they depend on.
 * @param {readonly string[]} names
 * @param {string} from the directory of the package that depends on them
 * @param {Map<string, string>} found
 * @returns {Map<string, string>} the directory of each, by its place below node_modules
 */
function packagesOf(names, from, found = new Map()) {
  for (const name of names) {
    const directory = directoryOf(name, from);
    // A package of another platform is not installed.
    if (directory === undefined) continue;
    const place = directory.slice(join(root, "node_modules/").length);
    if (found.has(place)) continue;
    found.set(place, directory);
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    packagesOf(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }), directory, found);
  }
  return found;
}

/** @param {string} name @param {string} from @returns {string | undefined} */
function directoryOf(name, from) {
  const directory = join(from, "node_modules", name);
  if (existsSync(directory)) return directory;
  return from === root ? undefined : directoryOf(name, dirname(from));
}

const [option, given, ...others] = process.argv.slice(2);
if (option === undefined) {
  const directory = join(root, "release", [name, version, process.platform, process.arch].join("-"));
  rmSync(directory, { recursive: true, force: true });
  fill(directory);
  const archive = `${directory}.tar.gz`;
  execFileSync("tar", ["-czf", archive, "-C", dirname(directory), basename(directory)]);
  rmSync(directory, { recursive: true });
  process.stdout.write(`${archive}, ${Math.round(statSync(archive).size / 1e6)} MB\n`);
} else if (option === "--directory" && given !== undefined && others.length === 0 && !existsSync(given)) {
  fill(resolve(given));
} else {
  process.stderr.write(help);
  process.exitCode = 2;
}
