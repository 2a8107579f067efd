/** The Postman collection as the repository keeps it, run by newman against the demo business. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { provideDemo } from "../../src/demo/demo.ts";
import { operationsInRealTime } from "../support/requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const kept = (name: string) =>
  fileURLToPath(new URL(`../../docs/api/loyalty.postman_${name}.json`, import.meta.url));
const newman = createRequire(import.meta.url).resolve("newman/bin/newman.js");

interface Run {
  readonly stats: {
    readonly requests: { total: number };
    readonly assertions: { total: number; failed: number };
  };
  readonly failures: readonly { source: { name: string }; error: { message: string } }[];
}

let folder: string;
let variables: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "loyalty-postman-"));
  // The demo business is made where there is none.
  await world.sql`TRUNCATE business CASCADE`;
  const outcome = await provideDemo(world.sql, { dataDirectory: folder, baseUrl: world.baseUrl });
  if (outcome.status === "absent") throw new Error("no demo business");
  const { client_id, client_secret, location_ids, program_ids, voucher_ids } = outcome.demo;
  variables = {
    base_url: world.baseUrl,
    client_id,
    client_secret,
    location_id: String(location_ids[0]),
    program_id: String(program_ids[0]),
    voucher_id: String(voucher_ids[0]),
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the collection so many times, one after the other. @param options more options of newman */
async function run(iterations = 1, ...options: string[]): Promise<Run> {
  const report = join(folder, "report.json");
  const given = Object.entries(variables).flatMap(([name, value]) => ["--env-var", `${name}=${value}`]);
  await promisify(execFile)(process.execPath, [
    ...[newman, "run", kept("collection"), "--environment", kept("environment"), ...given],
    ...["--iteration-count", String(iterations)],
    ...["--reporters", "json", "--reporter-json-export", report, "--suppress-exit-code"],
    ...options,
  ]);
  return (JSON.parse(await readFile(report, "utf8")) as { run: Run }).run;
}

const tiers = async () =>
  (await world.sql`SELECT tier_id FROM member_tier WHERE deleted_on IS NULL ORDER BY tier_id`).map(
    ({ tier_id }) => tier_id,
  );

async function expectGreen(operations: number, iterations = 1): Promise<void> {
  const { stats, failures } = await run(iterations);
  const requests = operations * iterations;
  expect(failures.map(({ source, error }) => `${source.name}: ${error.message}`)).toEqual([]);
  expect(stats.requests.total).toBe(requests);
  expect(stats.assertions.total).toBeGreaterThanOrEqual(4 * requests);
  expect(stats.assertions.failed).toBe(0);
}

// Each iteration finds what the ones before left: keys and phone numbers must not collide, and no tier may go.
it("is green from top to bottom, also when it is repeated", async () => {
  const before = await tiers();
  // Within one run, variables that one iteration sets are there in the next.
  await expectGreen(operationsInRealTime.length - 2, 2);
  expect(await tiers()).toEqual(before);
});

it("deletes the tier that delete_tier_id names, and no other", async () => {
  const [first, ...others] = await tiers();
  variables.delete_tier_id = String(first);
  await expectGreen(operationsInRealTime.length - 1);
  variables.delete_tier_id = "";
  expect(await tiers()).toEqual(others);
});

it("turns red when the service answers otherwise", async () => {
  const { client_secret } = variables;
  variables.client_secret = "wrong";
  // Its first request fails.
  const { failures } = await run(1, "--bail");
  variables.client_secret = client_secret as string;
  expect(failures.map(({ error }) => error.message).join()).toContain(
    "expected response to have status code 200",
  );
});
