/** `loyalty backup` and `loyalty restore`, as the operator's account runs them beside its service. */
import { chmod, chown, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isRoot, nobody, useInstallation } from "../support/installation.ts";
import { post, startService } from "../support/service-process.ts";

const installation = useInstallation();
const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

type Account = typeof nobody | undefined;
const accounts: [string, Account][] = isRoot
  ? [
      ["root", undefined],
      ["an ordinary user", nobody],
    ]
  : [["an ordinary user", undefined]];

async function run(words: readonly string[], environment: Record<string, string>, account?: Account) {
  const command = startService({
    directory: installation.directory,
    program: "dist/cli/main.js",
    arguments: words,
    environment,
    account,
  });
  let out = "";
  command.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  return { code: await command.ended(), out, err: command.said };
}

async function newDirectory(account?: Account): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "loyalty-cli-backup-"));
  directories.push(directory);
  await chmod(directory, 0o755);
  if (account !== undefined) await chown(directory, account.uid, account.gid);
  return directory;
}

describe.each(accounts)("as %s", (_name, account) => {
  it("backs up a running service, and restores it as it was", async () => {
    const directory = await newDirectory(account);
    const data = await installation.dataDirectory(directory, account, "on");
    const [backup, restored] = [join(directory, "backups/of/monday"), join(directory, "restored")];
    const serve = (LOYALTY_DATA_DIR: string) =>
      startService({ directory: installation.directory, environment: { LOYALTY_DATA_DIR }, account });
    const members = async (baseUrl: string) => {
      const key = (await readFile(join(data, "operator.key"), "utf8")).trim();
      const { business_id } = JSON.parse(await readFile(join(data, "demo.json"), "utf8"));
      return (await post(`${baseUrl}/op/members/list`, { business_id }, key)).body;
    };
    const first = serve(data);
    const before = await members(await first.ready());
    expect(before).toMatchObject({ success: true });
    const made = await run(["backup", backup, "--json"], { LOYALTY_DATA_DIR: data }, account);
    expect(made).toMatchObject({ code: 0 });
    expect(JSON.parse(made.out)).toMatchObject({ missing: [], files: expect.any(Number) });
    await first.stop();
    const verified = await run(["backup", "verify", backup], {}, account);
    expect(verified).toMatchObject({ code: 0, err: "" });
    expect(verified.out).toMatch(
      /^The backup is complete: [\d,]+ files, [\d,]+ rows, .* with schema version \d+\.\n$/,
    );
    const listed = await run(["backup", "list", join(backup, ".."), "--json"], {}, account);
    expect(JSON.parse(listed.out)).toMatchObject([{ name: "monday", missing: [] }]);

    const brought = await run(["restore", backup], { LOYALTY_DATA_DIR: restored }, account);
    expect(brought).toMatchObject({ code: 0 });
    const [what, ...next] = brought.out.split("\n");
    expect(what).toMatch(
      /^Restored into .*restored, as of 20\d\d-.*Z: [\d,]+ files, [\d,]+ rows, [\d.]+ kB, secret, operator\.key, demo\.json\.$/,
    );
    expect(next).toEqual([
      `Start the service: LOYALTY_DATA_DIR=${restored} loyalty serve`,
      `Then check the ledger: LOYALTY_DATA_DIR=${restored} loyalty verify`,
      "",
    ]);
    const second = serve(restored);
    expect(await members(await second.ready())).toEqual(before);
    await second.stop();
  });
});

it("says in a line why not", async () => {
  const directory = await newDirectory();
  const nothing = join(directory, "nothing");
  const rejected = await run(["backup", join(directory, "backups/monday")], { LOYALTY_DATA_DIR: nothing });
  expect(rejected).toEqual({
    code: 1,
    out: "",
    err: `${nothing} holds no database. It must be the data directory of the service: LOYALTY_DATA_DIR, or data_directory of a cell.\n`,
  });
  const other = await run(["restore", directory], { DATABASE_URL: "postgres://127.0.0.1/loyalty" });
  expect(other).toMatchObject({ code: 1, out: "" });
  expect(other.err).toMatch(/is not a backup: it has no backup\.json\.\n$/);
  expect((await run(["backup", "x", "--keep", "0"], {})).code).toBe(2);
  expect(await readdir(directory)).toEqual([]);
});
