/** The program that starts the command: it builds what is not built, and keeps compiled code out of others' reach. */
import { spawn } from "node:child_process";
import {
  appendFile,
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf } from "../support/cli.ts";
import { isRoot, nobody, useInstallation } from "../support/installation.ts";

const installation = useInstallation();
/** What accounts share, as /tmp. */
let shared: string;
beforeAll(async () => {
  shared = await mkdtemp(join(tmpdir(), "loyalty-launcher-"));
  await chmod(shared, 0o1777);
});
afterAll(() => rm(shared, { recursive: true, force: true }));

const launch = (account: Partial<typeof nobody> = {}) => {
  const { directory } = installation;
  const env = { PATH: process.env.PATH, TMPDIR: shared };
  const launcher = join(directory, "bin/loyalty.mjs");
  return outcomeOf(spawn(process.execPath, [launcher, "--version"], { cwd: directory, env, ...account }));
};
const done = { code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: "" };

it("builds the command when it is not there, or older than its source", async () => {
  const { directory } = installation;
  const builtAt = async () => (await stat(join(directory, "dist/cli/main.js"))).mtimeMs;
  await rm(join(directory, "dist"), { recursive: true });
  expect(await launch()).toEqual(done);
  const first = await builtAt();
  expect(await launch()).toEqual(done);
  expect(await builtAt()).toBe(first);
  // A build takes long, so another program stands for the second one.
  const build = join(directory, "scripts/build.mjs");
  await rename(build, `${build}.kept`);
  await writeFile(
    build,
    'import { appendFileSync } from "node:fs";\nappendFileSync("dist/cli/main.js", "// Again.\\n");\n',
  );
  await appendFile(join(directory, "src/cli/terminal/cli-error.ts"), "// Changed.\n");
  expect(await launch()).toEqual(done);
  expect(await builtAt()).toBeGreaterThan(first);
  await rename(`${build}.kept`, build);
});

it("says in one line that an account may not build where it can't write", async () => {
  const { directory } = installation;
  const env = { PATH: process.env.PATH };
  const dist = join(directory, "dist");
  // Root may write everywhere.
  const account = isRoot ? nobody : {};
  await chmod(dist, 0o555);
  const built = await outcomeOf(
    spawn("npm", ["run", "build", "--silent"], { cwd: directory, env, ...account }),
  );
  await chmod(dist, 0o755);
  const line =
    `The build can't write to ${dist} (EACCES). Run npm run build as the account that owns it. This account can then ` +
    "start the service with: node dist/main.js\n";
  expect(built).toEqual({ code: 1, out: "", err: line });
});

describe("compiled code", () => {
  const cache = () => join(installation.directory, "dist/.compile-cache");
  const cached = () => readdir(cache()).then((names) => names.length > 0);

  it("is kept beside the program, for the owner alone, and not where every account writes", async () => {
    await rm(cache(), { recursive: true, force: true });
    expect(await launch()).toEqual(done);
    expect((await stat(cache())).mode & 0o777).toBe(0o700);
    expect(await cached()).toBe("enableCompileCache" in module);
    expect(await readdir(shared)).toEqual([]);
  });

  it("is not believed in a directory that others may write to", async () => {
    await rm(cache(), { recursive: true, force: true });
    await mkdir(cache());
    await chmod(cache(), 0o777);
    expect(await launch()).toEqual(done);
    expect(await cached()).toBe(false);
  });

  it("is done without where it can't be kept", async () => {
    await rm(cache(), { recursive: true, force: true });
    await appendFile(cache(), "A file where the directory goes.");
    expect(await launch()).toEqual(done);
    await rm(cache());
  });

  it.skipIf(!isRoot)("is not left behind by an account that does not own the installation", async () => {
    await chown(installation.directory, nobody.uid, nobody.gid);
    expect(await launch()).toEqual(done);
    await expect(lstat(cache())).rejects.toThrow("ENOENT");
    await chown(installation.directory, 0, 0);
    expect(await launch(nobody)).toEqual(done);
    await expect(lstat(cache())).rejects.toThrow("ENOENT");
  });
});
