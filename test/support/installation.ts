import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
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
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import { type StartOptions, services, startService } from "./service-process.ts";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");

/** What the image is built from: the files that .dockerignore excepts. */
const parts = Array.from(
  readFileSync(join(repository, ".dockerignore"), "utf8").matchAll(/^!(.+)$/gm),
  ([, part = ""]) => part,
);

/** The package that is the repository's own, and where it lies from among the dependencies. */
const ownPackage = "loyalty-sdk";
const ownPackageBuilt = "../built/packages/sdk";

export const isRoot = process.getuid?.() === 0;
/** The ordinary user that tests act as when they run as root. */
export const nobody = { uid: 65_534, gid: 65_534 };

type Account = StartOptions["account"];

export interface Installation {
  readonly directory: string;
  /**
   * A directory for a service's data, with an empty database that an earlier start made. Making one takes a second.
   * @param parent where it is put; the test removes it
   * @param account whose it is; by default that of the tests
   * @param demo whether that start has made the demo business, too, which takes seconds
   */
  dataDirectory(parent: string, account?: Account, demo?: "on" | "off"): Promise<string>;
}

/**
 * An installation of the service for the calling test file alone, removed after its tests. The first file that wants
 * one builds it for the run, and each gets a copy.
 */
export function useInstallation(): Installation {
  let directory = "";
  beforeAll(async () => {
    const built = await madeOnce("built", build);
    directory = await mkdtemp(join(tmpdir(), "loyalty-installation-"));
    // With the times of the files, because the launcher builds again what is older than its source.
    await execute("cp", ["-a", `${built}/.`, directory]);
    await chmod(directory, 0o755);
  });
  afterEach(({ task }) => {
    for (const service of services) {
      const faults = service.faults.take();
      if (task.result?.state === "fail") {
        const lines = [service.said, ...faults].join("\n");
        process.stderr.write(`What a service said and logged until "${task.name}" failed:\n${lines}\n`);
      }
      if (service.hasEnded) services.delete(service);
    }
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return {
    get directory() {
      return directory;
    },
    async dataDirectory(parent, account, demo = "off") {
      const made = await madeOnce(`data-demo-${demo}`, (path) => makeData(path, directory, demo));
      const copy = join(await mkdtemp(join(parent, "data-")), "data");
      await chmod(dirname(copy), 0o755);
      await execute("cp", ["-a", made, copy]);
      if (account !== undefined)
        await execute("chown", ["-R", `${account.uid}:${account.gid}`, dirname(copy)]);
      return copy;
    },
  };
}

/** Makes something for the whole run, unless it was made: the directory of that name. @returns its path */
async function madeOnce(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  const parent = inject("installations");
  if (parent === undefined)
    throw new Error("this test needs the database: run it without TEST_WITHOUT_DATABASE");
  const [directory, outcome] = [join(parent, name), join(parent, `${name}.outcome`)];
  try {
    await mkdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const failure = await written(outcome);
    if (failure !== "") throw new Error(`${directory} could not be made: ${failure}`);
    return directory;
  }
  try {
    await make(directory);
  } catch (error) {
    await write(outcome, String(error));
    throw error;
  }
  await write(outcome, "");
  return directory;
}

/** Lets a service make its database. */
async function makeData(directory: string, installation: string, demo: "on" | "off"): Promise<void> {
  const environment = { LOYALTY_DATA_DIR: directory, LOYALTY_DEMO: demo };
  const service = startService({ directory: installation, environment });
  await service.ready();
  await service.stop();
  // The demo business has credentials, which need the secret.
  const left = demo === "on" ? ["address"] : ["secret", "operator.key", "address"];
  for (const name of left) await rm(join(directory, name), { force: true });
}

/** Writes a file that is there only once it is whole. */
async function write(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

/** Waits for a file, for five minutes at most, and reads it. */
async function written(path: string): Promise<string> {
  for (let tries = 0; tries < 3000; tries++) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== undefined) return text;
    await sleep(100);
  }
  throw new Error(`the test file that makes ${path} has not come to an end`);
}

async function build(directory: string): Promise<void> {
  // For all copies.
  const dependencies = join(directory, "../node_modules");
  const copy = (part: string, filter: (source: string) => boolean) =>
    cp(join(repository, part), join(directory, part), { recursive: true, filter });
  for (const part of parts)
    await copy(part, (source) => !source.endsWith(".test.ts") && !source.endsWith("/dist"));
  // The run has built it. It is copied last, because the launcher builds again what is older than its source.
  // The sources of the pages are needed only to build them, and a test builds them meanwhile.
  const unneeded = ["dist/.compile-cache", "dist/pages"].map((path) => join(repository, path));
  for (const part of ["dist", "packages/sdk/dist"]) await copy(part, (source) => !unneeded.includes(source));
  await linkDependencies(dependencies);
  await symlink(dependencies, join(directory, "node_modules"));
  if (isRoot && !(await isReadable(directory))) await copyDependencies(dependencies);
}

/** Whether an ordinary user gets at the packages; a repository in a home directory is often closed to others. */
async function isReadable(directory: string): Promise<boolean> {
  const program = 'import("pino")';
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
