/** A client in another language, made from the served OpenAPI document, works a till's day. Skipped without Python. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { useWorld } from "../support/world.ts";
import { runProgram } from "./programs.ts";

const world = useWorld();
const python = process.env.PYTHON ?? "python3";
const isThere = spawnSync(python, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "loyalty-python-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("finds Python in CI", () => {
  expect(isThere || process.env.CI === undefined).toBe(true);
});

it.skipIf(!isThere)("a Python client works a till's day, twice", async () => {
  const { client_id, client_secret } = await world.integration(world.home);
  const demoFile = join(folder, "demo.json");
  writeFileSync(
    demoFile,
    JSON.stringify({
      base_url: world.baseUrl,
      client_id,
      client_secret,
      location_ids: world.home.locationIds,
      program_ids: [world.home.programId],
      voucher_ids: [world.home.vouchers.everywhere],
    }),
  );
  for (const _ of [1, 2]) {
    const run = await runProgram(python, ["-B", "examples/python/till_day.py", demoFile]);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toMatch(/^Member \d+: wallet 760, points 41, 7 entries\. All as recorded\.\n$/);
  }
});

it.skipIf(!isThere)("a Python client names the fields that an operation has", async () => {
  const { client_id, client_secret } = await world.integration(world.home);
  const program = `
import sys; sys.path.insert(0, "examples/python")
from loyalty_client import LoyaltyClient
client = LoyaltyClient("${world.baseUrl}", "${client_id}", "${client_secret}")
try: client.wallet_adjust(contactid=1)
except TypeError as error: print(error)
`;
  const { stdout } = await runProgram(python, ["-B", "-c", program]);
  expect(stdout).toContain("wallet_adjust has no field ['contactid']; it has ['adjustment_type', 'amount'");
});
