/** The session that docs/OPERATING.md shows, run as it stands there. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exitCodes } from "../../src/cli/terminal/cli-error.ts";
import { useCli } from "../support/cli.ts";
import { freePort, type ServiceProcess, startService } from "../support/service-process.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/OPERATING.md"), "utf8");
/** The commands, each with what is shown of its output, if anything is. */
const steps = [...page.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```)?/gms)].map(
  ([, commands = "", shown]) => ({ commands, shown }),
);
/** In the format that the page describes: seven purchases of three customers, one of them for nothing. */
const purchases = [
  " 00004 0001 19970101  2   29.33",
  " 00004 0001 19970118  2   29.73",
  " 00021 0002 19970101  3   63.34",
  " 00021 0002 19970113  1   11.77",
  " 00021 0002 19970113  1    0.00",
  " 00050 0003 19970101  1    6.79",
  " 00050 0003 19980630 10   81.38",
];

const cli = useCli();
const { installation } = cli;
let service: ServiceProcess;
let port: number;

beforeAll(async () => {
  port = await freePort();
  service = startService({
    directory: installation.directory,
    environment: { PORT: String(port), LOYALTY_DEMO: "off" },
  });
  await service.ready();
  await writeFile(join(installation.directory, "purchases.txt"), `${purchases.join("\n")}\n`);
});
afterAll(() => service?.stop());

it("shows what its commands do", async () => {
  const { directory } = installation;
  const script = steps.map(({ commands }) => `${commands}echo "--- done"\n`).join("");
  const shell = spawn("bash", ["-euc", loyalty + here(script)], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const calls = createInterface({ input: shell.stdio[3] as Readable });
  calls.on("line", (call) => void run(call).catch((error) => shell.emit("error", error)));
  const said = { out: "", err: "" };
  shell.stdout?.on("data", (text) => {
    said.out += String(text);
  });
  shell.stderr?.on("data", (text) => {
    said.err += String(text);
  });
  const [code] = await once(shell, "close");
  expect(code, said.err).toBe(0);
  const outputs = said.out.split("--- done\n");
  expect(steps.length).toBeGreaterThan(8);
  for (const [index, { commands, shown }] of steps.entries()) {
    if (shown !== undefined) expect(outputs[index], commands).toBe(shown);
  }
});

/** The command for the shell. The test runs it, because to start it for each of its many uses takes ten times as long. */
const loyalty = `
loyalty() {
  local call="$(mktemp -d "$HOME/call.XXXXXX")" code
  mkfifo "$call/code"
  printf '%s\\0' "$@" > "$call/words"
  env -0 > "$call/environment"
  echo "$call" >&3
  code="$(cat "$call/code")"
  cat "$call/out"
  cat "$call/err" >&2
  rm -r "$call"
  return "$code"
}
`;

/** Runs a command of the shell. @param call the directory where the shell has put what it is given, and gets what comes of it */
async function run(call: string): Promise<void> {
  const read = async (name: string) => (await readFile(join(call, name), "utf8")).split("\0").slice(0, -1);
  const environment = Object.fromEntries(
    (await read("environment")).map((line) => line.split(/=(.*)/s, 2) as [string, string]),
  );
  const { code, out, err } = await cli.run(await read("words"), { environment, directory: environment.PWD! });
  for (const [name, text] of Object.entries({ out, err, code })) await writeFile(join(call, name), `${text}`);
}

/** With the port of this test's service, for the usual one may be taken. */
function here(script: string): string {
  return script.replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`);
}

it("lists the exit codes", () => {
  const rows = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(rows).toEqual(Object.values(exitCodes));
});
