/** Completion: what the command offers, and bash with its script. The scripts of the other shells are read. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createCommandLine } from "../../src/cli/program.ts";
import { commandOfPath, flagOf, hasCommandOfItsOwn } from "../../src/cli/service/command-names.ts";
import { bodyOf } from "../../src/contract/operation.ts";
import { operatorOperations } from "../../src/operations/operator.ts";
import { useCli } from "../support/cli.ts";
import { testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);
const execute = promisify(execFile);

describe("in bash", () => {
  let script: string;
  beforeAll(async () => {
    script = await cli.ok(["completion", "bash"]);
  });

  /** What the tab key offers after a line. */
  async function complete(line: string): Promise<string[]> {
    const words = line.split(" ");
    const main = join(cli.installation.directory, "dist/cli/main.js");
    const program = `loyalty() { "${process.execPath}" "${main}" "$@"; }
${script}
COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}; _loyalty
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await execute("bash", ["-c", program], { cwd: cli.directory });
    return stdout.trimEnd().split("\n");
  }

  it.each([
    ["loyalty int", ["integration"]],
    ["loyalty integration r", ["rotate-secret", "revoke-tokens"]],
    ["loyalty tier create --expiry-period ", ["day", "week", "month", "year"]],
    ["loyalty tier create --business 1 --exp", ["--expiry", "--expiry-period"]],
    ["loyalty --json member assign-tier --t", ["--tier"]],
    ["loyalty business create --name ", [""]],
    ["loyalty completion ", ["bash", "zsh", "fish"]],
    ["loyalty export members --format n", ["ndjson"]],
    [
      "loyalty integration create --scopes wa.members.",
      ["wa.members.read", "wa.members.write", "wa.members.merge"],
    ],
    ["loyalty integration create --scopes wa.tiers.read,wa.members.r", ["wa.tiers.read,wa.members.read"]],
    ["loyalty transaction list --event-types sale,wallet_t", ["sale,wallet_topup"]],
  ])("completes %j", async (line, expected) => {
    expect(await complete(line)).toEqual(expected);
  });

  it("offers the ids that the service has, and none where it does not respond", async () => {
    const business = String(world.home.businessId);
    const found = await cli.ok(["__complete", "--", "location", "list", "--business", ""]);
    expect(found).toContain(`${business}\tHome\n`);
    const locations = await cli.ok(["__complete", "--", "location", "update", "--business", business, ""]);
    expect(locations.trimEnd().split("\n").sort()).toEqual(
      world.home.locationIds.map((id, at) => `${id}\t${["First", "Second", "Third"][at]}`).sort(),
    );
    const environment = { LOYALTY_URL: "http://127.0.0.1:9", LOYALTY_OPERATOR_KEY: testOperatorKey };
    expect(await cli.ok(["__complete", "--", "location", "list", "--business", ""], { environment })).toBe(
      "",
    );
  });

  it("offers files where a file belongs", async () => {
    await execute("touch", ["sales.csv"], { cwd: cli.directory });
    expect(await complete("loyalty import sales sal")).toEqual(["sales.csv"]);
    expect(await complete("loyalty export members --output s")).toEqual(["sales.csv"]);
  });
});

it.each(["zsh", "fish"])("has a script for %s, which asks the command", async (shell) => {
  const script = await cli.ok(["completion", shell]);
  expect(script).toContain(`# Completion of loyalty for ${shell}, made by: loyalty completion ${shell}\n`);
  expect(script).toContain("loyalty __complete -- ");
});

describe("the candidates", () => {
  // One for all: to make all commands takes longer than to find candidates.
  const commandLine = createCommandLine();

  /** The first columns, without the descriptions. */
  async function offered(...words: string[]): Promise<string[]> {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      await commandLine.parseAsync(["__complete", "--", ...words], { from: "user" });
      const lines = String(write.mock.calls[0]?.[0]).trimEnd().split("\n");
      return lines.map((line) => line.split("\t")[0] as string);
    } finally {
      write.mockRestore();
    }
  }

  it("have every command and every option", async () => {
    for (const operation of operatorOperations) {
      const words = commandOfPath(operation.path);
      for (const [at, word] of words.entries()) {
        expect(await offered(...words.slice(0, at), "")).toContain(word);
      }
      if (hasCommandOfItsOwn(operation.path)) continue;
      const flags = await offered(...words, "--");
      expect(flags).toEqual(expect.arrayContaining(["--help", "--json", "--url"]));
      for (const field of Object.keys(bodyOf(operation).properties)) expect(flags).toContain(flagOf(field));
    }
  });

  it("have descriptions, and neither hidden commands nor the version of the program in other places", async () => {
    expect(await cli.ok(["__complete", "--", "tier", "cre"])).toMatch(/^create\t[A-Z].*\n$/);
    expect(await offered("")).not.toContain("__complete");
    expect(await offered("--v")).toEqual(["--version"]);
    expect(await offered("status", "--v")).toEqual([""]);
  });
});

it("is not there for another shell", async () => {
  const { code, err } = await cli.run(["completion", "csh"]);
  expect(code).toBe(2);
  expect(err).toMatch(/Allowed choices are bash, zsh, fish/);
});
