/** Completion scripts: bash is asked what it would complete, the others are read. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { commandOfPath } from "../../src/cli/command-names.ts";
import { operatorOperations } from "../../src/operations/operator.ts";
import { useCli } from "../support/cli.ts";

vi.setConfig({ testTimeout: 120_000 });
const cli = useCli();
const execute = promisify(execFile);

describe("in bash", () => {
  /** What the tab key offers after a line. */
  async function complete(line: string): Promise<string[]> {
    const script = await cli.ok(["completion", "bash"]);
    const words = line.split(" ");
    const program = `${script}
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
  ])("completes %j", async (line, expected) => {
    expect(await complete(line)).toEqual(expected);
  });

  it("offers files where a file belongs", async () => {
    await execute("touch", ["sales.csv"], { cwd: cli.directory });
    expect(await complete("loyalty import sales sal")).toEqual(["sales.csv"]);
    expect(await complete("loyalty export members --output s")).toEqual(["sales.csv"]);
  });
});

describe.each(["zsh", "fish"])("for %s", (shell) => {
  it("knows every command and every option", async () => {
    const script = await cli.ok(["completion", shell]);
    for (const { path, input } of operatorOperations) {
      for (const word of commandOfPath(path)) expect(script).toContain(word);
      if ("search" in input.properties) expect(script).toMatch(/search/);
    }
    expect(script.split("\n")[shell === "zsh" ? 1 : 0]).toBe(
      `# Completion of loyalty for ${shell}, made by: loyalty completion ${shell}`,
    );
    expect(script).toMatch(
      shell === "zsh" ? /'--time-zone\[IANA time zone/ : / -l time-zone -x -d 'IANA time zone/,
    );
  });
});

it("is not there for another shell", async () => {
  const { code, err } = await cli.run(["completion", "csh"]);
  expect(code).toBe(2);
  expect(err).toMatch(/Allowed choices are bash, zsh, fish/);
});
