/** The code of the reference: every piece sends its request to the demo business, in the order of the story. */
import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { samples } from "../../docs/pages/code.js";
import { isAuthorized, type Operation } from "../../src/contract/operation.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { getReferralCode } from "../../src/operations/partner/referrals/code.ts";
import { operationExample } from "../../tools/docs/examples.ts";
import { holdBulkGrant, jobsEnded } from "../../tools/docs/play.ts";
import { story } from "../../tools/docs/story.ts";
import { holdBackgroundWrites } from "../support/background-writes.ts";
import { demoIn, useDemoDatabase } from "../support/demo.ts";
import { type StartedService, startService, testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();
const database = useDemoDatabase();
const root = join(import.meta.dirname, "../..");
let service: StartedService;
let directory: string;
let environment: Record<string, string>;

const inStoryOrder = (of: readonly Operation[]) =>
  [...new Set(story.map(({ path }) => path))].flatMap(
    (path) => of.find((operation) => operation.path === path) ?? [],
  );
/** Without those of a sandbox. Each request is sent again, so none deletes the webhook endpoint that others name. */
const operations = inStoryOrder(partnerOperations).filter(
  ({ path }) => !path.startsWith("/sp/sandbox/") && path !== "/sp/webhook-endpoints/delete",
);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-code-"));
  await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["--build", join(root, "packages/sdk")]);
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  service = await startService(world, database);
  const demo = await demoIn(database.sql, directory, service.baseUrl);
  const { business_id, client_id, client_secret } = demo;
  // The operator does this in the story.
  const asOperator = { token: testOperatorKey, baseUrl: service.baseUrl };
  const events = { idempotency_key: "events", business_id, events_enabled: true };
  await world.call("/op/businesses/update", events, asOperator);
  const referred = {
    idempotency_key: "referral-1",
    business_id,
    name: "Friend",
    kind: "referred",
    points: 20,
  };
  await world.call("/op/occasions/create", referred, asOperator);
  const shown = operationExample(getReferralCode).response.data as { referral_code: string };
  await database.sql`
    UPDATE member SET referral_code = ${shown.referral_code} WHERE business_id = ${business_id} AND contact_id = 100001`;
  // The responses of the story are those before webhooks are sent.
  await holdBackgroundWrites(database.sql);
  const credentials = { client_id, client_secret };
  const token = await world.call("/sp/auth/token", credentials, { baseUrl: service.baseUrl });
  environment = {
    BASE_URL: service.baseUrl,
    TOKEN: token.body.data.access_token,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    OPERATOR_KEY: testOperatorKey,
    PATH: process.env.PATH ?? "",
  };
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const codeOf = (name: string, of = operations) => {
  const sample = samples.find((each) => each.name === name);
  if (sample === undefined) throw new Error(`there is no code in ${name}`);
  return of.map((operation) => sample.code(operation.path, operationExample(operation).request));
};

const run = async (program: string, args: readonly string[]) =>
  (await promisify(execFile)(program, args, { cwd: directory, env: environment })).stdout;

/** Writes a file for each piece of code. @returns their paths, in the order of the story */
async function writeCode(folder: string, suffix: string, pieces: readonly string[]): Promise<string[]> {
  await mkdir(join(directory, folder));
  const paths = pieces.map((_, index) =>
    join(directory, folder, `${String(index).padStart(2, "0")}.${suffix}`),
  );
  await Promise.all(pieces.map((code, index) => writeFile(paths[index] as string, code)));
  return paths;
}

/** What a response says whenever the request is sent, in the order of its fields. */
function lasting(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d|T[\d:.]+Z)?/g, "then")
    .replaceAll(/"(access_token|client_id|client_secret|next|page_path|secret)":"[^"]*"/g, '"$1":"…"');
  return JSON.parse(text);
}

it("with curl gets the responses that the reference shows", async () => {
  for (const [index, command] of codeOf("curl").entries()) {
    const operation = operations[index]!;
    const response = JSON.parse(await run("sh", ["-c", command]));
    expect(lasting(response), operation.path).toEqual(lasting(operationExample(operation).response));
  }
});

// The requests have the same keys, so writes are replayed.
describe("the same requests again", () => {
  it("in TypeScript, which the compiler accepts", async () => {
    const files = await writeCode("typescript", "mts", codeOf("TypeScript"));
    const options = ["--target", "es2023", "--module", "nodenext", "--strict", "--noEmit", "--types", "node"];
    await run(join(root, "node_modules/.bin/tsc"), [...options, ...files]);
    const compiled = await Promise.all(
      codeOf("TypeScript").map(async (code) => (await transform(code, { loader: "ts" })).code),
    );
    const modules = await writeCode("javascript", "mjs", compiled);
    const all = join(directory, "all.mjs");
    await writeFile(
      all,
      modules.map((path) => `await import(${JSON.stringify(path)}); console.log("---");\n`).join(""),
    );
    expect((await run(process.execPath, [all])).split("---\n")).toHaveLength(operations.length + 1);
  });

  const runner = {
    Python: ["python3", "py", "import sys\nfor path in sys.argv[1:]:\n  exec(open(path).read())\n"],
    PHP: ["php", "php", "<?php foreach (array_slice($argv, 1) as $path) include $path;\n"],
  } as const;
  const success = { Python: /^\{'success': True/gm, PHP: /^ {4}\[success\] => 1$/gm };

  describe.each(["Python", "PHP"] as const)("in %s", (name) => {
    const [command, suffix, all] = runner[name];
    const isThere = spawnSync(command, ["--version"]).status === 0;

    it.skipIf(!isThere)(isThere ? "succeed" : `is not run: ${command} is not installed`, async () => {
      const files = await writeCode(name, suffix, codeOf(name));
      await writeFile(join(directory, `all.${suffix}`), all);
      const output = await run(command, [join(directory, `all.${suffix}`), ...files]);
      expect(output.match(success[name])).toHaveLength(operations.length);
    });
  });
});

it("with curl does what operators do after that", async () => {
  // The sign-ins of the story need the tokens of its responses, the clock of its sandbox has another time, and it cancels a second file.
  const needsStory = ["/op/sessions/revoke", "/op/sandbox/clock/advance", "/op/imports/cancel"];
  const isRepeatable = (each: Operation) => isAuthorized(each) && !needsStory.includes(each.path);
  const ofOperators = inStoryOrder(operatorOperations.filter(isRepeatable));
  for (const [index, command] of codeOf("curl", ofOperators).entries()) {
    const { path } = ofOperators[index]!;
    if (path === "/op/bulk-grants/cancel") await holdBulkGrant(database.sql);
    const response = await run("sh", ["-c", command]);
    expect(JSON.parse(response), `${path}: ${response}`).toMatchObject({ success: true });
    if (/^\/op\/(imports|bulk-grants)\//.test(path)) await jobsEnded(database.sql);
  }
});
