import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");

/** What a user has after `npm ci`, in a directory that every account can read. */
const parts = [
  "bin",
  "src",
  "migrations",
  "packages",
  "scripts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

export const isRoot = process.getuid?.() === 0;
/** The ordinary user that tests act as when they run as root. */
export const nobody = { uid: 65_534, gid: 65_534 };

export interface Installation {
  readonly directory: string;
}

/** An installation of the service for the calling test file, built once, and removed after its tests. */
export function useInstallation(): Installation {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "loyalty-installation-"));
    await chmod(directory, 0o755);
    for (const part of parts) {
      await cp(join(repository, part), join(directory, part), {
        recursive: true,
        filter: (source) => !source.endsWith(".test.ts") && !source.endsWith("/dist"),
      });
    }
    await linkDependencies(directory);
    await execute("npm", ["run", "build", "--silent"], { cwd: directory });
    if (isRoot && !(await isReadable(directory))) await copyDependencies(directory);
  }, 120_000);
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return {
    get directory() {
      return directory;
    },
  };
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
async function linkDependencies(directory: string): Promise<void> {
  const [from, to] = [join(repository, "node_modules"), join(directory, "node_modules")];
  await mkdir(to);
  for (const name of await readdir(from)) {
    const source = name === "loyalty-sdk" ? join(directory, "packages/sdk") : join(from, name);
    await symlink(source, join(to, name));
  }
}

async function copyDependencies(directory: string): Promise<void> {
  const { stdout } = await execute("npm", ["ls", "--omit=dev", "--all", "--parseable"], { cwd: repository });
  await rm(join(directory, "node_modules"), { recursive: true });
  for (const source of stdout.trim().split("\n").slice(1)) {
    await cp(source, join(directory, source.slice(repository.length)), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}
