/** The session that docs/OPERATING.md shows, run as it stands there. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exitCodes } from "../../src/cli/terminal/cli-error.ts";
import { useInstallation } from "../support/installation.ts";
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

const installation = useInstallation();
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
  const command = `loyalty() { node "${directory}/dist/cli/main.js" "$@"; }\n${here(script)}`;
  const shell = spawn("bash", ["-euc", command], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  shell.stdout.on("data", (text) => {
    said.out += String(text);
  });
  shell.stderr.on("data", (text) => {
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

/** With the port of this test's service, for the usual one may be taken. */
function here(script: string): string {
  return script.replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`);
}

it("lists the exit codes", () => {
  const rows = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(rows).toEqual(Object.values(exitCodes));
});
