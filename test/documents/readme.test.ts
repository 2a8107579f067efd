/** The documents are held to what they say: the README's session is run, and tables are checked. */
import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { pathWithoutNpm, useInstallation } from "../support/installation.ts";
import { freePort, ServiceProcess } from "../support/service-process.ts";

const repository = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const readme = read("README.md");

function section(heading: string): string {
  const text = readme.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (text === undefined) throw new Error(`the README has no section ${heading}`);
  return text;
}

const blocks = (text: string) =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code = ""]) => ({ language, code }));

describe("the quickstart", () => {
  const installation = useInstallation();
  const quickstart = blocks(section("Quickstart"));
  let service: ServiceProcess;

  beforeAll(async () => {
    // As shown, but for `npm ci`, which made what the test itself runs on, and for the ports, which may be taken.
    expect(quickstart[0]?.code).toBe("npm ci && npm start\n");
    const port = String(await freePort());
    const child = spawn("npm", ["start"], {
      cwd: installation.directory,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: port, LOYALTY_METRICS_ADDRESS: "off" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    service = new ServiceProcess(child);
    await service.ready();
  });
  afterAll(async () => {
    // What Ctrl-C does: npm hands it on.
    service.kill("SIGINT");
    await service.ended();
    expect(service.said).toMatch(/Stopped\.\n$/);
  });

  it.each(["bash", "sh"])("responds as it shows, in %s", async (command) => {
    const responded = await responsesOf(command, quickstart.slice(1));
    const shown = shownIn(quickstart);
    expect(shown.length).toBeGreaterThan(2);
    for (const [index, response] of responded.entries()) {
      expect(response).toEqual(asReturned(shown[index] as object, response));
    }
  });

  it("begins with a response that the service gives", async () => {
    const first = blocks(readme.slice(0, readme.indexOf("## Quickstart")));
    const [responded] = await responsesOf("sh", first);
    expect(responded).toMatchObject(shownIn(first)[0] as object);
  });

  it("goes on from the session that npm start prints, and that from it", async () => {
    const session = service.said.slice(service.said.indexOf("npx loyalty call"));
    const [listed, credited, entries] = await responsesOf("sh", [
      ...session
        .split("\n")
        .slice(0, 3)
        .flatMap((code) => [
          { language: "sh", code: `${code}\n` },
          { language: "json", code: "" },
        ]),
    ]);
    const shown = shownIn(quickstart);
    expect(listed).toEqual(asReturned(shown[0] as object, listed));
    expect(credited).toMatchObject({ data: { amount: 2500, balance_after: 5000 } });
    expect(entries).toMatchObject({ meta: { pagination: { total: 3 } } });
  });

  function shownIn(parts: ReturnType<typeof blocks>): unknown[] {
    return parts.filter(({ language }) => language === "json").map(({ code }) => JSON.parse(code));
  }

  /** Runs the commands in one shell. @returns the last response before each place where one is shown */
  async function responsesOf(command: string, parts: ReturnType<typeof blocks>) {
    const script = parts.map(({ language, code }) => (language === "sh" ? code : "echo ---\n")).join("");
    const { HOME } = process.env;
    const PATH = command === "bash" ? process.env.PATH : await pathWithoutNpm(installation.directory);
    const { stdout, stderr } = await promisify(execFile)(command, ["-c", script], {
      cwd: installation.directory,
      env: { PATH, HOME, npm_config_loglevel: "error" },
    });
    const replayed = "Replayed: the response to the first request with this idempotency_key.\n";
    expect(stderr.replaceAll(replayed, "")).toBe("");
    return stdout
      .split("---\n")
      .slice(0, -1)
      .map((text) => JSON.parse(text));
  }

  /** What is shown, with the times and cursors of the response: the README was written at another time, with another secret. */
  function asReturned(shown: object, responded: object): object {
    const own = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|(?<="next":")[\w-]+/g;
    const values = [...JSON.stringify(responded).matchAll(own)].map(([value]) => value);
    return JSON.parse(JSON.stringify(shown).replace(own, () => values.shift() ?? "none"));
  }
});

describe("the configuration", () => {
  const example = read(".env.example");
  const examples = new Map(
    [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  const rows = read("docs/CONFIGURATION.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  const documented = cells.flatMap(([, names = ""]) =>
    [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  );

  it("is the same in the README, in .env.example and in the code", () => {
    const settings = [
      ...read("src/config.ts").matchAll(/\b(text|setting|integer|oneOf|items)\(\s*"([A-Z_]+)"/g),
    ];
    // A secret may be in a file.
    const known = [
      ...new Set(
        settings.flatMap(([, kind, name]) => [name, ...(kind === "setting" ? [`${name}_FILE`] : [])]),
      ),
    ];
    expect(documented.toSorted()).toEqual(known.toSorted());
    expect([...examples.keys()].toSorted()).toEqual(known.toSorted());
  });

  it("has the defaults that are shown", () => {
    const set = [...examples].filter(([name]) => name !== "DATABASE_URL");
    const { metricsAddress, ...config } = readConfig(Object.fromEntries(set));
    const { metricsAddress: usual, ...others } = readConfig({});
    expect(config).toEqual(others);
    expect(metricsAddress).toEqual({ ...usual, isChosen: true });
    for (const [, names = "", defaults = ""] of cells) {
      const values = [...defaults.matchAll(/`([^`]+)`/g)].map(([, value]) => value);
      const examplesOf = [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => examples.get(name));
      if (values.length > 0) expect(examplesOf).toEqual(values);
    }
  });
});

it("gives a reason for every dependency, in the architecture page", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, object>;
  const ofConsole = JSON.parse(read("packages/console/package.json")) as Record<string, object>;
  const table = read("docs/ARCHITECTURE.md").split("\n## Dependencies\n")[1] ?? "";
  const rows = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, names = ""]) => names);
  const explained = rows.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(explained.toSorted()).toEqual(
    Object.keys({ ...dependencies, ...devDependencies, ...ofConsole.dependencies }).toSorted(),
  );
});
