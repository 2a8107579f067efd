/** The guide to a till: its requests and its programs run on the demo business as they stand. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoIn, useDemoDatabase } from "../support/demo.ts";
import { daysFromToday } from "../support/requests.ts";
import { type StartedService, startService, useWorld } from "../support/world.ts";

const world = useWorld();
const database = useDemoDatabase();
const root = join(import.meta.dirname, "../..");
let service: StartedService;
let directory: string;
let environment: Record<string, string>;
let programs: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-till-guide-"));
  await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["--build", join(root, "packages/sdk")]);
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  service = await startService(world, database);
  const demo = await demoIn(database.sql, directory, service.baseUrl);
  const { client_id, client_secret } = demo;
  const credentials = { client_id, client_secret };
  const token = await world.call("/sp/auth/token", credentials, { baseUrl: service.baseUrl });
  environment = {
    BASE_URL: service.baseUrl,
    TOKEN: token.body.data.access_token,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    PATH: process.env.PATH ?? "",
  };
  const guide = await readFile(join(root, "docs/guides/till.md"), "utf8");
  const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
  const codeIn = (name: string) => blocks.filter(({ language }) => language === name).map(({ code }) => code);
  programs = new Map(["sh", "js", "python", "php"].map((name) => [name, codeIn(name)]));
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const run = async (program: string, args: readonly string[]) =>
  (await promisify(execFile)(program, args, { cwd: directory, env: environment })).stdout;

it("the requests get success", async () => {
  const requests = programs.get("sh") ?? [];
  expect(requests).toHaveLength(4);
  for (const request of requests) {
    const response = JSON.parse(await run("sh", ["-c", request]));
    expect(response, request).toMatchObject({ success: true });
    if (Array.isArray(response.data)) expect(response.data).toHaveLength(1);
  }
});

it("a sale of a till that was offline before the demo was made earns", async () => {
  const sold_on = daysFromToday(-30);
  const sale = { contact_id: 100001, location_id: 1, amount: 2500, sold_on, idempotency_key: "offline" };
  const options = { token: environment.TOKEN, baseUrl: service.baseUrl };
  const { body } = await world.call("/sp/sales/record", sale, options);
  expect(body.data).toMatchObject({ points_earned: 25, why: [{ code: "earned", base: 2500, points: 25 }] });
});

describe.each([
  ["js", process.execPath, "till.mjs", "console.log((await loyalty.members.list({})).data.length);"],
  ["python", "python3", "till.py", 'print(len(send("/sp/members/list", {})))'],
  ["php", "php", "till.php", 'echo count(send("/sp/members/list", [])), "\\n";'],
])("the program in %s", (language, command, file, sendNothing) => {
  const isThere = spawnSync(command, language === "php" ? ["--re", "curl"] : ["--version"]).status === 0;

  it.skipIf(!isThere)(isThere ? "sells and refunds" : `is not run: ${command} is not installed`, async () => {
    const [code = ""] = programs.get(language) ?? [];
    await writeFile(join(directory, file), code);
    const first = await run(command, [join(directory, file)]);
    expect(first).toMatch(/Would earn 25\nEarned 25\nGive back 1000\n$/);
    // A till that starts again after a crash sends the same keys, and records nothing twice: only the quote is another.
    const withoutQuote = (output: string) => output.split("\n").slice(1);
    expect(withoutQuote(await run(command, [join(directory, file)]))).toEqual(withoutQuote(first));
  });

  it.skipIf(!isThere)("sends a body without fields as an empty object", async () => {
    const [code = ""] = programs.get(language) ?? [];
    await writeFile(join(directory, `empty-${file}`), `${code}\n${sendNothing}\n`);
    const output = await run(command, [join(directory, `empty-${file}`)]);
    expect(output.trim().split("\n").at(-1)).toBe("15");
  });
});
