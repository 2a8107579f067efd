import { execFile } from "node:child_process";
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, inject } from "vitest";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");

/** What a user has after `npm ci`, in a directory that every account can read. */
const parts = [
  "bin",
  "src",
  "demo",
  "migrations",
  "packages",
  "scripts",
  "tools",
  "docs/guides",
  "docs/pages",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];

/** The package that is the repository's own, and where it lies from among the dependencies. */
const ownPackage = "loyalty-sdk";
const ownPackageBuilt = "../built/packages/sdk";

export const isRoot = process.getuid?.() === 0;
/** The ordinary user that tests act as when they run as root. */
export const nobody = { uid: 65_534, gid: 65_534 };

export interface Installation {
  readonly directory: string;
}

/**
 * An installation of the service for the calling test file alone, removed after its tests. The first file that wants
 * one builds it for the run, and each gets a copy.
 */
export function useInstallation(): Installation {
  let directory = "";
  beforeAll(async () => {
    const parent = inject("installations");
    if (parent === undefined)
      throw new Error("this test needs the database: run it without TEST_WITHOUT_DATABASE");
    const built = await builtInstallation(parent);
    directory = await mkdtemp(join(tmpdir(), "loyalty-installation-"));
    // The launcher builds again what is older than its source.
    await cp(built, directory, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    await chmod(directory, 0o755);
  }, 180_000);
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return {
    get directory() {
      return directory;
    },
  };
}

/**
 * @param parent a directory of the run, in which the installation is built unless it was
 * @returns the installation that copies are made of
 */
async function builtInstallation(parent: string): Promise<string> {
  const [built, outcome] = [join(parent, "built"), join(parent, "outcome")];
  try {
    await mkdir(built);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const failure = await written(outcome);
    if (failure !== "") throw new Error(`the installation could not be built: ${failure}`);
    return built;
  }
  try {
    await build(built, join(parent, "node_modules"));
  } catch (error) {
    await write(outcome, String(error));
    throw error;
  }
  await write(outcome, "");
  return built;
}

/** Writes a file that is there only once it is whole. */
async function write(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

/** Waits for a file, for two minutes at most, and reads it. */
async function written(path: string): Promise<string> {
  for (let tries = 0; tries < 1200; tries++) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== undefined) return text;
    await sleep(100);
  }
  throw new Error("the test file that builds the installation for all has not come to an end");
}

/** @param dependencies where the packages are put, for all copies */
async function build(directory: string, dependencies: string): Promise<void> {
  for (const part of parts) {
    await cp(join(repository, part), join(directory, part), {
      recursive: true,
      filter: (source) => !source.endsWith(".test.ts") && !source.endsWith("/dist"),
    });
  }
  await linkDependencies(dependencies);
  await symlink(dependencies, join(directory, "node_modules"));
  await execute("npm", ["run", "build", "--silent"], { cwd: directory });
  if (isRoot && !(await isReadable(directory))) await copyDependencies(dependencies);
}

/** Whether an ordinary user gets at the packages; a repository in a home directory is often closed to others. */
async function isReadable(directory: string): Promise<boolean> {
  const program = 'import("fastify")';
  const reading = execute(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: directory,
    ...nobody,
  });
  return reading.then(
    () => true,
    () => false,
  );
}

/** Everything that the repository has, but for the packages of its own: they are the installation's. */
async function linkDependencies(dependencies: string): Promise<void> {
  const from = join(repository, "node_modules");
  await mkdir(dependencies);
  for (const name of await readdir(from)) {
    await symlink(name === ownPackage ? ownPackageBuilt : join(from, name), join(dependencies, name));
  }
}

async function copyDependencies(dependencies: string): Promise<void> {
  const { stdout } = await execute("npm", ["ls", "--omit=dev", "--all", "--parseable"], { cwd: repository });
  await rm(dependencies, { recursive: true });
  await mkdir(dependencies);
  for (const source of stdout.trim().split("\n").slice(1)) {
    const name = source.slice(join(repository, "node_modules/").length);
    if (name === ownPackage) await symlink(ownPackageBuilt, join(dependencies, name));
    else await cp(source, join(dependencies, name), { recursive: true, verbatimSymlinks: true });
  }
}

/** A PATH on which `npx loyalty` is the command itself. The npx of npm takes four times as long to start it. */
export async function pathWithoutNpm(directory: string): Promise<string> {
  const folder = join(directory, "path");
  await mkdir(folder, { recursive: true });
  const script = `#!/bin/sh\ncommand=$1; shift\nexec node "${directory}/bin/$command.mjs" "$@"\n`;
  await writeFile(join(folder, "npx"), script, { mode: 0o755 });
  return `${folder}:${process.env.PATH}`;
}
